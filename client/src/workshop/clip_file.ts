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
  worn_scale: number; // of the worn character's way, over the clip's own
  notice: string; // why the file is shown as it is, and not as it would be built
  clips: string[]; // of the file, where there are several
  features: FeatureRow[];
  feature_problem: string;
}

/** Poses of all frames, on the clip's own skeleton or on that of the worn character. */
export interface ClipMotion {
  joints: number;
  positions: Float32Array; // (F, J, 3) global, m
  rotations: Float32Array; // (F, J, 4) global, x y z w
  roots: Float32Array; // (F, 4) x y z, yaw
}

export interface ClipData extends ClipMotion {
  about: ClipAbout;
  frames: number;
  worn: ClipMotion | null; // on the worn character, if there is one that can show it
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
  const motion = (prefix: string): ClipMotion => ({
    joints: header[`${prefix}positions`].shape[1],
    positions: floats(`${prefix}positions`),
    rotations: floats(`${prefix}rotations`),
    roots: floats(`${prefix}roots`),
  });
  return {
    ...motion(""),
    about: JSON.parse(header.__metadata__.clip) as ClipAbout,
    frames: header.positions.shape[0],
    worn: header.worn_positions ? motion("worn_") : null,
    contacts: new Uint8Array(bytes("contacts")),
    features: floats("features"),
    columns: header.features.shape[1],
  };
}

/** The clip as the worn character does it: its poses and path, and the features in its measures; null for none. */
export function dressClip(clip: ClipData, body: SkeletonInfo | null): ClipData | null {
  if (!clip.worn || clip.worn.joints !== body?.names.length) return null;
  const { about } = clip;
  const owners = new Map(Object.entries(about.skeleton.roles).map(([role, joint]) => [joint, role]));
  const features = clip.features.slice();
  for (const row of about.features) {
    if (row.kind.endsWith("direction")) continue;
    const last = row.first + row.dimensions * Math.max(row.times.length, 1);
    for (let f = 0; f < clip.frames; f++)
      for (let k = clip.columns * f + row.first; k < clip.columns * f + last; k++) features[k] *= about.worn_scale;
  }
  const contacts = about.contact_joints.map((joint) => body.roles[owners.get(joint) ?? ""] ?? -1);
  return { ...clip, ...clip.worn, features, about: { ...about, skeleton: body, contact_joints: contacts } };
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
