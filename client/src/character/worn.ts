/** The user's own GLB or VRM in the page, without a server: the motion is put on its bones here. */
import { VRMLoaderPlugin, type VRM } from "@pixiv/three-vrm";
import type * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { SkinnedHelper } from "../../../src/kinematch/export/web/kinematch-three.js";
import type { Live } from "../live";
import { WornCharacter } from "../scene/character";
import type { Viewport } from "../scene/viewport";
import type { Studio } from "../studio";
import type { Loaded } from "./loaded";

// roles by bones of VRM
const VRM_BONES: Record<string, string> = {
  hips: "hips", spine: "spine", chest: "chest", upper_chest: "upperChest", neck: "neck", head: "head",
  shoulder: "Shoulder", upper_arm: "UpperArm", lower_arm: "LowerArm", hand: "Hand",
  upper_leg: "UpperLeg", lower_leg: "LowerLeg", foot: "Foot", toes: "Toes",
}; // prettier-ignore

export class LocalWorn extends WornCharacter {
  private helper: SkinnedHelper | null = null;
  private vrm: VRM | null = null;
  private object: THREE.Object3D | null = null;
  private title: string | null = null;

  constructor(
    private readonly shown: Live,
    viewport: Viewport,
    private readonly around: () => Studio,
    private readonly own: Loaded,
  ) {
    super(shown, viewport, around);
  }

  override get name(): string | null {
    return this.title;
  }

  override async wear(file: File): Promise<void> {
    try {
      const loader = new GLTFLoader();
      loader.register((parser) => new VRMLoaderPlugin(parser, { autoUpdateHumanBones: false }));
      const gltf = await loader.parseAsync(await file.arrayBuffer(), "");
      const vrm = (gltf.userData.vrm as VRM | undefined) ?? null;
      const helper = new SkinnedHelper(gltf.scene, this.own.about, vrm ? { roles: findBones(vrm) } : {});
      gltf.scene.traverse((object) => {
        object.castShadow = object.receiveShadow = true;
        object.frustumCulled = false; // bounds are those of the rest pose
      });
      this.drop();
      [this.helper, this.vrm, this.object, this.title] = [helper, vrm, gltf.scene, file.name];
      this.layer.add(gltf.scene);
      this.changes++;
      this.around().say(`${helper.bones.length} bones follow the motion.`, "good", `Playing on ${file.name}`);
    } catch (error) {
      this.around().say(String((error as Error).message ?? error), "bad", `${file.name} cannot be used as a character`);
    }
    this.onChange();
  }

  /** Where the bone of a role is, m. */
  bonePlace(role: string): number[] {
    const at = this.helper?.findBone(role)?.matrixWorld.elements;
    return at ? [at[12], at[13], at[14]] : [];
  }

  override async takeOff(): Promise<void> {
    this.drop();
    this.onChange();
  }

  private drop(): void {
    this.object?.removeFromParent();
    this.helper = this.vrm = this.object = this.title = null;
    this.shown.heroHidden = false;
    this.changes++;
  }

  override update(seconds: number): void {
    const pose = this.shown.pose();
    if (!this.helper || !pose) return;
    this.shown.heroHidden = true;
    this.helper.apply({ globalPositions: pose.positions, globalRotations: toWxyz(pose.rotations) });
    this.vrm?.update(Math.min(seconds, 0.1)); // hair and clothes that swing
  }
}

function findBones(vrm: VRM): Map<string, THREE.Object3D> {
  const found = new Map<string, THREE.Object3D>();
  const names = Object.entries(VRM_BONES).flatMap(([role, bone]) =>
    /^[A-Z]/.test(bone) ? ["left", "right"].map((side) => [`${side}_${role}`, side + bone]) : [[role, bone]],
  );
  for (const [role, name] of names) {
    const bone = vrm.humanoid.getRawBoneNode(name as never);
    if (bone) found.set(role, bone);
  }
  return found;
}

function toWxyz(rotations: Float32Array): Float32Array {
  const out = new Float32Array(rotations.length);
  for (let k = 0; k < rotations.length; k += 4)
    out.set([rotations[k + 3], rotations[k], rotations[k + 1], rotations[k + 2]], k);
  return out;
}
