/** The played characters: what the server told last, the moment shown now, and their figures on the stage. */
import * as THREE from "three";
import type { Explanation, Presets, SettingsNow, Situation, Welcome } from "./messages";
import { newPose, Rig, type GlobalPose } from "./scene/kinematics";
import type { Figure } from "./scene/figure";
import { GazeLead } from "./scene/person/gaze";
import type { BodyKind } from "./scene/shape";
import type { Viewport } from "./scene/viewport";
import type { Connection } from "./stream/connection";
import { CrowdBudget } from "./scene/crowd_budget";
import { CrowdPose } from "./stream/crowd_pose";
import { History } from "./stream/history";
import { Playback, type Moment } from "./stream/playback";

export type Change = "welcome" | "situation" | "settings" | "presets";
const FINE = 12; // figures up to so many are drawn with all their corners
const MEDIUM = 100; // and up to so many with some of them
const FILES_APART = 1.5; // m, at which the server starts several files side by side
const NEAR_CAMERA = 1.3; // m within which nobody else is drawn

export class Live {
  welcome: Welcome | null = null;
  situation: Situation | null = null;
  settings: SettingsNow | null = null;
  presets: Presets | null = null;
  rig: Rig | null = null; // of the skeleton that is shown
  sourceRig: Rig | null = null; // of the database
  moment: Moment | null = null;
  pinned: Moment | null = null; // shown in place of what plays, on this page alone
  readonly playback = new Playback();
  readonly history = new History();
  readonly layer: THREE.Group;
  readonly hips = new THREE.Vector3();
  yaw = 0;
  private kind = storedBody();
  private readonly gaze = new GazeLead();
  heroHidden = false; // while a user's own character stands in
  alone: number | null = null; // the only one shown of those that play side by side
  /** Metres along x by which side b, and neighbours of several files, are drawn apart; they start at these. */
  readonly apart = { b: 0, files: FILES_APART };
  readonly budget = new CrowdBudget();
  private crowdPose: CrowdPose | null = null;
  private hero: Figure | null = null;
  private second: Figure | null = null;
  private crowd: Figure | null = null;
  private readonly listeners: ((change: Change) => void)[] = [];
  private readonly explained: ((explanation: Explanation) => void)[] = [];
  private requests = 0;

  constructor(
    readonly connection: Connection,
    private readonly viewport: Viewport,
  ) {
    this.layer = viewport.layer();
    this.layer.add(viewport.blobs.object);
    viewport.onCoarseness = () => this.makeFigures();
    connection.on("welcome", (welcome) => this.begin(welcome));
    connection.on("situation", (situation) => this.stand(situation));
    connection.on("settings_now", (settings) => {
      this.settings = settings;
      this.tell("settings");
    });
    connection.on("presets", (presets) => {
      this.presets = presets;
      this.tell("presets");
    });
    connection.on("ground", (ground) => viewport.floor.show(ground));
    connection.on("explanation", (explanation) => {
      for (const listener of this.explained) listener(explanation);
    });
    connection.onFrame((frame) => {
      if (!this.rig || frame.joints !== this.rig.count) return;
      this.playback.add(frame, performance.now() / 1000);
      this.history.add(frame);
    });
  }

