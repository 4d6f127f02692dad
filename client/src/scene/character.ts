/** The user's own character (GLB or VRM) in place of the mannequin: the server retargets, the page sets its nodes. */
import { VRMLoaderPlugin, VRMUtils, type VRM } from "@pixiv/three-vrm";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import type { Live } from "../live";
import type { CharacterInfo } from "../messages";
import type { Studio } from "../studio";
import type { GlobalPose } from "./kinematics";
import type { Viewport } from "./viewport";

interface Model {
  scene: THREE.Object3D;
  vrm: VRM | null;
  joints: { node: THREE.Object3D; joint: number }[]; // parents first
}

export class WornCharacter {
  onChange: () => void = () => {};
  private model: Model | null = null;
  private info: CharacterInfo | null = null;
  private readonly layer: THREE.Group;
  private readonly turn = new THREE.Quaternion();
  private readonly back = new THREE.Quaternion();
  private readonly spot = new THREE.Vector3();
  private readonly size = new THREE.Vector3();

  constructor(
    private readonly live: Live,
    viewport: Viewport,
    private readonly studio: () => Studio,
  ) {
    this.layer = viewport.layer();
    live.onChange((change) => {
      if (change === "welcome") void this.show(live.welcome?.character ?? null);
    });
  }

  /** The file that is worn, or null for the mannequin. */
  get name(): string | null {
    return this.info?.name ?? null;
  }

  /** The nodes of its file that are driven, parents first. */
  get joints(): Model["joints"] {
    return this.model?.joints ?? [];
  }

  /** Send a character's file to the server; every page is told of it by a new welcome. */
  async wear(file: File): Promise<void> {
    const studio = this.studio();
    try {
      const told = await studio.ask<{ joints: number; notes: string[] }>(
        `/api/character?name=${encodeURIComponent(file.name)}`,
        { method: "POST", body: file, headers: { "content-type": "application/octet-stream" } },
      );
      studio.say([`${told.joints} joints follow the motion.`, ...told.notes].join(" "), "good", `Playing on ${file.name}`);
    } catch (error) {
      studio.say(String((error as Error).message ?? error), "bad", `${file.name} cannot be used as a character`);
    }
  }

  /** Back to the mannequin. */
  async takeOff(): Promise<void> {
    try {
      await this.studio().ask("/api/character", { method: "DELETE" });
    } catch (error) {
      this.studio().say(String((error as Error).message ?? error), "bad");
    }
  }

  private async show(info: CharacterInfo | null): Promise<void> {
    this.model?.scene.removeFromParent();
    if (this.model) VRMUtils.deepDispose(this.model.scene);
    this.model = null;
    this.info = info;
    this.live.heroHidden = false;
    this.onChange();
    if (!info?.drawn) return;
    try {
      const answer = await fetch("api/character");
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const model = await readModel(await answer.arrayBuffer(), info);
      if (this.info !== info) return VRMUtils.deepDispose(model.scene); // another one came meanwhile
      this.model = model;
      this.layer.add(model.scene);
    } catch (error) {
      const reason = String((error as Error).message ?? error);
      this.studio().say(`${reason}. Its skeleton is shown instead.`, "bad", `${info.name} cannot be drawn`);
    }
  }

  update(seconds: number): void {
    const pose = this.live.pose();
    this.layer.visible = this.live.layer.visible;
    if (!this.model || !pose || !this.live.rig) return;
    this.live.heroHidden = true;
    this.apply(this.model, pose);
    this.model.vrm?.update(Math.min(seconds, 0.1)); // hair and clothes that swing
  }

  /** Put each node where its joint is; nodes between and above them stay as they are in the file. */
  private apply(model: Model, pose: GlobalPose): void {
    model.scene.position.fromArray(pose.positions, 0); // what hangs on no joint goes along with the root
    model.scene.quaternion.fromArray(pose.rotations, 0);
    model.scene.updateMatrixWorld();
    for (const { node, joint } of model.joints) {
      node.parent!.updateWorldMatrix(true, false);
      node.parent!.matrixWorld.decompose(this.spot, this.back, this.size);
      node.quaternion.copy(this.back.invert()).multiply(this.turn.fromArray(pose.rotations, 4 * joint));
      node.position.copy(node.parent!.worldToLocal(this.spot.fromArray(pose.positions, 3 * joint)));
      node.updateMatrix();
      node.updateWorldMatrix(false, false);
    }
    model.scene.updateMatrixWorld(true);
  }
}

async function readModel(content: ArrayBuffer, info: CharacterInfo): Promise<Model> {
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
  return { scene: gltf.scene, vrm: (gltf.userData.vrm as VRM | undefined) ?? null, joints };
}
