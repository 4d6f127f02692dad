/** Types of kinematch.js. Metres, seconds and radians; +Y up, +Z forward; quaternions are w, x, y, z. */

export type Vector = ArrayLike<number> & Iterable<number>;

export interface Command {
  /** m/s along the ground of the world. */
  velocity?: Vector;
  /** A direction along the ground. Without one the character faces where it goes, and at rest keeps its facing. */
  facing?: Vector;
  /** A filter by its text or number in `about.filters`; the first is the character's own. */
  filter?: string | number;
  /** A source by its name or number in `about.sources`. */
  source?: string | number;
  /** What to do, such as a jump: entered in the next step, if one of its clips can meet the target. */
  action?: Action;
}

export interface Action {
  /** One of `about.actions[source]`. */
  name: string;
  /** m in the world, for the contact point of its event; without one, anywhere. */
  target?: Vector;
  /** A direction along the ground to face at the event. */
  facing?: Vector;
  /** s from now to the event. */
  when?: number;
}

/** Evenly spaced heights, bilinear between; outside, the height of the nearest edge. */
export interface HeightGrid {
  /** m, row after row of z: heights[column * rows + row] stands at origin + cell * (column, row). */
  heights: ArrayLike<number>;
  /** Samples along x. */
  columns: number;
  /** Samples along z. */
  rows: number;
  /** m between samples. */
  cell: number;
  /** m, x and z of the first sample. */
  origin?: [number, number];
  /** Whether it goes on without end, like tiles; its last column and row are its first. */
  repeats?: boolean;
}

/** What the last step showed, character after character: views of memory, which the next step writes over. */
export interface Pose {
  /** (N, J, 3) m, in the parent's space; joint 0 is the root on the ground. */
  readonly positions: Float32Array;
  /** (N, J, 4) in the parent's space. */
  readonly rotations: Float32Array;
  /** (N, J, 3) m in the world. */
  readonly globalPositions: Float32Array;
  /** (N, J, 4) in the world. */
  readonly globalRotations: Float32Array;
  /** (N, K) whether contact joints stand. */
  readonly contacts: Uint8Array;
  /** (N) frames of the source that play. */
  readonly frames: Int32Array;
  /** (N) sources that play. */
  readonly sources: Int32Array;
  /** (N) whether playback jumped to another frame in this step. */
  readonly jumped: Uint8Array;
}

export interface About {
  joints: string[];
  parents: number[];
  /** Humanoid roles, such as "hips", and their joints. */
  roles: Record<string, number>;
  /** m, places of joints in their parent's space at rest. */
  rest: [number, number, number][];
  /** w, x, y, z in the parent's space: the T-pose, by which motion is put on other bodies. */
  tpose: [number, number, number, number][];
  contact_joints: number[];
  filters: string[];
  sources: string[];
  /** What commands may ask each source to do. */
  actions: string[][];
  frame_rates: number[];
  /** m/s, a usual and a fast speed of the motion. */
  speeds: [number, number];
  settings: Record<string, unknown>;
}

export interface NamedArray {
  data: Float32Array | Float64Array | Int32Array | Int8Array | Uint8Array | Uint16Array | BigInt64Array;
  shape: number[];
}

export declare class KinematchError extends Error {
  readonly code: number;
}

export declare class Kinematch {
  /** Fetch and load what `kinematch export --to web` wrote: the address of its folder, or its files' bytes. */
  static load(
    source: string | URL | { wasm: BufferSource | WebAssembly.Module; data: Uint8Array | ArrayBuffer },
    options?: { count?: number },
  ): Promise<Kinematch>;
  /** From a compiled module and the bytes of a data file that is not compressed. */
  constructor(module: WebAssembly.Module, file: Uint8Array, count?: number);
  readonly about: About;
  readonly count: number;
  readonly pose: Pose;
  /** Bytes of a saved state. */
  readonly stateSize: number;
  readonly memory: ArrayBuffer;
  command(command?: Command, character?: number): void;
  /** Move all characters on by seconds; how many were reset, since their state was not finite. */
  step(dt: number): number;
  /** Stand on level ground (null), a grid of heights, or a function that returns the height in metres at x and z. */
  stand(ground: HeightGrid | ((x: number, z: number) => number) | null): void;
  teleport(position: Vector, yaw?: number, character?: number): void;
  save(into?: Uint8Array): Uint8Array;
  restore(state: Uint8Array): void;
  /** 104 bytes, from which another machine shows a character that differs for half a second. */
  saveBrief(character?: number): Uint8Array;
  restoreBrief(state: Uint8Array, character?: number): void;
  /** Further characters of the same data, which are commanded and stepped by themselves. */
  spawn(count?: number): Kinematch;
  /** Let go of the memory of spawned characters, the last first. */
  free(): void;
  /** An array by its name, such as "settings.velocity_halflife": a view of memory that may be written to, until more
   * characters are spawned. */
  array(name: string): NamedArray;
}
