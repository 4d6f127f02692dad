/** Which of several people in a picture is followed: the one who was, or else the largest. */
import type { FoundBody } from "./pose_worker";

const HIPS = [23, 24]; // of BlazePose's landmarks
const FARTHEST = 0.12; // share of the picture that a person moves between two pictures
const PATIENCE = 1; // s after which a person who is gone is forgotten

export class Follower {
  private place: [number, number] | null = null;
  private since = 0;

  /** The body to follow at a time, s; null if only others are seen. */
  choose(bodies: FoundBody[], time: number): FoundBody | null {
    if (this.place && time - this.since > PATIENCE) this.place = null;
    const before = this.place;
    const best = before
      ? least(bodies, (body) => distance(middle(body), before))
      : least(bodies, (body) => -tallness(body));
    if (!best || (before && distance(middle(best), before) > FARTHEST)) return null;
    this.place = middle(best);
    this.since = time;
    return best;
  }
}

function least(bodies: FoundBody[], cost: (body: FoundBody) => number): FoundBody | null {
  return bodies.reduce<FoundBody | null>((best, one) => (best && cost(best) <= cost(one) ? best : one), null);
}

function middle({ image }: FoundBody): [number, number] {
  const [left, right] = HIPS;
  return [(image[2 * left] + image[2 * right]) / 2, (image[2 * left + 1] + image[2 * right + 1]) / 2];
}

function tallness({ image }: FoundBody): number {
  const heights = Array.from(image).filter((_, k) => k % 2 === 1);
  return Math.max(...heights) - Math.min(...heights);
}

function distance(a: [number, number], b: [number, number]): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
