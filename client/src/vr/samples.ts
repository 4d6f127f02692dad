/** Tracker samples: what a headset's frame says, and what a simulated user's motion says, in one shape. */
import * as THREE from "three";
import type { TrackedMotion, TrackerSample } from "../messages";

export const POINTS = 7,
  FINGER_JOINTS = 25;
const HEAD = 0,
  HANDS = { left: 1, right: 2 } as const;

export function emptySample(): TrackerSample {
  return {
    sequence: 0,
    valid: 0,
    time: 0,
    points: POINTS,
    hands: 0,
    positions: new Float32Array(3 * POINTS),
    rotations: new Float32Array(4 * POINTS),
    fingers: new Float32Array(2 * FINGER_JOINTS * 3),
  };
}

function put(sample: TrackerSample, point: number, at: DOMPointReadOnly, turn: DOMPointReadOnly): void {
  sample.positions.set([at.x, at.y, at.z], 3 * point);
  sample.rotations.set([turn.x, turn.y, turn.z, turn.w], 4 * point);
  sample.valid |= 1 << point;
}

/** Read a headset's frame into a sample; `room` lays the headset's space into the room. */
export function sampleFrame(frame: XRFrame, space: XRReferenceSpace, room: THREE.Matrix4, sample: TrackerSample): void {
  sample.valid = sample.hands = 0;
  const viewer = frame.getViewerPose(space);
  if (viewer) put(sample, HEAD, viewer.transform.position, viewer.transform.orientation);
  for (const source of frame.session.inputSources) {
    if (source.handedness === "none") continue;
    const grip = source.gripSpace && frame.getPose(source.gripSpace, space);
    if (grip) put(sample, HANDS[source.handedness], grip.transform.position, grip.transform.orientation);
    if (source.hand) sampleFingers(frame, space, source.hand, HANDS[source.handedness] - 1, sample);
  }
  lay(sample, room);
}

/** Carry a sample into the room. */
function lay(sample: TrackerSample, room: THREE.Matrix4): void {
  about.setFromRotationMatrix(room);
  for (let point = 0; point < POINTS; point++) {
    place
      .fromArray(sample.positions, 3 * point)
      .applyMatrix4(room)
      .toArray(sample.positions, 3 * point);
    turn
      .fromArray(sample.rotations, 4 * point)
      .premultiply(about)
      .toArray(sample.rotations, 4 * point);
  }
  for (let at = 0; at < 3 * FINGER_JOINTS * sample.hands; at += 3)
    place.fromArray(sample.fingers, at).applyMatrix4(room).toArray(sample.fingers, at);
}

function sampleFingers(
  frame: XRFrame,
  space: XRReferenceSpace,
  hand: XRHand,
  side: number,
  sample: TrackerSample,
): void {
  if (!sample.hands) sample.fingers.fill(NaN);
  sample.hands = 2;
  let at = 3 * FINGER_JOINTS * side;
  for (const joint of hand.values()) {
    const place = frame.getJointPose?.(joint, space)?.transform.position;
    sample.fingers.set(place ? [place.x, place.y, place.z] : [NaN, NaN, NaN], at);
    at += 3;
  }
}

/** Where a simulated user's devices are at a time, s; the motion begins again at its end. */
export function sampleMotion(motion: TrackedMotion, time: number, room: THREE.Matrix4, sample: TrackerSample): void {
  const at = (time * motion.rate) % motion.count,
    before = Math.floor(at),
    after = Math.min(before + 1, motion.count - 1),
    share = at - before;
  sample.valid = motion.valid[before];
  sample.hands = 0;
  for (let point = 0; point < POINTS; point++) {
    const from = POINTS * before + point,
      to = POINTS * after + point;
    place.fromArray(motion.positions, 3 * from).lerp(next.fromArray(motion.positions, 3 * to), share);
    place.toArray(sample.positions, 3 * point);
    turn.fromArray(motion.rotations, 4 * from).slerp(about.fromArray(motion.rotations, 4 * to), share);
    turn.toArray(sample.rotations, 4 * point);
  }
  lay(sample, room);
}
const place = new THREE.Vector3(),
  next = new THREE.Vector3(),
  turn = new THREE.Quaternion(),
  about = new THREE.Quaternion();
