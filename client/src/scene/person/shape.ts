/** A person as the shape of figures: skinned by up to four joints, coloured by a palette, one of several per figure. */
import * as THREE from "three";
import { colour } from "../../ui/theme";
import { below } from "../headless";
import { multiply, place, type GlobalPose, type Rig } from "../kinematics";
import type { Corners } from "../mannequin";
import { POSES, type Gaze, type Shape } from "../shape";
import { OUTFITS } from "./palette";
import { FACE_JOINTS, faceJoints, findStance, makePerson, TINTS, type PersonTriangles, type Stance } from "./person";

const NECK_SHARE = 0.4; // of the head's turn that the neck makes
const LID_OPEN = -0.75,
  LID_SHUT = 0.75; // rad about the axis through both eyes
const TINTED = 0.72; // how much of a colour that a whole body is given

const SKINNED = /* glsl */ `
  attribute vec4 carriers;
  attribute vec4 pulls;
  attribute float tint;
  uniform sampler2D outfits;
  uniform int first;
  ${POSES}
  vec3 pulledNormal(vec3 v) {
    vec3 sum = pulls.x * turned(jointTurn(carriers.x), v);
    if (pulls.y > 0.0) sum += pulls.y * turned(jointTurn(carriers.y), v);
    if (pulls.z > 0.0) sum += pulls.z * turned(jointTurn(carriers.z), v);
    if (pulls.w > 0.0) sum += pulls.w * turned(jointTurn(carriers.w), v);
    return normalize(sum);
  }
  vec3 pulledPlace(float joint, vec3 v) { return turned(jointTurn(joint), v) + jointPlace(joint); }
  vec3 pulledTo(vec3 v) {
    vec3 sum = pulls.x * pulledPlace(carriers.x, v);
    if (pulls.y > 0.0) sum += pulls.y * pulledPlace(carriers.y, v);
    if (pulls.z > 0.0) sum += pulls.z * pulledPlace(carriers.z, v);
    if (pulls.w > 0.0) sum += pulls.w * pulledPlace(carriers.w, v);
    return sum;
  }
`;

const made = new WeakMap<Rig["info"], Map<Corners, PersonTriangles>>();

function findTriangles(stance: Stance, corners: Corners): PersonTriangles {
  const { info } = stance.rig;
  if (!made.has(info)) made.set(info, new Map());
  const known = made.get(info)!;
  if (!known.has(corners)) known.set(corners, makePerson(stance, corners));
  return known.get(corners)!;
}

/** A person for a rig, or null where the rig is not a person's. `first` is 0 for the default outfit, else that of the first of several. */
export function makePersonShape(rig: Rig, corners: Corners, first: number): Shape | null {
  const stance = findStance(rig);
  if (!stance) return null;
  const mesh = findTriangles(stance, corners);
  const palette = new Float32Array(4 * TINTS.length * OUTFITS.length);
  const outfits = new THREE.DataTexture(palette, TINTS.length, OUTFITS.length, THREE.RGBAFormat, THREE.FloatType);
  const poser = new Poser(stance);
  const heads = below(rig.parents, rig.info.roles.head);
  return {
    attributes: {
      position: new THREE.BufferAttribute(mesh.positions, 3),
      normal: new THREE.BufferAttribute(mesh.normals, 3),
      carriers: new THREE.BufferAttribute(mesh.joints, 4),
      pulls: new THREE.BufferAttribute(mesh.weights, 4),
      tint: new THREE.BufferAttribute(mesh.tints, 1),
    },
    index: mesh.indices,
    columns: rig.count + FACE_JOINTS.length,
    key: "person",
    head: SKINNED,
    normal: "pulledNormal(normal)",
    place: "pulledTo(position)",
    colour: `int outfit = first == 0 ? 0 : 1 + (gl_InstanceID + first - 1) % ${OUTFITS.length - 1};
      vColor.rgb = texelFetch(outfits, ivec2(int(tint), outfit), 0).rgb;`,
    uniforms: { outfits: { value: outfits }, first: { value: first } },
    roughness: 0.78,
    carrier: (vertex) => mesh.joints[4 * vertex],
    isHead: (joint) => joint >= rig.count || heads.has(joint),
    write: (pose, out, at, gaze) => poser.write(pose, out, at, gaze),
    paint: (name) => {
      const over = name ? new THREE.Color(colour(name)) : null;
      OUTFITS.forEach((outfit, row) =>
        TINTS.forEach((tint, column) => {
          const paint = new THREE.Color(outfit[tint]);
          if (over) paint.lerp(over, TINTED);
          palette.set([paint.r, paint.g, paint.b, 1], 4 * (row * TINTS.length + column));
        }),
      );
      outfits.needsUpdate = true;
    },
    dispose: () => outfits.dispose(),
  };
}

