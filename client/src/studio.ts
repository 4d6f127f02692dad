/** What every panel is given, and how a panel is registered. */
import type { Vector3 } from "three";
import type { Live } from "./live";
import type { WornCharacter } from "./scene/character";
import type { Viewport } from "./scene/viewport";
import type { Connection } from "./stream/connection";
import type { IconName } from "./ui/icons";

export interface Studio {
  viewport: Viewport;
  live: Live;
  connection: Connection;
  /** What the first character wears. */
  character: WornCharacter;
  /** A short note in the corner; bad ones stay longer. */
  say(text: string, kind?: "plain" | "good" | "bad", title?: string): void;
  /** Open a panel by its id. */
  open(id: string): void;
  /** JSON of a server's endpoint; errors are thrown with the server's own words. */
  ask<T>(path: string, options?: RequestInit & { headers?: Record<string, string> }): Promise<T>;
  /** Whether the page is dark; `themed` is called at once and at every change. */
  themed(changed: (dark: boolean) => void): void;
  /** Whether the step runs in the page, and what takes a server is left out. */
  serverless?: boolean;
}

export interface Panel {
  id: string;
  title: string;
  icon: IconName;
  /** side: 348 px beside the stage; wide: 620 px; full: instead of the stage; none: stage alone. */
  layout: "side" | "wide" | "full" | "none";
  /** live: the played character is shown; own: it is hidden and the panel's own layer is shown. */
  stage: "live" | "own";
  /** Whether the timeline shows below the stage: whole, slim or not. */
  dock?: "whole" | "slim" | "none";
  /** Called once, at the first opening; what it returns is shown in the side. */
  build(studio: Studio): HTMLElement | Promise<HTMLElement>;
  opened?(): void;
  closed?(): void;
  /** Each drawn frame while the panel is open; seconds since the last one. */
  frame?(seconds: number): void;
  /** What camera and light go along with while the panel is open and its stage is its own. */
  followed?(): { position: Vector3; yaw: number } | null;
  /** Files dropped on the page while the panel is open; false lets the next taker have them. */
  dropped?(files: File[]): boolean;
}

const panels: Panel[] = [];
const ORDER = ["play", "why", "tune", "build", "coverage", "clips", "train", "vr"]; // in the rail; others stand after them

export function registerPanel(panel: Panel): void {
  if (panels.some((other) => other.id === panel.id)) throw new Error(`panel '${panel.id}' is registered twice`);
  panels.push(panel);
}

export function registeredPanels(): readonly Panel[] {
  const place = (panel: Panel) => (ORDER.indexOf(panel.id) + ORDER.length + 1) % (ORDER.length + 1);
  return [...panels].sort((a, b) => place(a) - place(b));
}
