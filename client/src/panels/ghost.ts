/** The ghost: a second or so of a candidate, played where the character stands. */
import * as THREE from "three";
import { readStoredPoses, type StoredPoses } from "../messages";
import type { Figure } from "../scene/figure";
import { multiply, newPose, place, type GlobalPose, type Rig } from "../scene/kinematics";
import type { Studio } from "../studio";

const LASTS = 0.9,
  RESTS = 0.35; // s of motion, then of its last pose

export class Ghost {
  frame = -1;
  private poses: StoredPoses | null = null;
  private figure: Figure | null = null;
  private rig: Rig | null = null;
  private pose: GlobalPose | null = null;
  private started = 0;
  private readonly layer: THREE.Group;

  constructor(private readonly studio: Studio) {
    this.layer = studio.viewport.layer();
    studio.live.onChange((change) => {
      if (change === "welcome") this.clear();
    });
  }

  async show(frame: number): Promise<void> {
    const { live } = this.studio,
      welcome = live.welcome;
    // only a server has the database's poses
    if (!welcome || !live.sourceRig || !live.situation?.live || this.studio.serverless) return;
    this.frame = frame;
    const clip = welcome.clips.find((one) => frame >= one.start && frame < one.stop);
    const stop = Math.min(frame + Math.round(LASTS * welcome.frame_rate), clip?.stop ?? frame + 1);
    const answer = await fetch(`api/poses?start=${frame}&stop=${Math.max(stop, frame + 1)}`);
    if (!answer.ok || this.frame !== frame) return;
    this.poses = readStoredPoses(await answer.arrayBuffer());
    if (this.rig !== live.sourceRig) {
      this.studio.viewport.forget(this.figure);
      this.rig = live.sourceRig;
      this.pose = newPose(live.sourceRig);
      this.figure = this.studio.viewport.figure(live.sourceRig, this.layer, { opacity: 0.5, colour: "matched" });
    }
    this.started = performance.now();
  }

  clear(): void {
    this.frame = -1;
    this.poses = null;
    if (this.figure) this.figure.count = 0;
  }

  /** Pose the ghost so that its first root stands on the character's. */
  update(): void {
    const { live } = this.studio;
    this.layer.visible = live.layer.visible;
    if (!this.poses || !this.figure || !this.rig || !this.pose || !live.moment) return;
    const { count, rate, roots, positions, rotations } = this.poses;
    const played = ((performance.now() - this.started) / 1000) % (LASTS + RESTS);
    const k = Math.min(Math.floor(played * rate), count - 1);
    this.rig.forward(
      roots,
      4 * k,
      positions,
      3 * this.rig.info.positioned.length * k,
      rotations,
      4 * this.rig.count * k,
      this.pose.positions,
      this.pose.rotations,
    );
    const here = live.moment.before.roots,
      turn = here[3] - roots[3];
    const by = [0, Math.sin(turn / 2), 0, Math.cos(turn / 2)],
      away = [0, 0, 0],
      turned = new Float32Array(4);
    for (let j = 0; j < this.rig.count; j++) {
      for (let axis = 0; axis < 3; axis++) away[axis] = this.pose.positions[3 * j + axis] - roots[axis];
      place(by, 0, away, 0, here, 0, this.pose.positions, 3 * j);
      multiply(by, 0, this.pose.rotations, 4 * j, turned, 0);
      this.pose.rotations.set(turned, 4 * j);
    }
    this.figure.pose(0, this.pose);
  }
}
