/**
 * Kinematch: characters that play motion as they are commanded, by motion matching.
 *
 * An ES module without dependencies, for browsers, workers and Node. Metres, seconds and radians; +Y is up, +Z is
 * forward; quaternions are w, x, y, z. kinematch.d.ts describes everything here.
 */

const PAGE = 65536; // bytes
const STACK = 4 * PAGE;
const KINDS = [Uint8Array, Int8Array, Uint8Array, Uint16Array, Int32Array, BigInt64Array, Float32Array, Float64Array];
const FOUND_WORDS = 9;
const SLOWEST = 1e-3; // m/s; slower velocities give no direction to face
const ERRORS = {/* ERRORS */};

/** What went wrong, with the number that the compiled step returned. */
export class KinematchError extends Error {
  constructor(code, about = "") {
    super((ERRORS[code] ?? `error ${code}`) + (about && `: ${about}`));
    this.name = "KinematchError";
    this.code = code;
  }
}

/** Characters that are stepped together; one character is a crowd of one. */
export class Kinematch {
  #exports;
  #memory;
  #own;
  #scratch;
  #views = new Map();

  /** Fetch and load what `kinematch export --to web` wrote: the address of its folder, or bytes `{ wasm, data }`. */
  static async load(source, { count = 1 } = {}) {
    const given = typeof source === "string" || source instanceof URL ? await fetchParts(String(source)) : source;
    const module = given.wasm instanceof WebAssembly.Module ? given.wasm : await WebAssembly.compile(given.wasm);
    return new Kinematch(module, await inflate(given.data), count);
  }

  /** From a compiled module and the bytes of a data file that is not compressed. */
  constructor(module, file, count = 1) {
    if (!Number.isSafeInteger(count) || count < 1) throw new KinematchError(-7, `${count}`);
    const start = STACK + 4096;
    const memory = new WebAssembly.Memory({ initial: Math.ceil((start + file.byteLength) / PAGE) + 1 });
    const pointer = new WebAssembly.Global({ value: "i32", mutable: true }, STACK);
    const instance = new WebAssembly.Instance(module, {
      env: { __linear_memory: memory, __stack_pointer: pointer },
    });
    this.#exports = instance.exports;
    this.#memory = memory;
    this.#scratch = STACK;
    new Uint8Array(memory.buffer).set(file, start);
    const needed = check(this.#exports.kinematch_measure(start, file.byteLength, count));
    const room = (start + file.byteLength + 63) & ~63;
    this.#grow(room + needed + 64);
    check(this.#exports.kinematch_place(start, file.byteLength, count, room, needed));
    this.#own = room;
    this.about = JSON.parse(this.#text(this.#exports.kinematch_about(room)));
    this.count = count;
    const stateSize = this.#exports.kinematch_state_size(room);
    this.#scratch = (room + needed + 63) & ~63; // where saved states are copied to
    this.#grow(this.#scratch + Math.max(stateSize, 4096));
    /** Bytes of a saved state. */
    this.stateSize = stateSize;
    /** What the last step showed: views of memory, which the next step writes over. */
    this.pose = Object.freeze({
      positions: this.array("pose.positions").data,
      rotations: this.array("pose.rotations").data,
      globalPositions: this.array("pose.global_positions").data,
      globalRotations: this.array("pose.global_rotations").data,
      contacts: this.array("pose.contacts").data,
      frames: this.array("pose.frames").data,
      sources: this.array("pose.sources").data,
      jumped: this.array("pose.jumped").data,
    });
  }

  /** What a character is to do from the next step on. Without a facing it faces where it goes; at rest it keeps it. */
  command({ velocity = [0, 0, 0], facing, filter = 0, source = 0 } = {}, n = 0) {
    const [vx, vy, vz] = velocity;
    const [fx, fy, fz] = facing ?? (Math.hypot(vx, vy, vz) > SLOWEST ? velocity : [0, 0, 0]);
    const which = this.#number("filters", filter);
    const from = this.#number("sources", source);
    check(this.#exports.kinematch_command(this.#own, n, vx, vy, vz, fx, fy, fz, which, from));
  }

  /** Move all characters on by a time in seconds; how many were reset, since their state was not finite. */
  step(dt) {
    return check(this.#exports.kinematch_step(this.#own, dt));
  }

  /** Move a character and its body to a place, at rest; its clip goes on. */
  teleport([x, y, z], yaw = 0, n = 0) {
    check(this.#exports.kinematch_teleport(this.#own, n, x, y, z, yaw));
  }

  /** Everything that evolves, as bytes; `into` saves making a new array. */
  save(into = new Uint8Array(this.stateSize)) {
    const size = check(this.#exports.kinematch_save(this.#own, this.#scratch, this.stateSize));
    into.set(new Uint8Array(this.#memory.buffer, this.#scratch, size));
    return into;
  }

  /** Go back to a saved state, bit for bit. */
  restore(bytes) {
    if (bytes.length !== this.stateSize) throw new KinematchError(-14);
    new Uint8Array(this.#memory.buffer, this.#scratch, bytes.length).set(bytes);
    check(this.#exports.kinematch_restore(this.#own, this.#scratch, bytes.length));
  }

  /** An array of the state, the orders, the settings or the pose by its name: a view of memory, and its shape. */
  array(name) {
    const known = this.#views.get(name);
    if (known) return known;
    const text = new TextEncoder().encode(`${name}\0`);
    if (text.length > 1024) throw new KinematchError(-10, name);
    new Uint8Array(this.#memory.buffer, this.#scratch, text.length).set(text);
    const out = (this.#scratch + 1024 + 63) & ~63;
    check(this.#exports.kinematch_find(this.#own, this.#scratch, out), name);
    const [at, kind, rank, ...lengths] = Array.from(new BigInt64Array(this.#memory.buffer, out, FOUND_WORDS), Number);
    const shape = lengths.slice(0, rank);
    const size = shape.reduce((product, length) => product * length, 1);
    const found = Object.freeze({ data: new KINDS[kind](this.#memory.buffer, size ? at : 0, size), shape });
    this.#views.set(name, found);
    return found;
  }

  #number(list, given) {
    const number = typeof given === "number" ? given : this.about[list].indexOf(given);
    if (number < 0 || number >= this.about[list].length)
      throw new KinematchError(-11, `${list} are ${this.about[list].join(", ")}; given ${given}`);
    return number;
  }

  #grow(bytes) {
    const missing = bytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
  }

  #text(start) {
    const bytes = new Uint8Array(this.#memory.buffer);
    return new TextDecoder().decode(bytes.subarray(start, bytes.indexOf(0, start)));
  }
}

function check(result, about) {
  if (result < 0) throw new KinematchError(result, about);
  return result;
}

async function fetchParts(folder) {
  const base = folder.endsWith("/") ? folder : `${folder}/`;
  const [wasm, data] = await Promise.all(
    ["step.wasm", "character.dat"].map(async (name) => {
      const answer = await fetch(base + name);
      if (!answer.ok) throw new Error(`${base}${name}: ${answer.status} ${answer.statusText}`);
      return new Uint8Array(await answer.arrayBuffer());
    }),
  );
  return { wasm, data };
}

/** The bytes of a data file, which begins with KINEMATC once it is not compressed. */
async function inflate(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  if (bytes[0] !== 0x78) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
