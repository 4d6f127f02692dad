/** The camera's part of the VR panel: switch it on, see what it sees, how sure it is, and what is wrong. */
import { writeCameraView, type CameraNow, type CameraView } from "../../messages";
import type { Studio } from "../../studio";
import { button, h, switchRow } from "../../ui/elements";
import type { VrStage } from "../stage";
import { AlignedFigure } from "./aligned_figure";
import { Bearings, COLOURS } from "./bearings";
import { Picture } from "./picture";
import { LANDMARKS } from "./skeleton";
import type { Seen, Webcam } from "./webcam";

interface ModelSource {
  there: boolean;
  fetchable: boolean;
  bytes: number;
  address: string;
  place: string;
}

const STALE = 2000; // ms after which what the server said is old
const NAMES = { trackers: "Trackers", camera: "Camera", fused: "Body" } as const;

export class CameraControls {
  readonly element: HTMLElement;
  readonly figure: AlignedFigure;
  now: CameraNow | null = null; // what the server says of the last landmarks
  webcam: Webcam | null = null; // loaded when the camera is switched on for the first time
  private came = -Infinity;
  private starting = false;
  private seen: Seen | null = null;
  private entered = false; // for the camera alone
  private readonly picture = new Picture();
  private readonly bearings = new Bearings();
  private readonly word = h("p.note.camera-word", { role: "status" });
  private readonly rows = h("dl.figures");
  private readonly details = h("div.group");
  private readonly turnOn = switchRow("Camera", false, (on) => void (on ? this.start() : this.stop()), {
    title: "Where your hips face is seen by the camera. Pictures stay in this browser; only landmarks are sent.",
  });

  private readonly offer = h("div.group", { hidden: true });

  constructor(
    private readonly studio: Studio,
    private readonly stage: VrStage,
  ) {
    this.figure = new AlignedFigure(studio.viewport);
    this.details.append(this.picture.canvas, this.bearings.canvas, this.rows);
    this.element = h(
      "div.group",
      h("p.note", "Drives a body alone, or corrects a headset's. Pictures stay in this browser."),
      this.turnOn,
      this.offer,
      this.word,
      this.details,
    );
    studio.connection.on("camera_now", (now) => this.take(now));
    this.show();
  }

  get on(): boolean {
    return this.webcam?.on ?? false;
  }

  async start(): Promise<void> {
    if (this.on || this.starting) return;
    this.starting = true;
    this.offer.hidden = true;
    this.show();
    try {
      const source = await this.studio.ask<ModelSource>("/api/room/pose_model/source");
      if (!source.there && source.fetchable) {
        this.offerModel(source);
        this.starting = false;
        return this.show();
      }
      const { Webcam } = await import("./webcam");
      this.webcam ??= new Webcam();
      this.webcam.onSeen = (seen) => this.send(seen);
      this.webcam.onEnd = (why) => this.end(why);
      await this.webcam.start();
      if (!this.stage.room.own && !this.stage.room.waiting) {
        this.stage.room.enter();
        this.entered = true;
      }
    } catch (error) {
      this.studio.say(String((error as Error).message ?? error), "bad", "No camera");
    }
    this.starting = false;
    this.show();
  }

  /** Ask before the model is fetched: how large it is, where it comes from, and where it goes. */
  private offerModel(source: ModelSource): void {
    const size = `${(source.bytes / 1e6).toFixed(1)} MB`;
    const fetchIt = button(`Fetch ${size}`, () => void this.fetchModel(source), { kind: "small primary" }),
      notNow = button("Not now", () => (this.offer.hidden = true), { kind: "small quiet" });
    this.offer.replaceChildren(
      h(
        "p.note",
        { style: "overflow-wrap:anywhere" },
        `The camera needs MediaPipe's pose model, once: ${size} from ${source.address}, kept at ${source.place} on the machine that Kinematch runs on.`,
      ),
      h("div.row", fetchIt, notNow),
    );
    this.offer.hidden = false;
  }