/** How far each joint is from where it is in the stance, with the head turned to where the person looks. */
class Poser {
  private readonly back: Float32Array; // (J, 4) inverse turns of the stance
  private readonly from: Float32Array; // (J, 3) places of the stance
  private readonly neck: number;
  private readonly head: number;
  private readonly turn = new Float32Array(4);
  private readonly away = new Float32Array(3);
  private readonly looking: GlobalPose;
  private readonly parents: Int32Array;
  private readonly count: number;

  constructor(stance: Stance) {
    const { rig } = stance,
      { roles } = rig.info;
    this.parents = rig.parents;
    this.count = rig.count;
    this.head = roles.head;
    this.neck = roles.neck ?? -1;
    const eyes = faceJoints(stance);
    this.back = new Float32Array(4 * (rig.count + eyes.length));
    this.from = new Float32Array(3 * (rig.count + eyes.length));
    this.from.set(stance.positions);
    this.from.set(eyes.flat(), 3 * rig.count);
    for (let j = 0; j < rig.count; j++)
      for (let k = 0; k < 4; k++) this.back[4 * j + k] = (k < 3 ? -1 : 1) * stance.rotations[4 * j + k];
    this.looking = {
      positions: new Float32Array(3 * rig.count),
      rotations: new Float32Array(4 * rig.count),
    };
  }

  write(pose: GlobalPose, out: Float32Array, at: number, gaze: Gaze | null): void {
    const shown = gaze?.head ? this.look(pose, gaze.head) : pose;
    for (let j = 0; j < this.count; j++) {
      multiply(shown.rotations, 4 * j, this.back, 4 * j, out, at + 8 * j);
      this.putBack(out, at + 8 * j, shown.positions, 3 * j, 3 * j);
    }
    this.writeFace(out, at, gaze);
  }

  /** The place that a joint's turn leaves of its own place in the stance. */
  private putBack(out: Float32Array, at: number, positions: ArrayLike<number>, p: number, from: number): void {
    place(out, at, this.from, from, [0, 0, 0], 0, this.away, 0);
    for (let k = 0; k < 3; k++) out[at + 4 + k] = positions[p + k] - this.away[k];
  }

  private writeFace(out: Float32Array, at: number, gaze: Gaze | null): void {
    const skull = at + 8 * this.head,
      spot = new Float32Array(3);
    for (let n = 0; n < FACE_JOINTS.length; n++) {
      const column = at + 8 * (this.count + n),
        from = 3 * (this.count + n);
      place(out, skull, this.from, from, out, skull + 4, spot, 0);
      const shut = gaze?.shut ?? 0,
        lift = gaze?.lift ?? 0;
      const nod = n < 2 ? -lift : LID_OPEN + (LID_SHUT - LID_OPEN) * shut - 0.6 * lift,
        yaw = n < 2 ? (gaze?.eyes ?? 0) : 0;
      const [sx, cx, sy, cy] = [Math.sin(nod / 2), Math.cos(nod / 2), Math.sin(yaw / 2), Math.cos(yaw / 2)];
      multiply(out, skull, [cy * sx, sy * cx, -sy * sx, cy * cx], 0, out, column);
      this.putBack(out, column, spot, 0, from);
    }
  }

  /** The pose with the head turned about the vertical, partly by the neck. */
  private look(pose: GlobalPose, yaw: number): GlobalPose {
    const { positions, rotations } = this.looking;
    positions.set(pose.positions);
    rotations.set(pose.rotations);
    const share = this.neck >= 0 ? NECK_SHARE : 0;
    if (share) this.swing(this.neck, share * yaw);
    this.swing(this.head, (1 - share) * yaw);
    return this.looking;
  }

  private swing(joint: number, yaw: number): void {
    const { positions, rotations } = this.looking;
    const q = [0, Math.sin(yaw / 2), 0, Math.cos(yaw / 2)],
      centre = positions.slice(3 * joint, 3 * joint + 3);
    const moved = below(this.parents, joint);
    for (const j of moved) {
      for (let k = 0; k < 3; k++) this.away[k] = positions[3 * j + k] - centre[k];
      place(q, 0, this.away, 0, centre, 0, positions, 3 * j);
      multiply(q, 0, rotations, 4 * j, this.turn, 0);
      rotations.set(this.turn, 4 * j);
    }
  }
}
