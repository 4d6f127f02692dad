/**
 * Kinematch: characters that play motion as they are commanded, by motion matching.
 *
 * An ES module without dependencies, for browsers, workers and Node. Metres, seconds and radians; +Y is up, +Z is
 * forward; quaternions are w, x, y, z. kinematch.d.ts describes everything here.
 */

const PAGE = 65536; // bytes
const LINE = 64; // bytes that arrays begin at
const STACK = 4 * PAGE;
const TEXT = 4096; // bytes for names, and what is found under them
const KINDS = [Uint8Array, Int8Array, Uint8Array, Uint16Array, Int32Array, BigInt64Array, Float32Array, Float64Array];
const FOUND_WORDS = 9;
const SLOWEST = 1e-3; // m/s; slower velocities give no direction to face
const LEVEL = 0; // kinds of ground
const GRID = 1;
const ASKED = 2;
const LONGEST_PIECE = 0.02; // s of a step on ground that is asked for
const REACH = 0.01; // m, over which its slope is measured
const ERRORS = {/* ERRORS */};
// what a brief state has, and how its numbers are stored: all but the turns and places of joints that a transition decays
const BRIEF_PARTS = [
  ["playing.positions", "Float32"],
  ["playing.yaws", "Float32"],
  ["playing.fractions", "Float32"],
  ["playing.frames", "Int32"],
  ["playing.sources", "Int32"],
  ["body.positions", "Float32"],
  ["body.velocities", "Float32"],
  ["body.accelerations", "Float32"],
  ["body.yaws", "Float32"],
  ["body.yaw_rates", "Float32"],
  ["schedule.since", "Float32"],
  ["schedule.commands", "Float32"],
  ["schedule.filters", "Int32"],
  ["schedule.left", "Int32"],
  ["schedule.idle", "Uint8"],
  ["offsets.roots", "Float32"],
  ["offsets.ages", "Float32"],
  ["feet.locked", "Uint8"],
  ["feet.refused", "Uint8"],
  ["feet.places", "Float32"],
  ["feet.offsets", "Float32"],
  ["feet.rates", "Float32"],
  ["feet.toes", "Float32"],
  ["feet.headings", "Float32"],
  ["feet.lifts", "Float32"],
];
const POSE = {
  positions: "positions",
  rotations: "rotations",
  globalPositions: "global_positions",
  globalRotations: "global_rotations",
  contacts: "contacts",
  frames: "frames",
  sources: "sources",
  jumped: "jumped",
};

/** What went wrong, with the number that the compiled step returned. */
export class KinematchError extends Error {
  constructor(code, about = "") {
    super((ERRORS[code] ?? `error ${code}`) + (about && `: ${about}`));
    this.name = "KinematchError";
    this.code = code;
  }
}

/** A compiled step with a data file in its memory, which any number of characters share. */
class Loaded {
  constructor(module, given) {
    this.file = STACK + TEXT;
    const make = (size) => {
      this.size = size;
      this.end = this.file + size; // of the memory that is in use
      this.memory = new WebAssembly.Memory({ initial: Math.ceil(this.end / PAGE) + 1 });
      return new Uint8Array(this.memory.buffer, this.file, size);
    };
    if (isCompact(given)) expand(given, make);
    else make(given.byteLength).set(given);
    const pointer = new WebAssembly.Global({ value: "i32", mutable: true }, STACK);
    const env = { __linear_memory: this.memory, __stack_pointer: pointer };
    this.exports = new WebAssembly.Instance(module, { env }).exports;
  }

  /** Memory for so many bytes: its address. */
  allocate(bytes) {
    const start = (this.end + LINE - 1) & -LINE;
    const missing = start + bytes + LINE - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    this.end = start + bytes;
    return start;
  }

  /** Give back memory, which is used again only where it was the last. */
  release(start, end) {
    if (this.end === end) this.end = start;
  }

  text(start) {
    const bytes = new Uint8Array(this.memory.buffer);
    return new TextDecoder().decode(bytes.subarray(start, bytes.indexOf(0, start)));
  }
}

/** Characters that are stepped together; one character is a crowd of one. */
export class Kinematch {
  #loaded;
  #exports;
  #own;
  #states; // where saved states are copied to
  #end;
  #views = new Map();
  #buffer = null; // of the memory that the views are of
  #pose = null;
  #asks = null; // what tells the ground, where a function does
  #grid = { start: 0, end: 0 };

  /** Fetch and load what `kinematch export --to web` wrote: the address of its folder, or bytes `{ wasm, data }`. */
  static async load(source, { count = 1 } = {}) {
    const given = typeof source === "string" || source instanceof URL ? await fetchParts(String(source)) : source;
    const [wasm, data] = await Promise.all([given.wasm, given.data]);
    const [module, file] = await Promise.all([
      wasm instanceof WebAssembly.Module ? wasm : WebAssembly.compile(wasm),
      inflate(data),
    ]);
    return new Kinematch(module, file, count);
  }

