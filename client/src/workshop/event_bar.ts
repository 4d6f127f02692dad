/** The row below a timeline for the action or event that is picked in its lane: its name, kind and time. */
import { button, h } from "../ui/elements";
import type { ClipDock } from "./clip_dock";
import { EventLane } from "./event_lane";
import { choice, numberField } from "./fields";
import { baseName, fits } from "./globs";
import type { ActionTable, EventTable, SourceTable } from "./recipe";
import type { Store } from "./store";

export const EVENT_KINDS = ["take-off", "landing", "hand", "foot", "seat", "grasp", "release", "pass"] as const;
const ENTRY_SHARE = 0.4; // of a chosen stretch that becomes an action

export class EventBar {
  readonly lane: EventLane;

  constructor(
    private readonly store: Store,
    private readonly dock: ClipDock,
  ) {
    this.lane = new EventLane(dock);
    this.lane.onChange = (index, table) => this.put(index, table);
    this.lane.onDelete = () => this.remove();
  }

  show(source: SourceTable | null, file: string): void {
    const own = (source?.action ?? []).map((table, index) => ({ index, table }));
    this.lane.show(own.filter((one) => fits(baseName(file), one.table.files)));
  }

  private at(...more: (string | number)[]): (string | number)[] {
    return ["source", this.store.sourceOf(this.store.selected)!, "action", ...more];
  }

  /** Change an action: its times, and its events in order. */
  private put(index: number, table: ActionTable): void {
    const events = [...table.events].sort((a, b) => a.at - b.at).map(spell);
    const kinds = events.map((one) => one.kind);
    const target = kinds.includes(table.target as EventTable["kind"]) ? table.target : (kinds[kinds.length - 1] ?? "");
    void this.store.edit(
      { type: "set", at: this.at(index, "name"), value: table.name },
      { type: "set", at: this.at(index, "entry"), value: table.entry },
      { type: "set", at: this.at(index, "exit"), value: table.exit },
      { type: "set", at: this.at(index, "target"), value: target },
      { type: "set", at: this.at(index, "events"), value: events },
    );
  }

  /** Make a chosen stretch an action with one event in its middle. */
  adder(from: number, to: number, file: { files?: string }): HTMLElement {
    const third = (share: number) => +(from + share * (to - from)).toFixed(3);
    const values = {
      name: "action",
      ...file,
      entry: [from, third(ENTRY_SHARE)],
      exit: to,
      target: "pass",
      events: [{ kind: "pass", at: third(0.5) }],
    };
    return button("Action", () => void this.store.edit({ type: "add", at: this.at(), values }), {
      kind: "small",
      title: "Make the stretch an action, which characters do when they are asked to",
    });
  }

  private remove(): void {
    const { picked, pickedAction: own } = this.lane;
    if (!picked || !own) return;
    if (picked.event === null || own.table.events.length === 1)
      return void this.store.edit({ type: "remove", at: this.at(picked.index) });
    this.put(picked.index, { ...own.table, events: own.table.events.filter((_, k) => k !== picked.event) });
  }

  /** An event at the playhead, of the kind that follows most often. */
  private add(): void {
    const own = this.lane.pickedAction;
    if (!own) return;
    const time = +Math.min(Math.max(this.dock.time, own.table.entry[0]), own.table.exit).toFixed(3);
    this.put(own.index, {
      ...own.table,
      events: [...own.table.events, { kind: "foot", at: time, joint: "", below: 0 }],
    });
  }

  controls(): HTMLElement[] | null {
    const { picked, pickedAction: own } = this.lane;
    if (!picked || !own) return null;
    const { table, index } = own,
      event = picked.event === null ? null : table.events[picked.event];
    const name = h("input.field", {
      value: table.name,
      "data-key": "action-name",
      "aria-label": "Name of the action",
      onchange: () => name.value.trim() && this.put(index, { ...table, name: name.value.trim() }),
    }) as HTMLInputElement;
    const change = (values: Partial<EventTable>) =>
      this.put(index, {
        ...table,
        target: values.kind && event?.kind === table.target ? values.kind : table.target,
        events: table.events.map((one) => (one === event ? { ...one, ...values } : one)),
      });
    const ofEvent = event
      ? [
          choice(
            EVENT_KINDS.map((kind) => [kind, kind] as const),
            event.kind,
            (kind) => change({ kind }),
            { key: "event-kind", label: "Kind of the event" },
          ),
          numberField(event.at, (at) => at !== null && change({ at }), {
            key: "event-at",
            label: "Event, at second",
            low: 0,
            step: 0.01,
          }),
          h("span.unit", "s"),
        ]
      : [
          h(
            "span.mono",
            `enter ${table.entry.map((time) => time.toFixed(2)).join("–")} s, exit ${table.exit.toFixed(2)} s`,
          ),
        ];
    return [
      name,
      ...ofEvent,
      h("span.gap"),
      button("Add event", () => this.add(), { kind: "small", title: "An event at the playhead" }),
      button(event ? "Delete event" : "Delete action", () => this.remove(), {
        kind: "small",
        title: "Take it out of the recipe (Delete in the lane)",
      }),
      button("", () => this.lane.pick(null), { icon: "close", kind: "quiet small icon", title: "Clear the selection" }),
    ];
  }
}

/** An event as the recipe writes it: without what it has by default. */
function spell(event: EventTable): Partial<EventTable> & { kind: string } {
  const { kind, at, joint, below } = event;
  return { kind, at, ...(joint ? { joint } : {}), ...(below ? { below } : {}) };
}
