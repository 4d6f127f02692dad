/** Tune: every setting of the character, live; undo, presets, and two sides to compare on the same input. */
import type { PageMessage, SettingInfo } from "../messages";
import type { Panel, Studio } from "../studio";
import { button, h, segments, switchRow } from "../ui/elements";
import { icon } from "../ui/icons";
import { apartRow } from "./apart";
import { featureWords } from "./reasons";
import { numberRow, settingRow, type SettingRow } from "./setting_rows";
import { presetRow } from "./presets";
import { Undo, undoOrRedo } from "./undo";
import "./tune.css";

type Side = "a" | "b";
type Values = Extract<PageMessage, { type: "change_settings" }>["values"];
type Weights = Record<string, number>;
interface State {
  side: Side;
  values: Values;
}

const GROUPS: [string, string[]][] = [
  ["Response to the stick", ["velocity_halflife", "facing_halflife", "responsiveness", "quality"]],
  ["Search", ["search_interval", "forced_interval", "velocity_change", "facing_change", "stay_bias", "ignore"]],
  ["Transitions", ["transition", "transition_halflife", "rate_change"]],
  [
    "Adjustment to the simulated body",
    [
      "synchronization_halflife",
      "adjustment_halflife",
      "adjustment_ratio",
      "turn_halflife",
      "turn_ratio",
      "clamp_distance",
      "clamp_angle",
    ],
  ],
  ["Feet", ["foot_lock", "lock_halflife", "unlock_distance", "unlock_angle", "unlock_speed", "extension", "pelvis"]],
];
const HIGHEST_WEIGHT = 10;

export function tunePanel(studio: Studio): Panel {
  const { live, connection } = studio,
    undo = new Undo<State>();
  const rows = new Map<string, SettingRow>(),
    weights = new Map<string, SettingRow>();
  const counts: { names: string[]; label: HTMLElement }[] = [];
  let side: Side = "a",
    rowsOf = "";
  const list = h("div");
  const undoButton = button("", () => step("undo"), { icon: "undo", kind: "quiet icon", title: "Undo (Z)" });
  const redoButton = button("", () => step("redo"), { icon: "redo", kind: "quiet icon", title: "Redo (Y)" });
  const sides = segments(
    [
      ["a", "A"],
      ["b", "B"],
    ] as const,
    side,
    (chosen) => {
      side = chosen;
      show();
    },
    "Side that the sliders change",
  );
  sides.classList.add("sides");
  const compare = switchRow(
    "Compare two settings, A and B",
    false,
    (on) => {
      connection.send({ type: "compare", on });
    },
    { title: "A second character with its own settings gets the same input" },
  );
  const apart = apartRow(live.apart.b, (metres) => (live.apart.b = metres));
  const presets = presetRow(
    studio,
    () => side,
    () => undo.keep(now()),
  );

  const values = (): Values =>
    ((side === "b" ? live.settings?.b : live.settings?.a) ?? live.settings?.a ?? {}) as Values;
  const now = (): State => ({ side, values: values() });
  const begin = () => {
    undo.keep(now());
    buttons();
  };
  const send = (changed: Values) => connection.send({ type: "change_settings", values: changed, side });

  function step(how: "undo" | "redo"): void {
    const state = undo[how](now());
    if (state) {
      const own = Object.fromEntries((live.welcome?.features ?? []).map((feature) => [feature.name, null]));
      const restored = { ...state.values, weights: { ...own, ...(state.values.weights as Weights) } };
      connection.send({ type: "change_settings", values: restored, side: live.settings?.b ? state.side : "a" });
    }
    buttons();
  }
  function buttons(): void {
    undoButton.disabled = !undo.canUndo;
    redoButton.disabled = !undo.canRedo;
  }

  function make(): void {
    const { welcome } = live;
    const made = welcome ? JSON.stringify([welcome.settings_info, welcome.features]) : "";
    if (!welcome || rowsOf === made) return;
    rowsOf = made;
    rows.clear();
    weights.clear();
    counts.length = 0;
    const left = new Map(welcome.settings_info.map((info) => [info.name, info]));
    const sections = GROUPS.map(([title, names], k) =>
      section(
        title,
        names.flatMap((name) => {
          const info = left.get(name);
          left.delete(name);
          return info ? [info] : [];
        }),
        k === 0,
      ),
    );
    left.delete("weights");
    if (left.size) sections.push(section("More", [...left.values()], false));
    sections.splice(1, 0, weightSection());
    list.replaceChildren(...sections);
  }

  function fold(title: string, names: string[], open: boolean, children: HTMLElement[]): HTMLElement {
    const label = h("span.count");
    counts.push({ names, label });
    return h("details.tune-group", { open }, h("summary", icon("next"), title, label), h("div", ...children));
  }

  function section(title: string, infos: SettingInfo[], open: boolean): HTMLElement {
    const children = infos.map((info) => {
      const row = settingRow(info, {
        begin,
        change: (value) => send({ [info.name]: value }),
        reset: () => connection.send({ type: "reset_settings", names: [info.name], side }),
      });
      rows.set(info.name, row);
      return row.element;
    });
    return fold(
      title,
      infos.map((info) => info.name),
      open,
      children,
    );
  }

  function weightSection(): HTMLElement {
    const features = live.welcome!.features;
    const children = features.map((feature) => {
      const row = numberRow(
        {
          title: titled(featureWords(feature.name)),
          text: "",
          unit: "",
          low: 0,
          high: HIGHEST_WEIGHT,
          standard: feature.weight,
        },
        {
          begin,
          change: (value) => send({ weights: { [feature.name]: value as number } }),
          reset: () => send({ weights: { [feature.name]: null } }),
        },
      );
      weights.set(feature.name, row);
      return row.element;
    });
    return fold(
      "Weights of the features",
      features.map((feature) => `weight ${feature.name}`),
      false,
      [h("p.note", "The weight of each feature in the cost of a frame."), ...children],
    );
  }

  function show(): void {
    const { welcome, situation } = live;
    if (!welcome) return;
    make();
    const comparing = situation?.comparing ?? false;
    if (!comparing) side = "a";
    compare.set(comparing);
    sides.set(side);
    sides.hidden = apart.hidden = !comparing;
    const given = values();
    for (const [name, row] of rows) if (name in given) row.set(given[name]);
    for (const feature of welcome.features)
      weights.get(feature.name)?.set((given.weights as Weights | undefined)?.[feature.name] ?? feature.weight);
    for (const { names, label } of counts) {
      const changed = names.filter((name) =>
        (name.startsWith("weight ") ? weights.get(name.slice(7)) : rows.get(name))?.changed(),
      ).length;
      label.textContent = changed ? `${changed} changed` : "";
    }
    buttons();
  }
  live.onChange(show);

  window.addEventListener("keydown", (event) => {
    const how = undoOrRedo(event);
    if (!list.isConnected || !how) return;
    event.preventDefault();
    step(how);
  });

  return {
    id: "tune",
    title: "Tune",
    icon: "tune",
    layout: "side",
    stage: "live",
    dock: "slim",
    build: () => {
      undoButton.title = "Undo (Ctrl Z)";
      redoButton.title = "Redo (Ctrl Shift Z)";
      const resetAll = button(
        "Reset all",
        () => {
          begin();
          connection.send({ type: "reset_settings", side });
        },
        { icon: "reset", kind: "small" },
      );
      show();
      return h(
        "div",
        { style: "display:grid;gap:8px" },
        h("div.tune-bar", h("div.row", undoButton, redoButton, h("span.gap"), sides, resetAll), compare, apart, presets),
        list,
      );
    },
    opened: show,
  };
}

function titled(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
