/** A recipe's tables, as the server tells them: whole, with all defaults. */

export interface RangeTable {
  files: string;
  from: number;
  to: number | null;
  tags: string[];
  no_entry: boolean;
  no_exit: boolean;
  cost_factor: number;
}

export interface EventTable {
  kind: string;
  at: number; // s
  joint: string;
  below: number; // m
}

export interface ActionTable {
  name: string;
  files: string;
  entry: [number, number]; // s
  exit: number; // s
  events: EventTable[];
  target: string;
}

export interface SourceTable {
  files: string[];
  exclude: string[];
  builtin: string | null;
  tags: string[];
  loop: boolean;
  retarget: boolean;
  roles: Record<string, string>;
  trim: [number, number] | null;
  split: number[];
  drop: [number, number][];
  range: RangeTable[];
  action: ActionTable[];
  mirror: boolean | null;
  in_place: boolean;
}

export interface FeatureTable {
  kind: string;
  joint: string;
  times: number[];
  dimensions: number | null;
  axis: string;
  weight: number;
  name: string;
}

/** A recipe with all its defaults; the server checks it, the page only shows it. */
export interface Recipe {
  output: string;
  source: SourceTable[];
  cleaning: Record<string, unknown> & { frame_rate: number; mirror: boolean; floor: string; root: string };
  feature: FeatureTable[];
  matching: { normalisation: string; responsiveness: number; quality: number; tail: number };
}
