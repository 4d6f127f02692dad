/** Which two frames to show now, and how far between them: smooth at any display rate, a little behind the server. */
import type { PoseFrame } from "../messages";

const KEPT = 120; // frames; two seconds, which the trail shows
const DRIFT = 0.02; // s per s at which the guess of the server's clock gives way to later arrivals
const CLOCK_HALFLIFE = 0.3; // s, in which half of an error of the shown time is made up
const FAR = 0.15; // s; errors beyond are jumped over
const AGE_HALFLIFE = 2; // s, in which an old newest frame is half forgotten
const MARGIN = 0.002; // s of delay beyond what was needed lately
const LEAST_DELAY = 0.012,
  MOST_DELAY = 0.08; // s behind the server's clock

export interface Moment {
  before: PoseFrame;
  after: PoseFrame;
  share: number; // of the way from before to after
}

export class Playback {
  private frames: PoseFrame[] = [];
  private ahead = -Infinity; // server time less local time, judged by the quickest arrivals
  private heard = 0;
  private age = 1 / 60; // s, of the newest frame there was to show, the oldest of late
  private clock = -Infinity; // server time shown last
  private looked = 0; // local time of that

  clear(): void {
    this.frames = [];
    this.ahead = this.clock = -Infinity;
  }

  get newest(): PoseFrame | null {
    return this.frames[this.frames.length - 1] ?? null;
  }

  /** Take a frame that came in at a local time, s. */
  add(frame: PoseFrame, now: number): void {
    const last = this.newest;
    if (
      last &&
      (frame.step <= last.step ||
        frame.characters !== last.characters ||
        frame.joints !== last.joints ||
        frame.time - last.time > 0.5)
    )
      this.clear();
    this.frames.push(frame);
    if (this.frames.length > KEPT) this.frames.shift();
    const sample = frame.time - now;
    const drifted = this.ahead - DRIFT * (now - this.heard);
    this.ahead = drifted - sample < 0.3 ? Math.max(sample, drifted) : sample; // so far behind: the clock was stopped
    this.heard = now;
  }

  /** What to show at a local time; exactly the newest frame when nothing plays. */
  at(now: number, playing: boolean): Moment | null {
    const newest = this.newest;
    if (!newest) return null;
    if (!playing) return { before: newest, after: newest, share: 0 };
    const time = this.smoothly(now + this.ahead - this.delay(now + this.ahead - newest.time, now), now);
    let k = this.frames.length - 1;
    while (k > 0 && this.frames[k].time > time) k--;
    const before = this.frames[k],
      after = this.frames[Math.min(k + 1, this.frames.length - 1)];
    const span = after.time - before.time;
    return { before, after, share: span > 0 ? Math.min(Math.max((time - before.time) / span, 0), 1) : 0 };
  }

  /**
   * How far to stay behind so that there is nearly always a next frame to go towards. What counts is how old the newest
   * frame is when a picture is made: a frame that came in late, but before it was needed, costs nothing.
   */
  private delay(age: number, now: number): number {
    this.age *= 2 ** (-Math.min(Math.max(now - this.looked, 0), 1) / AGE_HALFLIFE);
    if (age < MOST_DELAY) this.age = Math.max(this.age, age); // an older one is a stall, which no delay would hide
    return Math.min(Math.max(this.age + MARGIN, LEAST_DELAY), MOST_DELAY);
  }

  /** Time runs evenly and gives way to a better guess of it only slowly. */
  private smoothly(wanted: number, now: number): number {
    const passed = now - this.looked;
    this.looked = now;
    const even = this.clock + passed,
      away = wanted - even;
    this.clock = passed > 0 && Math.abs(away) < FAR ? even + away * (1 - 2 ** (-passed / CLOCK_HALFLIFE)) : wanted;
    return this.clock;
  }

  /** The frames kept, oldest first. */
  recent(): readonly PoseFrame[] {
    return this.frames;
  }
}
