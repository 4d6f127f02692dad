/** Which two frames to show now, and how far between them: smooth at any display rate, a little behind the server. */
import type { PoseFrame } from "../messages";

const KEPT = 120; // frames; two seconds, which the trail shows
const DRIFT = 0.02; // s per s at which the guess of the server's clock gives way to later arrivals
const LEAST_DELAY = 0.012, MOST_DELAY = 0.08; // s behind the newest frame

export interface Moment {
  before: PoseFrame;
  after: PoseFrame;
  share: number; // of the way from before to after
}

export class Playback {
  private frames: PoseFrame[] = [];
  private ahead = -Infinity; // server time less local time, judged by the quickest arrivals
  private heard = 0;
  private jitter = 0.004; // s
  private interval = 1 / 60; // s between frames
  private shown: Moment | null = null;

  clear(): void {
    this.frames = [];
    this.ahead = -Infinity;
    this.shown = null;
  }

  get newest(): PoseFrame | null {
    return this.frames[this.frames.length - 1] ?? null;
  }

  /** Take a frame that came in at a local time, s. */
  add(frame: PoseFrame, now: number): void {
    const last = this.newest;
    if (last && (frame.step <= last.step || frame.characters !== last.characters || frame.joints !== last.joints || frame.time - last.time > 0.5)) this.clear();
    if (last && this.frames.length) this.interval += 0.05 * (Math.min(frame.time - last.time, 0.1) - this.interval);
    this.frames.push(frame);
    if (this.frames.length > KEPT) this.frames.shift();
    const sample = frame.time - now;
    const drifted = this.ahead - DRIFT * (now - this.heard);
    this.ahead = drifted - sample < 0.3 ? Math.max(sample, drifted) : sample; // so far behind: the clock was stopped
    this.jitter += 0.02 * (Math.min(this.ahead - sample, MOST_DELAY) - this.jitter);
    this.heard = now;
  }

  /** What to show at a local time; exactly the newest frame when nothing plays. */
  at(now: number, playing: boolean): Moment | null {
    const newest = this.newest;
    if (!newest) return null;
    if (!playing) return (this.shown = { before: newest, after: newest, share: 0 });
    const delay = Math.min(Math.max(this.interval + 2 * this.jitter, LEAST_DELAY), MOST_DELAY);
    const time = now + this.ahead - delay;
    let k = this.frames.length - 1;
    while (k > 0 && this.frames[k].time > time) k--;
    const before = this.frames[k], after = this.frames[Math.min(k + 1, this.frames.length - 1)];
    const span = after.time - before.time;
    return (this.shown = { before, after, share: span > 0 ? Math.min(Math.max((time - before.time) / span, 0), 1) : 0 });
  }

  /** The frames kept, oldest first. */
  recent(): readonly PoseFrame[] {
    return this.frames;
  }

  get current(): Moment | null {
    return this.shown;
  }
}
