/** Simulation: the steered character and those that wander, step by step, with what is needed to go back and explain. */
import type { Ground, PoseFrame } from "../messages";
import type { Loaded } from "./loaded";
import { readBody, readFeatures, transpose } from "./memory";
import { Pilot, startPlace, type Told } from "./pilot";

export const RATE = 60; // steps a second
const KEPT = 3600; // steps that can be gone back to
const FEW = 4; // characters whose states are kept at every step
const SELDOM = 15; // steps between kept states of more than those
const PATIENCE = 0.6; // s for which an action is asked for until it is entered, as acts.py
const FARTHEST = 5000; // m from the middle of the world, beyond which numbers get coarse
const HALFLIFE_FACTOR = 1.6783469900166605; // of a critically damped spring, as kinematch.math.spring

/** What a search of the first character was asked with. */
export interface Search {
  step: number;
  query: Float32Array;
  frame: number; // that played
  left: number;
  idle: boolean;
  filter: number;
  speed: number; // m/s, that was commanded
  reason: number;
}

interface Moment {
  frame: PoseFrame;
  states: Uint8Array[] | null;
  search: Search | null;
}

export class Simulation {
  step = -1;
  readonly pilot: Pilot;
  source = 0;
  private asked: { name: string; left: number } | null = null;
  moments: Moment[] = [];
  private others: Loaded | null = null;
  private ground: Ground | null = null;
  private readonly positioned: number[];
  private readonly joints: number;

  constructor(readonly hero: Loaded) {
    const { page } = hero.about;
    this.pilot = new Pilot(page.gaits);
    this.positioned = page.welcome.skeleton.positioned;
    this.joints = hero.about.joints.length;
  }

  get crowd(): number {
    return 1 + (this.others?.count ?? 0);
  }

  get oldest(): number {
    return this.moments[0]?.frame.step ?? 0;
  }

  set crowd(count: number) {
    this.others?.free();
    this.others = count > 1 ? this.hero.spawn(count - 1) : null;
    if (!this.others) return;
    const first = readBody(this.hero, 0);
    for (let n = 0; n < this.others.count; n++) {
      const [x, z] = startPlace(n, first);
      this.others.teleport([x, this.height(x, z), z], first.yaw, n);
    }
    this.standAll();
  }

  stand(ground: Ground | null): void {
    this.ground = ground;
    this.standAll();
  }

  private standAll(): void {
    const ground = this.ground && {
      heights: transpose(this.ground),
      columns: this.ground.columns,
      rows: this.ground.rows,
      cell: this.ground.cells[1],
      origin: this.ground.origin as [number, number],
      repeats: true,
    };
    for (const own of [this.hero, this.others]) own?.stand(ground);
  }

  /** Have the first character do an action as soon as it can. */
  act(name: string): void {
    if (this.hero.about.actions[this.source]?.includes(name)) this.asked = { name, left: PATIENCE };
  }

  startOver(): void {
    for (const own of [this.hero, this.others]) {
      if (!own) continue;
      for (let n = 0; n < own.count; n++) {
        const [x, z] = own === this.hero ? [0, 0] : startPlace(n, { x: 0, z: 0, vx: 0, vz: 0, yaw: 0 });
        own.teleport([x, this.height(x, z), z], 0, n);
      }
    }
    this.pilot.begin();
  }

  /** One step of all characters, which is kept. */
  advance(): PoseFrame {
    const began = performance.now(),
      dt = 1 / RATE;
    this.step++;
    const first = readBody(this.hero, 0);
    if (Math.hypot(first.x, first.z) > FARTHEST) this.startOver();
    const told = this.pilot.tell(first);
    this.order(this.hero, told, 0);
    if (this.others) {
      const bodies = Array.from({ length: this.others.count }, (_, n) => readBody(this.others!, n));
      this.pilot.wander(bodies, first, dt).forEach((one, n) => this.order(this.others!, one, n));
      this.others.step(dt);
    }
    this.hero.step(dt);
    if (this.asked && ((this.asked.left -= dt) <= 0 || Number(this.hero.array("acting.stretches").data[0]) >= 0))
      this.asked = null;
    const frame = this.take(performance.now() - began);
    this.keep(frame, told);
    return frame;
  }

  private order(own: Loaded, told: Told, n: number): void {
    const filter = Math.max(0, own.about.filters.indexOf(told.filter));
    const action = own === this.hero && this.asked ? { name: this.asked.name } : undefined;
    own.command({ velocity: told.velocity, facing: told.facing, filter, source: this.source, action }, n);
  }

