/** Why a search chose its frame: all frames weighed as the search does, from the memory of the step itself. */
import type { Candidate, Explanation } from "../messages";
import type { Loaded } from "./loaded";
import { readRows } from "./memory";
import type { Search } from "./simulation";

const APART = 0.3; // s, the least distance in time between candidates of a clip
const STANDING = 0.1; // m/s, as kinematch.database.idle
const ANY = 0,
  IDLING = 1,
  MOVING = 2;

/** Null where the source has no frames to distinguish. */
export function explain(own: Loaded, search: Search, source: number, count: number, request: number): Explanation | null {
  const { welcome, leaves } = own.about.page;
  const mode = search.idle ? IDLING : search.speed > STANDING ? MOVING : ANY;
  const rows = readRows(own, source, search.filter, mode);
  if (!rows || !leaves[source] || !welcome.clips.length) return null;
  const { values, roots, factors, columns, frames } = rows;
  const admitted = new Uint8Array(frames);
  rows.leafFrames.forEach((first, leaf) => {
    for (let lane = 0; lane < 16; lane++) if (rows.leafMasks[leaf] & (1 << lane)) admitted[first + lane] = 1;
  });
  const plain = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    let total = 0;
    for (let d = 0; d < columns; d++) {
      const away = (search.query[d] - values[frame * columns + d]) * roots[d];
      total += away * away;
    }
    plain[frame] = total;
  }
  const ignores = own.array(`sources.${source}.search.ignores`),
    ignored = Number(ignores.data[search.filter * ignores.shape[1] + mode]);
  const costs = plain.map((cost, frame) => (admitted[frame] ? cost * (factors ? factors[frame] : 1) : Infinity));
  const current = search.frame;
  block(costs, rows.clipOf, current, ignored);
  const left = costs.slice(),
    found: number[] = [];
  while (found.length < count) {
    let best = -1;
    for (let frame = 0; frame < frames; frame++) if (left[frame] < (best < 0 ? Infinity : left[best])) best = frame;
    if (best < 0) break;
    found.push(best);
    block(left, rows.clipOf, best, Math.max(Math.round(APART * welcome.frame_rate) - 1, 0));
  }
  const offset = own.array(`sources.${source}.feature_offset`).data,
    scale = own.array(`sources.${source}.feature_scale`).data;
  const shares = (frame: number, factor: number) =>
    welcome.features.map(({ start, stop }) => {
      let total = 0;
      for (let d = start; d < stop; d++) total += ((search.query[d] - values[frame * columns + d]) * roots[d]) ** 2;
      return total * factor;
    });
  const candidate = (frame: number, cost: number, factor: number): Candidate => {
    const clip = welcome.clips.find((one) => frame >= one.start && frame < one.stop);
    return {
      frame,
      clip: clip?.name ?? "",
      clip_frame: frame - (clip?.start ?? 0),
      cost,
      feature_costs: shares(frame, factor),
      features: Array.from({ length: columns }, (_, d) => values[frame * columns + d] * Number(scale[d]) + Number(offset[d])),
    };
  };
  const stays = current >= 0 && current < frames && rows.stays[current] > 0,
    staying = stays ? plain[current] : Infinity,
    bias = Number(own.array("settings.stay_bias").data[0]);
  let chosen = current,
    reason = "no frame may be taken";
  if (found.length && costs[found[0]] < staying - bias) {
    chosen = found[0];
    reason = `frame ${chosen} is taken: it costs ${say(costs[chosen])}${stays ? `, and playing on costs ${say(staying)}` : ""}`;
  } else if (stays) reason = `frame ${current} plays on: it costs ${say(staying)}`;
  else chosen = -1;
  const returns = search.left >= 0 && stays && chosen !== current && Math.abs(chosen - search.left) <= ignored;
  if (returns) {
    reason = `frame ${current} plays on: frame ${chosen} was left a moment ago`;
    chosen = current;
  }
  return {
    type: "explanation",
    request,
    step: search.step,
    character: 0,
    searched_because: welcome.reasons[search.reason] ?? "",
    query: Array.from(search.query, (value, d) => value * Number(scale[d]) + Number(offset[d])),
    features: welcome.features.map((feature) => feature.name),
    staying: stays ? candidate(current, staying, 1) : null,
    candidates: found.map((frame) => candidate(frame, costs[frame], factors ? factors[frame] : 1)),
    chosen,
    reason,
    returns,
  };
}

/** Leave out the frames of a clip around one. */
function block(costs: Float32Array, clipOf: Int32Array, middle: number, around: number): void {
  for (let frame = Math.max(middle - around, 0); frame <= Math.min(middle + around, costs.length - 1); frame++)
    if (middle >= 0 && clipOf[frame] === clipOf[middle]) costs[frame] = Infinity;
}

function say(cost: number): string {
  return cost.toPrecision(3);
}
