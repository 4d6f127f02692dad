/** Build, one file: the doctor's findings with their cures, what is cut and tagged, the source's settings, and roles. */
import { button, empty, h, switchRow } from "../ui/elements";
import type { ClipDock } from "./clip_dock";
import { EventBar } from "./event_bar";
import { choice, loading, rerender, seconds, tagField } from "./fields";
import { findings, unfolding } from "./findings";
import { baseName, literal } from "./globs";
import { LabelBar } from "./label_bar";
import { marksOf, stripOf } from "./labels";
import type { FileReport } from "./messages";
import type { SourceTable } from "./recipe";
import type { RoleEditor } from "./roles";
import type { Store } from "./store";
import { stretches } from "./stretches";

export class ClipView {
  readonly element = h("div.clip-view");
  private openRoles = false;
  which = 0; // of the animations of the file
  onWhich: () => void = () => {};
  private readonly bar: LabelBar;
  private readonly events: EventBar;

  constructor(
    private readonly store: Store,
    private readonly dock: ClipDock,
    private readonly roles: RoleEditor,
  ) {
    this.bar = new LabelBar(store, dock);
    this.events = new EventBar(store, dock);
    this.events.lane.onPick = () => {
      if (this.events.lane.picked && dock.chosen) dock.choose(null);
      this.chosenBar();
    };
    dock.onMoved = () => this.bar.moved();
    dock.onDelete = () => void this.bar.change(null);
  }

  get source(): SourceTable | null {
    const index = this.store.sourceOf(this.store.selected);
    return index === null ? null : (this.store.recipe?.source[index] ?? null);
  }

  update(): void {
    const { store } = this,
      name = store.selected;
    if (!name)
      return rerender(
        this.element,
        store.names().length && !store.uploading.length
          ? empty("No file is chosen", "Choose one above to look at it, cut it and tag it.")
          : null,
      );
    const report = store.reports.get(name),
      index = store.sourceOf(name);
    if (report instanceof Error)
      return rerender(this.element, this.title(name), empty("This file cannot be examined", report.message));
    const isBuiltIn = !report && index !== null && store.recipe?.source[index]?.builtin;
    if (!report && !isBuiltIn) return rerender(this.element, this.title(name), loading("The doctor is looking at it"));
    rerender(
      this.element,
      this.title(name, report),
      report
        ? findings(store, report, index)
        : h("span.note", "Built-in motion: procedural, so there is nothing to clean."),
      this.bar.legend(),
      index !== null
        ? stretches(store, name, index)
        : report?.frames
          ? empty(
              "Not in the recipe",
              "It is in the folder, but the database is built without it.",
              button("Bring it in", () => void store.take([name]), { kind: "small" }),
            )
          : empty(
              "Left out",
              "It cannot be read, so the database is built without it. Fix the file or export it again, then drop it here.",
              null,
            ),
      index !== null ? this.settings(name, index) : null,
      report && report.frames && index !== null ? this.roleTable(report) : null,
      report && report.facts.length ? this.facts(report) : null,
    );
  }

  private title(name: string, report?: FileReport): HTMLElement {
    const used = this.store.sourceOf(name) !== null;
    const facts = report?.frames
      ? `${report.family} rig, ${report.joints} joints, ${report.frames} frames at ${+report.frame_rate.toFixed(2)} fps, ${seconds(report.duration)}`
      : "";
    return h(
      "header.clip-title",
      h("div.name", h("h2", name), h("span.note", facts)),
      report && report.clips.length > 1
        ? choice(
            report.clips.map((clip, k) => [String(k), clip] as const),
            String(this.which),
            (k) => {
              this.which = Number(k);
              this.onWhich();
            },
            { key: "which", label: "Animation" },
          )
        : null,
      used && report
        ? button("Leave out", () => void this.store.edit({ type: "leave_out", file: name }), {
            kind: "small quiet",
            title: "Remove it from the recipe; the file stays",
          })
        : null,
    );
  }

  /** The timeline's marks. */
  mark(): void {
    const { store, dock, source } = this,
      labels = store.project?.labels ?? [],
      report = store.reports.get(store.selected);
    dock.marks = source ? marksOf(source, store.selected, this.length, labels) : [];
    dock.strip = report && !(report instanceof Error) ? stripOf(report.labels, labels) : [];
    this.bar.unpickMissing();
    this.events.show(source, store.selected);
    dock.draw();
    if (this.events.lane.picked) this.chosenBar();
  }

  length = 0; // s, of the clip on the stage