  private keep(frame: PoseFrame, told: Told): void {
    const own = this.hero;
    let search: Search | null = null;
    if (frame.bits[0] & 1) {
      search = {
        step: this.step,
        query: (own.array("schedule.queries").data as Float32Array).slice(),
        frame: Number(own.array("schedule.frames").data[0]),
        left: Number(own.array("schedule.left").data[0]),
        idle: Boolean(own.array("schedule.idle").data[0]),
        filter: Math.max(0, own.about.filters.indexOf(told.filter)),
        speed: Math.hypot(told.velocity[0], told.velocity[2]),
        reason: frame.bits[0] >>> 24,
      };
    }
    const all = [this.hero, this.others].filter((one) => one !== null);
    const states = this.crowd <= FEW || this.step % SELDOM === 0 ? all.map((one) => one.save()) : null;
    this.moments.push({ frame, states, search });
    if (this.moments.length > KEPT) this.moments.shift();
  }

  /** The moment of a step, or the nearest one that is kept. */
  at(step: number): Moment {
    const first = this.oldest;
    return this.moments[Math.min(Math.max(step - first, 0), this.moments.length - 1)];
  }

  /** The last search at or before a step. */
  searchBefore(step: number): Search | null {
    for (let k = Math.min(step - this.oldest, this.moments.length - 1); k >= 0; k--)
      if (this.moments[k].search) return this.moments[k].search;
    return null;
  }

  /** Go on from a kept step; what came after it is forgotten. */
  goBack(step: number): void {
    let k = Math.min(Math.max(step - this.oldest, 0), this.moments.length - 1);
    const all = [this.hero, this.others].filter((one) => one !== null);
    const fits = (moment: Moment) =>
      moment.states?.length === all.length && moment.states.every((state, n) => state.length === all[n].stateSize);
    while (k > 0 && !fits(this.moments[k])) k--;
    if (!fits(this.moments[k])) return;
    this.moments.length = k + 1;
    this.moments[k].states!.forEach((state, n) => all[n].restore(state));
    this.step = this.moments[k].frame.step;
    this.pilot.begin();
  }

  /** What the page draws of this step: see messages.PoseFrame. */
  private take(milliseconds: number): PoseFrame {
    const { horizons } = this.hero.about.page.welcome,
      count = this.crowd,
      joints = this.joints,
      slots = this.positioned.length;
    const frame: PoseFrame = {
      step: this.step, time: this.step / RATE, characters: count, second: count, joints, positioned: slots,
      horizons: horizons.length, tracked: 1, sequence: this.pilot.stick.sequence, milliseconds,
      frames: new Int32Array(count), fractions: new Float32Array(count), bits: new Uint32Array(count),
      costs: new Float32Array(count), roots: new Float32Array(4 * count), bodies: new Float32Array(8 * count),
      positions: new Float32Array(3 * slots * count), rotations: new Float32Array(4 * joints * count),
      wanted: this.predict(horizons), matched: this.match(horizons),
    }; // prettier-ignore
    let c = 0;
    for (const own of [this.hero, this.others]) {
      if (own) for (let n = 0; n < own.count; n++) this.copy(own, n, frame, c++);
    }
    return frame;
  }

  private copy(own: Loaded, n: number, frame: PoseFrame, c: number): void {
    const data = (name: string) => own.array(name).data as Float64Array;
    const joints = this.joints;
    frame.frames[c] = data("pose.frames")[n];
    frame.fractions[c] = data("pose.fractions")[n];
    frame.costs[c] = data("pose.costs")[n];
    const searched = data("pose.searched")[n];
    let bits = searched | (data("pose.jumped")[n] << 1);
    for (const [name, first] of [
      ["pose.contacts", 8],
      ["pose.locked", 16],
    ] as const) {
      const { data: flags, shape } = own.array(name);
      for (let k = 0; k < Math.min(shape[1], 8); k++) bits |= Number(flags[n * shape[1] + k]) << (first + k);
    }
    frame.bits[c] = (bits | (searched ? data("pose.reasons")[n] << 24 : 0)) >>> 0;
    const places = data("playing.positions");
    for (let k = 0; k < 3; k++) frame.roots[4 * c + k] = places[3 * n + k];
    frame.roots[4 * c + 3] = data("playing.yaws")[n];
    for (let k = 0; k < 3; k++) {
      frame.bodies[8 * c + k] = data("body.positions")[3 * n + k];
      frame.bodies[8 * c + 3 + k] = data("body.velocities")[3 * n + k];
    }
    frame.bodies[8 * c + 6] = data("body.yaws")[n];
    frame.bodies[8 * c + 7] = data("body.yaw_rates")[n];
    const positions = data("pose.positions"),
      rotations = data("pose.rotations");
    this.positioned.forEach((joint, slot) => {
      for (let k = 0; k < 3; k++)
        frame.positions[3 * (c * this.positioned.length + slot) + k] = positions[3 * (n * joints + joint) + k];
    });
    for (let j = 0; j < joints; j++) {
      const from = 4 * (n * joints + j),
        to = 4 * (c * joints + j);
      for (let k = 0; k < 3; k++) frame.rotations[to + k] = rotations[from + 1 + k];
      frame.rotations[to + 3] = rotations[from];
    }
  }

