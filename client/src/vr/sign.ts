/** A sign beside the mirror, for those who wear a headset and see no page: what buttons do, and how fast all is. */
import * as THREE from "three";
import type { Viewport } from "../scene/viewport";

const WIDTH = 512,
  HEIGHT = 400; // pixels

export class Sign {
  private readonly canvas = document.createElement("canvas");
  private readonly texture: THREE.CanvasTexture;
  private readonly object: THREE.Mesh;
  private written = "";

  constructor(viewport: Viewport) {
    this.canvas.width = WIDTH;
    this.canvas.height = HEIGHT;
    this.texture = new THREE.CanvasTexture(this.canvas);
    this.texture.colorSpace = THREE.SRGBColorSpace;
    this.object = new THREE.Mesh(
      new THREE.PlaneGeometry(0.9, (0.9 * HEIGHT) / WIDTH),
      new THREE.MeshBasicMaterial({ map: this.texture }),
    );
    this.object.visible = false;
    viewport.scene.add(this.object);
  }

  /** Hang it to the left of a spot's mirror, turned to the user. */
  face(spot: THREE.Vector3, size: number): void {
    this.object.scale.setScalar(size);
    this.object.position.set(spot.x + 1.75 * size, 1.35 * size, spot.z + 1.75 * size);
    this.object.lookAt(spot.x, 1.5 * size, spot.z);
  }

  set shown(shown: boolean) {
    this.object.visible = shown;
  }

  write(lines: string[]): void {
    const text = lines.join("\n");
    if (text === this.written) return;
    this.written = text;
    const pen = this.canvas.getContext("2d")!;
    pen.fillStyle = "#1b222b";
    pen.fillRect(0, 0, WIDTH, HEIGHT);
    lines.forEach((line, k) => {
      pen.fillStyle = k ? "#c6d0da" : "#ffffff";
      pen.font = `${k ? 400 : 600} ${k ? 26 : 32}px system-ui, sans-serif`;
      pen.fillText(line, 28, 56 + 42 * k, WIDTH - 56);
    });
    this.texture.needsUpdate = true;
  }
}
