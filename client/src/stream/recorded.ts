/** A recording that plays without a server, on a page of its own: it answers as a server would. */
import {
  readPoseFrame,
  type Explanation,
  type Ground,
  type PageMessage,
  type PoseFrame,
  type Welcome,
} from "../messages";
import { Connection } from "./connection";
import { request } from "./request";

interface About {
  welcome: Welcome;
  ground: Ground;
  explanations: Explanation[];
}

/** The file to play, where this page is one that was exported. */
export function findRecording(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name="kinematch-recording"]')?.content ?? null;
}

export class RecordedConnection extends Connection {
  private about: About | null = null;
  private frames: { frame: PoseFrame; buffer: ArrayBuffer }[] = [];
  private shown = 0; // number of the frame
  private playing = true;
  private begun = 0; // s, when frame 0 would have been shown

  constructor(private readonly place: string) {
    super();
  }

  override open(): void {
    void this.load().catch((error: Error) => {
      this.deliver({ type: "error_message", message: error.message, about: "", request: 0 });
    });
  }

  private async load(): Promise<void> {
    const { body } = await request(this.place);
    const data = await new Response(body!.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const length = new DataView(data).getUint32(0, true);
    this.about = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as About;
    this.frames = unpackFrames(data, 4 + length).map((buffer) => ({ frame: readPoseFrame(buffer), buffer }));
    this.tell("open", 0);
    this.deliver(this.about.welcome);
    if (this.about.welcome.situation.terrain !== "flat") this.deliver(this.about.ground);
    for (const { frame, buffer } of this.frames) this.deliverFrame(frame, buffer); // the timeline knows them all
    const asked = Number(/@(\d+)/.exec(location.hash)?.[1] ?? NaN);
    if (Number.isFinite(asked)) this.stop(asked);
    else this.play(0);
    window.setInterval(() => this.advance(), 1000 / this.about.welcome.step_rate);
  }

  private play(from: number): void {
    this.begun = performance.now() / 1000 - this.timeOf(from);
    this.playing = true;
    this.show(from);
    this.tellSituation();
  }

  private stop(step: number): void {
    const at = this.frames.findLastIndex(({ frame }) => frame.step <= step);
    this.playing = false;
    this.tellSituation();
    this.show(Math.max(at, 0));
    this.tellSituation();
  }

  private advance(): void {
    if (!this.playing) return;
    const time = performance.now() / 1000 - this.begun;
    const last = this.frames.length - 1;
    if (time > this.timeOf(last) + 0.5) return this.play(0);
    while (this.shown < last && this.timeOf(this.shown + 1) <= time) this.show(this.shown + 1);
  }

  private timeOf(at: number): number {
    return this.frames[at].frame.time - this.frames[0].frame.time;
  }

  private show(at: number): void {
    this.shown = at;
    this.deliverFrame(this.frames[at].frame, this.frames[at].buffer);
  }

  private tellSituation(): void {
    const { situation } = this.about!.welcome;
    this.deliver({ ...situation, playing: this.playing, step: this.frames[this.shown].frame.step });
  }

  override send(message: PageMessage | ArrayBuffer): boolean {
    if (message instanceof ArrayBuffer || !this.about) return false;
    if (message.type === "pause") this.stop(this.frames[this.shown].frame.step);
    else if (message.type === "scrub") this.stop(message.step);
    else if (message.type === "resume") this.play(this.shown < this.frames.length - 1 ? this.shown : 0);
    else if (message.type === "explain") {
      const found = this.about.explanations.findLast((one) => one.step <= message.step);
      // later, as from a server: whoever asks learns the number of the question first
      if (found) queueMicrotask(() => this.deliver({ ...found, request: message.request ?? 0 }));
    }
    return true;
  }
}

/** Frames from runs of one length: word by word, the changes from each frame to the next. */
export function unpackFrames(data: ArrayBuffer, start: number): ArrayBuffer[] {
  const frames: ArrayBuffer[] = [];
  const view = new DataView(data);
  for (let at = start; at < data.byteLength; ) {
    const count = view.getUint32(at, true),
      words = view.getUint32(at + 4, true);
    const changes = new Uint32Array(data, at + 8, count * words);
    const run = Array.from({ length: count }, () => new Uint32Array(words));
    for (let w = 0; w < words; w++) {
      let value = 0;
      for (let n = 0; n < count; n++) run[n][w] = value = (value + changes[w * count + n]) >>> 0;
    }
    frames.push(...run.map((frame) => frame.buffer));
    at += 8 + 4 * count * words;
  }
  return frames;
}