  onChange(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  onExplanation(listener: (explanation: Explanation) => void): void {
    this.explained.push(listener);
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  private begin(welcome: Welcome): void {
    this.playback.clear();
    this.history.clear();
    this.pinned = null; // it may be of another skeleton
    this.welcome = welcome;
    this.settings = welcome.settings;
    this.presets = welcome.presets;
    for (const figure of [this.hero, this.second, this.crowd]) this.viewport.forget(figure);
    this.second = this.crowd = null;
    this.sourceRig = new Rig(welcome.skeleton);
    this.rig = welcome.character ? new Rig(welcome.character.skeleton) : this.sourceRig;
    this.crowdPose = new CrowdPose(this.rig);
    this.alone = null;
    this.hero = this.viewport.figure(this.rig, this.layer, { kind: this.body });
    this.gaze.forget();
    if (welcome.situation.terrain === "flat") this.viewport.floor.show(null);
    this.viewport.follow.jump();
    this.tell("welcome");
    this.stand(welcome.situation);
    this.tell("settings");
    this.tell("presets");
  }

  /** What stands for the characters where no file is worn. */
  get body(): BodyKind {
    return this.kind;
  }

  set body(kind: BodyKind) {
    storeBody((this.kind = kind));
    this.makeFigures();
  }

  private makeFigures(): void {
    for (const figure of [this.hero, this.second, this.crowd]) this.viewport.forget(figure);
    this.second = this.crowd = null;
    if (!this.rig) return;
    this.hero = this.viewport.figure(this.rig, this.layer, { kind: this.kind });
    this.show(this.moment);
  }

  private stand(situation: Situation): void {
    this.situation = situation;
    this.history.bound(situation);
    if (situation.terrain === "flat") this.viewport.floor.show(null);
    this.tell("situation");
  }

  /** Whether this page may change things. */
  get steers(): boolean {
    return this.situation !== null && this.situation.live && this.situation.steers === this.connection.client;
  }

  get playing(): boolean {
    return this.situation?.playing ?? false;
  }

  /** The step shown now. */
  get step(): number {
    return this.moment ? (this.moment.share > 0.5 ? this.moment.after.step : this.moment.before.step) : -1;
  }

  pose(character = 0): GlobalPose | null {
    return this.crowdPose?.poses[character] ?? null;
  }

  /** Names of what plays side by side, the first character's first; empty where it plays alone. */
  get names(): string[] {
    const { database, compared } = this.welcome ?? { database: "", compared: [] };
    return compared.length ? [database, ...compared] : [];
  }

  /** The pose of one of those that have names, if it is shown. */
  namedPose(k: number): GlobalPose | null {
    if (!this.moment || (this.alone !== null && this.alone !== k)) return null;
    return this.pose(this.find(k));
  }

  /** The character of a name: the first, or one of the last before side b. */
  private find(k: number): number {
    return k === 0 || !this.moment ? 0 : this.moment.before.second - this.names.length + k;
  }

  /** Velocity of a joint of the first character, m/s, from one frame to the next; null where there is no next. */
  velocity(joint: number): [number, number, number] | null {
    const frames = this.playback.recent(),
      moment = this.moment;
    if (!moment || !this.rig || frames.length < 2) return null;
    const k = Math.max(frames.indexOf(moment.after), 1),
      before = frames[k - 1],
      after = frames[k];
    const span = after.time - before.time;
    if (!(span > 0)) return null;
    const places = [before, after].map((frame) => {
      const pose = newPose(this.rig!);
      this.rig!.forward(frame.roots, 0, frame.positions, 0, frame.rotations, 0, pose.positions, pose.rotations);
      return pose.positions;
    });
    return [0, 1, 2].map((axis) => (places[1][3 * joint + axis] - places[0][3 * joint + axis]) / span) as [
      number,
      number,
      number,
    ];
  }

  /** Ask why a step's frame was chosen; the number comes back in Explanation.request. */
  explain(step: number, count = 8): number {
    this.connection.send({ type: "explain", step, count, request: ++this.requests });
    return this.requests;
  }

  /** Show the moment of a local time, s. */
  update(now: number): void {
    this.show(this.pinned ?? this.playback.at(now, this.playing));
  }

  show(moment: Moment | null): void {
    this.moment = moment;
    if (!this.moment || !this.crowdPose || !this.rig || !this.hero) return;
    const second = this.moment.before.second,
      last = second - (this.names.length || 1); // of the crowd, behind the first
    const count = this.crowdPose.take(this.moment, (c) => c <= this.budget.most || c > last);
    const poses = this.crowdPose.poses;
    for (let c = last + 1; c < count; c++) if (c > 0) this.shift(poses[c], this.findShift(c));
    const followed = this.find(this.alone ?? 0);
    this.hero.pose(0, poses[followed], this.gaze.look(this.moment.before));
    this.hero.visible = !this.heroHidden;
    if (second < count)
      this.second ??= this.viewport.figure(this.rig, this.layer, {
        kind: this.body,
        colour: "simulated",
      });
    if (this.second) this.second.count = 0;
    if (second < count) this.second!.pose(0, poses[second]);
    const hidden = this.alone === null ? [0] : [0, ...this.names.map((_, k) => this.find(k))];
    const drawn = (c: number) => c < count && c !== second && (c <= this.budget.most || c > last);
    const others = poses.filter((_, c) => drawn(c) && !hidden.includes(c));
    const middle = this.rig.info.roles.hips ?? Math.min(1, this.rig.count - 1),
      hips = 3 * middle;
    this.drawn = others.length;
    this.showCrowd(others.filter((pose) => !this.isAtCamera(pose, hips)));
    this.viewport.blobs.show([poses[followed], ...(second < count ? [poses[second]] : []), ...others], middle);
    const at = poses[followed].positions;
    this.hips.set(at[hips], at[hips + 1], at[hips + 2]);
    this.yaw = this.moment.before.roots[4 * followed + 3];
  }

  /** How far from its own place a character is drawn, m along x. */
  findShift(character: number): number {
    const second = this.moment?.before.second ?? 0,
      number = character - (second - this.names.length); // 1 for the first of the other files
    if (character >= second) return this.apart.b;
    if (number < 1 || !this.names.length || character === 0) return 0;
    return (this.apart.files - FILES_APART) * (number % 2 ? 1 : -1) * ((number + 1) >> 1);
  }

  private shift(pose: GlobalPose, by: number): void {
    if (!by) return;
    const [x, , z] = pose.positions,
      { floor } = this.viewport,
      rise = floor.height(x + by, z) - floor.height(x, z);
    for (let k = 0; k < pose.positions.length; k += 3) {
      pose.positions[k] += by;
      pose.positions[k + 1] += rise;
    }
  }

  /** How many characters there are besides the first, and how many of them are drawn. */
  get crowdSize(): { all: number; drawn: number } {
    return { all: Math.max((this.situation?.crowd ?? 1) - 1, 0), drawn: this.drawn };
  }

  /** Draw less of the crowd where frames take too long. */
  pace(seconds: number): void {
    const { all, drawn } = this.crowdSize;
    this.budget.pace(seconds, all, drawn);
  }
  private drawn = 0; // of the crowd

  /** Whether a character stands where the camera is, and would hide the stage. */
  private isAtCamera({ positions }: GlobalPose, hips: number): boolean {
    const { x, z } = this.viewport.follow.camera.position;
    return Math.hypot(positions[hips] - x, positions[hips + 2] - z) < NEAR_CAMERA;
  }

  private showCrowd(poses: GlobalPose[]): void {
    const room = this.crowd ? this.crowd.capacity : 0;
    if (poses.length > room || (room > 64 && poses.length < room / 4)) {
      this.viewport.forget(this.crowd);
      this.crowd = this.viewport.figure(this.rig!, this.layer, {
        kind: this.body,
        first: 1,
        capacity: 2 ** Math.ceil(Math.log2(poses.length + 1)),
        corners: poses.length <= FINE ? "all" : poses.length <= MEDIUM ? "some" : "few",
      });
    }
    if (!this.crowd) return;
    this.crowd.count = 0;
    poses.forEach((pose, c) => this.crowd!.pose(c, pose));
  }
}

const BODY = "kinematch-body"; // where the browser keeps which one is drawn

function storedBody(): BodyKind {
  try {
    return localStorage.getItem(BODY) === "mannequin" ? "mannequin" : "person";
  } catch {
    return "person"; // storage may be forbidden
  }
}

function storeBody(kind: BodyKind): void {
  try {
    localStorage.setItem(BODY, kind);
  } catch {
    // as above: then it lasts for the page
  }
}
