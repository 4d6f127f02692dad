/** What was played, step by step, for the timeline: kept from the stream and filled up from the server where it has gaps. */
import { readTimeline, type PoseFrame, type Situation } from "../messages";

const CAPACITY = 16384; // steps; four and a half minutes at 60 a second

export interface PlayedStep {
  step: number;
  frame: number; // of the database
  searched: boolean;
  jumped: boolean;
  contacts: number; // bits
  locked: number; // bits
  reason: number;
  cost: number;
}

export class History {
  oldest = 0;
  newest = -1;
  private readonly steps = new Int32Array(CAPACITY).fill(-1);
  private readonly frames = new Int32Array(CAPACITY);
  private readonly bits = new Uint32Array(CAPACITY);
  private readonly costs = new Float32Array(CAPACITY);
  private complete = -1; // no gap up to here
  private asking = false;

  clear(): void {
    this.steps.fill(-1);
    this.oldest = 0;
    this.newest = this.complete = -1;
  }

  add(frame: PoseFrame): void {
    this.put(frame.step, frame.frames[0], frame.bits[0], frame.costs[0]);
  }

  private put(step: number, frame: number, bits: number, cost: number): void {
    const at = step % CAPACITY;
    this.steps[at] = step;
    this.frames[at] = frame;
    this.bits[at] = bits;
    this.costs[at] = cost;
    this.newest = Math.max(this.newest, step);
    if (step === this.complete + 1) this.complete = step;
  }

  /** What the server still has; steps after a resumed one are forgotten. */
  bound(situation: Situation): void {
    this.oldest = Math.max(situation.oldest, situation.newest - CAPACITY + 1);
    if (situation.newest < this.newest) {
      for (let step = situation.newest + 1; step <= this.newest; step++) this.steps[step % CAPACITY] = -1;
      this.newest = situation.newest;
      this.complete = Math.min(this.complete, this.newest);
    }
    this.newest = Math.max(this.newest, situation.newest);
    if (this.complete < this.oldest - 1) this.complete = this.oldest - 1;
  }

  at(step: number): PlayedStep | null {
    const at = step % CAPACITY;
    if (step < 0 || this.steps[at] !== step) return null;
    const bits = this.bits[at];
    return {
      step,
      frame: this.frames[at],
      searched: (bits & 1) > 0,
      jumped: (bits & 2) > 0,
      contacts: (bits >>> 8) & 255,
      locked: (bits >>> 16) & 255,
      reason: bits >>> 24,
      cost: this.costs[at],
    };
  }

  /** The nearest step before (or after) one that passes a test, or -1. */
  find(from: number, by: 1 | -1, passes: (played: PlayedStep) => boolean): number {
    for (let step = from + by; step >= this.oldest && step <= this.newest; step += by) {
      const played = this.at(step);
      if (played && passes(played)) return step;
    }
    return -1;
  }

  /** Ask the server for what was skipped. */
  async fill(): Promise<void> {
    while (this.complete < this.newest && this.at(this.complete + 1)) this.complete++;
    if (this.asking || this.complete >= this.newest) return;
    this.asking = true;
    const stop = this.newest + 1;
    try {
      const answer = await fetch(`api/timeline?start=${this.complete + 1}&stop=${stop}&character=0`);
      if (!answer.ok) return;
      const played = readTimeline(await answer.arrayBuffer());
      played.steps.forEach((step, k) => {
        if (step < stop) this.put(step, played.frames[k], played.bits[k], played.costs[k]);
      });
      this.complete = Math.max(this.complete, Math.min(stop - 1, this.newest));
    } catch {
      // the line is lost; asked again when it is back
    } finally {
      this.asking = false;
    }
  }
}
