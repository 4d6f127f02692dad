/** The timeline below the stage: pause, rewind, scrub; clips, searches, jumps and contacts of the last minutes. */
import type { Studio } from "../studio";
import { button, h } from "../ui/elements";
import { icon } from "../ui/icons";
import { addShortcuts } from "../ui/shortcuts";
import { saveMenu } from "./save";
import { TimelinePicture } from "./timeline_picture";
import "./timeline.css";

const SPEEDS = [1, 0.5, 0.25, 0.1];

export type DockSize = "whole" | "slim" | "none";

export class Timeline {
  readonly element: HTMLElement;
  private readonly picture: TimelinePicture;
  private readonly playButton = button("", () => this.toggle(), {
    icon: "pause",
    kind: "icon",
    title: "Pause (Space)",
  });
  private readonly liveButton = button("Live", () => this.resume(), {
    icon: "live",
    kind: "small",
    title: "Resume from now (L)",
  });
  private readonly hereButton = button("Steer from here", () => this.steerFromHere(), {
    icon: "pad",
    kind: "small",
    title: "Resume from this moment and discard what came after it",
  });
  /** Replays may be slower than what was played. */
  private readonly speedButton = button(
    "1×",
    () => {
      this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
      this.speedButton.textContent = `${this.speed}×`;
      this.speedButton.setAttribute("aria-label", `Speed of the replay: ${this.speed} times`);
    },
    { kind: "quiet small", title: "Speed of the replay" },
  );
  private speed: number = SPEEDS[0];
  onFilm: (format: "gif" | "mp4", steps: [number, number]) => void = () => {};
  onLink: () => string = () => location.href;
  private readonly clock = h("output.mono.clock");
  private cursor = -1; // the step that was scrubbed to; -1 while playing
  private asked = -1;
  private stopping = false; // a step was asked for while time ran: until it is heeded, news that time runs is old
  private replayed = -1; // the moment of a replay, in steps; -1 while none runs
  private wait = 0;

  constructor(private readonly studio: Studio) {
    this.picture = new TimelinePicture(studio.live);
    this.picture.onScrub = (step) => this.scrub(step);
    const back = button("", () => this.search(-1), {
      icon: "back",
      kind: "quiet icon",
      title: "Previous search (,)",
    });
    const ahead = button("", () => this.search(1), {
      icon: "forward",
      kind: "quiet icon",
      title: "Next search (.)",
    });
    this.element = h(
      "div.timeline",
      h(
        "div.transport",
        back,
        this.playButton,
        ahead,
        this.clock,
        this.liveButton,
        this.hereButton,
        h("span.gap"),
        this.picture.legend,
        this.speedButton,
        saveMenu(
          studio,
          () => this.picture.window(),
          (format, steps) => this.onFilm(format, steps),
          () => this.onLink(),
        ),
      ),
      this.picture.element,
    );
    this.liveButton.hidden = this.hereButton.hidden = true;
    studio.live.onChange((change) => {
      if (change === "welcome") this.stopping = false;
      if (change === "situation" || change === "welcome") this.stand();
    });
    studio.connection.on("error_message", (problem) => {
      if (problem.about !== "scrub") return;
      this.stopping = false;
      this.stand();
    });
    addShortcuts(
      { section: "Time", keys: "K", codes: ["KeyK"], text: "Pause, replay, resume; Space too, where nobody can jump", act: () => this.toggle() },
      {
        section: "Steering",
        keys: "Space",
        codes: ["Space"],
        text: "Jump, where the motion can; else pause",
        act: () => {
          const jumps = studio.live.welcome?.actions.includes("jump") && studio.live.situation?.playing;
          if (jumps) studio.connection.send({ type: "act", action: "jump" });
          else this.toggle();
        },
      },
      {
        section: "Time",
        keys: ", .",
        codes: ["Comma"],
        text: "Previous and next search",
        act: () => this.search(-1),
      },
      {
        section: "Time",
        keys: "[ ]",
        codes: ["BracketLeft"],
        text: "One step back or forward",
        act: () => this.scrub(this.here - 1),
      },
      { section: "Time", keys: "L", codes: ["KeyL"], text: "Back to now", act: () => this.resume() },
      { section: "", keys: "", codes: ["Period"], text: "", act: () => this.search(1) },
      { section: "", keys: "", codes: ["BracketRight"], text: "", act: () => this.scrub(this.here + 1) },
    );
  }

