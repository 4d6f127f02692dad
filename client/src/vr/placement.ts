/** Where users begin in the room, and how a tracking space is laid so that one begins there. */
import * as THREE from "three";

const BESIDE = 1.4,
  BEHIND = 1.5; // m between neighbours
const IN_A_ROW = 5;
const FIRST_ROW = -3; // m along +Z: who is steered begins in the middle of the stage
const UP = new THREE.Vector3(0, 1, 0);

/** The spot of a place: in rows that look along +Z, the middle first. */
export function spotOf(place: number): THREE.Vector3 {
  const inRow = place % IN_A_ROW,
    row = Math.floor(place / IN_A_ROW);
  const side = inRow % 2 ? (inRow + 1) / 2 : -inRow / 2;
  return new THREE.Vector3(BESIDE * side, 0, FIRST_ROW - BEHIND * row);
}

/** The transform from a tracking space to the room that puts a head on a spot and lets it look along +Z. */
export function centre(head: THREE.Vector3, turn: THREE.Quaternion, spot: THREE.Vector3): THREE.Matrix4 {
  let ahead = new THREE.Vector3(0, 0, -1).applyQuaternion(turn);
  // of who looks straight down the crown points ahead, of who looks up the chin
  if (Math.hypot(ahead.x, ahead.z) < 0.2) ahead = new THREE.Vector3(0, ahead.y < 0 ? 1 : -1, 0).applyQuaternion(turn);
  const about = new THREE.Quaternion().setFromAxisAngle(UP, -Math.atan2(ahead.x, ahead.z));
  const ground = head.clone().setComponent(1, 0).applyQuaternion(about);
  return new THREE.Matrix4().compose(spot.clone().sub(ground), about, new THREE.Vector3(1, 1, 1));
}