  private async fetchModel(source: ModelSource): Promise<void> {
    const began = performance.now();
    const word = h("p.note", { role: "status" }),
      tell = () => {
        word.textContent = `Fetching from ${new URL(source.address).host}: ${Math.floor((performance.now() - began) / 1000)} s`;
      };
    tell();
    const timer = window.setInterval(tell, 1000);
    this.offer.replaceChildren(word, h("div.progress.unknown", h("i")));
    try {
      await this.studio.ask("/api/room/pose_model", { method: "POST" });
      this.offer.hidden = true;
      void this.start();
    } catch (error) {
      this.offerModel(source); // to try again
      this.studio.say(String((error as Error).message ?? error), "bad", "The pose model was not fetched");
    } finally {
      clearInterval(timer);
    }
  }

  stop(): void {
    this.webcam?.stop();
    this.seen = null;
    if (this.entered && !this.stage.headset.worn && !this.stage.simulated.running) this.stage.room.leave();
    this.entered = false;
    this.show();
  }

  private end(why: string): void {
    this.studio.say(`${why}; your body goes on with what there is`, "bad", "No camera");
    this.entered = false; // the body stays where it is
    this.stop();
  }

  private send(seen: Seen): void {
    this.seen = seen;
    const { x, z } = this.stage.spot,
      nothing = new Float32Array();
    const view: CameraView = {
      time: seen.time / 1000,
      landmarks: seen.body ? LANDMARKS : 0,
      people: seen.people,
      aspect: seen.aspect,
      brightness: seen.brightness,
      x,
      z,
      places: seen.body?.places ?? nothing,
      image: seen.body?.image ?? nothing,
      visibility: seen.body?.visibility ?? nothing,
    };
    this.picture.draw(seen.picture, view.image, view.visibility, seen.aspect);
    seen.picture?.close();
    if (this.stage.room.own) this.studio.connection.send(writeCameraView(view));
  }

  private take(now: CameraNow): void {
    this.now = now;
    this.came = performance.now();
    this.bearings.add(now);
    this.figure.take(now);
  }

  /** Each drawn frame. */
  update(): void {
    this.figure.update();
    const { on } = this;
    const fresh = performance.now() - this.came < STALE ? this.now : null;
    if (!on && fresh) this.picture.draw(null, fresh.image, fresh.visibility, fresh.aspect);
    if (fresh) this.bearings.draw();
    if (this.details.hidden === (on || fresh !== null)) this.show();
  }

  /** Now and then: words and figures. */
  show(): void {
    const fresh = performance.now() - this.came < STALE ? this.now : null;
    this.turnOn.set(this.on || this.starting);
    this.details.hidden = !this.on && !fresh;
    this.bearings.canvas.hidden = !fresh || fresh.alone;
    this.word.textContent = this.starting
      ? "The pose estimator is being loaded…"
      : (fresh?.trouble ?? (this.on ? "Waiting for your body…" : ""));
    if (fresh && !fresh.trouble)
      this.word.textContent = fresh.alone ? "You are seen: move about." : this.describe(fresh);
    this.word.classList.toggle("warn", Boolean(fresh?.trouble));
    const rows: [string, string, string?][] = [];
    if (this.on && this.seen) rows.push(["Estimator", `${Math.round(this.seen.milliseconds)} ms a picture`]);
    if (fresh && !fresh.alone) {
      for (const source of ["trackers", "camera", "fused"] as const) {
        const degrees = this.bearings.sureness(source);
        rows.push([NAMES[source], degrees === null ? "says nothing" : `± ${degrees.toFixed(0)}°`, COLOURS[source]]);
      }
      rows.push(["Landmarks are late", `${Math.round(1000 * fresh.offset)} ms`]);
      if (fresh.residual >= 0) rows.push(["Nose and wrists fit", `${Math.round(100 * fresh.residual)} cm`]);
    }
    this.rows.replaceChildren(
      ...rows.flatMap(([name, text, colour]) => [
        h("dt", colour ? h("i.dot", { style: `background: ${colour}` }) : null, name),
        h("dd", text),
      ]),
    );
  }

  private describe(now: CameraNow): string {
    return now.position.length
      ? "The camera is aligned with your trackers."
      : "Move about: the camera is being aligned.";
  }
}
