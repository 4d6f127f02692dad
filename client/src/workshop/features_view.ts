/** Build, the features: what a frame is found by, how much each counts, and each drawn on the figure in its colour. */
import { button, h, range, segments } from "../ui/elements";
import type { ClipDock } from "./clip_dock";
import { seriesColour, type ClipStage } from "./clip_stage";
import { choice, numberField, rerender, setting } from "./fields";
import type { FeatureRow } from "./messages";
import { words } from "./roles";
import type { Store } from "./store";

const ABOUT: Record<string, string> = {
  position: "where a joint is, from the root",
  velocity: "how fast and where a joint moves",
  direction: "which way a joint points",
  height: "how high a joint is above the ground",
  trajectory_position: "where the root will be, or was",
  trajectory_direction: "which way the root will face, or faced",
};

export class FeaturesView {
  readonly element = h("div.feature-panel");
  private adding = false;
  private draft = {
    kind: "position",
    joint: "left_hand",
    times: "0.33, 0.67, 1.0",
    axis: "forward",
    dimensions: 3,
    weight: 1,
  };

  constructor(
    private readonly store: Store,
    private readonly stage: ClipStage,
    private readonly dock: ClipDock,
  ) {}

  update(): void {
    const { store } = this,
      recipe = store.recipe;
    if (!recipe)
      return rerender(
        this.element,
        h(
          "div.empty",
          h("strong", "There is no recipe yet"),
          h("span", "Add motion files first; what they are matched by is set here."),
        ),
      );
    const rows = store.checked!.features,
      spelt = recipe.feature.length > 0;
    const total = rows.reduce((sum, row) => sum + row.width, 0);
    rerender(
      this.element,
      h(
        "section.group",
        h("h2", "Balance"),
        this.balance(
          "responsiveness",
          "Responsiveness",
          "Weight of the trajectory: higher follows the stick more closely",
          recipe.matching.responsiveness,
        ),
        this.balance(
          "quality",
          "Quality",
          "Weight of the pose: higher gives smoother transitions",
          recipe.matching.quality,
        ),
      ),
      h(
        "section.group",
        h(
          "h2",
          `${rows.length} features, ${total} numbers a frame`,
          h("span.gap"),
          spelt
            ? button(
                "Add a feature",
                () => {
                  this.adding = !this.adding;
                  this.update();
                },
                { kind: "small" },
              )
            : null,
        ),
        spelt
          ? null
          : h(
              "div.empty",
              h("strong", "The features used in the papers"),
              h("span", "Without any in the recipe these are used. To change them, write them out first."),
              button("Write them out", () => void store.edit({ type: "spell_features" }), { kind: "small primary" }),
            ),
        this.adding && spelt ? this.form() : null,
        h("div.feature-list", ...rows.map((row, k) => this.row(row, k, spelt))),
      ),
      this.stage.clip?.about.feature_problem
        ? h("div.finding.error", h("span.mark.error", "!"), h("div.what", this.stage.clip.about.feature_problem))
        : null,
      this.stage.clip ? null : h("p.note", "Choose a file to see its features on the figure."),
    );
  }

  private balance(key: string, name: string, text: string, value: number): HTMLElement {
    const put = (weight: number) => void this.store.edit({ type: "set", at: ["matching", key], value: weight });
    return setting(
      name,
      text,
      this.slider(key, name, value, put),
      numberField(value, (number) => number !== null && put(number), {
        key: `${key}-n`,
        label: name,
        low: 0,
        step: 0.1,
      }),
    );
  }

  /** Weights from 0 to 8, finer where they are small. */
  private slider(key: string, label: string, value: number, put: (weight: number) => void): HTMLElement {
    const bar = range({ low: 0, high: 1, step: 0.01, value: Math.cbrt(Math.min(value, 8) / 8), label }, () => {});
    bar.dataset.key = key;
    bar.addEventListener("change", () => put(+(8 * Number(bar.value) ** 3).toFixed(2)));
    return bar;
  }

