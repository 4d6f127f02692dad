/** Which joints move a point of the body, and how much: those whose solids are near. */
import type { Stance } from "./stance";
import { measure, type Distance, type Solid } from "./solids";

const SPINE = ["hips", "spine", "chest", "upper_chest", "neck", "head"];
const SOFTNESS = 0.02; // m, over which the pull of a solid falls to a third
export const PULLS = 4; // joints that move a point, at most

export type Pull = [joint: number, share: number];

/** Joints of the spine by height: each moves what lies half way to the next one. */
function findSpine(stance: Stance): (height: number) => Pull[] {
  const { roles } = stance.rig.info;
  const joints = SPINE.filter(stance.has).filter((role) => role !== "head");
  const heights = [...joints.map((role) => stance.at(role)[1]), stance.at("head")[1]];
  const middles = joints.map((_, k) => 0.5 * (heights[k] + heights[k + 1]));
  return (height) => {
    const above = middles.findIndex((middle) => middle > height);
    if (above === 0) return [[roles[joints[0]], 1]];
    if (above < 0) return [[roles[joints[joints.length - 1]], 1]];
    const share = (height - middles[above - 1]) / (middles[above] - middles[above - 1] || 1);
    return [
      [roles[joints[above - 1]], 1 - share],
      [roles[joints[above]], share],
    ];
  };
}

/** The pulls on points of a surface made of these solids; the strongest first, their shares sum to one. */
export function findPulls(stance: Stance, solids: readonly Solid[]): (x: number, y: number, z: number) => Pull[] {
  const spine = findSpine(stance),
    measures: [Distance, number | undefined][] = solids.map((solid) => [measure(solid), solid.joint]);
  const soft = SOFTNESS * stance.unit;
  return (x, y, z) => {
    const far = measures.map(([distance]) => distance(x, y, z)),
      nearest = Math.min(...far);
    const shares = new Map<number, number>();
    far.forEach((distance, k) => {
      const pull = Math.exp((nearest - distance) / soft);
      if (pull < 0.01) return;
      const joint = measures[k][1];
      const moved: Pull[] = joint === undefined ? spine(y) : [[joint, 1]];
      for (const [one, share] of moved) shares.set(one, Math.max(shares.get(one) ?? 0, pull * share));
    });
    const strongest = [...shares].sort((a, b) => b[1] - a[1]).slice(0, PULLS);
    const sum = strongest.reduce((total, [, share]) => total + share, 0);
    return strongest.map(([joint, share]) => [joint, share / sum]);
  };
}
