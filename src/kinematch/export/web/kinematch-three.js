/** Drive the bones of three.js objects with characters of kinematch.js. */

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
    const q = 4 * (first + j);
    bone.position.set(positions[p], positions[p + 1], positions[p + 2]);
    bone.quaternion.set(rotations[q + 1], rotations[q + 2], rotations[q + 3], rotations[q]);
  });
}
