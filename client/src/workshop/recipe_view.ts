/** Build, the recipe itself: its text with line numbers, checked as it is typed, and written when it is right. */
import { button, h } from "../ui/elements";
import type { RecipeProblem } from "./messages";
import type { Store } from "./store";
import "./recipe_view.css";

const PAUSE = 350; // ms without a key, after which the text is checked

export class RecipeView {
  readonly element: HTMLElement;
  private readonly area: HTMLTextAreaElement;
  private readonly gutter = h("div.gutter", { "aria-hidden": "true" });
  private readonly paint = h("pre.paint", { "aria-hidden": "true" });
  private readonly state = h("span.chip");
  private readonly problems = h("div.problems", { role: "alert" });
  private waiting = 0;
  private readonly back: HTMLButtonElement;

  constructor(private readonly store: Store) {
    this.area = h("textarea.code", {
      spellcheck: false,
      wrap: "off",
      "aria-label": "The recipe",
      "data-key": "recipe-text",
      oninput: () => this.typed(),
      onscroll: () => this.scrolled(),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== "Tab" || event.shiftKey || event.ctrlKey) return;
        event.preventDefault();
        document.execCommand("insertText", false, "    "); // keeps the field's own undo
      },
    }) as HTMLTextAreaElement;
    const copy = button(
      "Copy",
      () =>
        void navigator.clipboard.writeText(this.area.value).then(
          () => store.studio.say("The recipe is on the clipboard.", "good"),
          () => store.studio.say("The browser does not allow copying here.", "bad"),
        ),
      { kind: "small quiet" },
    );
    this.back = button(
      "Back to the written one",
      () => {
        store.discard();
        this.area.value = store.text;
        this.update();
      },
      { icon: "reset", kind: "small quiet" },
    );
    this.element = h(
      "div.recipe-panel",
      h(
        "div.row",
        this.state,
        h("span.gap"),
        this.back,
        copy,
        button("Download", () => download(), { icon: "save", kind: "small" }),
      ),
      h("div.editor", h("div.gutter-window", this.gutter), h("div.paper", this.paint, this.area)),
      this.problems,
    );
  }

  update(): void {
    const { store } = this,
      checked = store.draft ?? store.checked;
    if (!checked || !store.project) return;
    if (!store.draft && this.area.value !== store.text && !this.waiting) this.area.value = store.text;
    this.area.placeholder = '[[source]]\nfiles = ["*.bvh"]\n\nDrop motion files on the page, or write a recipe here.';
    const wrong = checked.problems;
    this.back.hidden = !store.draft || !store.text;
    this.state.className = `chip ${store.draft ? "bad" : wrong.length ? "warn" : "good"}`;
    this.state.replaceChildren(
      h("i.dot"),
      store.draft
        ? "not written: see below"
        : !store.text
          ? "no recipe yet"
          : wrong.length
            ? "written, but it cannot be built yet"
            : `written to ${store.project.recipe}`,
    );
    if (!checked.text && !this.area.value) return this.show([]);
    this.show(wrong);
  }

  private typed(): void {
    this.number([]);
    clearTimeout(this.waiting);
    this.state.className = "chip";
    this.state.replaceChildren(h("i.dot"), "checking");
    this.waiting = window.setTimeout(() => {
      this.waiting = 0;
      void this.store.write(this.area.value).then(() => this.update());
    }, PAUSE);
  }

  private show(problems: RecipeProblem[]): void {
    this.number(problems);
    this.problems.replaceChildren(
      ...problems.map((one) =>
        h(
          "button.problem",
          { type: "button", onclick: () => this.jump(one.line) },
          one.line ? h("span.mono", `line ${one.line}`) : null,
          h("span", one.message),
        ),
      ),
    );
  }

  private number(problems: RecipeProblem[]): void {
    const bad = new Set(problems.map((one) => one.line));
    const count = this.area.value.split("\n").length;
    this.paint.replaceChildren(...coloured(this.area.value), "\n");
    this.scrolled();
    this.gutter.replaceChildren(
      ...Array.from({ length: count }, (_, k) => h(bad.has(k + 1) ? "b.wrong" : "span", String(k + 1))),
    );
  }

  private scrolled(): void {
    this.gutter.style.transform = `translateY(${-this.area.scrollTop}px)`;
    this.paint.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
  }

  private jump(line: number | null): void {
    if (!line) return;
    const lines = this.area.value.split("\n"),
      start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.area.focus();
    this.area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    this.area.scrollTop = Math.max(0, (line - 6) * 19);
  }
}

const PARTS =
  /("""[\s\S]*?"""|'[^'\n]*'|"(?:\\.|[^"\\\n])*")|(#[^\n]*)|(^[ \t]*\[\[?[^\]\n]*\]\]?)|(^[ \t]*[\w.-]+(?=[ \t]*=))|(\b(?:true|false)\b|[-+]?\b\d[\d_.eE+-]*)/gm;
const KINDS = ["string", "comment", "table", "key", "value"];

/** TOML in colours: comments, tables, keys, texts and numbers. */
export function coloured(text: string): (Node | string)[] {
  const out: (Node | string)[] = [];
  let last = 0;
  for (const found of text.matchAll(PARTS)) {
    const kind = KINDS[found.slice(1).findIndex((part) => part !== undefined)];
    out.push(text.slice(last, found.index), h(`span.toml-${kind}`, found[0]));
    last = found.index + found[0].length;
  }
  out.push(text.slice(last));
  return out;
}

export function download(): void {
  const link = h("a", { href: "api/workshop/recipe/download", download: "" });
  document.body.append(link);
  link.click();
  link.remove();
}
