/** What is drawn over the character to see why it moves so: trajectories, the simulated body, features, contacts, axes. */
import * as THREE from "three";
import type { Live } from "../live";
import type { PoseFrame } from "../messages";
import { colour } from "../ui/theme";
import { place } from "./kinematics";
import { Strokes } from "./strokes";
import type { Viewport } from "./viewport";

export const OVERLAYS = {
  wanted: ["Wanted trajectory", "what a search asks for now", "wanted"],
  matched: ["Matched trajectory", "where the playing frame leads", "matched"],
  body: ["Simulated body", "follows the stick exactly; the character is pulled towards it", "simulated"],
  root: ["Root and its trail", "the character's own ground point", "ink-soft"],
  features: ["Features of the pose", "joints and velocities that the search compares", "series-3"],
  contacts: ["Contacts and locks", "feet on the ground; two rings while locked", "good"],
  axes: ["Skeleton and axes", "bones, and the x y z of each joint", "series-6"],
} as const;
export type OverlayName = keyof typeof OVERLAYS;

export class Overlays {
  readonly layer: THREE.Group;
  readonly shown: Record<OverlayName, boolean>;
  private readonly ground = new Strokes(1200, { width: 2.5 });
  private readonly through = new Strokes(2400, { width: 2, through: true });
  private readonly trail = new Strokes(240, { width: 2, opacity: 0.7 });
  private readonly dots: THREE.InstancedMesh;
  private readonly colours = new Map<string, THREE.Color>();
  private dotCount = 0;
  private readonly matrix = new THREE.Matrix4();

