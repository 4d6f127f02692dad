/** Small controls of the workshop's panels, and drawing a part again without losing the keyboard's place. */
import { h } from "../ui/elements";
import "./fields.css";

type Child = Node | string | null | false;

const AFTERWARDS = 60; // ms after a pointer is let go, in which a finger's click still comes
let pressed: Element | null = null; // what a pointer holds down
const waiting = new Map<HTMLElement, Child[]>();

function letGo(): void {
  setTimeout(() => {
    pressed = null;
    const hosts = [...waiting];
    waiting.clear();
    for (const [host, children] of hosts) rerender(host, ...children);
  }, AFTERWARDS);
}
addEventListener("pointerdown", (event) => (pressed = event.target as Element), { capture: true });
addEventListener("pointerup", letGo, { capture: true });
addEventListener("pointercancel", letGo, { capture: true });

/**
 * Replace what a host shows; the control that had the focus, known by its data-key, has it afterwards, lists stay
 * scrolled (data-scroll), and what was unfolded stays so (data-fold). What a pointer holds down stays until it is let go: half a click, or half a drag, would be lost with it.
 */
export function rerender(host: HTMLElement, ...children: Child[]): void {
  waiting.delete(host);
  if (pressed && host.contains(pressed)) return void waiting.set(host, children);
  const active = document.activeElement as HTMLElement | null;
  const key = active && host.contains(active) ? active.dataset.key : undefined;
  const scrolled = [...host.querySelectorAll<HTMLElement>("[data-scroll]")].map(
    (one) => [one.dataset.scroll!, one.scrollTop] as const,
  );
  const folds = [...host.querySelectorAll<HTMLDetailsElement>("details[data-fold]")].map(
    (one) => [one.dataset.fold!, one.open] as const,
  );
  host.replaceChildren(...children.filter((child): child is Node | string => child !== null && child !== false));
  for (const [name, open] of folds) {
    const one = host.querySelector<HTMLDetailsElement>(`details[data-fold="${CSS.escape(name)}"]`);
    if (one) one.open = open;
  }
  for (const [name, top] of scrolled) {
    const one = host.querySelector<HTMLElement>(`[data-scroll="${name}"]`);
    if (one) one.scrollTop = top;
  }
  if (key) host.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

/** A number that is taken when the field is left or Enter is pressed. */
export function numberField(
  value: number | null,
  changed: (value: number | null) => void,
  options: { key: string; label: string; step?: number; low?: number; high?: number; placeholder?: string },
): HTMLInputElement {
  const shown = value === null ? "" : String(+value.toFixed(4));
  const field = h("input.field.number", {
    type: "number",
    value: shown,
    step: options.step ?? "any",
    min: options.low,
    max: options.high,
    "data-key": options.key,
    "aria-label": options.label,
    placeholder: options.placeholder ?? "",
    onchange: () => {
      if (field.value === "") return changed(null);
      const number = Number(field.value);
      if (Number.isFinite(number)) changed(number);
    },
  }) as HTMLInputElement;
  return field;
}

export function choice<T extends string>(
  choices: readonly (readonly [T, string])[],
  value: T,
  changed: (value: T) => void,
  options: { key: string; label: string },
): HTMLSelectElement {
  const field = h(
    "select.field",
    { "data-key": options.key, "aria-label": options.label, onchange: () => changed(field.value as T) },
    ...choices.map(([id, text]) => h("option", { value: id, selected: id === value }, text)),
  ) as HTMLSelectElement;
  return field;
}

/** Words with a cross to take each out, and a field to add one. */
export function tagField(
  tags: readonly string[],
  changed: (tags: string[]) => void,
  options: { key: string; label: string },
): HTMLElement {
  const input = h("input.tag-input", {
    type: "text",
    placeholder: tags.length ? "" : "add a tag",
    "data-key": options.key,
    "aria-label": options.label,
    maxLength: 40,
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter" || event.key === ",") {
        event.preventDefault();
        add();
      }
      if (event.key === "Backspace" && !input.value && tags.length) changed(tags.slice(0, -1));
    },
    onblur: () => add(),
  }) as HTMLInputElement;
  const add = () => {
    const word = input.value.trim().replace(/,$/, "");
    input.value = "";
    if (word && !tags.includes(word)) changed([...tags, word]);
  };
  return h(
    "div.tags",
    { onclick: () => input.focus() },
    ...tags.map((tag) =>
      h(
        "span.tag",
        tag,
        h(
          "button",
          { type: "button", title: `Take out '${tag}'`, onclick: () => changed(tags.filter((other) => other !== tag)) },
          "×",
        ),
      ),
    ),
    input,
  );
}

/** A name with its control, and the meaning of the key below. */
export function setting(name: string, meaning: string, ...controls: Child[]): HTMLElement {
  return h("div.setting", h("div.about", h("span", name), meaning ? h("span.note", meaning) : null), ...controls);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function seconds(value: number): string {
  return value >= 60
    ? `${Math.floor(value / 60)}:${(value % 60).toFixed(0).padStart(2, "0")} min`
    : `${value.toFixed(value < 10 ? 2 : 1)} s`;
}

/** What stands in a panel while the server is asked. */
export function loading(text: string): HTMLElement {
  return h("div.loading", { role: "status" }, h("div.progress.unknown", h("i")), h("span.note", text));
}
