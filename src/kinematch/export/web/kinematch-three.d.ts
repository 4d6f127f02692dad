import type { Object3D } from "three";
import type { About, Pose } from "./kinematch.js";

export declare function findBones(object: Object3D, about: About, rename?: (joint: string) => string): (Object3D | null)[];
export declare function makeBones<T extends Object3D>(about: About, make: () => T): T[];
export declare function applyPose(bones: (Object3D | null)[], pose: Pose, character?: number): void;
