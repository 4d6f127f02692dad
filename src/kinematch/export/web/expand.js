// A data file out of its compact form, bit for bit: see kinematch/export/compact.py.

const HEAD_WORDS = 16; // of a data file
const ROW_WORDS = 24;
const CONTENT_AT = 15; // in a row
const CONTENT_SIZE = 16;
const RUNS = [[0, 1, 4, 5], [2, 3, 6, 7]]; // lanes of a row of knots, as they stand in it
const SEGMENT_HEAD = 112; // bytes of a group: where it begins, widths and shifts, ranges, centres
const LANES = 16; // boxes of a node
const FINE = 4095;
const COARSE = 255;
const ROUNDING = 1e-6; // of a step

/** Whether bytes are of the compact form. */
function isCompact(bytes) {
  return new TextDecoder().decode(bytes.subarray(0, 8)) === "KINECOMP";
}

/** The data file, in memory that `make` gives for its size. */
function expand(bytes, make = (size) => new Uint8Array(size)) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(8, true);
  const { size, rest, steps } = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length)));
  const file = make(size);
  const words = new BigInt64Array(bytes.slice(16 + length, 16 + length + 8 * HEAD_WORDS).buffer);
  const rows = Number(words[4]);
  // the table stands before all contents, so it is in the rest as it is in the file
  const table = new BigInt64Array(bytes.slice(16 + length, 16 + length + 8 * (HEAD_WORDS + ROW_WORDS * rows)).buffer);
  const word = (row, place) => Number(table[HEAD_WORDS + ROW_WORDS * row + place]);
  const places = steps.map(({ row }) => [word(row, CONTENT_AT), word(row, CONTENT_SIZE)]).sort(([a], [b]) => a - b);
  let from = 16 + length;
  let to = 0;
  for (const [at, count] of [...places, [size, 0]]) {
    file.set(bytes.subarray(from, from + at - to), to);
    from += at - to;
    to = at + count;
  }
  let stream = 16 + length + rest;
  const tools = {
    view: (row, Kind) => {
      const start = file.byteOffset + word(row, CONTENT_AT);
      return new Kind(file.buffer, start, word(row, CONTENT_SIZE) / Kind.BYTES_PER_ELEMENT);
    },
  };
  for (const step of steps) {
    const streams = step.sizes.map((count) => bytes.subarray(stream, (stream += count)));
    EXPAND[step.how](tools, step, streams);
  }
  return file;
}

const EXPAND = { columns: expandColumns, values: expandValues, segments: expandSegments, leaves, groups, exact_groups };

/** A function that returns the signed whole numbers of two streams, one after the other. */
function readNumbers(low, escaped) {
  let at = 0;
  let far = 0;
  return () => {
    let folded = low[at++];
    if (folded === 255) {
      folded = escaped[far] | (escaped[far + 1] << 8);
      far += 2;
    }
    return folded & 1 ? -(folded >> 1) - 1 : folded >> 1;
  };
}

/** Numbers column by column, from their second differences. */
function unbend(read, columns, count, put) {
  for (let column = 0; column < columns; column++) {
    let value = 0;
    let change = 0;
    for (let row = 0; row < count; row++) {
      change += read();
      value += change;
      put(row * columns + column, value);
    }
  }
}

function expandColumns({ view }, { row, columns, unit, bits }, [low, escaped]) {
  const out = view(row, bits === 8 ? Uint8Array : Uint16Array); // which wrap as the differences do
  unbend(readNumbers(low, escaped), columns, out.length / columns, (at, value) => (out[at] = value * unit));
}

function expandValues({ view }, { row, columns, unit, steps, bases }, [low, escaped]) {
  const out = view(row, Float32Array);
  const read = readNumbers(low, escaped);
  for (let column = 0; column < columns; column++) {
    const step = steps[column];
    const base = bases[column];
    let value = 0;
    let change = 0;
    for (let at = column; at < out.length; at += columns) {
      change += read();
      value += change;
      out[at] = ((value * unit) & 65535) * step + base;
    }
  }
}

