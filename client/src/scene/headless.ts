/** A body as the one who wears it sees it: without the head, which mirrors and others do see. */
import * as THREE from "three";

export const SEEN_BY_SELF = 9,
  SEEN_BY_OTHERS = 10; // layers; what is on neither is seen by all (1 and 2 are the eyes of a headset)

/** Have a camera look as the one who wears a body, or as others do. */
export function lookAs(camera: THREE.Camera, self: boolean): void {
  camera.layers.enable(self ? SEEN_BY_SELF : SEEN_BY_OTHERS);
  camera.layers.disable(self ? SEEN_BY_OTHERS : SEEN_BY_SELF);
}

/** The joint and all that hang on it. */
export function below(parents: ArrayLike<number>, joint: number): Set<number> {
  const found = new Set([joint]);
  for (let j = joint + 1; j < parents.length; j++) if (found.has(parents[j])) found.add(j);
  return found;
}

/** Those triangles of an index with no corner that is hidden. */
export function withoutHidden(index: ArrayLike<number>, hidden: (corner: number) => boolean): Uint32Array {
  const kept: number[] = [];
  for (let k = 0; k < index.length; k += 3)
    if (!hidden(index[k]) && !hidden(index[k + 1]) && !hidden(index[k + 2]))
      kept.push(index[k], index[k + 1], index[k + 2]);
  return Uint32Array.from(kept);
}

/** Give each mesh of a character a twin without what hangs on the head, and let each be seen by whom it is for. */
export function hideHead(scene: THREE.Object3D, head: THREE.Object3D): void {
  const bones = new Set<THREE.Object3D>();
  head.traverse((bone) => bones.add(bone));
  const meshes: THREE.Mesh[] = [];
  scene.traverse((object) => {
    if ((object as THREE.Mesh).isMesh) meshes.push(object as THREE.Mesh);
  });
  for (const mesh of meshes) {
    mesh.layers.set(SEEN_BY_OTHERS);
    if (bones.has(mesh)) continue; // hair or glasses that hang on the head
    const twin = mesh.clone(false) as THREE.Mesh;
    twin.layers.set(SEEN_BY_SELF);
    const skinned = mesh as THREE.SkinnedMesh;
    if (skinned.isSkinnedMesh) twin.geometry = headlessGeometry(skinned, bones);
    mesh.parent!.add(twin);
  }
}

function headlessGeometry(mesh: THREE.SkinnedMesh, bones: Set<THREE.Object3D>): THREE.BufferGeometry {
  const whole = mesh.geometry,
    joints = whole.getAttribute("skinIndex"),
    weights = whole.getAttribute("skinWeight");
  const onHead = mesh.skeleton.bones.map((bone) => bones.has(bone));
  const hidden = (corner: number): boolean => {
    let share = 0;
    for (let k = 0; k < 4; k++) if (onHead[joints.getComponent(corner, k)]) share += weights.getComponent(corner, k);
    return share > 0.3;
  };
  const index = whole.index?.array ?? Uint32Array.from({ length: whole.getAttribute("position").count }, (_, k) => k);
  const geometry = whole.clone();
  geometry.clearGroups(); // of several materials the first is drawn
  geometry.setIndex(new THREE.BufferAttribute(withoutHidden(index, hidden), 1));
  return geometry;
}
