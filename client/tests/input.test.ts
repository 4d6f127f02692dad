/** Sticks, keys and sliders as numbers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromKeys, stronger, withDeadZone } from "../src/input/axes";
import { fromSlider, scaleOf, toSlider } from "../src/panels/slider_scale";
import { Undo } from "../src/panels/undo";

test("a resting stick says nothing, however worn", () => {
  for (const [x, y] of [
    [0, 0],
    [0.1, -0.1],
    [0.15, 0.02],
    [NaN, 0],
  ])
    assert.deepEqual(withDeadZone(x, y), { x: 0, y: 0 });
});

test("beyond the dead zone the stick grows from zero to one and keeps its direction", () => {
  let before = 0;
  for (let length = 0.17; length <= 1.4; length += 0.01) {
    const { x, y } = withDeadZone(length * 0.6, length * 0.8);
    const now = Math.hypot(x, y);
    assert.ok(now >= before - 1e-9 && now <= 1 + 1e-9);
    assert.ok(Math.abs(x * 0.8 - y * 0.6) < 1e-9);
    before = now;
  }
  assert.ok(Math.abs(before - 1) < 1e-9);
});

test("two keys are no faster than one", () => {
  for (const keys of [
    [true, false, false, true],
    [false, true, true, false],
    [false, false, false, true],
  ]) {
    const { x, y } = fromKeys(keys[0], keys[1], keys[2], keys[3]);
    assert.ok(Math.abs(Math.hypot(x, y) - 1) < 1e-9);
  }
  assert.deepEqual(fromKeys(true, true, false, false), { x: 0, y: 0 });
});

test("the stick that is pushed farthest steers", () => {
  assert.deepEqual(stronger({ x: 0, y: 0 }, { x: 0.5, y: 0 }, { x: 0.2, y: 0.1 }), { x: 0.5, y: 0 });
});

test("a slider's places and values go both ways, and its ends are the range's", () => {
  for (const [low, high, standard] of [
    [0.01, 2, 0.27],
    [0, 100, 1],
    [0, 10, 0],
    [0.5, 1, 0.995],
    [-1, 1, 0],
  ]) {
    const scale = scaleOf(low, high, standard);
    assert.equal(fromSlider(scale, 0), low);
    assert.equal(fromSlider(scale, 1), high);
    for (const place of [0.2, 0.5, 0.9]) assert.ok(Math.abs(toSlider(scale, fromSlider(scale, place)) - place) < 0.02);
  }
});

test("undo goes back and redo forth, and a new change forgets what was undone", () => {
  const undo = new Undo<number>();
  undo.keep(1);
  undo.keep(2);
  assert.equal(undo.undo(3), 2);
  assert.equal(undo.undo(2), 1);
  assert.equal(undo.undo(1), null);
  assert.equal(undo.redo(1), 2);
  undo.keep(2);
  assert.equal(undo.redo(5), null);
});
