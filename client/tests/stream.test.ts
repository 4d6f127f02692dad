/** What is shown when, and what is remembered. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Candidate, ClipInfo, Explanation, PoseFrame, Situation } from "../src/messages";
import { Latency } from "../src/input/latency";
import { losesMost, verdict, winnerOf } from "../src/panels/reasons";
import { clipAt } from "../src/panels/timeline_clips";
import { History } from "../src/stream/history";
import { Playback, type Moment } from "../src/stream/playback";

function frame(step: number, bits = 0): PoseFrame {
  const none = new Float32Array(0);
  return {
    step,
    time: step / 60,
    characters: 1,
    second: 1,
    joints: 1,
    positioned: 0,
    horizons: 0,
    tracked: 0,
    sequence: 0,
    milliseconds: 1,
    frames: Int32Array.of(10 * step),
    fractions: Float32Array.of(0),
    bits: Uint32Array.of(bits),
    costs: Float32Array.of(0.5),
    roots: new Float32Array(4),
    bodies: new Float32Array(8),
    positions: none,
    rotations: new Float32Array(4),
    wanted: none,
    matched: none,
  };
}

test("shown time runs evenly although frames arrive unevenly", () => {
  const playback = new Playback();
  const shown: number[] = [];
  let next = 0;
  const arrival = Array.from(
    { length: 240 },
    (_, k) => k / 60 + 0.003 + (k % 7 === 0 ? 0.009 : 0) + (k % 11 === 0 ? 0.004 : 0),
  );
  for (let now = 0; now < 3.9; now += 1 / 144) {
    while (next < arrival.length && arrival[next] <= now) {
      playback.add(frame(next), arrival[next]);
      next++;
    }
    const moment = playback.at(now, true);
    if (moment && now > 1.5) shown.push(moment.before.time + moment.share * (moment.after.time - moment.before.time));
  }
  const steps = shown.slice(1).map((time, k) => time - shown[k]);
  assert.ok(
    Math.min(...steps) > 0.5 / 144 && Math.max(...steps) < 1.5 / 144,
    `${Math.min(...steps)} ${Math.max(...steps)}`,
  );
  assert.ok(3.9 - shown.at(-1)! < 0.1, "it is not far behind");
});

test("frames that wait for a slow picture, but are there when it is made, cost no delay", () => {
  const playback = new Playback();
  let next = 0,
    behind = 0;
  for (let picture = 1; picture < 100; picture++) {
    const now = picture / 20; // the page is busy meanwhile, and takes all frames when it is done
    while (next / 60 <= now - 0.001) playback.add(frame(next++), now - 0.001);
    const moment = playback.at(now, true)!;
    behind = now - (moment.before.time + moment.share * (moment.after.time - moment.before.time));
  }
  assert.ok(behind < 0.03, `${behind}`);
});

test("the time to answer ends when the picture is finished", () => {
  const latency = new Latency();
  const moment = (sequence: number): Moment => {
    const shown = { ...frame(1), sequence };
    return { before: shown, after: shown, share: 0 };
  };
  latency.sent(7, 1000);
  latency.sent(8, 1010); // the first one counts
  latency.shown(moment(6), 1020);
  latency.shown(moment(7), 1040);
  assert.equal(latency.milliseconds, null);
  latency.shown(moment(7), 1060);
  assert.equal(latency.milliseconds, 60);
});

test("what is paused is shown exactly", () => {
  const playback = new Playback();
  for (let k = 0; k < 30; k++) playback.add(frame(k), k / 60);
  playback.add(frame(12), 1); // scrubbed to
  const moment = playback.at(5, false)!;
  assert.equal(moment.before.step, 12);
  assert.equal(moment.share, 0);
});

test("after a pause the clock is found again at once", () => {
  const playback = new Playback();
  for (let k = 0; k < 60; k++) playback.add(frame(k), k / 60);
  for (let k = 60; k < 66; k++) playback.add(frame(k), k / 60 + 10);
  const moment = playback.at(65 / 60 + 10, true)!;
  assert.ok(moment.share < 1 && moment.before.step >= 60);
});

test("history remembers steps and forgets what a resume dropped", () => {
  const history = new History();
  for (let k = 0; k < 50; k++) history.add(frame(k, k % 10 === 0 ? 1 | (1 << 8) | (4 << 24) : 0));
  assert.deepEqual(history.at(20), {
    step: 20,
    frame: 200,
    searched: true,
    jumped: false,
    contacts: 1,
    locked: 0,
    reason: 4,
    cost: 0.5,
  });
  assert.equal(
    history.find(25, -1, (played) => played.searched),
    20,
  );
  assert.equal(
    history.find(25, 1, (played) => played.searched),
    30,
  );
  history.bound({ oldest: 5, newest: 24 } as Situation);
  assert.equal(history.at(30), null);
  assert.equal(history.newest, 24);
  assert.equal(
    history.find(24, 1, () => true),
    -1,
  );
});

test("the clip of a frame is found, and none between clips", () => {
  const clips = [
    [0, 10],
    [10, 30],
    [40, 50],
  ].map(([start, stop], k) => ({ name: `${k}`, start, stop, loops: false, tags: [] }) satisfies ClipInfo);
  for (const [frame_, clip] of [
    [0, 0],
    [9, 0],
    [10, 1],
    [29, 1],
    [35, -1],
    [49, 2],
    [50, -1],
    [-1, -1],
  ])
    assert.equal(clipAt(clips, frame_), clip);
});

test("the reason names what the winner won by", () => {
  const one = (frame_: number, costs: number[]): Candidate => ({
    frame: frame_,
    clip: `clip${frame_}`,
    clip_frame: 0,
    cost: costs.reduce((a, b) => a + b),
    feature_costs: costs,
    features: [],
  });
  const staying = one(1, [0.1, 0.9]),
    best = one(2, [0.2, 0.1]);
  const explanation: Explanation = {
    type: "explanation",
    request: 0,
    step: 0,
    character: 0,
    searched_because: "interval",
    query: [],
    features: ["hips_velocity", "trajectory_position"],
    staying,
    candidates: [best],
    chosen: 2,
    reason: "",
    returns: false,
  };
  assert.equal(winnerOf(explanation), best);
  assert.deepEqual(losesMost(staying, best, explanation.features)?.feature, "trajectory_position");
  assert.match(verdict(explanation).title, /Jumped to clip2/);
  assert.match(verdict(explanation).text, /trajectory position/);
  assert.match(verdict({ ...explanation, chosen: 1, returns: true }).text, /does not go back and forth/);
  assert.match(verdict({ ...explanation, chosen: 1 }).title, /plays on/);
  assert.match(verdict({ ...explanation, chosen: -1 }).title, /Nothing/);
});
