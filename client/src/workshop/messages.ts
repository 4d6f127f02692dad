// Written by `python -m kinematch.studio.workshop.typescript`; change workshop/messages.py instead.

/** Write a value at a place of the recipe; null takes the key out. */
export interface SetValue {
  type: "set";
  at: (string | number)[];
  value: unknown;
}

/** One more table in an array of tables. */
export interface AddTable {
  type: "add";
  at: (string | number)[];
  values: Record<string, unknown>;
}

/** Take out a key or a table. */
export interface RemoveKey {
  type: "remove";
  at: (string | number)[];
}

/** Write keys of files' sources; they get a source of their own first, unless `whole` means all its files. */
export interface SetForFiles {
  type: "set_for_files";
  files: string[];
  values: Record<string, unknown>;
  whole: boolean;
}

/** Put the doctor's lines into a file's source, joined with what is there; `whole` as above. */
export interface Paste {
  type: "paste";
  file: string;
  lines: string;
  whole: boolean;
}

/** Bring files of the folder into the recipe, with what the doctor prescribes. */
export interface Take {
  type: "take";
  files: string[];
}

/** Take a file out of the recipe; the file itself stays. */
export interface LeaveOut {
  type: "leave_out";
  file: string;
}

/** Write out the features that a recipe without any has, so that they can be changed. */
export interface SpellFeatures {
  type: "spell_features";
}

export interface EditRequest {
  text: string;
  edits: (SetValue | AddTable | RemoveKey | SetForFiles | Paste | Take | LeaveOut | SpellFeatures)[];
}

export interface ReportRequest {
  files: string[];
}

export interface RecipeText {
  text: string;
}

export interface RecipeProblem {
  line: number | null;
  message: string;
}

/** A file of the recipe, or one of its built-in motions. */
export interface UsedFile {
  path: string;
  name: string;
  source: number;
}

export interface FeatureRow {
  name: string;
  kind: string;
  joint: string;
  times: number[];
  dimensions: number;
  axis: string;
  weight: number;
  group: string;
  first: number;
  width: number;
}

/** A recipe's text, what is wrong with it, and what it means where it can be read. */
export interface Checked {
  text: string;
  saved: boolean;
  problems: RecipeProblem[];
  recipe: Record<string, unknown> | null;
  files: UsedFile[];
  features: FeatureRow[];
}

export interface FolderFile {
  path: string;
  size: number;
  used: boolean;
}

/** A folder below the project's that holds motion files. */
export interface Folder {
  path: string;
  files: number;
}

/** The build that is running, or the last one. */
export interface JobInfo {
  number: number;
  state: string;
  stage: string;
  done: number;
  total: number;
  seconds: number;
  message: string;
  line: number | null;
  file: string;
  database: string;
  summary: string;
  warnings: string[];
}

export interface ProjectInfo {
  folder: string;
  recipe: string;
  temporary: boolean;
  largest_upload: number;
  readable: string[];
  roles: string[];
  kinds: string[];
  kind_needs: Record<string, string[]>;
  reference: Record<string, Record<string, string>>;
  stored: string;
  checked: Checked;
  job: JobInfo;
}

export interface Listing {
  files: FolderFile[];
  folders: Folder[];
  more: boolean;
}

export interface Finding {
  severity: string;
  what: string;
  fix: string;
  state: string;
}

export interface FileReport {
  path: string;
  family: string;
  joints: number;
  frames: number;
  frame_rate: number;
  duration: number;
  facts: string[][];
  clips: string[];
  roles: Record<string, string>;
  missing_roles: string[];
  joint_names: string[];
  findings: Finding[];
  buildable: boolean;
  difference: string;
  difference_from: string;
}

export interface ClipRow {
  index: number;
  name: string;
  start: number;
  frames: number;
  seconds: number;
  loop: boolean;
  tags: string[];
  speed: number;
  fastest: number;
  turn: number;
  matchable: number;
  contacts: number[];
}

export interface GapRow {
  motion: string;
  seconds: number;
  wanted: number;
}

export interface CoverageInfo {
  speeds: number[];
  turns: number[];
  directions: number;
  speed_turn: number[][];
  speed_direction: number[][];
  standing: number;
  fastest: number;
  starts: number;
  stops: number;
  gaps: GapRow[];
}

export interface DatabaseInfo {
  name: string;
  frames: number;
  frame_rate: number;
  minutes: number;
  joints: number;
  tags: Record<string, number>;
  contact_names: string[];
  clips: ClipRow[];
  features: FeatureRow[];
  coverage: CoverageInfo;
  warnings: string[];
}

export interface Stretch {
  clip: number;
  name: string;
  start: number;
  stop: number;
  seconds: number;
  speed: number;
}

export interface Cell {
  seconds: number;
  stretches: Stretch[];
  more: number;
}

export type Edit =
  | SetValue
  | AddTable
  | RemoveKey
  | SetForFiles
  | Paste
  | Take
  | LeaveOut
  | SpellFeatures;
