import type { Object3D } from "three";
import type { About, Pose } from "./kinematch.js";

/** Puts the motion of characters on the bones of a humanoid, which may have other axes, lengths and names. */
export declare class SkinnedHelper {
  /** `object`: a SkinnedMesh or what it stands in, in its bind pose. */
  constructor(
    object: Object3D,
    about: Pick<About, "joints" | "parents" | "roles" | "rest" | "tpose">,
    options?: { roles?: Map<string, Object3D>; fit?: boolean },
  );
  /** By which the object was scaled. */
  readonly scale: number;
  /** Names of the bones that follow. */
  readonly bones: string[];
  /** The bone of a role, such as "left_foot". */
  findBone(role: string): Object3D | null;
  /** Show the last step of character n. */
  apply(pose: Pick<Pose, "globalPositions" | "globalRotations">, n?: number): void;
}
/** The bones of a humanoid by role, such as "left_foot", found by their names. */
export declare function findRoles(object: Object3D): Map<string, Object3D>;
/** The same by how bones hang together, where their names say nothing. */
export declare function findRolesByShape(object: Object3D): Map<string, Object3D>;
/** Bones by the names of the character's joints. */
export declare function findBones(
  object: Object3D,
  about: Pick<About, "joints">,
  rename?: (joint: string) => string,
): (Object3D | null)[];
/** Make bones for a character that has no mesh. */
export declare function makeBones<T extends Object3D>(about: About, make: () => T): T[];
/** Show the last step of character n on bones that have the joints' own axes. */
export declare function applyPose(bones: (Object3D | null)[], pose: Pick<Pose, "positions" | "rotations">, n?: number): void;
