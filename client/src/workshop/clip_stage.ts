/** A clip on the stage: the figure, its root path, contacts, joints to point at, and features drawn where they are. */
import * as THREE from "three";
import type { Studio } from "../studio";
import type { Figure } from "../scene/figure";
import type { CharacterModel } from "../scene/model";
import { newPose, Rig, type GlobalPose } from "../scene/kinematics";
import { Strokes } from "../scene/strokes";
import { colour } from "../ui/theme";
import { dressClip, fromRoot, type ClipData } from "./clip_file";
import { drawFeatures, seriesColour } from "./feature_strokes";

export interface Shows {
  path: boolean;
  contacts: boolean;
  joints: boolean;
  features: boolean;
}

const NEAR = 8; // s of the root's path, before and after
const DOTS = 300; // joints at most that can be pointed at

export class ClipStage {
  readonly layer: THREE.Group;
  clip: ClipData | null = null;
  time = 0; // s
  playing = true;
  speed = 1;
  shows: Shows = { path: true, contacts: true, joints: false, features: false };
  highlight = -1; // a feature
  bounds: [number, number] | null = null; // s, what is played over and over
  onTime: () => void = () => {};
  private rig: Rig | null = null;
  private figure: Figure | null = null;
  private pose: GlobalPose | null = null;
  private dressed: ClipData | null = null; // the clip on the worn character
  private model: CharacterModel | null = null; // a copy of that one's own
  private copied: CharacterModel | null = null; // what it is a copy of
  private readonly strokes = new Strokes(2400, { width: 2.6, through: true });
  private readonly ground = new Strokes(6400, { width: 1.8, opacity: 0.9 });
  private readonly dots: THREE.InstancedMesh;
  private readonly follow = new THREE.Vector3(0, 0.9, 0);
  private yaw = 0;
  hovered = -1;

