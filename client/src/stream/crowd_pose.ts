/** Global poses of all characters of a moment, blended between its two frames. */
import { blendRotation, newPose, type GlobalPose, type Rig } from "../scene/kinematics";
import type { Moment } from "./playback";

export class CrowdPose {
  readonly poses: GlobalPose[] = [];
  private readonly root = new Float32Array(3);
  private readonly positions: Float32Array;
  private readonly rotations: Float32Array;

  constructor(readonly rig: Rig) {
    this.positions = new Float32Array(3 * rig.info.positioned.length);
    this.rotations = new Float32Array(4 * rig.count);
  }

  /** Pose the characters of a moment that are `wanted`; their poses stand in `poses`. */
  take(moment: Moment, wanted: (character: number) => boolean = () => true): number {
    const { before, after, share } = moment;
    const joints = this.rig.count,
      slots = this.rig.info.positioned.length;
    for (let c = 0; c < before.characters; c++) {
      const pose = (this.poses[c] ??= newPose(this.rig));
      if (!wanted(c)) continue;
      if (share === 0) {
        this.rig.forward(
          before.roots,
          4 * c,
          before.positions,
          3 * slots * c,
          before.rotations,
          4 * joints * c,
          pose.positions,
          pose.rotations,
        );
        continue;
      }
      for (let k = 0; k < 3; k++) this.root[k] = mix(before.roots[4 * c + k], after.roots[4 * c + k], share);
      for (let k = 0; k < 3 * slots; k++)
        this.positions[k] = mix(before.positions[3 * slots * c + k], after.positions[3 * slots * c + k], share);
      for (let j = 0; j < joints; j++)
        blendRotation(
          before.rotations,
          4 * (joints * c + j),
          after.rotations,
          4 * (joints * c + j),
          share,
          this.rotations,
          4 * j,
        );
      this.rig.forward(this.root, 0, this.positions, 0, this.rotations, 0, pose.positions, pose.rotations);
    }
    return before.characters;
  }
}

export function mix(a: number, b: number, share: number): number {
  return a + (b - a) * share;
}
