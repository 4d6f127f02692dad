/** From a tracker sample to the body that answers it; drawing is not in it. */
const KEPT = 180; // readings, two seconds at 90 a second
const FORGET = 1000; // ms

export class RoundTrip {
  private readonly waiting = new Map<number, number>();
  private readings: number[] = [];

  /** A sample was taken at a time (performance.now) and is on its way. */
  sent(sequence: number, at: number): void {
    this.waiting.set(sequence, at);
    for (const [old, when] of this.waiting) {
      if (at - when < FORGET) break;
      this.waiting.delete(old);
    }
  }

  /** Its answer came in; earlier samples that were passed over have none. */
  received(sequence: number, at: number): void {
    const when = this.waiting.get(sequence);
    if (when === undefined) return;
    this.readings.push(at - when);
    if (this.readings.length > KEPT) this.readings.shift();
    for (const old of this.waiting.keys()) {
      this.waiting.delete(old);
      if (old === sequence) break;
    }
  }

  /** Milliseconds that a share of the recent answers took at most; null before the first. */
  quantile(share: number): number | null {
    if (!this.readings.length) return null;
    const sorted = [...this.readings].sort((a, b) => a - b);
    return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)];
  }

  clear(): void {
    this.waiting.clear();
    this.readings = [];
  }
}
