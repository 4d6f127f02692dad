/** Clips as they are read, globs, and the colours of a map. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { collectFiles } from "../src/ui/dropped_files";
import { fromRoot, readClip, stances } from "../src/workshop/clip_file";
import { baseName, fits, literal } from "../src/workshop/globs";
import { heat } from "../src/workshop/heat_map";
import { colourOf, markAt, marksOf, nameOf, nextMark } from "../src/workshop/labels";
import type { SourceTable } from "../src/workshop/recipe";

/** A safetensors file as the server writes it. */
function packed(
  about: object,
  arrays: Record<string, { dtype: string; shape: number[]; bytes: Uint8Array }>,
): ArrayBuffer {
  const header: Record<string, unknown> = { __metadata__: { clip: JSON.stringify(about) } };
  let at = 0;
  for (const [name, one] of Object.entries(arrays)) {
    header[name] = { dtype: one.dtype, shape: one.shape, data_offsets: [at, at + one.bytes.length] };
    at += one.bytes.length;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const out = new Uint8Array(8 + text.length + at);
  new DataView(out.buffer).setBigUint64(0, BigInt(text.length), true);
  out.set(text, 8);
  let place = 8 + text.length;
  for (const one of Object.values(arrays)) {
    out.set(one.bytes, place);
    place += one.bytes.length;
  }
  return out.buffer;
}

const floats = (...values: number[]) => new Uint8Array(new Float32Array(values).buffer);

const clip = () =>
  readClip(
    packed(
      { name: "walk", frame_rate: 30, contact_joints: [3, 7] },
      {
        contacts: { dtype: "U8", shape: [5, 2], bytes: new Uint8Array([1, 0, 1, 0, 0, 1, 1, 1, 1, 0]) },
        positions: { dtype: "F32", shape: [5, 1, 3], bytes: floats(...Array.from({ length: 15 }, (_, k) => k)) },
        rotations: { dtype: "F32", shape: [5, 1, 4], bytes: floats(...Array.from({ length: 20 }, (_, k) => -k)) },
        roots: { dtype: "F32", shape: [5, 4], bytes: floats(...Array.from({ length: 20 }, () => Math.PI / 2)) },
        features: { dtype: "F32", shape: [5, 0], bytes: floats() },
      },
    ),
  );

test("a clip is read wherever its arrays begin", () => {
  const read = clip();
  assert.deepEqual([read.frames, read.joints, read.columns, read.about.name], [5, 1, 0, "walk"]);
  assert.deepEqual([...read.positions.subarray(0, 4)], [0, 1, 2, 3]);
  assert.deepEqual([...read.rotations.subarray(0, 2)], [-0, -1]);
});

test("stances are the stretches with a planted foot, to the last frame", () => {
  assert.deepEqual(stances(clip(), 0), [
    [0, 2],
    [3, 5],
  ]);
  assert.deepEqual(stances(clip(), 1), [[2, 4]]);
});

test("what is ahead of a root that faces +X lies along +X, and its left along -Z", () => {
  const ahead = fromRoot(clip().roots, 0, 0, 1, 2),
    left = fromRoot(clip().roots, 0, 1, 0, 0);
  assert.deepEqual(
    ahead.map((one) => +one.toFixed(5) + 0),
    [2, 1, 0],
  );
  assert.deepEqual(
    left.map((one) => +one.toFixed(5) + 0),
    [0, 0, -1],
  );
});

test("globs fit what recipes mean by them", () => {
  assert.equal(fits("walk1.bvh", "*"), true);
  assert.equal(fits("walk1.bvh", "walk?.bvh"), true);
  assert.equal(fits("walk1.bvh", "walk[0-3].bvh"), true);
  assert.equal(fits("walk9.bvh", "walk[!0-3].bvh"), true);
  assert.equal(fits("walkxbvh", "walk*.bvh"), false);
});

test("a literal glob fits its own name and no other", () => {
  for (const name of ["a.bvh", "[1].bvh", "what?.bvh", "*.bvh", "a+b(c).bvh"]) {
    assert.equal(fits(name, literal(name)), true);
    assert.equal(fits(`${name}x`, literal(name)), false);
  }
  assert.equal(fits("1.bvh", literal("[1].bvh")), false);
  assert.equal(baseName("takes/day 2/a.bvh"), "a.bvh");
});

test("more seconds are never told by a colour of fewer", () => {
  assert.equal(heat(0, 10), "var(--surface-sunken)");
  assert.equal(new Set([0.05, 0.5, 5, 10].map((one) => heat(one, 10))).size, 4);
});

const labels = [
  { name: "T-pose", colour: "series-6", tags: [] },
  { name: "lying", colour: "series-4", tags: ["low", "lying"] },
  { name: "idle", colour: "series-3", tags: ["idle"] },
];

test("labels are known by their tags, and users' own words have none", () => {
  assert.equal(nameOf(["lying", "low"], labels), "lying");
  assert.equal(nameOf(["low", "lying", "kneeling"], labels), "");
  assert.equal(nameOf([], labels), "left out");
  assert.equal(colourOf(["low", "lying", "kneeling"], labels), "series-4");
  assert.equal(colourOf(["proud"], labels), "ink-faint");
});

test("a click finds the recipe's shortest stretch, and the next label after a time", () => {
  const source = {
    trim: [0, 9],
    drop: [[0, 2]],
    split: [5],
    range: [
      { files: "*", from: 3, to: 8, tags: ["low", "lying"], no_entry: false, no_exit: false, cost_factor: 1 },
      { files: "other.bvh", from: 3, to: 4, tags: ["idle"], no_entry: false, no_exit: false, cost_factor: 1 },
      { files: "take.bvh", from: 6, to: null, tags: ["idle"], no_entry: false, no_exit: false, cost_factor: 1 },
    ],
  } as unknown as SourceTable;
  const marks = marksOf(source, "folder/take.bvh", 10, labels);
  assert.deepEqual(markAt(marks, 1)?.said, { start: 0, stop: 2, tags: [] });
  assert.deepEqual(markAt(marks, 7)?.said, { start: 6, stop: null, tags: ["idle"] });
  assert.equal(markAt(marks, 9.5)?.label, "idle"); // what is trimmed away is no label
  assert.equal(markAt(marks, 2.5), null);
  assert.equal(nextMark(marks, 3)?.from, 6);
  assert.equal(nextMark(marks, 8)?.from, 0);
});

test("motion files of a dropped folder are taken at any depth, and nothing else of it", async () => {
  const file = (name: string) => ({
    name,
    isDirectory: false,
    file: (give: (file: File) => void) => give(new File([], name)),
  });
  const folder = (name: string, ...inside: object[]) => ({
    name,
    isDirectory: true,
    createReader: () => ({ readEntries: (give: (some: object[]) => void) => give(inside.splice(0, 2)) }),
  });
  const takes = folder("takes", file("b.bvh"), file("notes.txt"), folder("more", file("c.GLB")), file("a.bvh"));
  const found = await collectFiles(
    [new File([], "takes"), new File([], "x.txt")],
    [takes as never, file("x.txt") as never],
  );
  assert.deepEqual(
    found.map((one) => one.name),
    ["x.txt", "a.bvh", "b.bvh", "c.GLB"],
  );
});
