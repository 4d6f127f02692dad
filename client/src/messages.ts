// Written by `python -m kinematch.studio.typescript`; change src/kinematch/studio/messages.py instead.

export const PROTOCOL = 1;

/** Where the stick is; sent on every change, and the last one holds. */
export interface Stick {
  type: "stick";
  sequence: number;
  x: number;
  y: number;
  camera_yaw?: number;
  look_x?: number;
  look_y?: number;
  gait?: string;
  strafe?: boolean;
}

export interface Keypoint {
  x: number;
  z: number;
  speed: number;
}

/** Places to go through; replaces those before. */
export interface FollowPath {
  type: "follow_path";
  keypoints: Keypoint[];
  loops?: boolean;
}

export interface SteerBy {
  type: "steer_by";
  how: "path" | "stick";
}

/** So many characters; all but the first wander on their own. */
export interface SetCrowd {
  type: "set_crowd";
  count: number;
}

export interface SetTerrain {
  type: "set_terrain";
  on: boolean;
}

/** Everybody back to where they began. */
export interface StartOver {
  type: "start_over";
}

/** Some settings by name; `weights` by feature, null for the database's own. Those left out stay as they are. */
export interface ChangeSettings {
  type: "change_settings";
  values: Record<string, number | boolean | string | Record<string, number | null>>;
  side?: "a" | "b";
}

/** Some settings back to their defaults, or all of them when none is named. */
export interface ResetSettings {
  type: "reset_settings";
  names?: string[];
  side?: "a" | "b";
}

/** A second character with settings of its own (b), given the same input; it begins with a's settings. */
export interface Compare {
  type: "compare";
  on: boolean;
}

export interface SavePreset {
  type: "save_preset";
  name: string;
  side?: "a" | "b";
}

export interface LoadPreset {
  type: "load_preset";
  name: string;
  side?: "a" | "b";
}

export interface DeletePreset {
  type: "delete_preset";
  name: string;
}

export interface Pause {
  type: "pause";
}

/** Go on: from now, or from a past step, which forgets what came after it. */
export interface Resume {
  type: "resume";
  step?: number | null;
}

/** Pause and show a stored step, the very bytes that were sent when it was played. */
export interface Scrub {
  type: "scrub";
  step: number;
}

/** Why the frame of a character was chosen by its last search before or at a step; answered by Explanation. */
export interface Explain {
  type: "explain";
  step: number;
  character?: number;
  count?: number;
  request?: number;
}

/** Granted at once when nobody steers or who steers is idle; else they are asked (Situation.asking). */
export interface TakeSteering {
  type: "take_steering";
}

export interface HandOver {
  type: "hand_over";
  to: string;
}

/** How often poses are wanted: every so many steps; 0 for none. */
export interface Stream {
  type: "stream";
  every: number;
}

export interface Ping {
  type: "ping";
  time: number;
}

/** The drawn figure: round cones, each of whose two balls is carried by a joint (see kinematch.draw.body). */
export interface BodyInfo {
  joints: number[][];
  offsets: number[][][];
  radii: number[][];
  across: number[][];
  along: number[][];
  scales: number[][];
  tints: string[];
}

export interface SkeletonInfo {
  names: string[];
  parents: number[];
  offsets: number[][];
  rotations: number[][];
  tpose: number[][] | null;
  end_parents: number[];
  end_offsets: number[][];
  roles: Record<string, number>;
  positioned: number[];
  contact_joints: number[];
  body: BodyInfo;
}

/** A user's own character, which the motion is shown on; poses of the stream are of its skeleton. */
export interface CharacterInfo {
  name: string;
  drawn: boolean;
  scale: number;
  nodes: number[];
  skeleton: SkeletonInfo;
}

export interface FeatureInfo {
  name: string;
  kind: string;
  joint: string;
  group: string;
  times: number[];
  dimensions: number;
  start: number;
  stop: number;
  weight: number;
}

export interface SettingInfo {
  name: string;
  kind: "choice" | "number" | "switch" | "weights";
  default: number | boolean | string | Record<string, number | null>;
  text: string;
  unit: string;
  low: number;
  high: number;
  choices: string[];
}

export interface ClipInfo {
  name: string;
  start: number;
  stop: number;
  loops: boolean;
  tags: string[];
}

export interface GaitInfo {
  name: string;
  speed: number;
  filter: string;
}

export interface Watcher {
  client: string;
  name: string;
}

/** How things stand; sent whenever that changes. */
export interface Situation {
  type: "situation";
  playing: boolean;
  live: boolean;
  step: number;
  oldest: number;
  newest: number;
  how: "path" | "stick";
  keypoints: Keypoint[];
  loops: boolean;
  crowd: number;
  terrain: boolean;
  comparing: boolean;
  steers: string;
  asking: string;
  watchers: Watcher[];
}

