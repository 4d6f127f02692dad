/** The clip's timeline on the stage: play and scrub, contacts, what is cut and tagged, and a stretch to choose. */
import { button, h, toggle } from "../ui/elements";
import { icon } from "../ui/icons";
import { colour, themed } from "../ui/theme";
import { stances } from "./clip_file";
import { drawMarks, drawStrip } from "./clip_marks";
import type { ClipStage, Shows } from "./clip_stage";
import { markAt, nextMark, type Mark } from "./labels";
import "./clip_dock.css";

const RULER = 18,
  LANE = 9,
  TAGS = 20,
  STRIP = 12,
  GRIP = 6, // px around an end of the picked label, in which it is dragged
  LEAST = 0.02; // s

export class ClipDock {
  readonly element: HTMLElement;
  readonly bar = h("div.clip-bar");
  marks: Mark[] = [];
  strip: Mark[] = []; // what the doctor saw
  chosen: [number, number] | null = null; // s
  picked: Mark | null = null; // the label whose stretch is chosen
  onChosen: () => void = () => {};
  onMoved: () => void = () => {}; // an end of the picked label was dragged
  onDelete: () => void = () => {};
  onDraw: () => void = () => {};
  private readonly canvas = h("canvas") as HTMLCanvasElement;
  private readonly clock = h("output.mono");
  private readonly playButton: HTMLButtonElement;
  private window: [number, number] = [0, 1];
  private readonly title = h("strong");
  private readonly toggles = new Map<keyof Shows, { set(on: boolean): void }>();

  constructor(
    private readonly stage: ClipStage,
    private readonly editable: boolean,
  ) {
    this.playButton = button("", () => this.play(!stage.playing), {
      icon: "pause",
      kind: "quiet icon small",
      title: "Play or pause (Space while the timeline has the focus)",
    });
    const shows: [keyof Shows, string, string][] = [
      ["path", "Root", "The root's path on the floor"],
      ["contacts", "Contacts", "Rings under planted feet"],
      ["features", "Features", "The features on the pose"],
      ["joints", "Joints", "Joints and their roles"],
    ];
    const speeds = [1, 0.5, 0.25];
    const speed = button(
      "1×",
      () => {
        stage.speed = speeds[(speeds.indexOf(stage.speed) + 1) % speeds.length];
        speed.textContent = `${stage.speed}×`;
      },
      { kind: "quiet small", title: "Speed" },
    );
    const switches = shows.map(([key, text, title]) => {
      const one = toggle(
        text,
        stage.shows[key],
        (on) => {
          stage.shows[key] = on;
          this.onShows(key);
        },
        { kind: "small quiet", title },
      );
      this.toggles.set(key, one);
      return one;
    });
    this.element = h(
      "div.clip-dock",
      { hidden: true },
      h("div.row", this.playButton, this.clock, speed, this.title, ...switches),
      this.canvas,
      this.bar,
    );
    this.listen();
    themed(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.element);
    stage.onTime = () => this.draw();
  }

  onShows: (key: keyof Shows) => void = () => {};

  set(key: keyof Shows, on: boolean): void {
    this.stage.shows[key] = on;
    this.toggles.get(key)?.set(on);
  }

  play(on: boolean): void {
    this.stage.playing = on;
    this.playButton.replaceChildren(icon(on ? "pause" : "play"));
  }

  /** Another clip is on the stage. */
  renew(keep = false): void {
    const clip = this.stage.clip;
    this.element.hidden = !clip;
    if (!keep) {
      this.chosen = this.picked = null;
      this.window = [0, this.stage.length];
    }
    this.title.textContent = clip?.about.name ?? "";
    this.play(this.stage.playing);
    this.draw();
  }

  choose(stretch: [number, number] | null, picked: Mark | null = null): void {
    this.chosen = stretch;
    this.picked = picked;
    this.stage.bounds = stretch;
    this.onChosen();
    this.draw();
  }

  get length(): number {
    return this.stage.length;
  }

  pick(mark: Mark | null): void {
    this.choose(mark && [mark.from, mark.to], mark);
    if (mark) this.stage.seek(mark.from);
  }

  /** Pick the next label after the playhead, of those wanted. */
  pickNext(wanted: (mark: Mark) => boolean = () => true): void {
    this.play(false);
    this.pick(nextMark([...this.marks, ...this.strip].filter(wanted), this.stage.time));
  }

