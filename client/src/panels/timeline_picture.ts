/** The drawing of the timeline: clips as coloured blocks, searches and jumps, contacts; drag to scrub, wheel to zoom. */
import type { Live } from "../live";
import { h } from "../ui/elements";
import { colour, themed } from "../ui/theme";
import { clipAt, seriesOf } from "./timeline_clips";

const SHORTEST = 2,
  LONGEST = 180; // s shown
const LABEL_WIDTH = 46; // px between times of the ruler, at least
const ROWS = { clips: 24, searches: 18, contacts: 9 }; // px high

export class TimelinePicture {
  readonly element = h("canvas", {
    tabIndex: 0,
    role: "slider",
    "aria-label": "Timeline: drag to go back in time",
    "aria-valuenow": 0,
  }) as HTMLCanvasElement;
  readonly legend = h("div.legend");
  onScrub: (step: number) => void = () => {};
  slim = true;
  private span = 12; // s shown
  private first = 0; // step at the left edge
  private last = 1; // step at the right edge
  private held = false;
  private colours: Record<string, string> = {};

  constructor(private readonly live: Live) {
    const at = (event: PointerEvent) =>
      this.first +
      ((event.clientX - this.element.getBoundingClientRect().left) / this.element.clientWidth) *
        (this.last - this.first);
    this.element.addEventListener("pointerdown", (event) => {
      this.held = true;
      this.element.setPointerCapture(event.pointerId);
      this.onScrub(at(event));
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.held) this.onScrub(at(event));
    });
    for (const end of ["pointerup", "pointercancel"] as const)
      this.element.addEventListener(end, () => {
        this.held = false;
      });
    this.element.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2);
      },
      { passive: false },
    );
    this.element.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -60, PageDown: 60 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.onScrub(Number(this.element.ariaValueNow) + by * (event.shiftKey ? 10 : 1));
    });
    themed(() => {
      const names = [
        "ink",
        "ink-soft",
        "ink-faint",
        "line",
        "line-strong",
        "surface-sunken",
        "surface",
        "accent",
        "matched",
        "left",
        "right",
        "good",
        "bad",
        ...[1, 2, 3, 4, 5, 6, 7, 8].map((k) => `series-${k}`),
      ];
      this.colours = Object.fromEntries(names.map((name) => [name, colour(name)]));
      const items = [
        ["searched", this.colours["ink-faint"]],
        ["jumped", this.colours.matched],
        ["left foot", this.colours.left],
        ["right foot", this.colours.right],
      ];
      this.legend.replaceChildren(
        ...items.map(([text, ink]) => h("span", h("i", { style: `background:${ink}` }), text)),
      );
    });
  }

  zoom(factor: number): void {
    this.span = Math.min(Math.max(this.span * factor, SHORTEST), LONGEST);
  }

  /** Steps shown, [start, stop). */
  window(): [number, number] {
    const { oldest, newest } = this.live.history;
    return [Math.max(Math.floor(this.first), oldest), Math.min(Math.ceil(this.last), newest) + 1];
  }

  draw(here: number): void {
    const { welcome, history } = this.live,
      canvas = this.element;
    const rate = welcome?.step_rate ?? 60;
    canvas.ariaValueMin = String(history.oldest);
    canvas.ariaValueMax = String(Math.max(history.newest, here));
    canvas.ariaValueNow = String(here);
    canvas.ariaValueText = `${((Math.max(history.newest, here) - here) / rate).toFixed(1)} seconds ago`;
    const high = this.slim ? 26 : ROWS.clips + ROWS.searches + 2 * ROWS.contacts + 26;
    const wide = canvas.clientWidth,
      ratio = Math.min(devicePixelRatio, 2);
    if (!wide) return;
    if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) {
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(high * ratio);
      canvas.style.height = `${high}px`;
    }
    const ink = canvas.getContext("2d")!;
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.clearRect(0, 0, wide, high);
    ink.fillStyle = this.colours["surface-sunken"];
    ink.fillRect(0, 0, wide, high);
    if (!welcome || history.newest < 0) return;
    this.frameWindow(here, rate);
    const x = (step: number) => ((step - this.first) / (this.last - this.first)) * wide;
    const top = this.slim ? 1 : 18;
    if (!this.slim) this.drawRuler(ink, x, rate);
    this.drawClips(ink, x, top);
    if (this.slim) this.drawJumps(ink, x, top + ROWS.clips - 6, 6);
    else {
      this.drawJumps(ink, x, top + ROWS.clips + 3, ROWS.searches - 4);
      this.drawContacts(ink, x, top + ROWS.clips + ROWS.searches + 3);
    }
    const cursor = x(here);
    ink.fillStyle = this.colours.accent;
    ink.fillRect(Math.min(Math.max(cursor, 1), wide - 1) - 1, 0, 2, high);
  }

  /** Follow the newest while playing; when paused stay, unless the cursor leaves. */
  private frameWindow(here: number, rate: number): void {
    const { newest, oldest } = this.live.history,
      wide = this.span * rate;
    const wanted = this.last - this.first;
    if (this.live.playing || wanted !== wide || here > this.last || here < this.first) {
      const right = this.live.playing
        ? newest + 0.02 * wide
        : Math.min(Math.max(here + 0.5 * wide, this.live.playing ? 0 : oldest + wide), newest + 0.02 * wide);
      this.last = right;
      this.first = right - wide;
    }
  }

  private drawRuler(ink: CanvasRenderingContext2D, x: (step: number) => number, rate: number): void {
    const seconds = (this.last - this.first) / rate,
      labels = Math.min(ink.canvas.clientWidth / LABEL_WIDTH, 14),
      step = [0.5, 1, 2, 5, 10, 20, 30, 60].find((one) => seconds / one < labels) ?? 60;
    ink.font = "10px system-ui, sans-serif";
    ink.textBaseline = "middle";
    for (let t = Math.ceil(this.first / rate / step) * step; t * rate < this.last; t += step) {
      if (t < 0) continue;
      const at = Math.round(x(t * rate)) + 0.5;
      ink.fillStyle = this.colours.line;
      ink.fillRect(at, 0, 1, 200);
      ink.fillStyle = this.colours["ink-faint"];
      ink.fillText(`${step < 1 ? t.toFixed(1) : t.toFixed(0)} s`, at + 4, 9);
    }
  }

  private drawClips(ink: CanvasRenderingContext2D, x: (step: number) => number, top: number): void {
    const { history, welcome } = this.live,
      clips = welcome!.clips;
    const [start, stop] = this.window();
    const high = ROWS.clips - 2;
    ink.font = "500 11px system-ui, sans-serif";
    ink.textBaseline = "middle";
    let from = start,
      clip = -2,
      before = -1;
    const close = (to: number) => {
      if (clip >= 0) this.block(ink, x(from), x(to), top, high, clip);
      from = to;
    };
    for (let step = start; step < stop; step++) {
      const played = history.at(step);
      if (!played) continue;
      const now = clipAt(clips, played.frame);
      if (now !== clip || (played.jumped && before >= 0)) {
        close(step);
        clip = now;
      }
      before = step;
    }
    close(stop);
  }

  private block(
    ink: CanvasRenderingContext2D,
    left: number,
    right: number,
    top: number,
    high: number,
    clip: number,
  ): void {
    const wide = Math.max(right - left - 1, 1);
    const paint = this.colours[`series-${seriesOf(this.live.welcome!.clips[clip], clip)}`];
    ink.globalAlpha = 0.28;
    ink.fillStyle = paint;
    ink.fillRect(left, top, wide, high);
    ink.globalAlpha = 1;
    ink.fillRect(left, top, Math.min(2, wide), high);
    if (wide < 34) return;
    ink.save();
    ink.beginPath();
    ink.rect(left + 5, top, wide - 7, high);
    ink.clip();
    ink.fillStyle = this.colours.ink;
    ink.fillText(this.live.welcome!.clips[clip].name, Math.max(left, 0) + 7, top + high / 2 + 0.5);
    ink.restore();
  }

  private drawJumps(ink: CanvasRenderingContext2D, x: (step: number) => number, top: number, high: number): void {
    const [start, stop] = this.window();
    const dense = (this.last - this.first) / this.element.clientWidth > 1.5; // steps a pixel: ticks of searches would be a smear
    for (let step = start; step < stop; step++) {
      const played = this.live.history.at(step);
      if (!played || (!played.searched && !played.jumped)) continue;
      if (!played.jumped && (dense || this.slim)) continue;
      ink.fillStyle = played.jumped ? this.colours.matched : this.colours["line-strong"];
      ink.fillRect(
        x(step) - (played.jumped ? 1 : 0.5),
        played.jumped ? top : top + high * 0.4,
        played.jumped ? 2 : 1,
        played.jumped ? high : high * 0.6,
      );
    }
  }

  private drawContacts(ink: CanvasRenderingContext2D, x: (step: number) => number, top: number): void {
    const { history, welcome } = this.live,
      [start, stop] = this.window();
    welcome!.skeleton.contact_joints.slice(0, 2).forEach((_, foot) => {
      const y = top + foot * ROWS.contacts;
      ink.fillStyle = foot === 0 ? this.colours.left : this.colours.right;
      let from = -1;
      for (let step = start; step <= stop; step++) {
        const played = step < stop ? history.at(step) : null;
        const on = played !== null && ((played.contacts >> foot) & 1) > 0;
        if (on && from < 0) from = step;
        if (!on && from >= 0) {
          ink.fillRect(x(from), y, Math.max(x(step) - x(from), 1), ROWS.contacts - 3);
          from = -1;
        }
      }
    });
  }
}
