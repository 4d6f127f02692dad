/** A simulated user: replays a motion's devices as a headset would report them, at the rate of one. */
import * as THREE from "three";
import { readTrackedMotion, type TrackedMotion, type TrackerSample } from "../messages";
import type { Studio } from "../studio";
import { emptySample, sampleMotion } from "./samples";

const RATE = 90; // samples a second

export class SimulatedUser {
  readonly sample = emptySample();
  name = "";
  height = 1.7; // m
  lost = false; // whether the right controller is off
  private motion: TrackedMotion | null = null;
  private timer = 0;
  private began = 0;

  constructor(
    private readonly studio: Studio,
    private readonly send: (sample: TrackerSample, at: number) => void,
    private readonly room: () => THREE.Matrix4,
  ) {}

  get running(): boolean {
    return this.timer !== 0;
  }

  /** Begin a motion of the server's, or that of a clip's file. */
  async start(motion: string | File): Promise<void> {
    const answer = await fetch(
      `api/room/motion?name=${encodeURIComponent(typeof motion === "string" ? motion : motion.name)}`,
      typeof motion === "string" ? {} : { method: "POST", body: motion, headers: this.studio.connection.identity },
    );
    if (!answer.ok)
      throw new Error(
        ((await answer.json()) as { message?: string }).message ?? `the server answered ${answer.status}`,
      );
    this.motion = readTrackedMotion(await answer.arrayBuffer());
    this.name = typeof motion === "string" ? motion : motion.name;
    this.height = this.motion.height;
    this.began = performance.now();
    if (!this.timer) this.timer = window.setInterval(() => this.tick(), 1000 / RATE);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
  }

  restart(): void {
    this.began = performance.now();
  }

  private tick(): void {
    const now = performance.now();
    sampleMotion(this.motion!, (now - this.began) / 1000, this.room(), this.sample);
    if (this.lost) this.sample.valid &= ~4;
    this.send(this.sample, now);
  }
}
