/** Pilot: what characters are told, by the stick, along a path, or to wander by themselves. */
import type { PageMessage, PathPoint } from "../messages";
import type { GaitSpeeds } from "./loaded";

type Stick = Extract<PageMessage, { type: "stick" }>;
export interface Body {
  x: number;
  z: number;
  vx: number;
  vz: number;
  yaw: number;
}
export interface Told {
  velocity: number[];
  facing?: number[];
  filter: string;
}

const LOOK = 0.3; // of a second stick, beyond which it tells a facing
const FASTEST_WALK = 2.0,
  SLOWEST_RUN = 2.2; // m/s, where people change gait, as kinematch.control.walking
const REST = 0.35; // s of its speed that a body goes on for when it is stopped
const AHEAD = 0.45; // m along the path that are aimed at
const ARRIVED = 0.15; // m from the end of a path
const STROLL = [0.9, 1.4]; // m/s
const SPACING = 1.6,
  ROOM = 1.1; // m between neighbours at the start, and that they keep
const GOLDEN = 2.399963; // rad, the angle of sunflower seeds: it spreads any number of points evenly

export class Pilot {
  stick: Stick;
  how: "stick" | "path" = "stick";
  keypoints: PathPoint[] = [];
  loops = true;
  private progress = 0; // m along the path
  private wanderers: { heading: number; turning: number; speed: number }[] = [];

  constructor(private readonly gaits: Record<string, GaitSpeeds>) {
    this.stick = { type: "stick", sequence: 0, x: 0, y: 0, gait: Object.keys(gaits)[0] };
  }

  follow(keypoints: PathPoint[], loops: boolean): void {
    this.keypoints = keypoints;
    this.loops = loops;
    this.progress = 0;
  }

  begin(): void {
    this.progress = 0;
  }

  /** What the steered character is told. */
  tell(body: Body): Told {
    const told = this.how === "path" && this.keypoints.length > 1 ? this.alongPath(body) : this.byStick();
    const gait = this.gait;
    const [vx, , vz] = told.velocity;
    const walks = Math.hypot(vx, vz) <= FASTEST_WALK && Math.hypot(body.vx, body.vz) < SLOWEST_RUN;
    return walks && gait.walks !== null && told.filter === gait.filter ? { ...told, filter: gait.walks } : told;
  }

  private get gait(): GaitSpeeds {
    return this.gaits[this.stick.gait ?? ""] ?? Object.values(this.gaits)[0];
  }

  private byStick(): Told {
    const { stick, gait } = this,
      yaw = stick.camera_yaw ?? 0,
      sine = Math.sin(yaw),
      cosine = Math.cos(yaw);
    const length = Math.max(1, Math.hypot(stick.x, stick.y)),
      x = stick.x / length,
      y = stick.y / length;
    const pushed = [sine * y - cosine * x, cosine * y + sine * x]; // facing +Z with Y up, right is -X
    let facing: number[] | undefined;
    const lookX = stick.look_x ?? 0,
      lookY = stick.look_y ?? 0;
    if (Math.hypot(lookX, lookY) > LOOK) {
      const look = yaw + Math.atan2(-lookX, lookY);
      facing = [Math.sin(look), 0, Math.cos(look)];
    } else if (stick.strafe) facing = [sine, 0, cosine];
    const speed = topSpeed(gait, pushed, facing);
    return { velocity: [pushed[0] * speed, 0, pushed[1] * speed], facing, filter: gait.filter };
  }

