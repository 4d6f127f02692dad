/** From a moved stick to the first picture that knows of it. */
import type { Moment } from "../stream/playback";

export class Latency {
  milliseconds: number | null = null;
  private waiting: { sequence: number; at: number } | null = null;

  sent(sequence: number): void {
    this.waiting ??= { sequence, at: performance.now() };
  }

  /** A moment is about to be drawn. */
  shown(moment: Moment | null): void {
    if (!moment || !this.waiting) return;
    const heeded = moment.share > 0 ? moment.after.sequence : moment.before.sequence;
    if (heeded >= this.waiting.sequence) {
      const now = performance.now() - this.waiting.at;
      if (now < 2000) this.milliseconds = this.milliseconds === null ? now : 0.7 * this.milliseconds + 0.3 * now;
      this.waiting = null;
    } else if (performance.now() - this.waiting.at > 2000) this.waiting = null;
  }
}