  /** The step shown or asked for. */
  get here(): number {
    return this.cursor >= 0 ? this.cursor : this.studio.live.step;
  }

  show(size: DockSize): void {
    this.element.parentElement!.hidden = size === "none";
    this.element.dataset.size = size;
    this.picture.slim = size !== "whole";
  }

  /** Pause what runs; else replay from a past moment on, or go on from now. */
  toggle(): void {
    const { live, connection } = this.studio;
    if (live.playing) connection.send({ type: "pause" });
    else if (this.replayed >= 0) this.replayed = -1;
    else if (this.cursor < live.history.newest) this.replayed = this.cursor;
    else this.resume();
    this.stand();
  }

  /** Go on from the moment that is shown; what came after it is forgotten. */
  steerFromHere(): void {
    this.resume(this.cursor);
  }

  private resume(step?: number): void {
    this.stopping = false;
    const from = step !== undefined && step >= 0 ? step : undefined;
    this.studio.connection.send(from === undefined ? { type: "resume" } : { type: "resume", step: from });
  }

  /** Show a past step; the server answers with the very frame that was played. */
  scrub(step: number): void {
    this.replayed = -1;
    this.shift(step);
    if (!this.studio.live.playing) this.stand();
  }

  private shift(step: number): void {
    const { history } = this.studio.live;
    const to = Math.min(Math.max(Math.round(step), history.oldest), history.newest);
    if (to < 0 || to === this.cursor) return;
    this.cursor = to;
    if (this.studio.live.playing) this.ask();
  }

  /** Have the server show the step of the cursor; while one drags, once a picture. */
  private ask(): void {
    if (this.cursor < 0 || this.cursor === this.asked) return;
    if (!this.studio.connection.send({ type: "scrub", step: this.cursor })) return;
    this.asked = this.cursor;
    this.stopping ||= this.studio.live.playing;
  }

  private search(by: 1 | -1): void {
    const found = this.studio.live.history.find(this.here, by, (played) => played.searched);
    if (found >= 0) this.scrub(found);
  }

  private stand(): void {
    const situation = this.studio.live.situation;
    if (!situation) return;
    this.stopping &&= situation.playing;
    if (this.stopping) return;
    if (situation.playing) this.cursor = this.asked = this.replayed = -1;
    else if (this.cursor < 0) this.cursor = situation.step;
    const runs = situation.playing || this.replayed >= 0,
      past = this.cursor < this.studio.live.history.newest;
    this.playButton.replaceChildren(icon(runs ? "pause" : "play"));
    this.playButton.title = `${runs ? "Pause" : past ? "Replay from here" : "Go on"} (Space)`;
    this.playButton.setAttribute("aria-label", this.playButton.title);
    this.liveButton.setAttribute("aria-pressed", String(situation.playing));
    this.liveButton.hidden = this.hereButton.hidden = situation.playing;
    this.speedButton.hidden = situation.playing;
    if (!situation.live) this.liveButton.hidden = this.hereButton.hidden = true;
  }

  frame(seconds: number): void {
    if (this.replayed >= 0) {
      this.replayed += this.speed * seconds * (this.studio.live.welcome?.step_rate ?? 60);
      this.shift(Math.floor(this.replayed));
      if (this.replayed >= this.studio.live.history.newest) {
        this.replayed = -1;
        this.stand();
      }
    }
    this.ask();
    this.wait -= seconds;
    if (this.wait > 0) return;
    this.wait = 0.04;
    void this.studio.live.history.fill();
    if (this.element.parentElement!.hidden) return;
    const { welcome, history, playing } = this.studio.live;
    const rate = welcome?.step_rate ?? 60,
      away = (this.here - history.newest) / rate;
    this.clock.textContent =
      playing || away > -0.02 ? `${(Math.max(this.here, 0) / rate).toFixed(1)} s` : `${away.toFixed(2)} s`;
    this.picture.draw(this.here);
  }
}