/** Segments of a packed database: heads, and knots bit by bit. */
function expandSegments({ view }, { row, groups }, [kinds, counts, widths, ranges, centres, low, escaped]) {
  const out = view(row, Uint8Array);
  const read = readNumbers(low, escaped);
  const segments = kinds.length / groups;
  const knots = new Int32Array(24 * 40);
  let begin = 0;
  for (let s = 0; s < segments; s++) {
    let place = SEGMENT_HEAD * groups;
    for (let g = 0; g < groups; g++) {
      const head = begin + SEGMENT_HEAD * g;
      const count = counts[g * segments + s];
      const wide = Array.from({ length: 24 }, (_, f) => widths[(24 * g + f) * segments + s]);
      const bytes = (wide.reduce((sum, one) => sum + one, 0) + 7) >> 3;
      out[head] = place & 255;
      out[head + 1] = place >> 8;
      out[head + 2] = bytes | (kinds[g * segments + s] << 6);
      out.set(wide, head + 8);
      let end = 0;
      for (let run = 0; run < 6; run++) {
        const own = RUNS[run & 1].map((lane) => wide[8 * (run >> 1) + lane]);
        end += own.reduce((sum, one) => sum + one, 0);
        if (run < 5) out[head + 3 + run] = (end + 7) >> 3;
        let shift = -end & 7;
        own.forEach((width, k) => {
          out[head + 32 + 4 * run + k] = shift;
          shift += width;
        });
      }
      for (let f = 0; f < 24; f++) out[head + 56 + f] = ranges[(24 * g + f) * segments + s];
      for (let f = 0; f < 32; f++) out[head + 80 + f] = centres[(32 * g + f) * segments + s];
      for (let f = 0; f < 24; f++) {
        if (!wide[f]) continue;
        let value = 0;
        let change = 0;
        for (let knot = 0; knot < count; knot++) {
          const number = read();
          if (knot < 2) change = number;
          else change += number;
          value = knot === 0 ? number : value + change;
          knots[24 * knot + f] = value;
        }
      }
      for (let knot = 0; knot < count; knot++) {
        let bit = 8 * (begin + place + bytes * knot);
        for (let run = 0; run < 6; run++) {
          const own = RUNS[run & 1];
          for (const lane of own) bit += wide[8 * (run >> 1) + lane];
          let top = bit;
          for (const lane of own) {
            const f = 8 * (run >> 1) + lane;
            const width = wide[f];
            if (!width) continue;
            top -= width;
            const number = (knots[24 * knot + f] & ((1 << width) - 1)) << (top & 7);
            const at = top >> 3;
            out[at] |= number;
            if ((top & 7) + width > 8) out[at + 1] |= number >> 8;
            if ((top & 7) + width > 16) out[at + 2] |= number >> 16;
          }
        }
      }
      place += bytes * count;
    }
    begin += (place + 7) & -8;
  }
}

/** The box of each leaf's weighted values: lows and highs, column by column within a leaf. */
function findBoxes({ view }, { rows }, counts) {
  const values = view(rows.values, Float32Array);
  const roots = view(rows.roots, Float32Array);
  const frames = view(rows.frames, Int32Array);
  const columns = roots.length;
  const lows = new Float32Array(frames.length * columns);
  const highs = new Float32Array(frames.length * columns);
  for (let leaf = 0; leaf < frames.length; leaf++) {
    for (let d = 0; d < columns; d++) {
      const first = frames[leaf] * columns + d;
      let low = Math.fround(values[first] * roots[d]);
      let high = low;
      for (let lane = 1; lane < counts[leaf]; lane++) {
        const value = Math.fround(values[first + lane * columns] * roots[d]);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      lows[leaf * columns + d] = low;
      highs[leaf * columns + d] = high;
    }
  }
  return { values, roots, frames, columns, lows, highs };
}

function down(value, offset, step, levels) {
  return Math.min(Math.max(Math.floor((value - offset) / step - ROUNDING), 0), levels);
}

function up(value, offset, step, levels) {
  return Math.min(Math.max(Math.ceil((value - offset) / step + ROUNDING), 0), levels);
}

function leaves(tools, step, [counts]) {
  const boxes = findBoxes(tools, step, counts);
  tools.boxes = boxes;
  const { values, roots, frames, columns } = boxes;
  const { row, rows, fine } = step;
  const order = tools.view(rows.order, Int32Array);
  const offsets = tools.view(rows.fine_offsets, Float64Array);
  const out = tools.view(row, Uint16Array);
  const pairs = (columns + 1) >> 1;
  for (let leaf = 0; leaf < frames.length; leaf++) {
    for (let lane = 0; lane < counts[leaf]; lane++) {
      for (let place = 0; place < columns; place++) {
        const d = order[place];
        const value = Math.fround(values[(frames[leaf] + lane) * columns + d] * roots[d]);
        const at = ((leaf * pairs + (place >> 1)) * LANES + lane) * 2 + (place & 1);
        out[at] = down(value, offsets[place], fine, FINE);
      }
    }
  }
}

function groups(tools, { row, rows, coarse, boxed }) {
  const { columns, lows, highs, frames } = tools.boxes;
  const order = tools.view(rows.order, Int32Array);
  const offsets = tools.view(rows.coarse_offsets, Float64Array);
  const out = tools.view(row, Uint8Array);
  const quads = (boxed + 3) >> 2;
  for (let box = 0; box < frames.length; box++) {
    const node = Math.floor(box / LANES);
    for (let place = 0; place < boxed; place++) {
      const at = (((node * quads + (place >> 2)) * 2) * LANES + (box % LANES)) * 4 + (place & 3);
      const from = box * columns + order[place];
      out[at] = down(lows[from], offsets[place], coarse, COARSE);
      out[at + 4 * LANES] = up(highs[from], offsets[place], coarse, COARSE);
    }
  }
}

function exact_groups(tools, { row }) {
  const { columns, lows, highs, frames } = tools.boxes;
  const out = tools.view(row, Float32Array);
  for (let box = 0; box < frames.length; box++) {
    const first = Math.floor(box / LANES) * columns * 2 * LANES + (box % LANES);
    for (let d = 0; d < columns; d++) {
      out[first + 2 * d * LANES] = lows[box * columns + d];
      out[first + (2 * d + 1) * LANES] = highs[box * columns + d];
    }
  }
}
