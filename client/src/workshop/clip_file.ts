/** A clip as the server sends it: a safetensors file with poses, contacts and features, read without copying. */
import type { SkeletonInfo } from "../messages";
import { request } from "../stream/request";
import type { FeatureRow } from "./messages";

export interface ClipAbout {
  name: string;
  frame_rate: number; // of the frames sent
  step: number; // frames of the clip from one sent frame to the next
  duration: number; // s
  skeleton: SkeletonInfo;
  contact_joints: number[];
  grounded: boolean; // whether joint 0 is the ground root
  notice: string; // why the file is shown as it is, and not as it would be built
  clips: string[]; // of the file, where there are several
  features: FeatureRow[];
  feature_problem: string;
}

export interface ClipData {
  about: ClipAbout;
  frames: number;
  joints: number;
  positions: Float32Array; // (F, J, 3) global, m
  rotations: Float32Array; // (F, J, 4) global, x y z w
  roots: Float32Array; // (F, 4) x y z, yaw
  contacts: Uint8Array; // (F, K)
  features: Float32Array; // (F, D) in the root's frame
  columns: number; // D
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

export function readClip(buffer: ArrayBuffer): ClipData {
  const view = new DataView(buffer);
  const size = Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, size))) as Record<string, Entry> & {
    __metadata__: { clip: string };
  };
  const bytes = (name: string) => {
    const [start, stop] = header[name].data_offsets;
    return buffer.slice(8 + size + start, 8 + size + stop); // a slice, since arrays must begin at a multiple of four
  };
  const floats = (name: string) => new Float32Array(bytes(name));
  const [frames, joints] = header.positions.shape;
  return {
    about: JSON.parse(header.__metadata__.clip) as ClipAbout,
    frames,
    joints,
    positions: floats("positions"),
    rotations: floats("rotations"),
    roots: floats("roots"),
    contacts: new Uint8Array(bytes("contacts")),
    features: floats("features"),
    columns: header.features.shape[1],
  };
}

/** Fetch a clip; the server's own words are the error. */
export async function fetchClip(path: string, signal?: AbortSignal): Promise<ClipData> {
  return readClip(await (await request(path, { signal })).arrayBuffer());
}

/** The planted stretches [start, stop) of one contact joint, in frames. */
export function stances(clip: ClipData, contact: number): [number, number][] {
  const count = clip.about.contact_joints.length,
    out: [number, number][] = [];
  let start = -1;
  for (let f = 0; f <= clip.frames; f++) {
    const planted = f < clip.frames && clip.contacts[f * count + contact] > 0;
    if (planted && start < 0) start = f;
    if (!planted && start >= 0) {
      out.push([start, f]);
      start = -1;
    }
  }
  return out;
}

/** A vector of the root's frame, in the world. */
export function fromRoot(
  roots: Float32Array,
  frame: number,
  x: number,
  y: number,
  z: number,
): [number, number, number] {
  const at = 4 * frame,
    cos = Math.cos(roots[at + 3]),
    sin = Math.sin(roots[at + 3]);
  return [x * cos + z * sin, y, z * cos - x * sin];
}
