/** The lane of actions below a clip's timeline: where each may be entered, its events and its end, to be dragged. */
import { h } from "../ui/elements";
import { colour } from "../ui/theme";
import type { ClipDock } from "./clip_dock";
import type { ActionTable } from "./recipe";
import "./event_lane.css";

const TALL = 30, // px
  GRIP = 6, // px around what can be dragged
  DIAMOND = 5, // px
  ROOM = 44; // px to the next event, to write a kind

/** An action of the recipe with its number in its source. */
export interface ListedAction {
  index: number;
  table: ActionTable;
}

/** What is picked: an event by its number, or the action as a whole. */
export interface Picked {
  index: number;
  event: number | null;
}

interface Grip {
  action: ListedAction;
  part: "first" | "last" | "exit" | number; // a number is that of an event
  time: number; // s
}

export class EventLane {
  readonly canvas = h("canvas.event-lane") as HTMLCanvasElement;
  picked: Picked | null = null;
  onPick: () => void = () => {};
  onChange: (index: number, table: ActionTable) => void = () => {};
  onDelete: () => void = () => {};
  private actions: ListedAction[] = [];
  private dragged: ListedAction | null = null; // as it would be if the pointer were let go

  constructor(private readonly dock: ClipDock) {
    dock.bar.before(this.canvas);
    dock.onDraw = () => this.draw();
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "group");
    this.canvas.setAttribute("aria-label", "Actions and their events");
    this.canvas.title =
      "Drag an event, an end of an entry or an exit; arrow keys move the picked event, Delete takes it out";
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) this.canvas.style.cursor = this.gripBelow(event) ? "col-resize" : "pointer";
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** Show these actions; a picked one that is gone is picked no more. */
  show(actions: ListedAction[]): void {
    this.actions = actions;
    this.dragged = null;
    const { picked } = this,
      own = picked && actions.find((one) => one.index === picked.index);
    if (picked && (!own || (picked.event !== null && picked.event >= own.table.events.length))) this.pick(null);
    this.draw();
  }

  pick(picked: Picked | null): void {
    this.picked = picked;
    this.onPick();
    this.draw();
  }

  get pickedAction(): ListedAction | null {
    return this.actions.find((one) => one.index === this.picked?.index) ?? null;
  }

  private get shown(): ListedAction[] {
    return this.actions.map((one) => (one.index === this.dragged?.index ? this.dragged : one));
  }

  private grips(): Grip[] {
    return this.shown.flatMap((action) => {
      const { entry, exit, events } = action.table;
      return [
        ...events.map((one, k) => ({ action, part: k, time: one.at })),
        { action, part: "first" as const, time: entry[0] },
        { action, part: "last" as const, time: entry[1] },
        { action, part: "exit" as const, time: exit },
      ];
    });
  }

  private gripBelow(event: PointerEvent): Grip | null {
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    const near = this.grips().map((grip) => [grip, Math.abs(this.dock.place(grip.time) - x)] as const);
    const [best] = near.filter(([, away]) => away <= GRIP).sort((a, b) => a[1] - b[1]);
    return best?.[0] ?? null;
  }

  private press(event: PointerEvent): void {
    const grip = this.gripBelow(event),
      time = this.dock.timeAt(event);
    this.dock.play(false);
    if (!grip) {
      const own = this.actions.find((one) => one.table.entry[0] <= time && time <= one.table.exit);
      return this.pick(own ? { index: own.index, event: null } : null);
    }
    this.canvas.setPointerCapture(event.pointerId);
    const { action, part } = grip;
    this.pick({ index: action.index, event: typeof part === "number" ? part : null });
    this.dock.seek(grip.time);
    const move = (moved: PointerEvent) => this.drag(action, part, this.dock.timeAt(moved));
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener(
      "pointerup",
      () => {
        this.canvas.removeEventListener("pointermove", move);
        if (this.dragged) this.onChange(this.dragged.index, this.dragged.table);
      },
      { once: true },
    );
  }

  /** Move a part of an action, as far as its order allows. */
  private drag(action: ListedAction, part: Grip["part"], time: number): void {
    const { entry, exit, events, target } = action.table;
    const goal = events.find((one) => one.kind === target)?.at ?? exit;
    const firstEvent = events[0]?.at ?? exit,
      lastEvent = events[events.length - 1]?.at ?? entry[1];
    const within = (low: number, high: number) => +Math.min(Math.max(time, low), Math.max(low, high)).toFixed(3);
    const table = { ...action.table };
    let now: number;
    if (part === "first") table.entry = [(now = within(0, Math.min(entry[1] - 0.01, firstEvent))), entry[1]];
    else if (part === "last") table.entry = [entry[0], (now = within(entry[0] + 0.01, Math.min(goal, exit)))];
    else if (part === "exit") table.exit = now = within(Math.max(entry[1], lastEvent), this.dock.length);
    else {
      const low = Math.max(events[part - 1]?.at ?? entry[0], events[part].kind === target ? entry[1] : entry[0]);
      now = within(low, events[part + 1]?.at ?? exit);
      table.events = events.map((one, k) => (k === part ? { ...one, at: now } : one));
    }
    this.dragged = { index: action.index, table };
    this.dock.seek(now);
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key],
      own = this.pickedAction;
    if (way && own && typeof this.picked?.event === "number") {
      this.drag(own, this.picked.event, own.table.events[this.picked.event].at + way * this.dock.frameSeconds);
      if (this.dragged) this.onChange(this.dragged.index, this.dragged.table);
    } else if (event.key === "Delete" && this.picked) this.onDelete();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  draw(): void {
    const { canvas, dock } = this;
    canvas.hidden = !this.actions.length;
    const width = canvas.clientWidth,
      ratio = devicePixelRatio;
    if (!width || canvas.hidden) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(TALL * ratio);
    const c = canvas.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = `10px ${getComputedStyle(document.body).fontFamily}`;
    c.textBaseline = "middle";
    for (const action of this.shown) this.drawAction(c, action, width);
    c.fillStyle = colour("ink");
    c.fillRect(dock.place(dock.time) - 0.75, 0, 1.5, TALL);
  }

  private drawAction(c: CanvasRenderingContext2D, action: ListedAction, width: number): void {
    const { entry, exit, events, name } = action.table,
      [first, last, stop] = [...entry, exit].map((time) => this.dock.place(time));
    if (stop < 0 || first > width) return;
    const own = action.index === this.picked?.index;
    c.fillStyle = colour("series-7");
    c.globalAlpha = own ? 0.35 : 0.2;
    c.fillRect(first, 2, stop - first, TALL - 4);
    c.globalAlpha = own ? 0.75 : 0.5;
    c.fillRect(first, TALL - 7, last - first, 5); // where it may be entered
    c.globalAlpha = 1;
    c.fillStyle = colour("ink-soft");
    c.fillText(name, Math.max(first, 0) + 4, 8);
    events.forEach((event, k) => {
      const x = this.dock.place(event.at),
        next = k + 1 < events.length ? this.dock.place(events[k + 1].at) : Infinity;
      c.fillStyle = colour(own && this.picked?.event === k ? "accent" : "ink");
      c.fillRect(x - 0.5, 2, 1, TALL - 4);
      c.beginPath();
      c.moveTo(x, 17 - DIAMOND);
      c.lineTo(x + DIAMOND, 17);
      c.lineTo(x, 17 + DIAMOND);
      c.lineTo(x - DIAMOND, 17);
      c.fill();
      if (next - x > ROOM) c.fillText(event.kind, x + DIAMOND + 3, 17);
    });
  }
}
