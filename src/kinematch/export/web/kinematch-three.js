/**
 * Show characters of kinematch.js with three.js: bones of their own, or those of any humanoid mesh.
 *
 *   const helper = new SkinnedHelper(mesh, character.about);
 *   helper.apply(character.pose);
 */

const SIDES = [
  ["left", /(^|[^a-z])l([^a-z]|$)|left/],
  ["right", /(^|[^a-z])r([^a-z]|$)|right/],
];
// roles by words of bone names, without sides; the first that fits is taken, so the special come before the general
const PARTS = [
  ["toes", /toe|ball/],
  ["foot", /foot|ankle/],
  ["lower_leg", /lower_?leg|calf|shin|knee|^leg$/],
  ["upper_leg", /up(per)?_?leg|thigh/],
  ["shoulder", /clavicle|shoulder|collar/],
  ["lower_arm", /fore_?arm|lower_?arm|elbow/],
  ["upper_arm", /upper_?arm|^arm$/],
  ["hand", /^hand$|wrist/],
];
const MIDDLE = [
  ["hips", /hip|pelvis/],
  ["head", /^head$/],
  ["neck", /neck/],
];
const TRUNK = ["spine", "chest", "upper_chest"];
// which joint each bone points to, for meshes that are bound in another pose than a T
const NEXT = {
  upper_leg: "lower_leg",
  lower_leg: "foot",
  foot: "toes",
  shoulder: "upper_arm",
  upper_arm: "lower_arm",
  lower_arm: "hand",
};