  /** Where the command leads: the springs of the simulated body, ahead in time; (H, 4) x, z and direction. */
  private predict(horizons: number[]): Float32Array {
    const own = this.hero,
      data = (name: string) => own.array(name).data as Float64Array;
    const out = new Float32Array(4 * horizons.length);
    const [px, , pz] = data("body.positions"),
      [vx, , vz] = data("body.velocities"),
      [ax, , az] = data("body.accelerations"),
      [gx, , gz] = data("orders.velocities"),
      [fx, , fz] = data("orders.facings");
    const yaw = data("body.yaws")[0],
      goal = Math.hypot(fx, fz) > 1e-6 ? Math.atan2(fx, fz) : yaw;
    const w = HALFLIFE_FACTOR / Math.max(data("settings.velocity_halflife")[0], 1e-6),
      u = HALFLIFE_FACTOR / Math.max(data("settings.facing_halflife")[0], 1e-6);
    const away = Math.atan2(Math.sin(yaw - goal), Math.cos(yaw - goal)),
      rate = data("body.yaw_rates")[0];
    horizons.forEach((t, k) => {
      const decay = Math.exp(-w * t);
      [
        [px, vx, ax, gx],
        [pz, vz, az, gz],
      ].forEach(([p, v, a, g], axis) => {
        const j0 = v - g,
          j1 = a + j0 * w;
        out[4 * k + axis] = decay * (-j1 / (w * w) + (-j0 - j1 * t) / w) + j1 / (w * w) + j0 / w + g * t + p;
      });
      const turned = goal + Math.exp(-u * t) * (away + (rate + away * u) * t);
      out[4 * k + 2] = Math.sin(turned);
      out[4 * k + 3] = Math.cos(turned);
    });
    return out;
  }

  /** Where the playing frame leads, by its features; NaN where it has none. */
  private match(horizons: number[]): Float32Array {
    const own = this.hero,
      { welcome } = own.about.page,
      out = new Float32Array(4 * horizons.length).fill(NaN);
    const number = Number(own.array("playing.sources").data[0]);
    const values = readFeatures(own, number, Number(own.array("playing.frames").data[0]));
    if (!values) return out;
    const root = own.array("playing.positions").data as Float64Array,
      yaw = Number(own.array("playing.yaws").data[0]),
      sine = Math.sin(yaw),
      cosine = Math.cos(yaw);
    for (const feature of welcome.features) {
      const place = feature.kind === "trajectory_position";
      if (!place && feature.kind !== "trajectory_direction") continue;
      feature.times.forEach((time, t) => {
        const k = horizons.indexOf(time),
          first = feature.start + t * feature.dimensions;
        if (k < 0) return;
        const x = values[first],
          z = values[first + feature.dimensions - 1];
        out[4 * k + (place ? 0 : 2)] = cosine * x + sine * z + (place ? root[0] : 0);
        out[4 * k + (place ? 1 : 3)] = -sine * x + cosine * z + (place ? root[2] : 0);
      });
    }
    return out;
  }

  height(x: number, z: number): number {
    const ground = this.ground;
    if (!ground) return 0;
    const at = (place: number, first: number, cell: number, count: number) => {
      let along = (place - first) / cell;
      along -= (count - 1) * Math.floor(along / (count - 1));
      const low = Math.min(Math.floor(along), count - 2);
      return [low, along - low];
    };
    const [i, u] = at(x, ground.origin[0], ground.cells[0], ground.columns),
      [j, v] = at(z, ground.origin[1], ground.cells[1], ground.rows);
    const height = (a: number, b: number) => ground.heights[b * ground.columns + a];
    return (
      (height(i, j) * (1 - u) + height(i + 1, j) * u) * (1 - v) +
      (height(i, j + 1) * (1 - u) + height(i + 1, j + 1) * u) * v
    );
  }
}
