/** Names above the heads of characters that play different files side by side. */
import * as THREE from "three";
import type { Live } from "../live";
import { colour } from "../ui/theme";
import type { Viewport } from "./viewport";

const WIDTH = 512,
  HEIGHT = 96; // pixels
const TALL = 0.17, // m
  ABOVE = 0.33; // m over the head joint

export class Labels {
  private sprites: THREE.Sprite[] = [];

  constructor(
    private readonly live: Live,
    viewport: Viewport,
  ) {
    live.onChange((change) => {
      if (change === "welcome") this.write();
    });
    viewport.painted(() => this.write());
  }

  private write(): void {
    for (const sprite of this.sprites) {
      sprite.removeFromParent();
      sprite.material.map?.dispose();
      sprite.material.dispose();
    }
    this.sprites = this.live.names.map((name) => {
      const canvas = document.createElement("canvas");
      canvas.width = WIDTH;
      canvas.height = HEIGHT;
      const pen = canvas.getContext("2d")!;
      pen.font = "600 52px system-ui, sans-serif";
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillStyle = colour("ink");
      pen.fillText(name, WIDTH / 2, HEIGHT / 2, WIDTH - 16);
      const map = new THREE.CanvasTexture(canvas);
      map.colorSpace = THREE.SRGBColorSpace;
      const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map, transparent: true, depthTest: false }));
      sprite.renderOrder = 10; // over the floor, which fades out and is drawn late
      sprite.scale.set((TALL * WIDTH) / HEIGHT, TALL, 1);
      this.live.layer.add(sprite);
      return sprite;
    });
  }

  update(): void {
    const head = 3 * (this.live.rig?.info.roles.head ?? 0);
    this.sprites.forEach((sprite, k) => {
      const pose = this.live.namedPose(k);
      sprite.visible = pose !== null;
      if (pose) sprite.position.set(pose.positions[head], pose.positions[head + 1] + ABOVE, pose.positions[head + 2]);
    });
  }
}