/** The bones (or other objects) of a humanoid by role, such as "left_foot", found by their names. */
export function findRoles(object) {
  const roles = new Map();
  const trunk = [];
  object.traverse((bone) => {
    if (!bone.name || bone.isMesh) return;
    const words = bone.name
      .replace(/^.*?(mixamorig\d*:?|[:|])/i, "")
      .replace(/([a-z])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .replace(/[\s.\-]+/g, "_");
    if (/twist|roll|ik|pole|end$|nub|finger|thumb|index|middle|ring|pinky|eye|jaw/.test(words)) return;
    const side = SIDES.find(([, pattern]) => pattern.test(words))?.[0];
    const bare = words.replace(/left|right/g, "").replace(/(^|_)[lr](?=_|$)/g, "").replace(/^_+|_+$/g, "");
    const put = (role) => roles.has(role) || roles.set(role, bone);
    if (side) {
      const part = PARTS.find(([, pattern]) => pattern.test(bare))?.[0];
      if (part) put(`${side}_${part}`);
      return;
    }
    const part = MIDDLE.find(([, pattern]) => pattern.test(bare))?.[0];
    if (part) put(part);
    else if (/spine|chest|torso|abdomen/.test(bare)) trunk.push(bone);
  });
  trunk.slice(0, TRUNK.length).forEach((bone, k) => roles.set(TRUNK[k], bone));
  return roles;
}

/** The same by how bones hang together, where their names say nothing: legs go down from the hips, arms sideways. */
export function findRolesByShape(object) {
  object.updateWorldMatrix(true, true);
  const bones = [];
  object.traverse((one) => one.isBone && bones.push(one));
  const at = new Map(bones.map((bone) => [bone, bone.matrixWorld.elements.slice(12, 15)]));
  const children = (bone) => bone.children.filter((one) => at.has(one));
  const chain = (bone) => {
    const found = [bone];
    while (children(found.at(-1)).length) {
      const next = children(found.at(-1)).map((one) => [one, depth(one)]);
      found.push(next.sort(([, a], [, b]) => b - a)[0][0]);
    }
    return found;
  };
  const depth = (bone) => 1 + Math.max(0, ...children(bone).map(depth));
  const roles = new Map();
  const pair = (bone, test) => {
    const limbs = children(bone).filter((one) => depth(one) >= 3 && test(at.get(chain(one)[2]), at.get(bone)));
    return limbs.length >= 2 ? limbs.slice(0, 2) : null;
  };
  const hips = bones.find((bone) => pair(bone, ([, y], [, from]) => y < from - 1e-6));
  if (!hips) return roles;
  roles.set("hips", hips);
  const legs = pair(hips, ([, y], [, from]) => y < from - 1e-6);
  // characters face +Z or -Z: the toes say which, and so which side is the left
  const [thigh, , ankle, toe] = chain(legs[0]);
  const forward = toe ? Math.sign(at.get(toe)[2] - at.get(ankle)[2]) || 1 : 1;
  const isLeft = (bone) => (at.get(bone)[0] - at.get(hips)[0]) * forward > 0;
  if (Math.abs(at.get(thigh)[0] - at.get(hips)[0]) < 1e-6) return roles;
  const name = (limb, parts) => {
    const side = isLeft(limb[0]) || (isLeft(limb[1]) && !isLeft(limb[0]) && at.get(limb[0])[0] === at.get(hips)[0]);
    parts.forEach((part, k) => limb[k] && roles.set(`${side ? "left" : "right"}_${part}`, limb[k]));
  };
  for (const leg of legs) name(chain(leg), ["upper_leg", "lower_leg", "foot", "toes"]);
  const trunk = [];
  let above = children(hips).find((one) => !legs.includes(one) && depth(one) >= 3);
  while (above && children(above).filter((one) => depth(one) >= 3).length < 2) {
    trunk.push(above);
    above = children(above).sort((a, b) => depth(b) - depth(a))[0];
  }
  if (!above) return roles;
  trunk.push(above);
  trunk.slice(0, TRUNK.length).forEach((bone, k) => roles.set(TRUNK[k], bone));
  const outwards = (bone) => Math.abs(at.get(chain(bone).at(-1))[0] - at.get(hips)[0]);
  const limbs = children(above).sort((a, b) => outwards(b) - outwards(a));
  for (const arm of limbs.slice(0, 2)) {
    const parts = ["upper_arm", "lower_arm", "hand"];
    name(chain(arm), depth(arm) > 3 ? ["shoulder", ...parts] : parts);
  }
  const neck = limbs[2] && chain(limbs[2]);
  if (neck) {
    if (neck.length > 1) roles.set("neck", neck[0]);
    roles.set("head", neck[Math.min(1, neck.length - 1)]);
  }
  return roles;
}

function findAnyRoles(object) {
  const named = findRoles(object);
  const whole = ["hips", "left_upper_leg", "right_upper_leg"].every((role) => named.has(role));
  return whole ? named : findRolesByShape(object);
}

/** Puts the motion of characters on the bones of a humanoid, which may have other axes, lengths and names. */
export class SkinnedHelper {
  #pairs = [];
  #object;
  #Vector;
  #Quaternion;
  #hips;
  #source;
  #roles;

  /**
   * `object`: a SkinnedMesh or what it stands in, in its bind pose; `about` of a character. `roles`: bones by role, where
   * their names do not tell; `fit`: whether the object is scaled until its legs are as long as the character's.
   */
  constructor(object, about, { roles = findAnyRoles(object), fit = true } = {}) {
    this.#object = object;
    this.#Vector = object.position.constructor;
    this.#Quaternion = object.quaternion.constructor;
    const Vector = this.#Vector;
    const Quaternion = this.#Quaternion;
    const own = new Map([...roles].filter(([role]) => role in about.roles));
    if (!own.has("hips") || !own.has("left_upper_leg") || !own.has("right_upper_leg"))
      throw new Error(`it is no humanoid that is understood: bones are known for ${[...own.keys()].join(", ") || "no role"}`);
    this.#roles = own;
    this.#source = restPose(about, Vector, Quaternion);
    object.position.set(0, 0, 0);
    object.quaternion.identity();
    object.updateWorldMatrix(true, true);
    const at = (bone) => bone.getWorldPosition(new Vector());
    // which way it faces, from its left and right
    const across = at(own.get("left_upper_leg")).sub(at(own.get("right_upper_leg")));
    const facing = new Quaternion().setFromAxisAngle(new Vector(0, 1, 0), Math.atan2(across.z, across.x));
    const place = new Map([...own].map(([role, bone]) => [role, at(bone).applyQuaternion(facing)]));
    const there = (role) => this.#source.positions[about.roles[role]];
    const foot = ["left_foot", "right_foot"].find((role) => place.has(role));
    const length = (of) => of("left_upper_leg").y - (foot ? of(foot).y : 0);
    const size = length(there) / length((role) => place.get(role));
    if (fit && Number.isFinite(size) && size > 0) object.scale.multiplyScalar(size);
    this.scale = fit ? size : 1;
    const swings = new Map();
    for (const [role, bone] of sortByDepth(own)) {
      const bind = facing.clone().multiply(bone.getWorldQuaternion(new Quaternion()));
      const next = role.replace(/^(left|right)_(.*)$/, (_, side, part) => `${side}_${NEXT[part] ?? ""}`);
      if (place.has(next) && next in about.roles) {
        const has = place.get(next).clone().sub(place.get(role)).normalize();
        const wants = there(next).clone().sub(there(role)).normalize();
        swings.set(bone, new Quaternion().setFromUnitVectors(has, wants));
      }
      for (let one = bone; one; one = one.parent) {
        if (!swings.has(one)) continue;
        bind.premultiply(swings.get(one)); // hands follow forearms
        break;
      }
      const joint = about.roles[role];
      // from a turn of the joint to one of the bone
      const offset = this.#source.rotations[joint].clone().invert().multiply(bind);
      this.#pairs.push({ bone, joint, offset });
    }
    const hips = own.get("hips");
    this.#hips = { bone: hips, joint: about.roles.hips };
  }

  /** The bone of a role, such as "left_foot". */
  findBone(role) {
    return this.#roles.get(role) ?? null;
  }

  /** Names of the bones that follow. */
  get bones() {
    return this.#pairs.map(({ bone }) => bone.name);
  }

  /** Show the last step of character n; the object stands where the character does. */
  apply({ globalPositions, globalRotations }, n = 0) {
    const joints = this.#source.positions.length;
    const Quaternion = this.#Quaternion;
    const p = 3 * n * joints;
    const turn = new Quaternion();
    const back = new Quaternion();
    this.#object.position.set(globalPositions[p], globalPositions[p + 1], globalPositions[p + 2]);
    const root = 4 * n * joints;
    this.#object.quaternion.set(...xyzw(globalRotations, root));
    this.#object.updateWorldMatrix(true, false);
    for (const { bone, joint, offset } of this.#pairs) {
      bone.parent.updateWorldMatrix(true, false);
      turn.set(...xyzw(globalRotations, 4 * (n * joints + joint))).multiply(offset);
      bone.quaternion.copy(bone.parent.getWorldQuaternion(back).invert().multiply(turn));
      if (bone === this.#hips.bone) {
        const at = 3 * (n * joints + this.#hips.joint);
        const place = new this.#Vector(globalPositions[at], globalPositions[at + 1], globalPositions[at + 2]);
        bone.position.copy(bone.parent.worldToLocal(place));
      }
      bone.updateMatrix();
    }
    this.#object.updateMatrixWorld(true);
  }
}

function xyzw(rotations, at) {
  return [rotations[at + 1], rotations[at + 2], rotations[at + 3], rotations[at]];
}

/** Global places and turns of a character's joints in its T-pose. */
function restPose(about, Vector, Quaternion) {
  const positions = [];
  const rotations = [];
  about.joints.forEach((_, j) => {
    const [w, x, y, z] = about.tpose[j];
    const turn = new Quaternion(x, y, z, w);
    const place = new Vector(...about.rest[j]);
    const parent = about.parents[j];
    positions.push(parent < 0 ? place : place.applyQuaternion(rotations[parent]).add(positions[parent]));
    rotations.push(parent < 0 ? turn : rotations[parent].clone().multiply(turn));
  });
  return { positions, rotations };
}

function sortByDepth(roles) {
  const depth = (bone) => (bone.parent ? 1 + depth(bone.parent) : 0);
  return [...roles].sort(([, a], [, b]) => depth(a) - depth(b));
}

/** Bones of an object by the names of the character's joints; `rename` maps a joint's name to a bone's. */
export function findBones(object, about, rename = (name) => name) {
  const bones = new Map();
  object.traverse((one) => bones.set(one.name, one));
  return about.joints.map((name) => bones.get(rename(name)) ?? null);
}

/** Make bones for a character that has no mesh: one object for each joint, in the rest pose. */
export function makeBones(about, make) {
  const bones = about.joints.map((name) => Object.assign(make(), { name }));
  bones.forEach((bone, j) => {
    if (about.parents[j] >= 0) bones[about.parents[j]].add(bone);
    bone.position.set(...about.rest[j]);
  });
  return bones;
}

/** Show the last step of character n on bones that have the joints' own axes. */
export function applyPose(bones, { positions, rotations }, n = 0) {
  const first = n * bones.length;
  bones.forEach((bone, j) => {
    if (!bone) return;
    const p = 3 * (first + j);
    bone.position.set(positions[p], positions[p + 1], positions[p + 2]);
    bone.quaternion.set(...xyzw(rotations, 4 * (first + j)));
  });
}
