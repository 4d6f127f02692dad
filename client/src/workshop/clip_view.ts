/** Build, one file: the doctor's findings with their cures, what is cut and tagged, the source's settings, and roles. */
import { button, empty, h, switchRow } from "../ui/elements";
import { icon } from "../ui/icons";
import type { ClipDock, Mark } from "./clip_dock";
import { capital, choice, loading, numberField, rerender, seconds, tagField } from "./fields";
import { baseName, fits, literal } from "./globs";
import type { FileReport, Finding } from "./messages";
import type { RoleEditor } from "./roles";
import type { SourceTable, Store } from "./store";

const FACTS_OPEN = new Set<string>();

export class ClipView {
  readonly element = h("div.clip-view");
  private openRoles = false;
  which = 0; // of the animations of the file
  onWhich: () => void = () => {};

  constructor(
    private readonly store: Store,
    private readonly dock: ClipDock,
    private readonly roles: RoleEditor,
  ) {}

  get source(): SourceTable | null {
    const index = this.store.sourceOf(this.store.selected);
    return index === null ? null : (this.store.recipe?.source[index] ?? null);
  }

  update(): void {
    const { store } = this,
      name = store.selected;
    this.dock.marks = this.marks();
    this.dock.draw();
    if (!name)
      return rerender(
        this.element,
        store.names().length ? empty("No file is chosen", "Choose one above to look at it, cut it and tag it.") : null,
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
      report ? this.findings(report, index) : h("span.note", "Built-in motion: procedural, clean by construction."),
      index !== null
        ? this.stretches(name, index)
        : report?.frames
          ? empty(
              "Not in the recipe",
              "It is in the folder, but the database is built without it.",
              button("Bring it in", () => void store.take([name]), { kind: "small" }),
            )
          : empty(
              "Left out",
              "It cannot be read, so the database is built without it. Mend the file or export it again, and drop it here.",
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
            title: "Take it out of the recipe; the file stays",
          })
        : null,
    );
  }

  private findings(report: FileReport, index: number | null): HTMLElement {
    const rows: HTMLElement[] = [];
    if (report.difference) {
      rows.push(
        h(
          "div.finding.error",
          mark("error"),
          h(
            "div.what",
            h("strong", "Another skeleton than the rest"),
            h("div", `Compared with ${report.difference_from}: ${report.difference}.`),
            h(
              "div.row",
              button(
                "Retarget it",
                () =>
                  void this.store.edit({
                    type: "set_for_files",
                    files: [report.path],
                    values: { retarget: true },
                    whole: false,
                  }),
                { kind: "small primary", title: "Carry its motion over to the first file's skeleton" },
              ),
              button("Leave it out", () => void this.store.edit({ type: "leave_out", file: report.path }), {
                kind: "small",
              }),
            ),
          ),
        ),
      );
    }
    const source = index === null ? null : this.store.recipe?.source[index];
    if (source?.retarget)
      rows.push(
        h(
          "div.finding.fixed",
          mark("fixed"),
          h("div.what", "Its motion is carried over to the first file's skeleton (retargeted)."),
        ),
      );
    const [told, notes] = [
      report.findings.filter((one) => one.severity !== "note"),
      report.findings.filter((one) => one.severity === "note"),
    ];
    rows.push(...told.map((one) => this.finding(one, report, index)));
    if (notes.length) {
      rows.push(
        h(
          "details.notes",
          { open: FACTS_OPEN.has("notes"), ontoggle: (event: Event) => remember("notes", event) },
          h("summary", `${notes.length} ${notes.length === 1 ? "note" : "notes"}, good to know`),
          ...notes.map((one) => h("div.finding.note-line", mark("note"), h("div.what", capital(one.what)))),
        ),
      );
    }
    if (!rows.length) rows.push(h("div.finding.fixed", mark("fixed"), h("div.what", "Nothing to complain of.")));
    return h("section.findings", ...rows);
  }

  private finding(one: Finding, report: FileReport, index: number | null): HTMLElement {
    const fixed = one.state === "applied",
      companions = index === null ? 0 : this.store.companions(index);
    const paste = (whole: boolean) => void this.store.edit({ type: "paste", file: report.path, lines: one.fix, whole });
    const leaves = /^exclude\b/.test(one.fix);
    if (fixed)
      return h("div.finding.fixed", mark("fixed"), h("div.what", h("div", capital(one.what)), h("code", one.fix)));
    const actions =
      one.state !== "open" || index === null
        ? null
        : leaves
          ? h(
              "div.row",
              button("Leave it out", () => paste(false), { kind: "small" }),
            )
          : h(
              "div.row",
              button("Fix", () => paste(companions < 2), {
                kind: "small primary",
                title: "Put these lines into the recipe",
              }),
              companions > 1
                ? button(`Fix all ${companions} files of this group`, () => paste(true), { kind: "small" })
                : null,
            );
    return h(
      `div.finding.${one.severity}`,
      mark(one.severity),
      h(
        "div.what",
        h("div", capital(one.what)),
        one.fix && !leaves ? h("code.fix", one.fix) : null,
        one.state === "manual" && one.fix
          ? h("span.note", "Fill in what only you know, below or in the recipe's text.")
          : null,
        actions,
      ),
    );
  }

  /** What the recipe does to the file's time, as marks on the timeline. */
  private marks(): Mark[] {
    const source = this.source,
      name = baseName(this.store.selected),
      end = this.length;
    if (!source) return [];
    const marks: Mark[] = [];
    if (source.trim)
      marks.push(
        { kind: "out", from: 0, to: source.trim[0] },
        { kind: "out", from: source.trim[1], to: Math.max(end, source.trim[1]) },
      );
    for (const [from, to] of source.drop) marks.push({ kind: "out", from, to });
    for (const at of source.split) marks.push({ kind: "split", from: at, to: at });
    source.range.forEach((one, k) => {
      if (!fits(name, one.files)) return;
      marks.push({
        kind: "range",
        from: one.from,
        to: one.to ?? end,
        label:
          [...one.tags, one.no_entry ? "no entry" : "", one.no_exit ? "no exit" : ""].filter(Boolean).join(", ") ||
          "range",
        colour: `series-${(k % 8) + 1}`,
      });
    });
    return marks;
  }

  length = 0; // s, of the clip on the stage

  private stretches(name: string, index: number): HTMLElement {
    const { store } = this,
      source = store.recipe!.source[index],
      isFile = !source.builtin;
    const set = (values: Record<string, unknown>) =>
      void store.edit({ type: "set_for_files", files: [name], values, whole: false });
    const rows: HTMLElement[] = [];
    if (isFile && source.trim) {
      const [from, to] = source.trim;
      rows.push(
        stretchRow(
          "keep",
          "Keep only",
          from,
          to,
          (a, b) => set({ trim: [a, b] }),
          () => set({ trim: null }),
        ),
      );
    }
    source.drop.forEach(([from, to], k) =>
      rows.push(
        stretchRow(
          `drop${k}`,
          "Leave out",
          from,
          to,
          (a, b) => set({ drop: source.drop.map((one, other) => (other === k ? [a, b] : one)) }),
          () => set({ drop: source.drop.length > 1 ? source.drop.filter((_, other) => other !== k) : null }),
        ),
      ),
    );
    source.split.forEach((at, k) =>
      rows.push(
        h(
          "div.row.stretch",
          h("span.what", "Split at"),
          numberField(
            at,
            (value) => value && set({ split: source.split.map((one, other) => (other === k ? value : one)) }),
            { key: `split${k}`, label: "Split at, seconds", low: 0 },
          ),
          h("span.unit", "s"),
          h("span.gap"),
          cross(() => set({ split: source.split.length > 1 ? source.split.filter((_, other) => other !== k) : null })),
        ),
      ),
    );
    source.range.forEach((one, k) => {
      if (!fits(baseName(name), one.files)) return;
      const at = (key: string) => ["source", index, "range", k, key];
      const row = stretchRow(
        `range${k}`,
        "Tag",
        one.from,
        one.to,
        (a, b) => void store.edit({ type: "set", at: at("from"), value: a }, { type: "set", at: at("to"), value: b }),
        () => void store.edit({ type: "remove", at: ["source", index, "range", k] }),
        tagField(one.tags, (tags) => void store.edit({ type: "set", at: at("tags"), value: tags }), {
          key: `tags${k}`,
          label: "Tags of the stretch",
        }),
        flag(
          "no entry",
          one.no_entry,
          (on) => void store.edit({ type: "set", at: at("no_entry"), value: on }),
          "A search never jumps into the stretch",
        ),
        flag(
          "no exit",
          one.no_exit,
          (on) => void store.edit({ type: "set", at: at("no_exit"), value: on }),
          "Once in the stretch, it is played to its end",
        ),
      );
      row.style.setProperty("--tone", `var(--series-${(k % 8) + 1})`);
      row.classList.add("toned");
      rows.push(row);
    });
    const hint = h(
      "p.note.hint-line",
      icon("next"),
      "Drag over the timeline below the figure to choose a stretch; then keep, cut or tag it.",
    );
    return h("section.group", h("h2", "Cuts and tags"), ...(rows.length ? rows : [hint]), rows.length ? hint : null);
  }

  /** The buttons for the stretch that is chosen on the timeline. */
  chosenBar(): void {
    const { store, dock } = this,
      chosen = dock.chosen,
      index = store.sourceOf(store.selected);
    if (!chosen || index === null) {
      dock.bar.replaceChildren();
      return;
    }
    const source = store.recipe!.source[index],
      name = store.selected,
      isFile = !source.builtin;
    const [from, to] = chosen.map((time) => +time.toFixed(3)) as [number, number];
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
    dock.bar.replaceChildren(
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
      tags,
      button("", () => dock.choose(null), { icon: "close", kind: "quiet small icon", title: "Choose nothing" }),
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
      { open: FACTS_OPEN.has("facts"), ontoggle: (event: Event) => remember("facts", event) },
      h("summary", h("strong", "What the doctor measured")),
      h("dl.facts", ...report.facts.flatMap(([key, text]) => [h("dt", key), h("dd", text)])),
    );
  }
}