  constructor(
    private readonly live: Live,
    private readonly viewport: Viewport,
  ) {
    this.layer = viewport.layer();
    this.dots = new THREE.InstancedMesh(
      new THREE.SphereGeometry(1, 14, 10),
      new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }),
      160,
    );
    this.dots.renderOrder = 13;
    this.dots.frustumCulled = false;
    this.layer.add(this.ground.object, this.through.object, this.trail.object, this.dots);
    this.shown = {
      wanted: false,
      matched: false,
      body: false,
      root: false,
      features: false,
      contacts: false,
      axes: false,
    };
    viewport.painted(() => this.colours.clear());
  }

  private paint(name: string): THREE.Color {
    let found = this.colours.get(name);
    if (!found) this.colours.set(name, (found = new THREE.Color(colour(name))));
    return found;
  }

  update(): void {
    this.dotCount = 0;
    for (const strokes of [this.ground, this.through, this.trail]) strokes.begin();
    const { moment } = this.live;
    if (moment && this.live.rig) {
      const frame = moment.share > 0.5 ? moment.after : moment.before;
      for (let t = 0; t < frame.tracked; t++) {
        if (this.shown.wanted) this.path(frame.wanted, frame, t, "wanted", 0.024);
        if (this.shown.matched) this.path(frame.matched, frame, t, "matched", 0.018);
      }
      if (this.shown.body) this.body(frame);
      if (this.shown.root) this.root(frame);
      if (this.shown.contacts) this.contacts(frame);
      if (this.shown.features) this.features();
      if (this.shown.axes) this.axes();
    }
    for (const strokes of [this.ground, this.through, this.trail]) strokes.end();
    this.dots.count = this.dotCount;
    this.dots.instanceMatrix.needsUpdate = true;
    if (this.dots.instanceColor) this.dots.instanceColor.needsUpdate = true;
  }

  private dot(x: number, y: number, z: number, radius: number, name: string): void {
    if (this.dotCount >= 160) return;
    this.matrix.makeScale(radius, radius, radius).setPosition(x, y, z);
    this.dots.setMatrixAt(this.dotCount, this.matrix);
    this.dots.setColorAt(this.dotCount++, this.paint(name));
  }

  private lift(x: number, z: number, by: number): number {
    return this.viewport.floor.height(x, z) + by;
  }

  private path(samples: Float32Array, frame: PoseFrame, tracked: number, name: string, by: number): void {
    const character = tracked === 0 ? 0 : frame.second,
      ink = this.paint(name);
    const shift = tracked === 0 ? 0 : this.live.findShift(character);
    let x = frame.roots[4 * character] + shift,
      z = frame.roots[4 * character + 2];
    for (let k = 0; k < frame.horizons; k++) {
      const at = 4 * (tracked * frame.horizons + k),
        nx = samples[at] + shift,
        nz = samples[at + 1];
      this.ground.line(x, this.lift(x, z, by), z, nx, this.lift(nx, nz, by), nz, ink);
      this.ground.ring(nx, this.lift(nx, nz, by), nz, 0.04, ink, 10);
      const tx = nx + 0.28 * samples[at + 2],
        tz = nz + 0.28 * samples[at + 3];
      this.ground.arrow(nx, this.lift(nx, nz, by), nz, tx, this.lift(tx, tz, by), tz, ink);
      x = nx;
      z = nz;
    }
  }

  private body(frame: PoseFrame): void {
    const ink = this.paint("simulated");
    const [x, , z, vx, , vz, yaw] = frame.bodies;
    const y = this.lift(x, z, 0.014);
    this.ground.ring(x, y, z, 0.3, ink);
    this.ground.arrow(
      x + 0.3 * Math.sin(yaw),
      y,
      z + 0.3 * Math.cos(yaw),
      x + 0.52 * Math.sin(yaw),
      y,
      z + 0.52 * Math.cos(yaw),
      ink,
    );
    if (Math.hypot(vx, vz) > 0.05) this.ground.arrow(x, y, z, x + 0.4 * vx, y, z + 0.4 * vz, ink);
  }

  private root(frame: PoseFrame): void {
    const ink = this.paint("ink-soft"),
      faint = this.paint("ink-faint");
    const [x, y, z, yaw] = frame.roots;
    this.ground.ring(x, y + 0.012, z, 0.1, ink, 20);
    this.ground.arrow(x, y + 0.012, z, x + 0.3 * Math.sin(yaw), y + 0.012, z + 0.3 * Math.cos(yaw), ink);
    const kept = this.live.playback.recent();
    for (let k = 1; k < kept.length; k++) {
      const a = kept[k - 1].roots,
        b = kept[k].roots;
      this.trail.line(a[0], a[1] + 0.01, a[2], b[0], b[1] + 0.01, b[2], faint);
    }
  }

  private contacts(frame: PoseFrame): void {
    const joints = this.live.rig!.info.contact_joints,
      pose = this.live.pose();
    if (!pose) return;
    joints.forEach((joint, k) => {
      const x = pose.positions[3 * joint],
        z = pose.positions[3 * joint + 2],
        y = this.lift(x, z, 0.016);
      const touches = (frame.bits[0] >>> (8 + k)) & 1,
        locked = (frame.bits[0] >>> (16 + k)) & 1;
      if (!touches && !locked) return this.ground.ring(x, y, z, 0.05, this.paint("ink-faint"), 16);
      this.ground.ring(x, y, z, 0.1, this.paint("good"), 24);
      if (locked) this.ground.ring(x, y, z, 0.055, this.paint("good"), 18);
    });
  }

  /** Positions of the compared joints, and their velocities, measured between the two frames shown. */
  private features(): void {
    const { welcome, rig, moment } = this.live,
      pose = this.live.pose();
    if (!welcome || !rig || !moment || !pose) return;
    // features name joints of the database; a worn character has others in the same roles
    const source = welcome.skeleton.names,
      roles = Object.entries(welcome.skeleton.roles);
    const role = (name: string) => roles.find(([, joint]) => joint === source.indexOf(name))?.[0] ?? name;
    const index = (name: string) =>
      welcome.character
        ? (rig.info.roles[role(name)] ?? -1)
        : Math.max(source.indexOf(name), rig.info.roles[name] ?? -1);
    for (const feature of welcome.features) {
      const joint = feature.joint ? index(feature.joint) : -1;
      if (joint < 0) continue;
      const x = pose.positions[3 * joint],
        y = pose.positions[3 * joint + 1],
        z = pose.positions[3 * joint + 2];
      this.dot(x, y, z, 0.028, "series-3");
      const velocity = feature.kind === "velocity" ? this.live.velocity(joint) : null;
      if (velocity)
        this.through.arrow(
          x,
          y,
          z,
          x + 0.25 * velocity[0],
          y + 0.25 * velocity[1],
          z + 0.25 * velocity[2],
          this.paint("series-2"),
        );
    }
  }

  private axes(): void {
    const { rig } = this.live,
      pose = this.live.pose();
    if (!rig || !pose) return;
    const tip = new Float32Array(3),
      names = ["bad", "good", "accent"];
    for (let j = 1; j < rig.count; j++) {
      const parent = rig.parents[j],
        p = pose.positions;
      if (parent > 0)
        this.through.line(
          p[3 * parent],
          p[3 * parent + 1],
          p[3 * parent + 2],
          p[3 * j],
          p[3 * j + 1],
          p[3 * j + 2],
          this.paint("ink-soft"),
        );
      for (let k = 0; k < 3; k++) {
        place(pose.rotations, 4 * j, [k === 0 ? 0.06 : 0, k === 1 ? 0.06 : 0, k === 2 ? 0.06 : 0], 0, p, 3 * j, tip, 0);
        this.through.line(p[3 * j], p[3 * j + 1], p[3 * j + 2], tip[0], tip[1], tip[2], this.paint(names[k]));
      }
    }
  }
}
