/** What lies in the memory of a character besides its named arrays: rows of its search, its body. */
import type { Ground } from "../messages";
import type { Loaded } from "./loaded";
import type { Body } from "./pilot";

/** Physical features of a frame of a database; null for a model, which has no frames. */
export function readFeatures(own: Loaded, source: number, frame: number): Float64Array | null {
  const rows = readRows(own, source, 0, 0);
  if (!rows || frame < 0 || frame >= rows.frames) return null;
  const offset = own.array(`sources.${source}.feature_offset`).data,
    scale = own.array(`sources.${source}.feature_scale`).data;
  return Float64Array.from(
    { length: rows.columns },
    (_, d) => rows.values[frame * rows.columns + d] * Number(scale[d]) + Number(offset[d]),
  );
}

const [LEAF_FRAMES, VALUES, ROOTS, FACTORS, CLIP_OF, LEAF_MASKS, STAYS, TOP_COUNT] = [3, 4, 5, 6, 11, 16, 17, 22];

const MODES = 3; // of a search, see kinematch.database.idle

/** What a search of a source reads under a filter, by its handle: see kinematch.search.layout_kernels. */
export function readRows(own: Loaded, source: number, filter: number, mode: number) {
  const address = Number(own.array(`sources.${source}.search.handles`).data[filter * MODES + mode]);
  if (!address) return null;
  const words = new BigInt64Array(own.memory, address, 27),
    at = (place: number) => Number(words[place]);
  const columns = at(TOP_COUNT + 3),
    frames = at(TOP_COUNT + 4);
  const masks = findSize(own, source);
  return {
    columns,
    frames,
    values: new Float32Array(own.memory, at(VALUES), frames * columns),
    roots: new Float32Array(own.memory, at(ROOTS), columns),
    factors: at(FACTORS) ? new Float32Array(own.memory, at(FACTORS), frames) : null,
    clipOf: new Int32Array(own.memory, at(CLIP_OF), frames),
    stays: new Uint8Array(own.memory, at(STAYS), frames),
    leafFrames: new Int32Array(own.memory, at(LEAF_FRAMES), masks),
    leafMasks: new Uint16Array(own.memory, at(LEAF_MASKS), masks),
  };
}

function findSize(own: Loaded, source: number): number {
  return own.about.page.leaves[source] ?? 0;
}

export function readBody(own: Loaded, n: number): Body {
  const place = own.array("body.positions").data as Float64Array,
    velocity = own.array("body.velocities").data as Float64Array;
  return {
    x: place[3 * n],
    z: place[3 * n + 2],
    vx: velocity[3 * n],
    vz: velocity[3 * n + 2],
    yaw: Number(own.array("body.yaws").data[n]),
  };
}

/** Heights of the page are rows of x; those of the step are rows of z. Cells must be square. */
export function transpose({ heights, columns, rows }: Ground): number[] {
  return Array.from({ length: columns * rows }, (_, k) => heights[(k % rows) * columns + Math.floor(k / rows)]);
}
