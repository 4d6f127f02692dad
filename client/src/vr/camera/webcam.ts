/** The browser's camera: its pictures go to the estimator beside the page, and only landmarks come out. */
import binary from "@mediapipe/tasks-vision/vision_wasm_internal.wasm?url";
import loader from "@mediapipe/tasks-vision/vision_wasm_internal.js?url";
import { Follower } from "./follow";
import type { FoundBody, PoseAnswer, PoseRequest } from "./pose_worker";

export interface Seen {
  time: number; // ms of performance.now, when the landmarks were known
  body: FoundBody | null; // of who is followed
  people: number;
  brightness: number;
  aspect: number;
  picture: ImageBitmap | null; // theirs to close who draw it
  milliseconds: number; // that the estimator took
}

const WIDTH = 640,
  HEIGHT = 480; // pixels that are asked for
const PATIENCE = 3000; // ms without a picture, after which the camera is taken for gone

export class Webcam {
  readonly video = document.createElement("video");
  onSeen: (seen: Seen) => void = () => {};
  onEnd: (why: string) => void = () => {};
  private worker: Worker | null = null;
  private stream: MediaStream | null = null;
  private readonly follower = new Follower();
  private busy = false;
  private asked = 0;
  private pictured = 0;
  private timer = 0;

  constructor() {
    this.video.muted = this.video.playsInline = true;
  }

  get on(): boolean {
    return this.stream !== null;
  }

  /** Ask for the camera, and fetch what looks at its pictures; the server says what to do where the model is missing. */
  async start(): Promise<void> {
    if (!navigator.mediaDevices) throw new Error("cameras want https, or this machine's own address");
    const model = await fetchModel();
    const stream = await navigator.mediaDevices
      .getUserMedia({ video: { width: WIDTH, height: HEIGHT, frameRate: 30 } })
      .catch((error: Error) => Promise.reject(new Error(explain(error))));
    this.stream = stream;
    stream.getVideoTracks()[0].addEventListener("ended", () => this.end("the camera was taken away"));
    this.video.srcObject = stream;
    try {
      await Promise.all([this.video.play(), this.prepare(model)]);
    } catch (error) {
      this.stop();
      throw error;
    }
    this.pictured = performance.now();
    this.timer = window.setInterval(() => this.watch(), 500);
    this.next();
  }

  stop(): void {
    clearInterval(this.timer);
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
    this.video.srcObject = null;
    this.worker?.terminate();
    this.worker = null;
    this.busy = false;
  }

  private end(why: string): void {
    if (!this.on) return;
    this.stop();
    this.onEnd(why);
  }

  private watch(): void {
    if (!this.busy && performance.now() - this.pictured > PATIENCE) this.end("no more pictures of the camera come in");
  }

  private prepare(model: ArrayBuffer): Promise<void> {
    const worker = new Worker(new URL("./pose_worker.ts", import.meta.url));
    this.worker = worker;
    return new Promise((resolve, reject) => {
      worker.onerror = (event) => reject(new Error(event.message || "the pose estimator cannot be loaded"));
      worker.onmessage = ({ data }: MessageEvent<PoseAnswer>) => {
        if (data.problem && !this.pictured) reject(new Error(`the pose model cannot be used: ${data.problem}`));
        else if (data.problem) this.end(`the pose estimator failed: ${data.problem}`);
        else if (data.ready) resolve();
        else this.take(data);
      };
      const setup = { loader: absolute(loader), binary: absolute(binary), model };
      this.ask({ setup }, [model]);
    });
  }

  private ask(request: PoseRequest, transfer: Transferable[]): void {
    this.worker?.postMessage(request, transfer);
  }

  private next(): void {
    this.video.requestVideoFrameCallback(() => void this.look());
  }

  /** A new picture: looked at, unless the one before still is. */
  private async look(): Promise<void> {
    if (!this.on) return;
    this.pictured = performance.now();
    this.next();
    if (this.busy) return;
    this.busy = true;
    this.asked = performance.now();
    const picture = await createImageBitmap(this.video).catch(() => null);
    if (picture) this.ask({ picture, time: this.asked }, [picture]);
    else this.busy = false;
  }

  private take({ bodies = [], brightness = 1, picture }: PoseAnswer): void {
    this.busy = false;
    const time = performance.now();
    this.onSeen({
      time,
      body: this.follower.choose(bodies, time / 1000),
      people: bodies.length,
      brightness: Math.min(Math.max(brightness, 0), 1),
      aspect: this.video.videoWidth / this.video.videoHeight || WIDTH / HEIGHT,
      picture: picture ?? null,
      milliseconds: time - this.asked,
    });
  }
}

async function fetchModel(): Promise<ArrayBuffer> {
  const answer = await fetch("api/room/pose_model");
  if (answer.ok) return answer.arrayBuffer();
  const said = (await answer.json().catch(() => null)) as { message?: string } | null;
  throw new Error(said?.message ?? `the server answered ${answer.status}`);
}

function absolute(path: string): string {
  return new URL(path, location.href).href;
}

function explain(error: Error): string {
  if (error.name === "NotAllowedError") return "the browser may not use the camera; allow it beside the address";
  if (error.name === "NotFoundError") return "there is no camera at this machine";
  if (error.name === "NotReadableError") return "another program uses the camera, or it was taken away";
  return error.message;
}
