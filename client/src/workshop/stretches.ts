/** Cuts and tags of one file: what is kept, left out, split and tagged. */
import { button, h } from "../ui/elements";
import { icon } from "../ui/icons";
import { numberField, tagField } from "./fields";
import { baseName, fits } from "./globs";
import { colourOf } from "./labels";
import type { Store } from "./store";
import "./stretches.css";

/** What the recipe does to stretches of a file, each with fields to change it. */
export function stretches(store: Store, name: string, index: number): HTMLElement {
  const source = store.recipe!.source[index],
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
    row.style.setProperty("--tone", `var(--${colourOf(one.tags, store.project?.labels ?? [])})`);
    row.classList.add("toned");
    rows.push(row);
  });
  const hint = h(
    "p.note.hint-line",
    icon("next"),
    "Drag over the timeline below the figure to choose a stretch; then keep, cut, label or tag it. Click a label there to change it.",
  );
  return h("section.group", h("h2", "Cuts and tags"), ...(rows.length ? rows : [hint]), rows.length ? hint : null);
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