  constructor(private readonly studio: Studio) {
    this.layer = studio.viewport.layer();
    this.layer.visible = false;
    const ball = new THREE.SphereGeometry(0.022, 12, 8);
    this.dots = new THREE.InstancedMesh(
      ball,
      new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }),
      DOTS,
    );
    this.dots.renderOrder = 14;
    this.dots.frustumCulled = false;
    this.dots.count = 0;
    this.layer.add(this.strokes.object, this.ground.object, this.dots);
  }

  /** Show another clip; the same skeleton keeps its figure and the camera its place. */
  show(clip: ClipData | null, keepTime = false): void {
    const before = this.clip;
    this.clip = clip;
    this.dressed = clip && dressClip(clip, this.studio.live.welcome?.character?.skeleton ?? null);
    if (!keepTime) {
      this.time = 0;
      this.bounds = null;
    }
    if (!clip) {
      this.studio.viewport.forget(this.figure);
      this.figure = null;
      this.draw();
      return;
    }
    const same =
      before &&
      before.joints === clip.joints &&
      JSON.stringify(before.about.skeleton) === JSON.stringify(clip.about.skeleton);
    if (!same || !this.figure) {
      this.studio.viewport.forget(this.figure);
      this.rig = new Rig(clip.about.skeleton);
      this.figure = this.studio.viewport.figure(this.rig, this.layer, {});
      this.pose = newPose(this.rig);
    }
    this.time = Math.min(this.time, this.length);
    this.draw();
    if (!keepTime) this.look();
    if (!same) this.fit(clip);
  }

  /** The camera goes to where the clip is, and looks at it from the front side. */
  look(): void {
    this.studio.viewport.follow.jump();
  }

  /** Go nearer to what is small, further from what is large. */
  private fit(clip: ClipData): void {
    let low = Infinity,
      high = -Infinity;
    for (let j = clip.about.grounded ? 1 : 0; j < clip.joints; j++) {
      low = Math.min(low, clip.positions[3 * j + 1]);
      high = Math.max(high, clip.positions[3 * j + 1]);
    }
    const { follow } = this.studio.viewport;
    const away = follow.camera.position.distanceTo(follow.controls.target),
      wanted = 3.1 * Math.max(high - low, 0.2);
    if (wanted > 1.4 * away || wanted < 0.6 * away) follow.zoom(wanted / away);
  }

  get length(): number {
    return this.clip ? Math.max((this.clip.frames - 1) / this.clip.about.frame_rate, 0) : 0;
  }

  get frame(): number {
    return this.clip ? Math.min(Math.round(this.time * this.clip.about.frame_rate), this.clip.frames - 1) : 0;
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, 0), this.length);
    this.draw();
    this.onTime();
  }

  step(frames: number): void {
    if (!this.clip) return;
    this.playing = false;
    this.seek((this.frame + frames) / this.clip.about.frame_rate);
  }

  update(seconds: number): void {
    if (!this.clip || !this.layer.visible) return;
    if (this.playing && this.length > 0) {
      const [from, to] = this.bounds ?? [0, this.length];
      this.time += Math.min(seconds, 0.1) * this.speed;
      if (this.time > to || this.time < from) this.time = from;
      this.onTime();
    }
    this.draw(seconds);
  }

  /** Whether the user's own character shows the clip: joints are pointed at on the clip's own skeleton. */
  get wears(): boolean {
    return this.model !== null && this.dressed !== null && !this.shows.joints;
  }

  /** Follow what is worn on Play. */
  private async dress(): Promise<void> {
    const { character } = this.studio;
    if (this.copied === character.model) return;
    this.copied = character.model;
    this.model?.dispose();
    this.model = null;
    const copy = await character.copy();
    if (this.copied !== character.model || !copy) return copy?.dispose();
    this.model = copy;
    this.layer.add(copy.scene);
  }

  followed(): { position: THREE.Vector3; yaw: number } | null {
    return this.clip ? { position: this.follow, yaw: this.yaw } : null;
  }

  private draw(seconds = 0): void {
    const { figure } = this,
      clip = this.wears ? this.dressed : this.clip;
    void this.dress();
    this.strokes.begin();
    this.ground.begin();
    this.dots.count = 0;
    if (this.model) this.model.scene.visible = this.wears;
    if (clip && figure && this.pose) {
      const f = this.frame;
      const pose = {
        positions: clip.positions.subarray(3 * clip.joints * f, 3 * clip.joints * (f + 1)),
        rotations: clip.rotations.subarray(4 * clip.joints * f, 4 * clip.joints * (f + 1)),
      };
      figure.visible = !this.wears;
      if (this.wears) this.model!.apply(pose, seconds);
      else {
        this.pose = pose;
        figure.pose(0, pose);
        figure.count = 1;
      }
      const hips = clip.about.skeleton.roles.hips ?? Math.min(1, clip.joints - 1);
      this.follow.set(
        pose.positions[3 * hips],
        Math.max(0.45, 0.95 * pose.positions[3 * hips + 1]),
        pose.positions[3 * hips + 2],
      );
      this.yaw = clip.roots[4 * f + 3];
      if (this.shows.path && clip.about.grounded) this.drawPath(clip, f);
      if (this.shows.contacts) this.drawContacts(clip, f, pose);
      if (this.shows.features && clip.columns) drawFeatures(this.strokes, clip, f, this.highlight);
      if (this.shows.joints) this.drawJoints(clip, pose);
    }
    this.strokes.end();
    this.ground.end();
    this.dots.instanceMatrix.needsUpdate = true;
    if (this.dots.instanceColor) this.dots.instanceColor.needsUpdate = true;
  }

  private drawPath(clip: ClipData, f: number): void {
    const past = new THREE.Color(colour("ink-faint")),
      ahead = new THREE.Color(colour("accent"));
    const reach = Math.round(NEAR * clip.about.frame_rate),
      first = Math.max(0, f - reach),
      last = Math.min(clip.frames - 1, f + reach);
    for (let k = first; k < last; k++) {
      const a = 4 * k,
        b = a + 4;
      this.ground.line(
        clip.roots[a],
        0.006,
        clip.roots[a + 2],
        clip.roots[b],
        0.006,
        clip.roots[b + 2],
        k < f ? past : ahead,
      );
    }
    const second = Math.max(1, Math.round(clip.about.frame_rate));
    for (let k = Math.ceil(first / second) * second; k <= last; k += second) {
      const [x, , z] = fromRoot(clip.roots, k, 0.05, 0, 0);
      this.ground.line(
        clip.roots[4 * k] - x,
        0.007,
        clip.roots[4 * k + 2] - z,
        clip.roots[4 * k] + x,
        0.007,
        clip.roots[4 * k + 2] + z,
        k < f ? past : ahead,
      );
    }
    const [x, , z] = fromRoot(clip.roots, f, 0, 0, 0.42),
      at = 4 * f;
    this.ground.ring(clip.roots[at], 0.008, clip.roots[at + 2], 0.12, ahead);
    this.ground.arrow(
      clip.roots[at],
      0.008,
      clip.roots[at + 2],
      clip.roots[at] + x,
      0.008,
      clip.roots[at + 2] + z,
      ahead,
    );
  }

  private drawContacts(clip: ClipData, f: number, pose: GlobalPose): void {
    const joints = clip.about.contact_joints;
    joints.forEach((joint, k) => {
      if (joint < 0 || !clip.contacts[f * joints.length + k]) return;
      const tone = new THREE.Color(colour("good"));
      const x = pose.positions[3 * joint],
        z = pose.positions[3 * joint + 2];
      this.ground.ring(x, 0.012, z, 0.11, tone);
      this.ground.ring(x, 0.012, z, 0.085, tone);
    });
  }

  private drawJoints(clip: ClipData, pose: GlobalPose): void {
    const owners = new Map(Object.entries(clip.about.skeleton.roles).map(([role, joint]) => [joint, role]));
    const matrix = new THREE.Matrix4();
    const tones = {
      known: new THREE.Color(colour("accent")),
      none: new THREE.Color(colour("warn")),
      hovered: new THREE.Color(colour("ink")),
    };
    const count = Math.min(clip.joints, DOTS);
    for (let j = 0; j < count; j++) {
      const hidden = clip.about.grounded && j === 0;
      const size = hidden ? 0 : j === this.hovered ? 1.6 : owners.has(j) ? 1 : 0.75;
      matrix
        .makeScale(size, size, size)
        .setPosition(pose.positions[3 * j], pose.positions[3 * j + 1], pose.positions[3 * j + 2]);
      this.dots.setMatrixAt(j, matrix);
      this.dots.setColorAt(j, j === this.hovered ? tones.hovered : owners.has(j) ? tones.known : tones.none);
    }
    this.dots.count = count;
  }

  /** The joint nearest to a pointer, within 14 pixels; -1 for none. */
  jointAt(event: { clientX: number; clientY: number }): number {
    const { clip, pose } = this;
    if (!clip || !pose || !this.shows.joints) return -1;
    const box = this.studio.viewport.renderer.domElement.getBoundingClientRect();
    const point = new THREE.Vector3();
    let best = -1,
      nearest = 14;
    for (let j = clip.about.grounded ? 1 : 0; j < clip.joints; j++) {
      const [x, y] = this.onScreen(j, point, box);
      const apart = Math.hypot(x - event.clientX, y - event.clientY);
      if (apart < nearest) {
        nearest = apart;
        best = j;
      }
    }
    return best;
  }

  /** Where a joint is in the window, in pixels. */
  onScreen(
    joint: number,
    point = new THREE.Vector3(),
    box = this.studio.viewport.renderer.domElement.getBoundingClientRect(),
  ): [number, number] {
    point.fromArray(this.pose!.positions, 3 * joint).project(this.studio.viewport.follow.camera);
    return [box.left + ((point.x + 1) / 2) * box.width, box.top + ((1 - point.y) / 2) * box.height];
  }
}

export { seriesColour };