export interface SettingsNow {
  type: "settings_now";
  a: Record<string, unknown>;
  b: Record<string, unknown> | null;
}

export interface Presets {
  type: "presets";
  names: string[];
  folder: string;
}

/** The first message, and again when another database is opened or another character is shown: begin anew. */
export interface Welcome {
  type: "welcome";
  protocol: number;
  version: string;
  client: string;
  database: string;
  path: string;
  frame_count: number;
  frame_rate: number;
  step_rate: number;
  skeleton: SkeletonInfo;
  character: CharacterInfo | null;
  features: FeatureInfo[];
  horizons: number[];
  settings_info: SettingInfo[];
  settings: SettingsNow;
  clips: ClipInfo[];
  tags: string[];
  gaits: GaitInfo[];
  reasons: string[];
  presets: Presets;
  situation: Situation;
}

export interface Candidate {
  frame: number;
  clip: string;
  clip_frame: number;
  cost: number;
  feature_costs: number[];
  features: number[];
}

export interface Explanation {
  type: "explanation";
  request: number;
  step: number;
  character: number;
  searched_because: string;
  query: number[];
  features: string[];
  staying: Candidate | null;
  candidates: Candidate[];
  chosen: number;
  reason: string;
}

/** Heights of the terrain on a square grid; none when it is flat. */
export interface Ground {
  type: "ground";
  size: number;
  count: number;
  heights: number[];
}

/** Something could not be done; nothing changed. */
export interface Problem {
  type: "problem";
  message: string;
  about: string;
  request: number;
}

export interface Notice {
  type: "notice";
  message: string;
}

export interface Pong {
  type: "pong";
  time: number;
}

export type PageMessage =
  | Stick
  | FollowPath
  | SteerBy
  | SetCrowd
  | SetTerrain
  | StartOver
  | ChangeSettings
  | ResetSettings
  | Compare
  | SavePreset
  | LoadPreset
  | DeletePreset
  | Pause
  | Resume
  | Scrub
  | Explain
  | TakeSteering
  | HandOver
  | Stream
  | Ping;

export type ServerMessage =
  | Situation
  | SettingsNow
  | Presets
  | Welcome
  | Explanation
  | Ground
  | Problem
  | Notice
  | Pong;

/** All characters at one step of the simulation; the first belongs to whoever steers. */
export interface PoseFrame {
  /** counts the steps of the simulation */
  step: number;
  /** seconds of simulated time */
  time: number;
  /** N: those of side a, then those of side b */
  characters: number;
  /** first character of side b; equal to characters when nothing is compared */
  second: number;
  /** J of the shown skeleton: Welcome.character's, else Welcome.skeleton */
  joints: number;
  /** P, as many joints of the shown skeleton as are positioned */
  positioned: number;
  /** H, as many as Welcome.horizons */
  horizons: number;
  /** T: character 0, and the first of side b if there is one, have trajectories */
  tracked: number;
  /** the last Stick.sequence that was heeded */
  sequence: number;
  /** that the step took */
  milliseconds: number;
  /** (characters) of the database, that play */
  frames: Int32Array;
  /** (characters) of the way to the next frame */
  fractions: Float32Array;
  /** (characters) 0: searched, 1: jumped, 8-15: contacts, 16-23: locked, 24-31: reason */
  bits: Uint32Array;
  /** (characters) of the last search */
  costs: Float32Array;
  /** (characters, 4) x y z, and yaw */
  roots: Float32Array;
  /** (characters, 8) simulated: x y z, velocity x y z, yaw, yaw rate */
  bodies: Float32Array;
  /** (characters, positioned, 3) in the parent's space */
  positions: Float32Array;
  /** (characters, joints, 4) in the parent's space, x y z w */
  rotations: Float32Array;
  /** (tracked, horizons, 4) trajectory asked for: x, z, direction x, z in the world */
  wanted: Float32Array;
  /** (tracked, horizons, 4) trajectory of the playing frame, likewise */
  matched: Float32Array;
}

export function isPoseFrame(buffer: ArrayBuffer): boolean {
  return buffer.byteLength >= 64 && new DataView(buffer).getUint32(0, true) === 827346251;
}

