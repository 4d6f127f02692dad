/** A body that stands in one's place until one's own is made: the played character, as it stands. */
import * as THREE from "three";
import type { Live } from "../live";
import type { Figure } from "../scene/figure";
import { multiply, newPose, place, type GlobalPose, type Rig } from "../scene/kinematics";
import type { Viewport } from "../scene/viewport";

export class StandIn {
  readonly layer: THREE.Group;
  private figure: Figure | null = null;
  private rig: Rig | null = null;
  private pose: GlobalPose | null = null;

  constructor(
    private readonly live: Live,
    private readonly viewport: Viewport,
  ) {
    this.layer = viewport.layer();
  }

  get shown(): boolean {
    return this.layer.visible && this.figure !== null;
  }

  /** Show it on a spot, looking along +Z, or hide it. */
  update(shown: boolean, spot: THREE.Vector3): void {
    this.layer.visible = shown;
    const { rig } = this.live,
      pose = this.live.pose();
    if (!shown) {
      this.viewport.forget(this.figure);
      this.figure = this.rig = null;
    }
    if (!shown || !rig || !pose) return;
    if (rig !== this.rig) {
      this.viewport.forget(this.figure);
      this.rig = rig;
      this.pose = newPose(rig);
      this.figure = this.viewport.figure(rig, this.layer, { kind: this.live.body, own: true });
    }
    this.put(pose, spot);
    this.figure!.pose(0, this.pose!);
  }

  private put(from: GlobalPose, spot: THREE.Vector3): void {
    const to = this.pose!,
      root = from.positions.slice(0, 3),
      yaw = 2 * Math.atan2(from.rotations[1], from.rotations[3]);
    const back = [0, Math.sin(-yaw / 2), 0, Math.cos(yaw / 2)],
      at = [spot.x, 0, spot.z];
    for (let j = 0; j < this.rig!.count; j++) {
      const away = [0, 1, 2].map((k) => from.positions[3 * j + k] - root[k]);
      place(back, 0, away, 0, at, 0, to.positions, 3 * j);
      multiply(back, 0, from.rotations, 4 * j, to.rotations, 4 * j);
    }
  }
}