  private get lanes(): number {
    return this.stage.clip?.about.contact_joints.length ?? 0;
  }

  /** What is below the pointer: a label of the strip, or one of the recipe. */
  private markBelow(event: MouseEvent): Mark | null {
    const y = event.clientY - this.canvas.getBoundingClientRect().top;
    const inStrip = this.strip.length > 0 && y > RULER + this.lanes * LANE + TAGS;
    return markAt(inStrip ? this.strip : this.marks, this.timeAt(event));
  }

  /** Which end of the picked label the pointer is at. */
  private endBelow(event: MouseEvent): 0 | 1 | null {
    if (!this.editable || !this.picked || !this.chosen) return null;
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    const [a, b] = this.chosen.map((time) => Math.abs((time - this.window[0]) * this.scale - x));
    return Math.min(a, b) > GRIP ? null : b <= a ? 1 : 0;
  }

  private get scale(): number {
    return this.canvas.clientWidth / Math.max(this.window[1] - this.window[0], 1e-6);
  }

  /** Where a time is on the timeline, in px from its left. */
  place(time: number): number {
    return (time - this.window[0]) * this.scale;
  }

  get time(): number {
    return this.stage.time;
  }

  get frameSeconds(): number {
    return 1 / (this.stage.clip?.about.frame_rate ?? 60);
  }

  seek(time: number): void {
    this.stage.seek(time);
  }

  timeAt(event: MouseEvent): number {
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    return Math.min(Math.max(this.window[0] + x / this.scale, 0), this.stage.length);
  }

