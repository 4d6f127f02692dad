/** Sources of the body's direction over the last seconds: where each says that the hips face, and how sure it is. */
import type { Bearing, CameraNow } from "../../messages";

const SPAN = 10; // s
const WIDTH = 320,
  HEIGHT = 96; // pixels
const RANGE = Math.PI / 3; // rad above and below the middle
const SOURCES = [
  ["trackers", "#e0a54a"],
  ["camera", "#4aa8e0"],
  ["fused", "#58c27d"],
] as const;

interface Row {
  time: number;
  trackers: Bearing | null;
  camera: Bearing | null;
  fused: Bearing;
}

/** The same direction within half a turn of another. */
export function near(yaw: number, other: number): number {
  return other + Math.atan2(Math.sin(yaw - other), Math.cos(yaw - other));
}

export class Bearings {
  readonly canvas = document.createElement("canvas");
  private rows: Row[] = [];

  constructor() {
    this.canvas.width = WIDTH;
    this.canvas.height = HEIGHT;
    this.canvas.className = "camera-bearings";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Where the hips face by each source, over the last ten seconds");
  }

  add(now: CameraNow): void {
    const last = this.rows[this.rows.length - 1];
    if (last && (now.time <= last.time || now.time - last.time > SPAN)) this.rows = [];
    this.rows.push({ time: now.time, trackers: now.trackers, camera: now.camera, fused: now.fused });
    this.rows = this.rows.filter((row) => row.time > now.time - SPAN);
  }

  /** How sure a source is, in degrees; null if it says nothing. */
  sureness(source: "trackers" | "camera" | "fused"): number | null {
    const said = this.rows[this.rows.length - 1]?.[source];
    return said ? (said.deviation * 180) / Math.PI : null;
  }

  draw(): void {
    const pen = this.canvas.getContext("2d")!;
    pen.clearRect(0, 0, WIDTH, HEIGHT);
    const last = this.rows[this.rows.length - 1];
    if (!last) return;
    // what is shown is how sources part from the body, whichever way it turns
    const x = (time: number) => WIDTH * (1 - (last.time - time) / SPAN);
    const y = (angle: number) => HEIGHT / 2 - (Math.max(-RANGE, Math.min(RANGE, angle)) / RANGE) * (HEIGHT / 2 - 4);
    pen.fillStyle = "#8894a055";
    pen.fillRect(0, HEIGHT / 2, WIDTH, 1);
    for (const [source, colour] of SOURCES) {
      pen.fillStyle = `${colour}22`;
      pen.strokeStyle = colour;
      pen.lineWidth = 1.5;
      let drawing = false;
      pen.beginPath();
      for (const row of this.rows) {
        const said = row[source];
        if (!said) {
          drawing = false;
          continue;
        }
        const angle = near(said.yaw, row.fused.yaw) - row.fused.yaw,
          at = x(row.time);
        if (said.deviation < RANGE)
          pen.fillRect(at - 1, y(angle + said.deviation), 2, y(angle - said.deviation) - y(angle + said.deviation));
        if (drawing) pen.lineTo(at, y(angle));
        else pen.moveTo(at, y(angle));
        drawing = true;
      }
      pen.stroke();
    }
  }
}

export const COLOURS = Object.fromEntries(SOURCES) as Record<"trackers" | "camera" | "fused", string>;
