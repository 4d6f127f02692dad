/** The body that the camera sees, laid over the trackers on the stage, and the camera itself. */
import * as THREE from "three";
import type { CameraNow } from "../../messages";
import { Strokes } from "../../scene/strokes";
import type { Viewport } from "../../scene/viewport";
import { LINES } from "./skeleton";

const SEEN = 0.3;
const FADED = 1000; // ms after which what was seen is not shown any more
const COLOURS = {
  left: new THREE.Color("#ffb35c"),
  right: new THREE.Color("#5cc8ff"),
  middle: new THREE.Color("#e8eef4"),
  camera: new THREE.Color("#58c27d"),
};
const CORNERS = [
  [-0.24, -0.18, 0.4],
  [0.24, -0.18, 0.4],
  [0.24, 0.18, 0.4],
  [-0.24, 0.18, 0.4],
]; // m, of what the camera sees, from it

export class AlignedFigure {
  private readonly strokes = new Strokes(80, { width: 2.5, through: true });
  private came = -Infinity;

  constructor(viewport: Viewport) {
    this.strokes.object.visible = false;
    viewport.scene.add(this.strokes.object);
  }

  get shown(): boolean {
    return this.strokes.object.visible;
  }

  take(now: CameraNow): void {
    this.came = now.places.length ? performance.now() : this.came;
    if (!now.places.length) return;
    const { places, visibility } = now;
    this.strokes.begin();
    for (const [from, to, side] of LINES)
      if (Math.min(visibility[from], visibility[to]) > SEEN)
        this.strokes.line(
          places[3 * from],
          places[3 * from + 1],
          places[3 * from + 2],
          places[3 * to],
          places[3 * to + 1],
          places[3 * to + 2],
          COLOURS[side],
        );
    if (now.position.length) this.drawCamera(now);
    this.strokes.end();
  }

  update(): void {
    this.strokes.object.visible = performance.now() - this.came < FADED;
  }

  private drawCamera(now: CameraNow): void {
    const turn = new THREE.Quaternion().setFromEuler(new THREE.Euler(now.pitch, now.yaw, 0, "YXZ"));
    const at = new THREE.Vector3().fromArray(now.position);
    const corners = CORNERS.map((one) => new THREE.Vector3().fromArray(one).applyQuaternion(turn).add(at));
    corners.forEach((corner, k) => {
      const next = corners[(k + 1) % corners.length];
      this.strokes.line(at.x, at.y, at.z, corner.x, corner.y, corner.z, COLOURS.camera);
      this.strokes.line(corner.x, corner.y, corner.z, next.x, next.y, next.z, COLOURS.camera);
    });
  }
}