  private row(row: FeatureRow, k: number, spelt: boolean): HTMLElement {
    const put = (value: number) => void this.store.edit({ type: "set", at: ["feature", k, "weight"], value });
    const details = [
      row.times.length ? `at ${row.times.map((time) => `${+time.toFixed(2)}`).join(", ")} s` : "",
      row.kind === "direction" ? row.axis : "",
      row.dimensions === 2 && row.group === "pose" ? "flat" : "",
    ]
      .filter(Boolean)
      .join(", ");
    const title = `${row.joint ? `${words(row.joint)} ` : ""}${words(row.kind)}`;
    return h(
      "div.feature",
      {
        "data-feature": row.name,
        onpointerenter: () => {
          this.stage.highlight = k;
        },
        onpointerleave: () => {
          this.stage.highlight = -1;
        },
      },
      h("i.swatch", { style: `background: var(--${seriesColour(k)})` }),
      h(
        "div.name",
        h("div", title, details ? h("span.note", ` ${details}`) : null),
        h(
          "div.note",
          ABOUT[row.kind] ?? "a feature of your own",
          `, ${row.width} ${row.width === 1 ? "number" : "numbers"}`,
        ),
      ),
      spelt ? this.slider(`weight:${k}`, `Weight of ${title}`, row.weight, put) : null,
      spelt
        ? numberField(row.weight, (value) => value !== null && put(value), {
            key: `weight-n:${k}`,
            label: `Weight of ${title}`,
            low: 0,
            step: 0.1,
          })
        : h("span.fact", `weight ${row.weight}`),
      spelt
        ? button("", () => void this.store.edit({ type: "remove", at: ["feature", k] }), {
            icon: "close",
            kind: "quiet small icon",
            title: "Take this feature out",
          })
        : null,
    );
  }

  private form(): HTMLElement {
    const { store, draft } = this,
      project = store.project!;
    const needs = project.kind_needs[draft.kind] ?? [],
      path = needs.includes("times");
    const roles = this.stage.clip ? Object.keys(this.stage.clip.about.skeleton.roles) : project.roles;
    const joints = [...roles, ...(this.stage.clip?.about.skeleton.names ?? [])].filter((name) => name !== "root");
    const renew = (change: Partial<typeof draft>) => {
      Object.assign(draft, change);
      this.update();
    };
    const times = h("input.field", {
      value: draft.times,
      "data-key": "add-times",
      "aria-label": "Times in seconds",
      style: "flex:1",
      onchange: () => {
        draft.times = times.value;
      },
    }) as HTMLInputElement;
    const add = () => {
      const numbers = draft.times
        .split(/[\s,;]+/)
        .filter(Boolean)
        .map(Number);
      if (path && (!numbers.length || numbers.some((one) => !Number.isFinite(one))))
        return store.studio.say("Times are numbers of seconds, such as 0.33, 0.67, 1.0", "bad");
      const values: Record<string, unknown> = { kind: draft.kind };
      if (needs.includes("joint")) values.joint = draft.joint;
      if (path) values.times = numbers;
      if (draft.kind === "direction" && draft.axis !== "forward") values.axis = draft.axis;
      if (!path && draft.kind !== "height" && draft.dimensions === 2) values.dimensions = 2;
      void store.edit({ type: "add", at: ["feature"], values }).then((ok) => {
        if (ok) {
          this.adding = false;
          this.update();
        }
      });
    };
    return h(
      "div.feature-form",
      h(
        "div.row",
        h("span.name", "Kind"),
        choice(
          project.kinds.map((kind) => [kind, words(kind)] as const),
          draft.kind,
          (kind) => renew({ kind }),
          { key: "add-kind", label: "Kind of feature" },
        ),
      ),
      h("div.note", ABOUT[draft.kind] ?? "a feature of your own"),
      needs.includes("joint")
        ? h(
            "div.row",
            h("span.name", "Joint"),
            choice(
              joints.map((name) => [name, words(name)] as const),
              draft.joint,
              (joint) => renew({ joint }),
              { key: "add-joint", label: "Joint" },
            ),
          )
        : null,
      path ? h("div.row", h("span.name", "Times, s"), times) : null,
      draft.kind === "direction"
        ? h(
            "div.row",
            h("span.name", "Side"),
            segments(
              [
                ["forward", "Forward"],
                ["up", "Up"],
                ["left", "Left"],
              ] as const,
              draft.axis as "up",
              (axis) => renew({ axis }),
              "Axis",
            ),
          )
        : null,
      needs.includes("joint") && draft.kind !== "height"
        ? h(
            "div.row",
            h("span.name", "Numbers"),
            segments(
              [
                ["3", "x, y, z"],
                ["2", "x, z"],
              ] as const,
              String(draft.dimensions) as "3",
              (value) => renew({ dimensions: Number(value) }),
              "Dimensions",
            ),
          )
        : null,
      h(
        "div.row",
        h("span.gap"),
        button(
          "Cancel",
          () => {
            this.adding = false;
            this.update();
          },
          { kind: "small quiet" },
        ),
        button("Add", add, { kind: "small primary" }),
      ),
    );
  }

  /** Features are drawn while this part of the panel is open. */
  shown(on: boolean): void {
    this.dock.set("features", on);
  }
}
