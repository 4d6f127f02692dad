/** Rows for settings: a slider with its number, a switch, or a choice; each shows its meaning and goes back to its default. */
import type { SettingInfo } from "../messages";
import { button, h, range, segments, switchRow } from "../ui/elements";
import { fromSlider, scaleOf, tidy, toSlider } from "./slider_scale";

export interface SettingRow {
  element: HTMLElement;
  set: (value: unknown) => void;
  changed: () => boolean;
}

export interface RowActions {
  begin: () => void; // a gesture begins: remember for undo
  change: (value: number | boolean | string) => void;
  reset: () => void;
}

export interface NumberInfo {
  title: string;
  text: string;
  unit: string;
  low: number;
  high: number;
  standard: number;
}

export function titleOf(name: string): string {
  const words = name.replace(/_/g, " ").replace("halflife", "half-life");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function settingRow(info: SettingInfo, actions: RowActions): SettingRow {
  const title = titleOf(info.name);
  if (info.kind === "number")
    return numberRow(
      { title, text: info.text, unit: info.unit, low: info.low, high: info.high, standard: info.default as number },
      actions,
    );
  if (info.kind === "switch") {
    const row = switchRow(title, Boolean(info.default), (on) => {
      actions.begin();
      actions.change(on);
    });
    const element = h("div.tune-row", row, h("span.note", info.text));
    let now: unknown = info.default;
    return {
      element,
      set: (value) => {
        now = value;
        row.set(Boolean(value));
        element.classList.toggle("changed", value !== info.default);
      },
      changed: () => now !== info.default,
    };
  }
  const row = segments(
    info.choices.map((one) => [one, titleOf(one)] as const),
    String(info.default),
    (value) => {
      actions.begin();
      actions.change(value);
    },
    title,
  );
  row.classList.add("fill");
  const element = h("div.tune-row", h("div.line", h("span.name", title)), row, h("span.note", info.text));
  let now: unknown = info.default;
  return {
    element,
    set: (value) => {
      now = value;
      row.set(String(value));
      element.classList.toggle("changed", value !== info.default);
    },
    changed: () => now !== info.default,
  };
}

export function numberRow(info: NumberInfo, actions: RowActions): SettingRow {
  const scale = scaleOf(info.low, info.high, info.standard);
  let now = info.standard;
  const slider = range(
    {
      low: 0,
      high: 1,
      step: "any",
      value: toSlider(scale, now),
      label: info.title,
      read: (place) => `${fromSlider(scale, place)} ${info.unit}`,
    },
    (place) => take(fromSlider(scale, place)),
  );
  slider.step = "0.01";
  const number = h("input.value", {
    type: "text",
    inputMode: "decimal",
    "aria-label": `${info.title}, ${info.unit || "number"}`,
    title: `${info.low} to ${info.high} ${info.unit}`,
    onfocus: () => {
      actions.begin();
      number.select();
    },
    onchange: () => {
      const value = Number(number.value);
      if (Number.isFinite(value) && number.value.trim()) take(Math.min(Math.max(value, info.low), info.high));
      show();
    },
  }) as HTMLInputElement;
  const reset = button(
    "",
    () => {
      actions.begin();
      actions.reset();
    },
    { icon: "reset", kind: "quiet small icon reset", title: `Back to ${tidy(info.standard)}` },
  );
  const element = h(
    "div.tune-row",
    h("div.line", h("span.name", info.title), reset, number, h("span.unit", info.unit)),
    slider,
    h("span.note", info.text),
  );
  slider.addEventListener("pointerdown", () => actions.begin());
  slider.addEventListener("keydown", (event) => {
    if (/^(Arrow|Page|Home$|End$)/.test(event.key) && !event.repeat) actions.begin();
  });
  slider.addEventListener("dblclick", () => actions.reset());

  const show = () => {
    number.value = String(tidy(now));
    element.classList.toggle("changed", Math.abs(now - info.standard) > 1e-6 * Math.max(1, Math.abs(info.standard)));
  };
  function take(value: number): void {
    if (value === now) return;
    now = value;
    show();
    actions.change(value);
  }
  show();
  return {
    element,
    set: (value) => {
      now = Number(value);
      if (document.activeElement !== slider || !slider.matches(":active")) slider.set(toSlider(scale, now));
      if (document.activeElement !== number) show();
      else element.classList.toggle("changed", now !== info.standard);
    },
    changed: () => element.classList.contains("changed"),
  };
}