  /** From a compiled module and the bytes of a data file that is not compressed. */
  constructor(module, file, count = 1) {
    if (!Number.isSafeInteger(count) || count < 1) throw new KinematchError(-7, `${count}`);
    const loaded = module instanceof Loaded ? module : new Loaded(module, file);
    this.#loaded = loaded;
    this.#exports = loaded.exports;
    const needed = check(this.#exports.kinematch_measure(loaded.file, loaded.size, count));
    const own = loaded.allocate(needed);
    check(this.#exports.kinematch_place(loaded.file, loaded.size, count, own, needed));
    this.#own = own;
    this.about = JSON.parse(loaded.text(this.#exports.kinematch_about(own)));
    this.count = count;
    /** Bytes of a saved state. */
    this.stateSize = this.#exports.kinematch_state_size(own);
    this.#states = loaded.allocate(this.stateSize);
    this.#end = loaded.end;
  }

  /** Further characters of the same data, which are commanded and stepped by themselves. */
  spawn(count = 1) {
    return new Kinematch(this.#loaded, null, count);
  }

  /** Let go of the memory of spawned characters, the last first. */
  free() {
    this.#loaded.release(this.#grid.start, this.#grid.end);
    this.#loaded.release(this.#own, this.#end);
    this.#own = 0;
  }

  /** What the last step showed: views of memory, which the next step writes over. */
  get pose() {
    if (!this.#pose || this.#buffer !== this.#loaded.memory.buffer) {
      const views = Object.entries(POSE).map(([name, own]) => [name, this.array(`pose.${own}`).data]);
      this.#pose = Object.freeze(Object.fromEntries(views));
    }
    return this.#pose;
  }

  /** What a character is to do from the next step on. Without a facing it faces where it goes; at rest it keeps it. */
  command({ velocity = [0, 0, 0], facing, filter = 0, source = 0, action } = {}, n = 0) {
    const [vx, vy, vz] = velocity;
    const [fx, fy, fz] = facing ?? (Math.hypot(vx, vy, vz) > SLOWEST ? velocity : [0, 0, 0]);
    const which = this.#number("filters", filter);
    const from = this.#number("sources", source);
    check(this.#exports.kinematch_command(this.#own, n, vx, vy, vz, fx, fy, fz, which, from));
    this.#request(action, n, from);
  }

  #request(action, n, source) {
    if (!action) {
      check(this.#exports.kinematch_act(this.#own, n, -1, NaN, NaN, NaN, NaN, NaN));
      return;
    }
    const { name, target = [NaN, NaN, NaN], facing, when = NaN } = action;
    const names = this.about.actions[source];
    const number = names.indexOf(name);
    if (number < 0) throw new KinematchError(-11, `actions are ${names.join(", ")}; given ${name}`);
    const yaw = facing ? Math.atan2(facing[0], facing[2]) : NaN;
    check(this.#exports.kinematch_act(this.#own, n, number, ...target, yaw, when));
  }

  /** Move all characters on by a time in seconds; how many were reset, since their state was not finite. */
  step(dt) {
    if (!this.#asks) return check(this.#exports.kinematch_step(this.#own, dt));
    const pieces = Math.max(1, Math.ceil(dt / LONGEST_PIECE - 1e-9));
    let reset = 0;
    for (let piece = 0; piece < pieces; piece++) {
      check(this.#exports.kinematch_begin(this.#own, dt / pieces));
      this.#ask();
      reset += check(this.#exports.kinematch_finish(this.#own));
    }
    return reset;
  }

  /**
   * What the characters stand on from the next step on: null for level ground, a grid of heights, or a function that
   * returns the height in metres at x and z.
   */
  stand(ground) {
    this.#asks = null;
    if (!ground) {
      check(this.#exports.kinematch_ground(this.#own, LEVEL, 0, 0, 0, 1, 0, 0, 0));
    } else if (typeof ground === "function") {
      check(this.#exports.kinematch_ground(this.#own, ASKED, 0, 0, 0, 1, 0, 0, 0));
      this.#asks = ground;
    } else {
      const { heights, columns, rows, cell, origin = [0, 0], repeats = false } = ground;
      if (heights.length !== columns * rows) throw new KinematchError(-11, `${heights.length} heights`);
      if (heights.length * 4 > this.#grid.end - this.#grid.start) {
        this.#loaded.release(this.#grid.start, this.#grid.end);
        this.#grid.start = this.#loaded.allocate(heights.length * 4);
        this.#grid.end = this.#loaded.end;
      }
      new Float32Array(this.#loaded.memory.buffer, this.#grid.start, heights.length).set(heights);
      const place = [this.#grid.start, columns, rows, cell, ...origin, repeats ? 1 : 0];
      check(this.#exports.kinematch_ground(this.#own, GRID, ...place));
    }
  }

  /** Move a character and its body to a place, at rest; its clip goes on. */
  teleport([x, y, z], yaw = 0, n = 0) {
    check(this.#exports.kinematch_teleport(this.#own, n, x, y, z, yaw));
  }

  /** Everything that evolves, as bytes; `into` saves making a new array. */
  save(into = new Uint8Array(this.stateSize)) {
    const size = check(this.#exports.kinematch_save(this.#own, this.#states, this.stateSize));
    into.set(new Uint8Array(this.#loaded.memory.buffer, this.#states, size));
    return into;
  }

  /** Go back to a saved state, bit for bit. */
  restore(bytes) {
    if (bytes.length !== this.stateSize) throw new KinematchError(-14);
    new Uint8Array(this.#loaded.memory.buffer, this.#states, bytes.length).set(bytes);
    check(this.#exports.kinematch_restore(this.#own, this.#states, bytes.length));
  }

  /** What another machine needs to show a character: it differs by what a transition has left to decay. */
  saveBrief(n = 0) {
    const parts = this.#briefParts();
    const out = new DataView(new ArrayBuffer(parts.reduce((sum, { width, size }) => sum + width * size, 0)));
    let at = 0;
    for (const { data, width, size, kind } of parts) {
      for (let k = 0; k < width; k++, at += size) out[`set${kind}`](at, data[width * n + k], true);
    }
    return new Uint8Array(out.buffer);
  }

  /** Go on as a character of another machine did when it was saved. */
  restoreBrief(bytes, n = 0) {
    const parts = this.#briefParts();
    if (bytes.length !== parts.reduce((sum, { width, size }) => sum + width * size, 0)) throw new KinematchError(-14);
    const given = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.teleport([0, 0, 0], 0, n);
    for (const name of ["offsets.rotations", "offsets.positions"]) {
      const { data, shape } = this.array(name);
      const each = data.length / shape[0];
      data.fill(0, each * n, each * (n + 1));
    }
    let at = 0;
    for (const { data, width, size, kind } of parts) {
      for (let k = 0; k < width; k++, at += size) data[width * n + k] = given[`get${kind}`](at, true);
    }
  }

  #briefParts() {
    return BRIEF_PARTS.map(([name, kind]) => {
      const { data, shape } = this.array(name);
      return { data, kind, width: data.length / shape[0], size: kind === "Uint8" ? 1 : 4 };
    });
  }

  /**
   * An array of the state, the orders, the settings or the pose by its name: a view of memory, and its shape. It is
   * empty once more characters have been spawned; ask again then.
   */
  array(name) {
    const { memory } = this.#loaded;
    if (this.#buffer !== memory.buffer) {
      this.#views.clear();
      this.#pose = null;
      this.#buffer = memory.buffer;
    }
    const known = this.#views.get(name);
    if (known) return known;
    const text = new TextEncoder().encode(`${name}\0`);
    if (text.length > TEXT / 2) throw new KinematchError(-10, name);
    new Uint8Array(memory.buffer, STACK, text.length).set(text);
    const out = STACK + TEXT / 2;
    check(this.#exports.kinematch_find(this.#own, STACK, out), name);
    const [at, kind, rank, ...lengths] = Array.from(new BigInt64Array(memory.buffer, out, FOUND_WORDS), Number);
    const shape = lengths.slice(0, rank);
    const size = shape.reduce((product, length) => product * length, 1);
    const found = Object.freeze({ data: new KINDS[kind](memory.buffer, size ? at : 0, size), shape });
    this.#views.set(name, found);
    return found;
  }

  /** The memory that addresses in handles are of; it changes when more characters are spawned. */
  get memory() {
    return this.#loaded.memory.buffer;
  }

  #ask() {
    const points = this.array("instance.ground.points");
    const heights = this.array("work.heights").data;
    const normals = this.array("work.normals").data;
    const each = points.shape[1];
    for (let k = 0; k < heights.length; k++) {
      const x = points.data[2 * k];
      const z = points.data[2 * k + 1];
      heights[k] = this.#asks(x, z);
      if (k % each === 0) continue;
      const n = 3 * (k - Math.floor(k / each) - 1);
      const slopeX = (this.#asks(x + REACH, z) - this.#asks(x - REACH, z)) / (2 * REACH);
      const slopeZ = (this.#asks(x, z + REACH) - this.#asks(x, z - REACH)) / (2 * REACH);
      const length = Math.sqrt(slopeX * slopeX + slopeZ * slopeZ + 1);
      normals[n] = -slopeX / length;
      normals[n + 1] = 1 / length;
      normals[n + 2] = -slopeZ / length;
    }
  }

  #number(list, given) {
    const number = typeof given === "number" ? given : this.about[list].indexOf(given);
    if (number < 0 || number >= this.about[list].length)
      throw new KinematchError(-11, `${list} are ${this.about[list].join(", ")}; given ${given}`);
    return number;
  }
}

function check(result, about) {
  if (result < 0) throw new KinematchError(result, about);
  return result;
}

async function fetchParts(folder) {
  const base = folder.endsWith("/") ? folder : `${folder}/`;
  const [wasm, data] = ["step.wasm", "character.dat"].map(async (name) => {
    const answer = await fetch(base + name);
    if (!answer.ok) throw new Error(`${base}${name}: ${answer.status} ${answer.statusText}`);
    return new Uint8Array(await answer.arrayBuffer());
  });
  const compiled = wasm.then((bytes) => WebAssembly.compile(bytes)); // while the data is on its way
  compiled.catch(() => {});
  return { wasm: compiled, data };
}

/** Bytes that are not compressed any more. */
async function inflate(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  if (bytes[0] !== 0x78) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
