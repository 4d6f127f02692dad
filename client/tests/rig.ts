/** A person's skeleton for tests: in a T-pose, as tall as most. */
import type { SkeletonInfo } from "../src/messages";
import { Rig } from "../src/scene/kinematics";

export type Bone = [role: string, parent: string, x: number, y: number, z: number];
const LIMBS: Bone[] = [
  ["upper_leg", "hips", 0.09, -0.05, 0],
  ["lower_leg", "upper_leg", 0, -0.43, 0],
  ["foot", "lower_leg", 0, -0.42, 0],
  ["toes", "foot", 0, -0.06, 0.13],
  ["upper_arm", "chest", 0.17, 0.18, 0],
  ["lower_arm", "upper_arm", 0.28, 0, 0],
  ["hand", "lower_arm", 0.26, 0, 0],
];
const BONES: Bone[] = [
  ["hips", "", 0, 0.95, 0],
  ["spine", "hips", 0, 0.1, 0],
  ["chest", "spine", 0, 0.2, 0],
  ["neck", "chest", 0, 0.24, 0],
  ["head", "neck", 0, 0.1, 0.01],
  ...["left", "right"].flatMap((side) =>
    LIMBS.map(([role, parent, x, y, z]): Bone => {
      const above = parent === "hips" || parent === "chest" ? parent : `${side}_${parent}`;
      return [`${side}_${role}`, above, side === "left" ? x : -x, y, z];
    }),
  ),
];

export function makeRig(change: (bones: Bone[]) => Bone[] = (bones) => bones): Rig {
  const bones = change(BONES),
    names = bones.map(([role]) => role);
  const info: SkeletonInfo = {
    names,
    parents: bones.map(([, parent]) => names.indexOf(parent)),
    offsets: bones.map(([, , x, y, z]) => [x, y, z]),
    rotations: bones.map(() => [0, 0, 0, 1]),
    tpose: null,
    end_parents: [],
    end_offsets: [],
    roles: Object.fromEntries(names.map((name, joint) => [name, joint])),
    positioned: [],
    contact_joints: [],
    body: { joints: [], offsets: [], radii: [], across: [], along: [], scales: [], tints: [] },
  };
  // the first joint is placed by the pose; put its height into the next ones
  const rig = new Rig(info);
  for (let j = 0; j < rig.count; j++) rig.reference.positions[3 * j + 1] += 0.95;
  return rig;
}
