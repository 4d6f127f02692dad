/** The user's own character (GLB or VRM) in place of the mannequin, driven joint by joint through the role map. */
import { VRMLoaderPlugin, VRMUtils, type VRM, type VRMHumanBoneName } from "@pixiv/three-vrm";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import type { Live } from "../live";
import type { SkeletonInfo } from "../messages";
import type { Studio } from "../studio";
import { Rig } from "./kinematics";
import type { Viewport } from "./viewport";

interface Driven {
  node: THREE.Object3D;
  role: string;
  reference: THREE.Quaternion; // global, in the T-pose that faces +Z
  carried?: { by: THREE.Object3D; at: THREE.Vector3 }; // where it hangs on another joint, if it is no descendant of it
}

interface Worn {
  name: string;
  scene: THREE.Object3D;
  vrm: VRM | null;
  driven: Driven[]; // parents first
}

/** Our role's name for a humanoid bone of VRM; its thumbs begin one bone earlier. */
export function vrmBone(role: string): VRMHumanBoneName {
  const thumbs: Record<string, string> = { thumb_proximal: "thumb_metacarpal", thumb_intermediate: "thumb_proximal" };
  const renamed = role.replace(/thumb_(proximal|intermediate)$/, (part) => thumbs[part]);
  return renamed.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as VRMHumanBoneName;
}

export class Avatars {
  worn: Worn | null = null;
  onChange: () => void = () => {};
  private readonly layer: THREE.Group;
  private readonly turn = new THREE.Quaternion();
  private readonly back = new THREE.Quaternion();
  private readonly spot = new THREE.Vector3();

  constructor(
    private readonly live: Live,
    viewport: Viewport,
  ) {
    this.layer = viewport.layer();
    live.onChange((change) => {
      if (change === "welcome") this.fit();
    });
  }

  async wear(file: File, studio: Studio): Promise<void> {
    const loader = new GLTFLoader();
    loader.register((parser) => new VRMLoaderPlugin(parser));
    try {
      const content = await file.arrayBuffer();
      const gltf = await loader.parseAsync(content, "");
      const vrm = (gltf.userData.vrm as VRM | undefined) ?? null;
      const worn = vrm
        ? fromVrm(vrm, file.name)
        : fromSkeleton(gltf.scene, await askSkeleton(studio, file, content), file.name);
      if (worn.driven.length < 8)
        throw new Error(
          `only ${worn.driven.length} of its joints have a role that could be driven; name them like a humanoid's`,
        );
      if (!hasMesh(worn.scene))
        throw new Error("it has a skeleton, but no mesh: there would be nothing to see. Export it with its body");
      carryLooseJoints(worn);
      this.takeOff();
      worn.scene.traverse((object) => {
        object.castShadow = object.receiveShadow = true;
        object.frustumCulled = false;
      });
      this.worn = worn;
      this.layer.add(worn.scene);
      this.fit();
      this.onChange();
      const loose = worn.driven.filter((one) => one.carried).map((one) => one.role.replace(/_/g, " "));
      const more = loose.length ? ` Not joined to the limbs in the file, so carried along: ${loose.join(", ")}.` : "";
      studio.say(`${worn.driven.length} joints follow the character.${more}`, "good", `${file.name} is worn`);
    } catch (error) {
      studio.say(String((error as Error).message ?? error), "bad", `${file.name} cannot be worn`);
    }
  }

  takeOff(): void {
    this.worn?.scene.removeFromParent();
    if (this.worn) VRMUtils.deepDispose(this.worn.scene);
    this.worn = null;
    this.live.heroHidden = false;
    this.onChange();
  }

  /** Scale it to the legs of the played skeleton, so that its feet stand where the animation's do. */
  private fit(): void {
    const rig = this.live.rig;
    if (!this.worn || !rig) return;
    this.worn.scene.scale.setScalar(1);
    this.worn.scene.updateMatrixWorld(true);
    const at = (role: string) =>
      this.worn!.driven.find((one) => one.role === role)?.node.getWorldPosition(new THREE.Vector3());
    const ours = (role: string) => new THREE.Vector3().fromArray(rig.reference.positions, 3 * rig.info.roles[role]);
    const theirs = leg(at),
      wanted = leg((role) => (role in rig.info.roles ? ours(role) : undefined));
    if (theirs > 0 && wanted > 0) this.worn.scene.scale.setScalar(wanted / theirs);
  }

