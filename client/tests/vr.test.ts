/** Where users stand, what samples say, and how quickly bodies answer. */
import assert from "node:assert/strict";
import test from "node:test";
import * as THREE from "three";
import { readTrackedMotion, writeTrackerSample } from "../src/messages";
import { below, withoutHidden } from "../src/scene/headless";
import { near } from "../src/vr/camera/bearings";
import { Follower } from "../src/vr/camera/follow";
import type { FoundBody } from "../src/vr/camera/pose_worker";
import { centre, spotOf } from "../src/vr/placement";
import { RoundTrip } from "../src/vr/round_trip";
import { emptySample, sampleMotion } from "../src/vr/samples";

test("places are apart from each other, the first in the middle", () => {
  const spots = Array.from({ length: 16 }, (_, place) => spotOf(place));
  assert.ok(Math.abs(spots[0].x) === 0);
  assert.ok(spots.every((spot) => spot.length() > 2)); // away from the character that is steered
  for (const [k, one] of spots.entries())
    for (const other of spots.slice(k + 1)) assert.ok(one.distanceTo(other) > 1.3);
});

test("centring puts the head over the spot and lets it look along +Z, however it looked before", () => {
  const spot = spotOf(3);
  for (const [yaw, pitch] of [
    [0, 0],
    [2.5, 0.3],
    [-1.2, -1.5],
    [0.7, 1.5],
  ]) {
    const turn = new THREE.Quaternion().setFromEuler(new THREE.Euler(pitch, yaw, 0, "YXZ"));
    const head = new THREE.Vector3(3, 1.6, -2);
    const room = centre(head, turn, spot);
    const there = head.clone().applyMatrix4(room);
    assert.ok(there.distanceTo(new THREE.Vector3(spot.x, 1.6, spot.z)) < 1e-9);
    const about = new THREE.Quaternion().setFromRotationMatrix(room);
    const level = new THREE.Vector3(-Math.sin(yaw), 0, -Math.cos(yaw)).applyQuaternion(about);
    assert.ok(level.distanceTo(new THREE.Vector3(0, 0, 1)) < 1e-6);
  }
});

test("a motion is sampled between its frames and carried into the room", () => {
  const motion = {
    count: 2,
    points: 7,
    rate: 10,
    height: 1.7,
    valid: Uint32Array.from([7, 7]),
    positions: new Float32Array(2 * 7 * 3),
    rotations: new Float32Array(2 * 7 * 4).map((_, k) => (k % 4 === 3 ? 1 : 0)),
  };
  motion.positions[21] = 1; // the head goes a metre along x
  const sample = emptySample();
  sampleMotion(motion, 0.05, new THREE.Matrix4().makeTranslation(0, 0, 5), sample);
  assert.deepEqual([...sample.positions.subarray(0, 3)], [0.5, 0, 5]);
  sampleMotion(motion, 0.2, new THREE.Matrix4(), sample); // again from its beginning
  assert.deepEqual([...sample.positions.subarray(0, 3)], [0, 0, 0]);
});

test("a sample is as long as it says, with fingers and without", () => {
  const sample = emptySample();
  assert.equal(writeTrackerSample(sample).byteLength, 64 + 4 * 49);
  sample.hands = 2;
  sample.fingers[149] = 0.25;
  const written = writeTrackerSample(sample);
  assert.equal(written.byteLength, 64 + 4 * (49 + 150));
  assert.equal(new Float32Array(written)[16 + 49 + 149], 0.25);
  assert.throws(() => readTrackedMotion(written), /no TrackedMotion/);
});

test("answers are counted from their own sample, and those passed over are forgotten", () => {
  const trip = new RoundTrip();
  assert.equal(trip.quantile(0.5), null);
  for (let k = 0; k < 10; k++) trip.sent(k, 10 * k);
  trip.received(3, 36);
  trip.received(2, 50); // passed over by then
  trip.received(9, 98);
  assert.equal(trip.quantile(0), 6);
  assert.equal(trip.quantile(0.99), 8);
});

test("the head and all that hangs on it is hidden", () => {
  assert.deepEqual([...below([-1, 0, 1, 2, 1], 2)], [2, 3]);
  assert.deepEqual([...withoutHidden([0, 1, 2, 2, 3, 4], (corner) => corner === 0)], [2, 3, 4]);
});

function body(x: number, tall: number): FoundBody {
  const image = new Float32Array(66).map((_, k) => (k % 2 ? 0.5 : x));
  image[1] = 0.5 - tall; // the nose
  return { places: new Float32Array(99), image, visibility: new Float32Array(33) };
}

test("of several people the largest is followed, then the same one, until gone for long", () => {
  const follower = new Follower(),
    small = body(0.2, 0.2),
    large = body(0.8, 0.4);
  assert.equal(follower.choose([], 0), null);
  assert.equal(follower.choose([small, large], 0), large);
  const grown = body(0.2, 0.45);
  assert.equal(follower.choose([grown, large], 0.1), large);
  assert.equal(follower.choose([grown], 0.2), null); // somebody else
  assert.equal(follower.choose([grown], 2), grown);
});

test("a direction is told within half a turn of another", () => {
  for (const [yaw, other] of [
    [3.1, -3.1],
    [-9, 0.4],
    [0.1, 12],
  ]) {
    const told = near(yaw, other);
    assert.ok(Math.abs(told - other) <= Math.PI + 1e-9);
    assert.ok(Math.abs(Math.sin((told - yaw) / 2)) < 1e-9);
  }
});
