/** Making elements: one small function, and the controls that every panel shares. */
import { icon, type IconName } from "./icons";

/** Whether fingers point here, which drop no files. */
export function isTouched(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

/** An element: `h("button.button.primary", { onclick }, "Build")`; null attributes are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes?: Attributes | Child,
  ...children: Child[]
): HTMLElementTagNameMap[K];
export function h(tag: string, attributes?: Attributes | Child, ...children: Child[]): HTMLElement;
export function h(tag: string, attributes?: Attributes | Child, ...children: Child[]): HTMLElement {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  if (attributes && typeof attributes === "object" && !(attributes instanceof Node)) {
    for (const [key, value] of Object.entries(attributes)) {
      if (value === null || value === undefined) continue;
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value as EventListener);
      else if (key in element && key !== "style" && key !== "list" && !key.startsWith("aria"))
        (element as unknown as Attributes)[key] = value;
      else element.setAttribute(key, String(value));
    }
  } else children.unshift(attributes as Child);
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
  return element;
}

export function button(
  text: string,
  onclick: () => void,
  options: { icon?: IconName; kind?: string; title?: string } = {},
): HTMLButtonElement {
  const element = h("button", {
    className: `button ${options.kind ?? ""}`,
    type: "button",
    title: options.title,
    onclick,
  });
  if (options.icon) element.append(icon(options.icon));
  if (text) element.append(text);
  else element.setAttribute("aria-label", options.title ?? "");
  return element;
}

/** A button that stays pressed; `set` changes it from outside. */
export function toggle(
  text: string,
  value: boolean,
  changed: (value: boolean) => void,
  options: { icon?: IconName; kind?: string; title?: string } = {},
) {
  const element = button(
    text,
    () => {
      set(element.getAttribute("aria-pressed") !== "true");
      changed(element.getAttribute("aria-pressed") === "true");
    },
    options,
  );
  const set = (on: boolean) => element.setAttribute("aria-pressed", String(on));
  set(value);
  return Object.assign(element, { set });
}

/** A row with a name and a switch. */
export function switchRow(
  text: string,
  value: boolean,
  changed: (value: boolean) => void,
  options: { title?: string; key?: string } = {},
) {
  const input = h("input.switch", {
    type: "checkbox",
    role: "switch",
    checked: value,
    onchange: () => changed(input.checked),
  }) as HTMLInputElement;
  const label = h(
    "label.row",
    { title: options.title },
    h("span.name", text),
    options.key ? h("kbd", options.key) : null,
    input,
  );
  return Object.assign(label, {
    set: (on: boolean) => {
      input.checked = on;
    },
    input,
  });
}

/** One of several: arrow keys move within it. */
export function segments<T extends string>(
  choices: readonly (readonly [T, string])[],
  value: T,
  changed: (value: T) => void,
  label = "",
) {
  const buttons = choices.map(([id, text]) =>
    h(
      "button",
      {
        type: "button",
        role: "radio",
        onclick: () => {
          set(id);
          changed(id);
        },
      },
      text,
    ),
  );
  const element = h(
    "div.segments",
    {
      role: "radiogroup",
      "aria-label": label,
      onkeydown: (event: KeyboardEvent) => {
        const step =
          event.key === "ArrowRight" || event.key === "ArrowDown"
            ? 1
            : event.key === "ArrowLeft" || event.key === "ArrowUp"
              ? -1
              : 0;
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        const next = (choices.findIndex(([id]) => id === current) + step + choices.length) % choices.length;
        buttons[next].focus();
        buttons[next].click();
      },
    },
    ...buttons,
  );
  let current = value;
  const set = (id: T) => {
    current = id;
    choices.forEach(([other], k) => {
      buttons[k].setAttribute("aria-checked", String(other === id));
      buttons[k].tabIndex = other === id ? 0 : -1;
    });
  };
  set(value);
  return Object.assign(element, { set });
}

/** A range input whose track is filled up to its thumb. */
export function range(
  options: {
    low: number;
    high: number;
    step: number | "any";
    value: number;
    label: string;
    read?: (value: number) => string; // what a screen reader says in place of the slider's own number
  },
  input: (value: number) => void,
) {
  const element = h("input", {
    type: "range",
    min: options.low,
    max: options.high,
    step: options.step,
    "aria-label": options.label,
  }) as HTMLInputElement;
  const fill = () => {
    if (options.read) element.setAttribute("aria-valuetext", options.read(Number(element.value)));
    element.style.setProperty(
      "--fill",
      `${(100 * (Number(element.value) - options.low)) / (options.high - options.low || 1)}%`,
    );
  };
  const set = (value: number) => {
    element.value = String(value);
    fill();
  };
  element.addEventListener("input", () => {
    fill();
    input(Number(element.value));
  });
  set(options.value);
  return Object.assign(element, { set });
}

/** A titled part of a panel. */
export function group(title: string, ...children: Child[]): HTMLElement {
  return h("section.group", h("h2", title), ...children);
}

/** What a place says that has nothing to show: what happened and what to do. */
export function empty(title: string, text: string, ...actions: Child[]): HTMLElement {
  return h("div.empty", h("strong", title), h("span", text), ...actions);
}
