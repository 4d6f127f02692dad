/** Poses and the drawn body. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import type { SkeletonInfo } from "../src/messages";
import { writeCost } from "../src/panels/reasons";
import { seriesOf } from "../src/panels/timeline_clips";
import { measureLift } from "../src/scene/camera";
import { bodyTriangles } from "../src/scene/cones";
import { blendRotation, newPose, Rig } from "../src/scene/kinematics";

test("walking and running clips have colours of their own, alike for all of a kind", () => {
  const clip = (name: string, ...tags: string[]) => ({ name, start: 0, stop: 1, loops: false, tags });
  const walk = seriesOf(clip("walk_1.35", "level0", "walk"), 0),
    run = seriesOf(clip("run1_subject2"), 1);
  assert.notEqual(walk, run);
  assert.equal(seriesOf(clip("take 7", "walking"), 5), walk);
  assert.equal(seriesOf(clip("run_turn_left_180", "turn", "run"), 3), run);
  assert.ok(![walk, run].includes(seriesOf(clip("dance"), 0)));
});

const turn = (angle: number, axis: 0 | 1 | 2) =>
  [0, 1, 2, 3].map((k) => (k === 3 ? Math.cos(angle / 2) : k === axis ? Math.sin(angle / 2) : 0));
const arm: SkeletonInfo = {
  names: ["root", "upper", "lower"],
  parents: [-1, 0, 1],
  offsets: [
    [0, 0, 0],
    [0, 1, 0],
    [1, 0, 0],
  ],
  rotations: [turn(0, 1), turn(0, 1), turn(0, 1)],
  tpose: null,
  end_parents: [],
  end_offsets: [],
  roles: {},
  positioned: [1],
  contact_joints: [],
  body: {
    joints: [
      [1, 2],
      [2, 2],
    ],
    offsets: [
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
    ],
    radii: [
      [0.2, 0.1],
      [0.15, 0.15],
    ],
    across: [
      [0, 0, 1],
      [1, 0, 0],
    ],
    along: [
      [0, 1, 0],
      [0, 1, 0],
    ],
    scales: [
      [1, 1],
      [1, 1],
    ],
    tints: ["body", "joints"],
  },
};
const close = (a: ArrayLike<number>, b: number[], within = 1e-6) =>
  b.forEach((value, k) => assert.ok(Math.abs(a[k] - value) < within, `${a[k]} is not ${value}`));

test("a quarter turn of the upper joint carries the lower one", () => {
  const rig = new Rig(arm),
    pose = newPose(rig);
  const local = Float32Array.from([...turn(0, 1), ...turn(Math.PI / 2, 2), ...turn(0, 1)]);
  rig.forward([5, 0, 0], 0, [0, 2, 0], 0, local, 0, pose.positions, pose.rotations);
  close(pose.positions, [5, 0, 0, 5, 2, 0, 5, 3, 0]);
  rig.forward([5, 0, 0], 0, null, 0, local, 0, pose.positions, pose.rotations);
  close(pose.positions, [5, 0, 0, 5, 1, 0, 5, 2, 0]);
});

test("a blend of rotations takes the shorter way and stays of unit length", () => {
  const out = new Float32Array(4),
    a = turn(0.4, 1),
    b = turn(1.2, 1).map((value) => -value);
  blendRotation(a, 0, b, 0, 0.5, out, 0);
  close(out, turn(0.8, 1), 1e-5);
});

test("the body's skin lies a radius away from its bones, with normals of unit length", () => {
  const rig = new Rig(arm),
    mesh = bodyTriangles(arm.body, rig, 8, 3);
  assert.equal(mesh.indices.length % 3, 0);
  assert.ok(Math.max(...mesh.indices) < mesh.carriers.length);
  for (let v = 0; v < mesh.carriers.length; v++) {
    const away = Math.hypot(...mesh.positions.subarray(3 * v, 3 * v + 3)),
      joint = mesh.carriers[v];
    const radius = mesh.tints[v] > 0 ? 0.15 : joint === 1 ? 0.2 : 0.1;
    assert.ok(Math.abs(away - radius) < 1e-5);
    assert.ok(Math.abs(Math.hypot(...mesh.normals.subarray(3 * v, 3 * v + 3)) - 1) < 1e-5);
  }
});

test("the camera rises until nothing between hides the ground beneath a character", () => {
  const target = new THREE.Vector3(2, 0.9, 0),
    camera = new THREE.Vector3(2, 1.2, -5),
    ridge = (_: number, z: number) => (z < -1 && z > -4 ? 0.6 : 0);
  assert.equal(
    measureLift(target, camera, () => 0),
    0,
  );
  const lift = measureLift(target, camera, ridge);
  assert.ok(lift > 0.5);
  assert.equal(measureLift(target, camera.clone().setY(1.2 + lift), ridge), 0);
});

test("costs too small for two decimals keep two digits", () => {
  assert.deepEqual([1.234, 0.0123, 0.004, 0].map(writeCost), ["1.23", "0.012", "0.004", "next to nothing"]);
});
