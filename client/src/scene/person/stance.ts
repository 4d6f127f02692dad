/** The pose that a person is modelled in: the rig's reference with arms half lowered and legs a little apart. */
import { multiply, place, type Rig } from "../kinematics";
import { length, scale, subtract, unit, type Vector } from "./solids";

const ARM_SLOPE = 0.8; // rad below the horizontal
const LEG_SPREAD = 0.1; // rad from the vertical
const SHIN_AND_THIGH = 0.83; // m, of the person that the measures are of
export const SIDES = ["left", "right"] as const;
export type Side = (typeof SIDES)[number];
const LIMBS = ["upper_leg", "lower_leg", "foot", "upper_arm", "lower_arm", "hand"];
const NEEDED = ["hips", "head", ...SIDES.flatMap((side) => LIMBS.map((part) => `${side}_${part}`))];

export interface Stance {
  rig: Rig;
  positions: Float32Array; // (J, 3) m
  rotations: Float32Array; // (J, 4) x y z w
  unit: number; // how much larger than the person that the measures are of
  at(role: string): Vector;
  has(role: string): boolean;
}

/** The stance of a rig, or null for what does not stand like a person. */
export function findStance(rig: Rig): Stance | null {
  const { roles } = rig.info;
  if (NEEDED.some((role) => roles[role] === undefined)) return null;
  const positions = rig.reference.positions.slice(),
    rotations = rig.reference.rotations.slice();
  const at = (role: string): Vector => {
    const joint = 3 * roles[role];
    return [positions[joint], positions[joint + 1], positions[joint + 2]];
  };
  const leg = SIDES.map((side) => {
    const [hip, knee, foot] = ["upper_leg", "lower_leg", "foot"].map((part) => at(`${side}_${part}`));
    return length(subtract(hip, knee)) + length(subtract(knee, foot));
  });
  const size = (leg[0] + leg[1]) / 2;
  const [hips, head, foot, hand] = ["hips", "head", "left_foot", "left_hand"].map(at),
    shoulder = at("left_upper_arm");
  const stands = head[1] - hips[1] > 0.3 * size && hips[1] - foot[1] > 0.6 * size;
  const facesAhead = at("left_upper_leg")[0] - at("right_upper_leg")[0] > 0.05 * size;
  const armsHang = hand[1] < shoulder[1] + 0.3 * size && Math.abs(hand[2] - shoulder[2]) < 0.4 * size;
  if (!(size > 0) || !stands || !facesAhead || !armsHang || hips[1] > shoulder[1]) return null;
  for (const side of SIDES) {
    const away = side === "left" ? 1 : -1;
    turnTo(rig, positions, rotations, roles[`${side}_upper_arm`], roles[`${side}_hand`], away * ARM_SLOPE, away);
    const [thigh, ankle] = ["upper_leg", "foot"].map((part) => roles[`${side}_${part}`]);
    const angle = turnTo(rig, positions, rotations, thigh, ankle, away * (Math.PI / 2 - LEG_SPREAD), away);
    turnBelow(rig, positions, rotations, ankle, [0, 0, 1], -angle); // its sole stays level
  }
  return { rig, positions, rotations, unit: size / SHIN_AND_THIGH, at, has: (role) => roles[role] !== undefined };
}

/** Turn a limb about +Z until its end lies so far below the horizontal; returns the angle, rad. */
function turnTo(
  rig: Rig,
  positions: Float32Array,
  rotations: Float32Array,
  start: number,
  end: number,
  slope: number,
  away: number,
): number {
  const way = [0, 1].map((axis) => positions[3 * end + axis] - positions[3 * start + axis]);
  const now = Math.atan2(-way[1], away * way[0]) * away; // below the horizontal, on its own side
  turnBelow(rig, positions, rotations, start, [0, 0, 1], now - slope);
  return now - slope;
}

/** Turn a joint and all that hang on it about an axis through it, rad. */
export function turnBelow(
  rig: Rig,
  positions: Float32Array,
  rotations: Float32Array,
  joint: number,
  axis: Vector,
  angle: number,
): void {
  const [x, y, z] = scale(unit(axis), Math.sin(angle / 2));
  const q = [x, y, z, Math.cos(angle / 2)],
    centre = positions.slice(3 * joint, 3 * joint + 3);
  const moved = new Set<number>();
  for (let j = joint; j < rig.count; j++) {
    if (j !== joint && !moved.has(rig.parents[j])) continue;
    moved.add(j);
    const from = [0, 1, 2].map((k) => positions[3 * j + k] - centre[k]);
    place(q, 0, from, 0, centre, 0, positions, 3 * j);
    multiply(q, 0, rotations.slice(4 * j, 4 * j + 4), 0, rotations, 4 * j);
  }
}