  update(): void {
    const { rig } = this.live,
      pose = this.live.pose();
    this.layer.visible = this.live.layer.visible;
    if (!this.worn || !rig || !pose) return;
    this.live.heroHidden = true;
    const old = this.worn.vrm?.meta.metaVersion === "0"; // faces -Z in its own space
    for (const { node, role, reference, carried } of this.worn.driven) {
      const joint = rig.info.roles[role];
      if (joint === undefined || !node.parent) continue;
      this.back.fromArray(rig.reference.rotations, 4 * joint).invert();
      this.turn
        .fromArray(pose.rotations, 4 * joint)
        .multiply(this.back)
        .multiply(reference);
      if (old) this.turn.multiply(new THREE.Quaternion(0, 1, 0, 0));
      node.parent.updateWorldMatrix(true, false);
      node.parent.matrixWorld.decompose(this.spot, this.back, new THREE.Vector3());
      node.quaternion.copy(this.back.invert().multiply(this.turn));
      if (carried) node.position.copy(node.parent.worldToLocal(carried.by.localToWorld(this.spot.copy(carried.at))));
      if (role === "hips") node.position.copy(node.parent.worldToLocal(this.spot.fromArray(pose.positions, 3 * joint)));
      node.updateMatrixWorld();
    }
    this.worn.vrm?.update(1 / 60);
  }
}

function leg(at: (role: string) => THREE.Vector3 | undefined): number {
  const [hip, knee, ankle] = ["left_upper_leg", "left_lower_leg", "left_foot"].map(at);
  return hip && knee && ankle ? hip.distanceTo(knee) + knee.distanceTo(ankle) : 0;
}

const ROLES = [
  "hips",
  "spine",
  "chest",
  "upper_chest",
  "neck",
  "head",
  ...["left", "right"].flatMap((side) =>
    [
      ...["upper_leg", "lower_leg", "foot", "toes", "shoulder", "upper_arm", "lower_arm", "hand"],
      ...["thumb", "index", "middle", "ring", "little"].flatMap((finger) =>
        ["proximal", "intermediate", "distal"].map((part) => `${finger}_${part}`),
      ),
    ].map((part) => `${side}_${part}`),
  ),
];

/** What of a limb hangs on what. */
const LIMBS: Record<string, string> = {
  lower_leg: "upper_leg",
  foot: "lower_leg",
  toes: "foot",
  lower_arm: "upper_arm",
  hand: "lower_arm",
};

function fromVrm(vrm: VRM, name: string): Worn {
  VRMUtils.rotateVRM0(vrm);
  const driven = ROLES.flatMap((role) => {
    const node = vrm.humanoid.getNormalizedBoneNode(vrmBone(role));
    return node ? [{ node, role, reference: new THREE.Quaternion() }] : [];
  });
  return { name, scene: vrm.scene, vrm, driven };
}

async function askSkeleton(studio: Studio, file: File, content: ArrayBuffer): Promise<SkeletonInfo> {
  return studio.ask<SkeletonInfo>(`/api/skeleton?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    body: content,
    headers: { "content-type": "application/octet-stream" },
  });
}

function fromSkeleton(scene: THREE.Object3D, info: SkeletonInfo, name: string): Worn {
  const rig = new Rig(info),
    named = new Map<string, THREE.Object3D[]>();
  scene.traverse((object) => {
    const own = (object.userData.name as string | undefined) ?? object.name;
    named.set(own, [...(named.get(own) ?? []), object]);
  });
  // a mesh may be called as a joint is: the joint is the one below its parent
  const nodes: (THREE.Object3D | undefined)[] = [];
  info.names.forEach((joint, k) => {
    const all = named.get(joint) ?? [];
    nodes.push(all.find((one) => one.parent && one.parent === nodes[info.parents[k]]) ?? all[0]);
  });
  const driven = ROLES.flatMap((role) => {
    const k = info.roles[role],
      node = k === undefined ? undefined : nodes[k];
    return node ? [{ node, role, reference: new THREE.Quaternion().fromArray(rig.reference.rotations, 4 * k) }] : [];
  });
  return { name, scene, vrm: null, driven };
}

/** Rigs made for inverse kinematics have feet and hands that lie beside the limbs, not below them. */
function carryLooseJoints(worn: Worn): void {
  worn.scene.updateMatrixWorld(true);
  for (const one of worn.driven) {
    const [side, part] = /^(left|right)_(.*)$/.exec(one.role)?.slice(1) ?? ["", ""];
    const by = worn.driven.find((other) => other.role === `${side}_${LIMBS[part]}`)?.node;
    if (!by || isBelow(one.node, by)) continue;
    one.carried = { by, at: by.worldToLocal(one.node.getWorldPosition(new THREE.Vector3())) };
  }
}

function isBelow(node: THREE.Object3D, above: THREE.Object3D): boolean {
  for (let one = node.parent; one; one = one.parent) if (one === above) return true;
  return false;
}

function hasMesh(scene: THREE.Object3D): boolean {
  let found = false;
  scene.traverse((object) => (found ||= object instanceof THREE.Mesh));
  return found;
}
