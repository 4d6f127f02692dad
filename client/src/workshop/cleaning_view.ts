/** Build, what is done to every clip: rate, mirror, floor, root and contacts, each with the recipe's own explanation. */
import { h, segments, switchRow } from "../ui/elements";
import { numberField, rerender, setting } from "./fields";
import type { Store } from "./store";

export class CleaningView {
  readonly element = h("div.cleaning-panel");

  constructor(private readonly store: Store) {}

  update(): void {
    const { store } = this,
      recipe = store.recipe;
    if (!recipe || !store.project)
      return rerender(
        this.element,
        h(
          "div.empty",
          h("strong", "There is no recipe yet"),
          h("span", "Add motion files first; their cleaning is set here."),
        ),
      );
    const meanings = store.project.reference["[cleaning]"],
      matching = store.project.reference["[matching]"];
    const cleaning = recipe.cleaning;
    const put = (key: string, value: unknown) => void store.edit({ type: "set", at: ["cleaning", key], value });
    const number = (key: string, low: number, step: number, unit: string) =>
      h(
        "span.row.tight",
        numberField(cleaning[key] as number, (value) => value !== null && put(key, value), {
          key,
          label: key,
          low,
          step,
        }),
        h("span.unit", unit),
      );
    const pair = (key: string, unit: string) => {
      const [low, high] = cleaning[key] as [number, number];
      return h(
        "span.row.tight",
        numberField(low, (value) => value !== null && put(key, [value, high]), {
          key: `${key}0`,
          label: `${key}, lower`,
          low: 0,
          step: 0.01,
        }),
        numberField(high, (value) => value !== null && put(key, [low, value]), {
          key: `${key}1`,
          label: `${key}, upper`,
          low: 0,
          step: 0.01,
        }),
        h("span.unit", unit),
      );
    };
    const mirror = switchRow("Mirror", cleaning.mirror, (on) => put("mirror", on)).input;
    mirror.dataset.key = "mirror";
    mirror.setAttribute("aria-label", "Mirror");
    const tags = (cleaning.mirror_tags as string[][]).flat();
    rerender(
      this.element,
      h(
        "section.group",
        h("h2", "Every clip"),
        setting("Frame rate", meanings.frame_rate, number("frame_rate", 1, 1, "fps")),
        setting("Mirror", meanings.mirror, mirror),
        cleaning.mirror
          ? setting(
              "Tags that mirroring swaps",
              meanings.mirror_tags,
              h(
                "span.mono",
                tags.length ? (cleaning.mirror_tags as string[][]).map((one) => one.join(" ↔ ")).join(", ") : "none",
              ),
            )
          : null,
        setting(
          "Floor",
          meanings.floor,
          segments(
            [
              ["auto", "Find it"],
              ["keep", "Keep"],
            ] as const,
            cleaning.floor as "auto",
            (value) => put("floor", value),
            "Floor",
          ),
        ),
      ),
      h(
        "section.group",
        h("h2", "Ground root"),
        setting(
          "Method",
          meanings.root,
          segments(
            [
              ["spine", "Under the spine"],
              ["hips", "Under the hips"],
            ] as const,
            cleaning.root as "spine",
            (value) => put("root", value),
            "Root method",
          ),
        ),
        setting("Smoothing of the path", meanings.root_position_window, number("root_position_window", 0, 0.05, "s")),
        setting(
          "Smoothing of the facing",
          meanings.root_direction_window,
          number("root_direction_window", 0, 0.05, "s"),
        ),
      ),
      h(
        "section.group",
        h("h2", "Foot contacts"),
        setting("Speed", meanings.contact_speed, pair("contact_speed", "m/s")),
        setting("Height", meanings.contact_height, pair("contact_height", "m")),
        setting("Shortest", meanings.contact_radius, number("contact_radius", 0, 0.01, "s")),
      ),
      h(
        "section.group",
        h("h2", "Search"),
        setting(
          "Tail of a clip",
          matching.tail,
          h(
            "span.row.tight",
            numberField(
              recipe.matching.tail,
              (value) => value !== null && void store.edit({ type: "set", at: ["matching", "tail"], value }),
              { key: "tail", label: "tail", low: 0, step: 0.01 },
            ),
            h("span.unit", "s"),
          ),
        ),
        setting(
          "Normalisation",
          matching.normalisation,
          segments(
            [
              ["block", "Feature"],
              ["column", "Column"],
              ["none", "None"],
            ] as const,
            recipe.matching.normalisation as "block",
            (value) => void store.edit({ type: "set", at: ["matching", "normalisation"], value }),
            "Normalisation",
          ),
        ),
      ),
    );
  }
}
