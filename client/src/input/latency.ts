/** From a moved stick to the first picture that knows of it. */
import type { Moment } from "../stream/playback";

const FORGET = 1000; // ms, after which an answer is not waited for: the page, or the server, was busy with something else
const KEPT = 5; // readings, of which the middle one is told

export class Latency {
  milliseconds: number | null = null;
  private waiting: { sequence: number; at: number; drawn: boolean } | null = null;
  private readings: number[] = [];

  /** The stick was moved at a time (performance.now) and is on its way to the server. */
  sent(sequence: number, at: number): void {
    this.waiting ??= { sequence, at, drawn: false };
  }

  /** A moment is about to be drawn; the picture before it is finished by now. */
  shown(moment: Moment | null, now: number): void {
    if (!moment || !this.waiting) return;
    const took = now - this.waiting.at;
    if (this.waiting.drawn || took > FORGET) {
      if (took <= FORGET) this.read(took);
      this.waiting = null;
      return;
    }
    const heeded = moment.share > 0 ? moment.after.sequence : moment.before.sequence;
    this.waiting.drawn = heeded >= this.waiting.sequence;
  }

  private read(took: number): void {
    this.readings = [...this.readings, took].slice(-KEPT);
    this.milliseconds = [...this.readings].sort((a, b) => a - b)[Math.floor(this.readings.length / 2)];
  }
}
