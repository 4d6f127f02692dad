/** What the page uses of kinematch.js, and what is told of the character besides its arrays. */
import type { Ground, Welcome } from "../messages";

export interface NamedArray {
  data: Float32Array | Float64Array | Int32Array | Int8Array | Uint8Array | Uint16Array | BigInt64Array;
  shape: number[];
}

export interface HeightGrid {
  heights: number[];
  columns: number;
  rows: number;
  cell: number;
  origin: [number, number];
  repeats: boolean;
}

/** Top speeds of a gait, m/s, and the filters that it searches with. */
export interface GaitSpeeds {
  forward: number;
  sideways: number;
  backward: number;
  filter: string;
  /** Where it walks or stands, so that the motion of runs is kept from it. */
  walks: string | null;
}

export interface PageAbout {
  welcome: Welcome;
  gaits: Record<string, GaitSpeeds>;
  grounds: Record<string, Ground>;
  /** How many leaves the search tree of each source has. */
  leaves: number[];
}

export interface About {
  joints: string[];
  parents: number[];
  roles: Record<string, number>;
  rest: [number, number, number][];
  tpose: [number, number, number, number][];
  filters: string[];
  sources: string[];
  /** Of each source, the actions that can be asked for. */
  actions: string[][];
  page: PageAbout;
}

export interface Loaded {
  readonly about: About;
  readonly count: number;
  readonly memory: ArrayBuffer;
  readonly stateSize: number;
  readonly pose: { globalPositions: Float32Array; globalRotations: Float32Array };
  command(
    command: { velocity: number[]; facing?: number[]; filter?: number; source?: number; action?: { name: string } },
    character?: number,
  ): void;
  step(dt: number): number;
  stand(ground: HeightGrid | null): void;
  teleport(position: number[], yaw?: number, character?: number): void;
  save(into?: Uint8Array): Uint8Array;
  restore(state: Uint8Array): void;
  spawn(count: number): Loaded;
  free(): void;
  array(name: string): NamedArray;
}

/** The module that lies beside the page, where a site may replace it; in a page of one file it is in the page. */
export async function loadCharacter(): Promise<Loaded> {
  const held = (id: string) => document.getElementById(id)?.textContent ?? null;
  const script = held("kinematch-module");
  const address =
    script === null
      ? new URL("kinematch.js", document.baseURI).href
      : URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { Kinematch } = (await import(/* @vite-ignore */ address)) as {
    Kinematch: { load(source: string | { wasm: Uint8Array; data: Uint8Array }): Promise<Loaded> };
  };
  const [wasm, data] = [held("kinematch-step"), held("kinematch-data")];
  if (wasm !== null && data !== null) return Kinematch.load({ wasm: await fromBase64(wasm), data: await fromBase64(data) });
  return Kinematch.load(new URL(".", document.baseURI).href);
}

async function fromBase64(text: string): Promise<Uint8Array> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