  private listen(): void {
    const { canvas } = this;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "slider");
    canvas.setAttribute("aria-label", "Time in the clip");
    canvas.title = this.editable
      ? "Arrow keys go frame by frame; [ and ] set the ends of a stretch; L picks the next label, Delete takes it out; the wheel zooms"
      : "Arrow keys go frame by frame; the wheel zooms";
    const help = canvas.title;
    const scrubs = (event: PointerEvent) =>
      !this.editable || event.clientY - canvas.getBoundingClientRect().top < RULER;
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) return;
      canvas.style.cursor = scrubs(event) ? "ew-resize" : this.endBelow(event) !== null ? "col-resize" : "crosshair";
      const mark = scrubs(event) ? null : this.markBelow(event);
      canvas.title = mark?.label ? `${mark.label}, ${mark.from.toFixed(2)}–${mark.to.toFixed(2)} s` : help;
    });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      const start = this.timeAt(event),
        scrub = scrubs(event),
        end = scrub ? null : this.endBelow(event),
        before = this.chosen;
      let dragged = false;
      this.play(false);
      if (scrub) this.stage.seek(start);
      const move = (moved: PointerEvent) => {
        const now = this.timeAt(moved);
        if (scrub) return this.stage.seek(now);
        if (end !== null && before && this.picked) {
          dragged = true;
          const [a, b] = before;
          this.choose(end ? [a, Math.max(now, a + LEAST)] : [Math.min(now, b - LEAST), b], this.picked);
          this.stage.seek(now);
          return;
        }
        if (Math.abs(now - start) * this.scale > 3) {
          this.choose([Math.min(start, now), Math.max(start, now)]);
          this.stage.seek(now);
        }
      };
      const up = (ended: PointerEvent) => {
        canvas.removeEventListener("pointermove", move);
        if (dragged) return this.onMoved();
        if (!scrub && Math.abs(this.timeAt(ended) - start) * this.scale <= 3) {
          const mark = this.markBelow(ended);
          this.choose(mark && [mark.from, mark.to], mark);
          this.stage.seek(start);
        }
      };
      canvas.addEventListener("pointermove", move);
      canvas.addEventListener("pointerup", up, { once: true });
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const at = this.timeAt(event),
          factor = Math.exp(0.0016 * event.deltaY);
        const wide = Math.min(
          Math.max((this.window[1] - this.window[0]) * factor, 0.2),
          Math.max(this.stage.length, 0.2),
        );
        const share = (at - this.window[0]) / Math.max(this.window[1] - this.window[0], 1e-6);
        const from = Math.min(Math.max(at - share * wide, 0), Math.max(this.stage.length - wide, 0));
        this.window = [from, from + wide];
        this.draw();
      },
      { passive: false },
    );
    canvas.addEventListener("dblclick", () => {
      this.window = [0, this.stage.length];
      this.draw();
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageDown: 10, PageUp: -10 }[event.key];
      if (step) {
        this.stage.step(step);
        this.play(false);
      } else if (event.key === "Home") this.stage.seek(0);
      else if (event.key === "End") this.stage.seek(this.stage.length);
      else if (event.key === "[" && this.editable)
        this.choose([this.stage.time, Math.max(this.chosen?.[1] ?? 0, this.stage.time)]);
      else if (event.key === "]" && this.editable)
        this.choose([Math.min(this.chosen?.[0] ?? 0, this.stage.time), this.stage.time]);
      else if (event.key.toLowerCase() === "l" && this.editable) this.pickNext();
      else if (event.key === "Delete" && this.picked?.said) this.onDelete();
      else if (event.key === " ") this.play(!this.stage.playing);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  draw(): void {
    this.drawTimeline();
    this.onDraw();
  }

  private drawTimeline(): void {
    const clip = this.stage.clip,
      width = this.canvas.clientWidth;
    this.clock.textContent = `${this.stage.time.toFixed(2)} / ${this.stage.length.toFixed(2)} s`;
    this.canvas.ariaValueMin = "0";
    this.canvas.ariaValueMax = this.stage.length.toFixed(2);
    this.canvas.ariaValueNow = this.stage.time.toFixed(2);
    this.canvas.ariaValueText = `${this.stage.time.toFixed(2)} of ${this.stage.length.toFixed(2)} seconds`;
    if (!clip || !width) return;
    const lanes = this.lanes,
      top = RULER + lanes * LANE,
      height = top + TAGS + (this.strip.length ? STRIP : 0) + 2,
      ratio = devicePixelRatio;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.style.height = `${height}px`;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.canvas.setAttribute("aria-valuemax", this.stage.length.toFixed(2));
    this.canvas.setAttribute("aria-valuenow", this.stage.time.toFixed(2));
    const c = this.canvas.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const x = (time: number) => (time - this.window[0]) * this.scale;
    this.drawRuler(c, x, width, height);
    for (let k = 0; k < lanes; k++) {
      const roles = Object.entries(clip.about.skeleton.roles),
        role = roles.find(([, joint]) => joint === clip.about.contact_joints[k])?.[0] ?? "";
      c.fillStyle = colour(role.startsWith("left") ? "left" : role.startsWith("right") ? "right" : "series-3");
      for (const [start, stop] of stances(clip, k)) {
        const a = x(start / clip.about.frame_rate),
          b = x(stop / clip.about.frame_rate);
        if (b > 0 && a < width) c.fillRect(a, RULER + k * LANE + 1, Math.max(b - a, 1), LANE - 3);
      }
    }
    drawStrip(c, this.strip, x, { top: top + TAGS, tall: STRIP, width });
    drawMarks(c, this.marks, x, { above: RULER, top, tall: TAGS, bottom: top + TAGS + 2 });
    if (this.chosen) {
      c.fillStyle = colour("accent-soft");
      c.fillRect(x(this.chosen[0]), RULER, x(this.chosen[1]) - x(this.chosen[0]), height - RULER);
      c.strokeStyle = colour("accent");
      c.strokeRect(x(this.chosen[0]) + 0.5, RULER + 0.5, x(this.chosen[1]) - x(this.chosen[0]) - 1, height - RULER - 1);
    }
    const now = x(this.stage.time);
    c.fillStyle = colour("ink");
    c.fillRect(now - 0.75, 0, 1.5, height);
    c.beginPath();
    c.moveTo(now - 5, 0);
    c.lineTo(now + 5, 0);
    c.lineTo(now, 7);
    c.fill();
  }

  private drawRuler(c: CanvasRenderingContext2D, x: (time: number) => number, width: number, height: number): void {
    const each = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60].find((one) => one * this.scale > 54) ?? 120;
    c.font = `10px ${getComputedStyle(document.body).fontFamily}`;
    c.textBaseline = "top";
    for (let time = Math.ceil(this.window[0] / each) * each; x(time) < width; time += each) {
      c.fillStyle = colour("line");
      c.fillRect(x(time), 0, 1, height);
      c.fillStyle = colour("ink-faint");
      c.fillText(each < 1 ? time.toFixed(1) : String(Math.round(time)), x(time) + 4, 3);
    }
  }
}
