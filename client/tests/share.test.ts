/** Links to moments, camera bookmarks, films between frames, and the manual's Markdown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoseFrame } from "../src/messages";
import { blendViews, type View } from "../src/panels/bookmarks";
import { findMoment } from "../src/panels/film";
import { readMoment, writeMoment, type SharedMoment } from "../src/panels/moment";
import { slug } from "../src/ui/markdown";

test("a moment comes back from its address", () => {
  const moment: SharedMoment = {
    panel: "why",
    step: 640,
    camera: { mode: "free", away: [5.2, 1.25, -3.125], target: [0, -0.5, 1] },
  };
  assert.deepEqual(readMoment(`#${writeMoment(moment)}`), moment);
  assert.deepEqual(readMoment("#why@640"), { panel: "why", step: 640, camera: null });
});

test("addresses that make no sense are no moments, and broken cameras are left out", () => {
  for (const bad of ["", "#why", "#why@", "#why@x", "#why@-3", "#@4"]) assert.equal(readMoment(bad), null);
  for (const bad of ["up,1,2,3,4,5,6", "free,1,2", "free,1,2,3,4,5,x", "free,1e9,2,3,4,5,6"])
    assert.equal(readMoment(`#why@3,${bad}`)!.camera, null);
});

test("a camera passes through its bookmarks, the shorter way around", () => {
  const views: View[] = [
    [4, 1, 3],
    [6, 1.4, -3],
    [5, 1.2, 0],
  ];
  assert.deepEqual(blendViews(views, 0), views[0]);
  assert.deepEqual(blendViews(views, 1), views[2]);
  const [radius, polar, azimuth] = blendViews(views, 0.25); // half of the way to the second
  assert.ok(Math.abs(radius - 5) < 1e-9 && Math.abs(polar - 1.2) < 1e-9);
  assert.ok(Math.abs(azimuth - Math.PI) < 1e-9);
  assert.deepEqual(blendViews([views[0]], 0.5), views[0]);
});

test("a film shows the moment of a time, and blends no crowds of different size", () => {
  const frame = (time: number, characters = 1) => ({ time, characters, second: characters }) as PoseFrame;
  const frames = [frame(1), frame(2), frame(4), frame(5, 2)];
  const at = (time: number) => findMoment(frames, time);
  assert.deepEqual([at(1.5).before.time, at(1.5).after.time, at(1.5).share], [1, 2, 0.5]);
  assert.deepEqual([at(0).share, at(2).before.time, at(2).share], [0, 2, 0]);
  assert.deepEqual([at(4.5).before.time, at(4.5).after.time, at(9).before.time], [4, 4, 5]);
});

test("headings have the names that links give them", () => {
  assert.equal(slug("Your own character"), "your-own-character");
  assert.equal(slug("A headset on `another` machine?"), "a-headset-on-another-machine");
});
