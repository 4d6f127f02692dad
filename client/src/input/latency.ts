/** From a moved stick to the first picture that knows of it. */
import type { Moment } from "../stream/playback";

const FORGET = 2000; // ms, after which an answer is not waited for
const SHARE = 0.3; // of a new reading in the one that is told

export class Latency {
  milliseconds: number | null = null;
  private waiting: { sequence: number; at: number; drawn: boolean } | null = null;

  /** The stick was moved at a time (performance.now) and is on its way to the server. */
  sent(sequence: number, at: number): void {
    this.waiting ??= { sequence, at, drawn: false };
  }

  /** A moment is about to be drawn; the picture before it is finished by now. */
  shown(moment: Moment | null, now: number): void {
    if (!moment || !this.waiting) return;
    const took = now - this.waiting.at;
    if (this.waiting.drawn || took > FORGET) {
      if (this.waiting.drawn)
        this.milliseconds = this.milliseconds === null ? took : (1 - SHARE) * this.milliseconds + SHARE * took;
      this.waiting = null;
      return;
    }
    const heeded = moment.share > 0 ? moment.after.sequence : moment.before.sequence;
    this.waiting.drawn = heeded >= this.waiting.sequence;
  }
}
