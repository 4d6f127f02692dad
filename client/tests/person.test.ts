/** The person that is made for a rig: closed surfaces, joints that move them, and where it looks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoseFrame } from "../src/messages";
import { GazeLead } from "../src/scene/person/gaze";
import { makePerson } from "../src/scene/person/person";
import { join, measure } from "../src/scene/person/solids";
import { findStance } from "../src/scene/person/stance";
import { findSurface } from "../src/scene/person/surface";
import { makeRig, type Bone } from "./rig";

test("a surface of round cones is closed and faces outwards", () => {
  const cell = 0.02;
  const solids = [
    { start: [0, 0, 0], end: [0, 0.5, 0], radii: [0.1, 0.06] },
    { start: [0, 0.3, 0], end: [0.3, 0.4, 0], radii: [0.05, 0.05] },
  ] as const;
  const { positions, indices } = findSurface(solids, cell, 0.03);
  const edges = new Map<string, number>();
  let volume = 0;
  for (let k = 0; k < indices.length; k += 3) {
    const corners = [0, 1, 2].map((n) => indices[k + n]);
    const [a, b, c] = corners.map((v) => positions.slice(3 * v, 3 * v + 3));
    volume +=
      (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) /
      6;
    corners.forEach((v, n) => {
      const w = corners[(n + 1) % 3],
        key = `${Math.min(v, w)} ${Math.max(v, w)}`;
      edges.set(key, (edges.get(key) ?? 0) + (v < w ? 1 : -1));
    });
  }
  assert.ok(
    [...edges.values()].every((sum) => sum === 0),
    "each edge is passed once in each direction",
  );
  const cone = Math.PI * 0.5 * ((0.1 * 0.1 + 0.1 * 0.06 + 0.06 * 0.06) / 3); // without its caps and the branch
  assert.ok(volume > cone && volume < 2.2 * cone);
  const distances = solids.map((solid) => measure(solid));
  for (let v = 0; v < positions.length; v += 3) {
    const [x, y, z] = positions.slice(v, v + 3);
    const away = join(distances[0](x, y, z), distances[1](x, y, z), 0.03);
    assert.ok(Math.abs(away) < 0.2 * cell);
  }
});

test("every point of a person is moved by joints whose shares sum to one, within reach of the body", () => {
  const stance = findStance(makeRig())!;
  const person = makePerson(stance, "few");
  const count = person.tints.length;
  const triangles = (["all", "some", "few"] as const).map((detail) => makePerson(stance, detail).indices.length / 3);
  assert.ok(triangles[0] > 3 * triangles[1] && triangles[1] > 2 * triangles[2] && triangles[2] < 6000, `${triangles}`);
  for (let v = 0; v < count; v++) {
    const sum = person.weights.slice(4 * v, 4 * v + 4).reduce((total, share) => total + share, 0);
    assert.ok(Math.abs(sum - 1) < 1e-5);
    const [x, y] = [person.positions[3 * v], person.positions[3 * v + 1]];
    assert.ok(Math.abs(x) < 1 && y > -0.08 && y < 1.95);
  }
  for (const index of person.indices) assert.ok(index < count);
});

test("left is the mirror image of right", () => {
  const { positions } = makePerson(findStance(makeRig())!, "few");
  let [left, right] = [0, 0];
  for (let v = 0; v < positions.length; v += 3) {
    left = Math.max(left, positions[v]);
    right = Math.max(right, -positions[v]);
  }
  assert.ok(Math.abs(left - right) < 0.02);
});

test("a rig on four legs, and one without roles, is no person's", () => {
  const lying = makeRig((bones) =>
    bones.map(
      ([role, parent, x, y, z]): Bone =>
        ["spine", "chest", "neck", "head"].includes(role) ? [role, parent, x, z, y] : [role, parent, x, y, z],
    ),
  );
  assert.equal(findStance(lying), null);
  assert.equal(findStance(makeRig((bones) => bones.filter(([role]) => role !== "left_hand"))), null);
});

function frame(time: number, turn: number, yaw = 0): PoseFrame {
  const wanted = Float32Array.from([0, 1, Math.sin(turn), Math.cos(turn)]);
  return { time, tracked: 1, wanted, roots: Float32Array.from([0, 0, 0, yaw]) } as unknown as PoseFrame;
}

test("eyes lead a turn, the head follows, and both come to rest ahead", () => {
  const gaze = new GazeLead();
  gaze.look(frame(0, 0));
  const begun = gaze.look(frame(0.05, 1));
  assert.ok(begun.eyes > begun.head && begun.head > 0);
  let later = begun;
  for (let k = 1; k < 60; k++) later = gaze.look(frame(0.05 + k / 60, 1));
  assert.ok(later.head > 0.5 && later.head <= 0.62);
  for (let k = 60; k < 200; k++) later = gaze.look(frame(0.05 + k / 60, 1, 1));
  assert.ok(Math.abs(later.head) < 0.01);
});

test("a gaze jumps with the time instead of sweeping there", () => {
  const gaze = new GazeLead();
  gaze.look(frame(0, 0));
  const there = gaze.look(frame(30, -1));
  assert.ok(there.head < -0.5);
});