  /** The buttons for the stretch that is chosen on the timeline. */
  chosenBar(): void {
    const { store, dock } = this,
      chosen = dock.chosen,
      index = store.sourceOf(store.selected);
    if (chosen && this.events.lane.picked) this.events.lane.pick(null);
    if (!chosen || index === null) {
      return rerender(dock.bar, ...((index !== null && this.events.controls()) || []));
    }
    const source = store.recipe!.source[index],
      name = store.selected,
      isFile = !source.builtin;
    const [from, to] = chosen.map((time) => +time.toFixed(3)) as [number, number];
    const clear = button("", () => dock.choose(null), {
      icon: "close",
      kind: "quiet small icon",
      title: "Clear the selection",
    });
    if (dock.picked && isFile && (dock.picked.said || dock.picked.kind === "seen"))
      return rerender(dock.bar, ...this.bar.controls(dock.picked), clear);
    const done = (work: Promise<boolean>) =>
      void work.then((ok) => {
        if (ok) dock.choose(null);
      });
    const set = (values: Record<string, unknown>) =>
      done(store.edit({ type: "set_for_files", files: [name], values, whole: false }));
    const file = this.store.companions(index) > 1 ? { files: literal(baseName(name)) } : {};
    const tags = tagField(
      [],
      (words) =>
        done(store.edit({ type: "add", at: ["source", index, "range"], values: { ...file, from, to, tags: words } })),
      { key: "chosen-tags", label: "Tag the stretch" },
    );
    rerender(
      dock.bar,
      h("span.mono", `${from.toFixed(2)}–${to.toFixed(2)} s`),
      ...(isFile
        ? [
            button("Keep this", () => set({ trim: [from, to] }), { kind: "small" }),
            button("Cut out", () => set({ drop: [...source.drop, [from, to]].sort((a, b) => a[0] - b[0]) }), {
              kind: "small",
            }),
            button(
              "Split here",
              () => set({ split: [...source.split, +this.now().toFixed(3)].sort((a, b) => a - b) }),
              { kind: "small" },
            ),
          ]
        : []),
      isFile ? this.bar.adder(from, to) : null,
      isFile ? this.events.adder(from, to, file) : null,
      tags,
      clear,
    );
  }

  now: () => number = () => 0; // s, of the playhead

  private settings(name: string, index: number): HTMLElement {
    const { store } = this,
      source = store.recipe!.source[index],
      companions = store.companions(index);
    const put = (key: string, value: unknown) => void store.edit({ type: "set", at: ["source", index, key], value });
    const own = (values: Record<string, unknown>) =>
      void store.edit({ type: "set_for_files", files: [name], values, whole: Boolean(source.builtin) });
    const title = companions > 1 ? `Settings of this group (${companions} files)` : "Settings";
    return h(
      "section.group",
      h("h2", title),
      h(
        "div.row",
        h("span.name", "Tags"),
        tagField(source.tags, (tags) => put("tags", tags), { key: "source-tags", label: "Tags of the whole file" }),
      ),
      source.builtin
        ? null
        : switchRow("Loop", source.loop, (on) => own({ loop: on || null }), {
            title: "The last frame meets the first",
          }),
      source.builtin
        ? null
        : switchRow("Recorded in place", source.in_place, (on) => own({ in_place: on || null }), {
            title: "Take the root's motion from the planted feet",
          }),
      source.builtin
        ? null
        : switchRow("Retarget to the first file's skeleton", source.retarget, (on) => put("retarget", on || null), {
            title: "For another rig",
          }),
    );
  }

  private roleTable(report: FileReport): HTMLElement {
    const missing = report.missing_roles.length;
    return h(
      "details.group-details",
      {
        "data-fold": `roles of ${report.path}`,
        open: this.openRoles || missing > 0,
        ontoggle: (event: Event) => {
          this.openRoles = (event.currentTarget as HTMLDetailsElement).open;
          this.roles.active(this.openRoles);
        },
      },
      h(
        "summary",
        h("strong", "Roles"),
        h(
          "span.note",
          missing
            ? `${missing} missing: ${report.missing_roles.join(", ")}`
            : `${Object.keys(report.roles).length} known`,
        ),
      ),
      this.roles.table(report),
    );
  }

  private facts(report: FileReport): HTMLElement {
    return h(
      "details.group-details",
      unfolding("facts"),
      h("summary", h("strong", "What the doctor measured")),
      h("dl.facts", ...report.facts.flatMap(([key, text]) => [h("dt", key), h("dd", text)])),
    );
  }
}