function remember(key: string, event: Event): void {
  if ((event.currentTarget as HTMLDetailsElement).open) FACTS_OPEN.add(key);
  else FACTS_OPEN.delete(key);
}

function mark(kind: string): HTMLElement {
  return h(`span.mark.${kind}`, { "aria-label": kind }, kind === "fixed" ? icon("check") : kind === "note" ? "i" : "!");
}

function cross(act: () => void): HTMLElement {
  return button("", act, { icon: "close", kind: "quiet small icon", title: "Take it out" });
}

function flag(text: string, on: boolean, changed: (on: boolean) => void, title: string): HTMLElement {
  return h(
    "button",
    {
      className: "button small quiet flag",
      type: "button",
      title,
      "aria-pressed": String(on),
      onclick: () => changed(!on),
    },
    text,
  );
}

function stretchRow(
  key: string,
  what: string,
  from: number,
  to: number | null,
  changed: (from: number, to: number | null) => void,
  removed: () => void,
  ...more: HTMLElement[]
): HTMLElement {
  return h(
    "div.stretch-box",
    h(
      "div.row.stretch",
      h("span.what", what),
      numberField(from, (value) => changed(value ?? 0, to), {
        key: `${key}-from`,
        label: `${what}, from second`,
        low: 0,
        step: 0.01,
      }),
      h("span.unit", "to"),
      numberField(to, (value) => changed(from, value), {
        key: `${key}-to`,
        label: `${what}, to second`,
        low: 0,
        step: 0.01,
        placeholder: "end",
      }),
      h("span.unit", "s"),
      h("span.gap"),
      cross(removed),
    ),
    more.length ? h("div.row.stretch-more", ...more) : null,
  );
}
