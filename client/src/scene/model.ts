/** A character's file (GLB or VRM) on the stage: each of its nodes is put where a streamed joint is. */
import { VRMLoaderPlugin, VRMUtils, type VRM } from "@pixiv/three-vrm";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import type { GlobalPose } from "./kinematics";

export class CharacterModel {
  private readonly turn = new THREE.Quaternion();
  private readonly back = new THREE.Quaternion();
  private readonly spot = new THREE.Vector3();
  private readonly size = new THREE.Vector3();

  constructor(
    readonly scene: THREE.Object3D,
    private readonly vrm: VRM | null,
    readonly joints: { node: THREE.Object3D; joint: number }[], // parents first
  ) {}

  /** Put each node where its joint is; nodes between and above them stay as they are in the file. */
  apply(pose: GlobalPose, seconds: number): void {
    this.scene.position.fromArray(pose.positions, 0); // what hangs on no joint goes along with the root
    this.scene.quaternion.fromArray(pose.rotations, 0);
    this.scene.updateMatrixWorld();
    for (const { node, joint } of this.joints) {
      node.parent!.updateWorldMatrix(true, false);
      node.parent!.matrixWorld.decompose(this.spot, this.back, this.size);
      node.quaternion.copy(this.back.invert()).multiply(this.turn.fromArray(pose.rotations, 4 * joint));
      node.position.copy(node.parent!.worldToLocal(this.spot.fromArray(pose.positions, 3 * joint)));
      node.updateMatrix();
      node.updateWorldMatrix(false, false);
    }
    this.scene.updateMatrixWorld(true);
    this.vrm?.update(Math.min(seconds, 0.1)); // hair and clothes that swing
  }

  /** Metres from a joint up or down to the end of the body, as it stands; null without that joint. */
  measureReach(joint: number): number | null {
    const node = this.joints.find((one) => one.joint === joint)?.node;
    if (!node) return null;
    const { max, min } = new THREE.Box3().setFromObject(this.scene, true),
      { y } = node.getWorldPosition(this.spot);
    return Math.max(max.y - y, y - min.y);
  }

  dispose(): void {
    this.scene.removeFromParent();
    VRMUtils.deepDispose(this.scene);
  }
}

/** `nodes` are the file's nodes for each joint, -1 for none. */
export async function readModel(
  content: ArrayBuffer,
  info: { nodes: number[]; scale: number },
): Promise<CharacterModel> {
  const loader = new GLTFLoader();
  // the poses are of the file's own bones, so three-vrm must not copy its normalized ones over them
  loader.register((parser) => new VRMLoaderPlugin(parser, { autoUpdateHumanBones: false }));
  const gltf = await loader.parseAsync(content, "");
  const nodes = new Map<number, THREE.Object3D>();
  gltf.scene.traverse((object) => {
    const number = gltf.parser.associations.get(object)?.nodes;
    if (number !== undefined && !nodes.has(number)) nodes.set(number, object);
    object.castShadow = object.receiveShadow = true;
    object.frustumCulled = false; // bounds are those of the rest pose
  });
  const joints = info.nodes.flatMap((number, joint) => {
    const node = nodes.get(number);
    return node?.parent ? [{ node, joint }] : [];
  });
  gltf.scene.scale.setScalar(info.scale);
  return new CharacterModel(gltf.scene, (gltf.userData.vrm as VRM | undefined) ?? null, joints);
}