/** Views into the buffer; nothing is copied. */
export function readPoseFrame(buffer: ArrayBuffer): PoseFrame {
  if (!isPoseFrame(buffer)) throw new Error("no PoseFrame");
  const view = new DataView(buffer);
  const step = view.getUint32(4, true);
  const time = view.getFloat64(8, true);
  const characters = view.getUint32(16, true);
  const second = view.getUint32(20, true);
  const joints = view.getUint32(24, true);
  const positioned = view.getUint32(28, true);
  const horizons = view.getUint32(32, true);
  const tracked = view.getUint32(36, true);
  const sequence = view.getUint32(40, true);
  const milliseconds = view.getFloat32(44, true);
  let at = 64;
  const frames = new Int32Array(buffer, at, characters);
  at += 4 * characters;
  const fractions = new Float32Array(buffer, at, characters);
  at += 4 * characters;
  const bits = new Uint32Array(buffer, at, characters);
  at += 4 * characters;
  const costs = new Float32Array(buffer, at, characters);
  at += 4 * characters;
  const roots = new Float32Array(buffer, at, characters * 4);
  at += 4 * characters * 4;
  const bodies = new Float32Array(buffer, at, characters * 8);
  at += 4 * characters * 8;
  const positions = new Float32Array(buffer, at, characters * positioned * 3);
  at += 4 * characters * positioned * 3;
  const rotations = new Float32Array(buffer, at, characters * joints * 4);
  at += 4 * characters * joints * 4;
  const wanted = new Float32Array(buffer, at, tracked * horizons * 4);
  at += 4 * tracked * horizons * 4;
  const matched = new Float32Array(buffer, at, tracked * horizons * 4);
  at += 4 * tracked * horizons * 4;
  if (at !== buffer.byteLength) throw new Error("PoseFrame of a wrong length");
  return { step, time, characters, second, joints, positioned, horizons, tracked, sequence, milliseconds, frames, fractions, bits, costs, roots, bodies, positions, rotations, wanted, matched };
}

/** A stretch of database frames: GET /api/poses?start=0&stop=60. */
export interface StoredPoses {
  /** first frame */
  start: number;
  /** F */
  count: number;
  /** J */
  joints: number;
  /** P */
  positioned: number;
  /** K */
  contacts: number;
  /** frames a second */
  rate: number;
  /** (count, 4) x y z, and yaw */
  roots: Float32Array;
  /** (count) 8-15: contacts */
  bits: Uint32Array;
  /** (count, positioned, 3) in the parent's space */
  positions: Float32Array;
  /** (count, joints, 4) in the parent's space, x y z w */
  rotations: Float32Array;
}

export function isStoredPoses(buffer: ArrayBuffer): boolean {
  return buffer.byteLength >= 64 && new DataView(buffer).getUint32(0, true) === 827542859;
}

/** Views into the buffer; nothing is copied. */
export function readStoredPoses(buffer: ArrayBuffer): StoredPoses {
  if (!isStoredPoses(buffer)) throw new Error("no StoredPoses");
  const view = new DataView(buffer);
  const start = view.getUint32(4, true);
  const count = view.getUint32(8, true);
  const joints = view.getUint32(12, true);
  const positioned = view.getUint32(16, true);
  const contacts = view.getUint32(20, true);
  const rate = view.getFloat32(24, true);
  let at = 64;
  const roots = new Float32Array(buffer, at, count * 4);
  at += 4 * count * 4;
  const bits = new Uint32Array(buffer, at, count);
  at += 4 * count;
  const positions = new Float32Array(buffer, at, count * positioned * 3);
  at += 4 * count * positioned * 3;
  const rotations = new Float32Array(buffer, at, count * joints * 4);
  at += 4 * count * joints * 4;
  if (at !== buffer.byteLength) throw new Error("StoredPoses of a wrong length");
  return { start, count, joints, positioned, contacts, rate, roots, bits, positions, rotations };
}

/** What was played, one character's steps: GET /api/timeline?start=0&stop=600&character=0. */
export interface Timeline {
  /** whose */
  character: number;
  /** S */
  count: number;
  /** (count) in order, without those forgotten */
  steps: Uint32Array;
  /** (count) of the database */
  frames: Int32Array;
  /** (count) as in pose frames */
  bits: Uint32Array;
  /** (count) of the last search */
  costs: Float32Array;
}

export function isTimeline(buffer: ArrayBuffer): boolean {
  return buffer.byteLength >= 64 && new DataView(buffer).getUint32(0, true) === 827608395;
}

/** Views into the buffer; nothing is copied. */
export function readTimeline(buffer: ArrayBuffer): Timeline {
  if (!isTimeline(buffer)) throw new Error("no Timeline");
  const view = new DataView(buffer);
  const character = view.getUint32(4, true);
  const count = view.getUint32(8, true);
  let at = 64;
  const steps = new Uint32Array(buffer, at, count);
  at += 4 * count;
  const frames = new Int32Array(buffer, at, count);
  at += 4 * count;
  const bits = new Uint32Array(buffer, at, count);
  at += 4 * count;
  const costs = new Float32Array(buffer, at, count);
  at += 4 * count;
  if (at !== buffer.byteLength) throw new Error("Timeline of a wrong length");
  return { character, count, steps, frames, bits, costs };
}
