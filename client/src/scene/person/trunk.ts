/** Where the trunk of a stance is, and how wide. */
import { add, mix, type Vector } from "./solids";
import type { Stance } from "./stance";

/** Points on the way from the hip joints up to the shoulders, and half the widths there. */
export interface Trunk {
  along(share: number, ahead?: number, aside?: number): Vector;
  hips: number;
  shoulders: number;
  neck: Vector;
}

export function measureTrunk(stance: Stance): Trunk {
  const { at, unit: u } = stance;
  const [low, high] = ["leg", "arm"].map((limb) => mix(at(`left_upper_${limb}`), at(`right_upper_${limb}`), 0.5));
  const along = (share: number, ahead = 0, aside = 0): Vector => add(mix(low, high, share), [aside * u, 0, ahead * u]);
  return {
    along,
    hips: 0.5 * Math.abs(at("left_upper_leg")[0] - at("right_upper_leg")[0]),
    shoulders: 0.5 * Math.abs(at("left_upper_arm")[0] - at("right_upper_arm")[0]),
    neck: stance.has("neck") ? at("neck") : along(1.05),
  };
}