  private alongPath(body: Body): Told {
    const closed = this.loops && this.keypoints.length > 2;
    const segments = this.keypoints.map((from, k) => ({ from, to: this.keypoints[(k + 1) % this.keypoints.length] }));
    if (!closed) segments.pop();
    const lengths = segments.map(({ from, to }) => Math.hypot(to.x - from.x, to.z - from.z));
    const total = lengths.reduce((sum, one) => sum + one, 0);
    const filter = Object.values(this.gaits)[0].filter;
    if (total < 1e-6) return { velocity: [0, 0, 0], filter };
    const at = (metres: number) => {
      let left = closed ? ((metres % total) + total) % total : Math.min(Math.max(metres, 0), total);
      let k = 0;
      while (k < segments.length - 1 && left > lengths[k]) left -= lengths[k++];
      const share = lengths[k] ? left / lengths[k] : 0,
        { from, to } = segments[k];
      return { x: from.x + share * (to.x - from.x), z: from.z + share * (to.z - from.z), speed: from.speed };
    };
    // where the body would come to rest: it never overshoots
    const x = body.x + REST * body.vx,
      z = body.z + REST * body.vz;
    for (let step = 0; step < 40; step++) {
      const here = at(this.progress),
        next = at(this.progress + 0.05);
      if (Math.hypot(next.x - x, next.z - z) >= Math.hypot(here.x - x, here.z - z)) break;
      this.progress += 0.05;
      if (!closed && this.progress >= total) break;
    }
    const end = at(total);
    if (!closed && this.progress >= total - 0.3 && Math.hypot(end.x - x, end.z - z) < ARRIVED)
      return { velocity: [0, 0, 0], filter };
    const goal = at(this.progress + AHEAD),
      away = [goal.x - x, goal.z - z],
      distance = Math.max(Math.hypot(...away), 1e-6);
    const speed = at(this.progress).speed * Math.min(1, distance / (0.6 * AHEAD));
    return { velocity: [(speed * away[0]) / distance, 0, (speed * away[1]) / distance], filter };
  }

  /** What the others are told, who wander around a place and make room for each other and for the first. */
  wander(bodies: Body[], first: Body, dt: number): Told[] {
    const inside = SPACING * (2 + 1.6 * Math.sqrt(bodies.length + 1)),
      filter = Object.values(this.gaits)[0].filter,
      walks = Object.values(this.gaits)[0].walks ?? filter;
    while (this.wanderers.length < bodies.length)
      this.wanderers.push({
        heading: 2 * Math.PI * random(),
        turning: 0,
        speed: STROLL[0] + (STROLL[1] - STROLL[0]) * random(),
      });
    return bodies.map((body, n) => {
      const own = this.wanderers[n];
      own.turning += (-own.turning * dt) / 1.5 + 1.2 * Math.sqrt(dt) * (random() + random() + random() - 1.5);
      const far = Math.hypot(body.x, body.z);
      if (far > inside) {
        const back = Math.atan2(-body.x, -body.z) - own.heading;
        own.turning += 3 * dt * Math.atan2(Math.sin(back), Math.cos(back));
      }
      own.heading += own.turning * dt;
      let x = own.speed * Math.sin(own.heading),
        z = own.speed * Math.cos(own.heading);
      for (const other of [first, ...bodies]) {
        if (other === body) continue;
        const dx = body.x - other.x,
          dz = body.z - other.z,
          apart = dx * dx + dz * dz;
        if (apart > 4 * ROOM * ROOM || apart < 1e-9) continue;
        const push = 1.5 * (2 * ROOM - Math.sqrt(apart));
        x += (push * dx) / Math.sqrt(apart);
        z += (push * dz) / Math.sqrt(apart);
      }
      const speed = Math.hypot(x, z),
        most = 1.2 * own.speed;
      if (speed > most) [x, z] = [(x * most) / speed, (z * most) / speed];
      return { velocity: [x, 0, z], filter: walks };
    });
  }
}

/** Half axes of one ellipse for the front half and of another for the back, as kinematch.control.stick. */
export function topSpeed(gait: GaitSpeeds, moves: number[], facing?: number[]): number {
  const length = Math.hypot(...moves);
  if (!length || !facing) return gait.forward;
  const along = (moves[0] * facing[0] + moves[1] * facing[2]) / length,
    across = (moves[0] * facing[2] - moves[1] * facing[0]) / length;
  return 1 / Math.hypot(along / (along > 0 ? gait.forward : gait.backward), across / gait.sideways);
}

/** Where those who wander stand at the beginning, around the first. */
export function startPlace(n: number, around: Body): [number, number] {
  const radius = SPACING * Math.sqrt(n + 1);
  return [around.x + radius * Math.sin((n + 1) * GOLDEN), around.z + radius * Math.cos((n + 1) * GOLDEN)];
}

let seed = 1;
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}
