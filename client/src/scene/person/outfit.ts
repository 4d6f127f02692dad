/** A clothed person as solids around a stance: jacket, trousers, shoes, bag, skin, hair and face. */
import { face } from "./face";
import { hand } from "./hand";
import { add, mix, scale, subtract, unit, type Solid, type Vector } from "./solids";
import type { Stance } from "./stance";

export const TINTS = [
  "jacket",
  "trim",
  "trousers",
  "shoes",
  "soles",
  "bag",
  "skin",
  "lips",
  "hair",
  "white",
  "iris",
  "pupil",
] as const;
export type Tint = (typeof TINTS)[number];

/** Solids that form one surface. */
export interface Garment {
  tint: Tint;
  solids: Solid[];
  cell: number; // m, of the grid that the surface is found on
  width: number; // m, over which its solids flow together
  pull?: Solid[]; // further solids whose joints move it
}

const SIDES = ["left", "right"] as const;
type Side = (typeof SIDES)[number];
type Cut = { point: Vector; normal: Vector };

export function dress(stance: Stance): Garment[] {
  const trunk = measureTrunk(stance);
  const sleeves = SIDES.flatMap((side) => sleeve(stance, side)),
    torso = jacket(stance, trunk),
    legs = SIDES.flatMap((side) => trouserLeg(stance, trunk, side));
  const u = stance.unit;
  const garments: Garment[] = [
    { tint: "jacket", solids: [...torso, ...sleeves], cell: 0.014, width: 0.045, pull: legs },
    { tint: "trim", solids: [...chestBand(torso, trunk, u), ...sleeves.map(cuff).filter(isSolid)], cell: 0.0105, width: 0.02 },
    { tint: "trim", solids: [shirtCollar(trunk, u)], cell: 0.009, width: 0.01 },
    { tint: "trousers", solids: [...seat(stance, trunk), ...legs], cell: 0.015, width: 0.03 },
    { tint: "bag", solids: bag(trunk, u), cell: 0.013, width: 0.03 },
    { tint: "trim", solids: bagPocket(trunk, u), cell: 0.013, width: 0.02 },
    { tint: "bag", solids: straps(stance, trunk), cell: 0.0085, width: 0.01 },
    { tint: "shoes", solids: SIDES.flatMap((side) => shoe(stance, side)), cell: 0.01, width: 0.03 },
    { tint: "soles", solids: SIDES.flatMap((side) => sole(stance, side)), cell: 0.009, width: 0.008 },
    { tint: "skin", solids: SIDES.flatMap((side) => hand(stance, side)), cell: 0.0065, width: 0.01 },
    ...face(stance),
  ];
  return garments.map((one) => ({ ...one, cell: one.cell * u, width: one.width * u }));
}

/** Points on the way from the hip joints up to the shoulders, and half the widths there. */
interface Trunk {
  along(share: number, ahead?: number, aside?: number): Vector;
  hips: number;
  shoulders: number;
  neck: Vector;
}

function measureTrunk(stance: Stance): Trunk {
  const { at, unit: u } = stance;
  const [low, high] = ["leg", "arm"].map((limb) => mix(at(`left_upper_${limb}`), at(`right_upper_${limb}`), 0.5));
  const along = (share: number, ahead = 0, aside = 0): Vector =>
    add(mix(low, high, share), [aside * u, 0, ahead * u]);
  return {
    along,
    hips: 0.5 * Math.abs(at("left_upper_leg")[0] - at("right_upper_leg")[0]),
    shoulders: 0.5 * Math.abs(at("left_upper_arm")[0] - at("right_upper_arm")[0]),
    neck: stance.has("neck") ? at("neck") : along(1.05),
  };
}

/** A ball of half widths x and z. */
function oval(centre: Vector, radius: number, wide: number, deep: number, cuts?: Cut[]): Solid {
  return { start: centre, end: centre, radii: [radius, radius], scales: [wide / radius, deep / radius], cuts };
}

function jacket(stance: Stance, trunk: Trunk): Solid[] {
  const { at, unit: u } = stance,
    { along, hips, shoulders, neck } = trunk;
  const wide = (x: number, radius: number) => x / (radius * u);
  const hem: Cut = { point: along(-0.1), normal: [0, -1, 0] };
  const collar: Cut = { point: add(neck, [0, 0.034 * u, 0.03 * u]), normal: unit([0, 0.86, 0.5]) };
  const joint = stance.rig.info.roles;
  const spine = joint.upper_chest ?? joint.chest ?? joint.spine ?? joint.hips;
  const solids: Solid[] = [
    { start: along(-0.2), end: along(0.22), radii: [0.128 * u, 0.112 * u], scales: [wide(hips + 0.112 * u, 0.122), 1.06], cuts: [hem] },
    { start: along(0.22), end: along(0.55), radii: [0.11 * u, 0.106 * u], scales: [wide(0.72 * shoulders + 0.02 * u, 0.11), 1], cuts: [hem] },
    { start: along(0.55, 0.004), end: along(0.8, 0.002), radii: [0.106 * u, 0.113 * u], scales: [wide(0.85 * shoulders, 0.113), 1] },
    // collar, and a hood that lies on the back
    { start: along(0.94, -0.012), end: add(neck, [0, 0.06 * u, 0.014 * u]), radii: [0.088 * u, 0.067 * u], cuts: [collar] },
    { start: add(neck, [0, 0.022 * u, -0.062 * u]), end: add(neck, [0, -0.045 * u, -0.088 * u]), radii: [0.05 * u, 0.052 * u], scales: [1.75, 0.85], joint: spine },
  ];
  for (const side of SIDES) {
    const arm = at(`${side}_upper_arm`);
    const inner = add(mix(along(0.8), arm, 0.3), [0, 0.03 * u, 0]);
    solids.push(
      { start: inner, end: arm, radii: [0.066 * u, 0.056 * u], joint: joint[`${side}_shoulder`] ?? spine },
      { start: add(neck, [0, 0.004 * u, 0]), end: add(arm, [0, 0.006 * u, 0]), radii: [0.044 * u, 0.047 * u], joint: joint[`${side}_shoulder`] ?? spine },
    );
  }
  return solids;
}

function sleeve(stance: Stance, side: Side): Solid[] {
  const { at, unit: u } = stance,
    { roles } = stance.rig.info;
  const [shoulder, elbow, wrist] = ["upper_arm", "lower_arm", "hand"].map((part) => at(`${side}_${part}`));
  const ahead = unit(subtract(wrist, elbow));
  const end: Cut = { point: subtract(wrist, scale(ahead, 0.004 * u)), normal: ahead },
    chain = `${side} arm`;
  return [
    { start: shoulder, end: elbow, radii: [0.058 * u, 0.048 * u], joint: roles[`${side}_upper_arm`], chain },
    { start: elbow, end: wrist, radii: [0.048 * u, 0.04 * u], joint: roles[`${side}_lower_arm`], cuts: [end], chain },
  ];
}

const isSolid = (solid: Solid | null): solid is Solid => solid !== null;

/** The end of a sleeve, a little wider. */
function cuff(sleeve: Solid): Solid | null {
  const end = sleeve.cuts?.[0];
  if (!end) return null;
  const begin = { point: subtract(end.point, scale(end.normal, 0.8 * sleeve.radii[1])), normal: scale(end.normal, -1) };
  const last = { point: add(end.point, scale(end.normal, 0.04 * sleeve.radii[1])), normal: end.normal };
  return { ...sleeve, radii: [sleeve.radii[0] * 1.1, sleeve.radii[1] * 1.16], cuts: [begin, last] };
}

/** The collar of a shirt, which the jacket's leaves free. */
function shirtCollar({ along, neck }: Trunk, u: number): Solid {
  const cut: Cut = { point: add(neck, [0, 0.058 * u, 0.03 * u]), normal: unit([0, 0.9, 0.42]) };
  return { start: along(0.98, -0.008), end: add(neck, [0, 0.07 * u, 0.012 * u]), radii: [0.07 * u, 0.057 * u], cuts: [cut] };
}

/** A stripe around the chest, a little outside the jacket. */
function chestBand(torso: Solid[], trunk: Trunk, u: number): Solid[] {
  const cuts: Cut[] = [
    { point: trunk.along(0.74), normal: [0, 1, 0] },
    { point: trunk.along(0.64), normal: [0, -1, 0] },
  ];
  const out = 0.006 * u;
  return torso.slice(1, 3).map((solid) => ({ ...solid, radii: [solid.radii[0] + out, solid.radii[1] + out], cuts }));
}

function seat(stance: Stance, { along, hips }: Trunk): Solid[] {
  const u = stance.unit;
  const solid = oval(along(0, -0.006), 0.1 * u, hips + 0.06 * u, 0.1 * u);
  return [{ ...solid, cuts: [{ point: along(0.02), normal: [0, 1, 0] }], joint: stance.rig.info.roles.hips }];
}

function trouserLeg(stance: Stance, { along }: Trunk, side: Side): Solid[] {
  const { at, unit: u } = stance,
    { roles } = stance.rig.info;
  const [hip, knee, ankle] = ["upper_leg", "lower_leg", "foot"].map((part) => at(`${side}_${part}`));
  const down = unit(subtract(ankle, knee));
  const end: Cut = { point: subtract(ankle, scale(down, 0.012 * u)), normal: down };
  const waist: Cut = { point: along(0.02), normal: [0, 1, 0] }, // the jacket hides what is above
    chain = `${side} leg`;
  const calf = add(mix(knee, ankle, 0.3), [0, 0, -0.012 * u]);
  return [
    { start: hip, end: knee, radii: [0.089 * u, 0.067 * u], cuts: [waist], joint: roles[`${side}_upper_leg`], chain },
    { start: knee, end: calf, radii: [0.067 * u, 0.067 * u], joint: roles[`${side}_lower_leg`], chain },
    { start: calf, end: ankle, radii: [0.067 * u, 0.055 * u], joint: roles[`${side}_lower_leg`], cuts: [end], chain },
  ];
}

/** Heel, ball and tip of a foot on its sole, and the joints that carry them. */
function measureFoot(stance: Stance, side: Side) {
  const { at, unit: u } = stance,
    { roles } = stance.rig.info;
  const ankle = at(`${side}_foot`),
    ball = stance.has(`${side}_toes`) ? at(`${side}_toes`) : add(ankle, [0, -0.06 * u, 0.13 * u]);
  const ahead = unit([ball[0] - ankle[0], 0, ball[2] - ankle[2]], [0, 0, 1]);
  const ground = Math.min(ball[1], ankle[1] - 0.045 * u) - 0.018 * u;
  const on = (point: Vector, far: number, height: number): Vector => {
    const [x, , z] = add(point, scale(ahead, far * u));
    return [x, ground + height * u, z];
  };
  const foot = roles[`${side}_foot`];
  return { ankle, ball, ahead, ground, on, across: [ahead[2], 0, -ahead[0]] as Vector, foot, toes: roles[`${side}_toes`] ?? foot };
}

function shoe(stance: Stance, side: Side): Solid[] {
  const { ankle, ball, ground, on, across, foot, toes } = measureFoot(stance, side),
    u = stance.unit;
  const cuts: Cut[] = [{ point: [0, ground + 0.014 * u, 0], normal: [0, -1, 0] }];
  const top: Cut = { point: add(ankle, [0, 0.012 * u, 0]), normal: unit([0, 1, 0.25]) };
  return [
    { start: on(ankle, -0.046, 0.036), end: on(ball, 0, 0.03), radii: [0.04 * u, 0.034 * u], across, scales: [1.02, 1], cuts, joint: foot },
    { start: add(ankle, [0, 0.01 * u, 0]), end: on(ball, -0.03, 0.04), radii: [0.047 * u, 0.034 * u], across, cuts: [top, ...cuts], joint: foot },
    { start: on(ball, -0.005, 0.028), end: on(ball, 0.06, 0.022), radii: [0.035 * u, 0.029 * u], across, scales: [1.32, 1], cuts, joint: toes },
  ];
}

function sole(stance: Stance, side: Side): Solid[] {
  const { ankle, ball, ground, on, across, foot, toes } = measureFoot(stance, side),
    u = stance.unit;
  const cuts: Cut[] = [
    { point: [0, ground + 0.024 * u, 0], normal: [0, 1, 0] },
    { point: [0, ground, 0], normal: [0, -1, 0] },
  ];
  return [
    { start: on(ankle, -0.05, 0.012), end: on(ball, 0, 0.012), radii: [0.043 * u, 0.048 * u], across, cuts, joint: foot },
    { start: on(ball, 0, 0.012), end: on(ball, 0.056, 0.012), radii: [0.048 * u, 0.042 * u], across, cuts, joint: toes },
  ];
}

function bag({ along }: Trunk, u: number): Solid[] {
  return [
    { start: along(0.36, -0.165), end: along(0.88, -0.168), radii: [0.085 * u, 0.072 * u], scales: [1.75, 0.82] },
    { start: along(0.26, -0.155), end: along(0.4, -0.165), radii: [0.07 * u, 0.08 * u], scales: [1.75, 0.8] },
  ];
}

function bagPocket({ along }: Trunk, u: number): Solid[] {
  return [{ start: along(0.28, -0.222), end: along(0.46, -0.222), radii: [0.045 * u, 0.042 * u], scales: [2.2, 0.6] }];
}

/** From the top of the bag over each shoulder and back under the arm. */
function straps(stance: Stance, { along, shoulders }: Trunk): Solid[] {
  const u = stance.unit,
    aside = (0.5 * shoulders) / u;
  return [1, -1].flatMap((side) => {
    const way = smooth([
      along(0.9, -0.14, side * aside * 0.92),
      along(1.1, -0.085, side * aside * 0.96),
      along(1.15, 0, side * aside),
      along(1.03, 0.082, side * aside * 1.04),
      along(0.8, 0.113, side * aside * 1.1),
      along(0.6, 0.1, side * aside * 1.2),
      along(0.48, 0.05, side * aside * 1.4),
      along(0.42, 0, side * aside * 1.4),
    ]);
    return way.slice(1).map(
      (end, k): Solid => ({ start: way[k], end, radii: [0.012 * u, 0.012 * u], scales: [1.9, 1], chain: `strap ${side}` }),
    );
  });
}

/** A curve through points, three pieces between two of them. */
function smooth(points: Vector[]): Vector[] {
  const at = (k: number) => points[Math.min(Math.max(k, 0), points.length - 1)];
  return points.flatMap((point, k) =>
    k === points.length - 1
      ? [point]
      : [0, 1 / 3, 2 / 3].map((t): Vector => {
          const [a, b, c, d] = [at(k - 1), point, at(k + 1), at(k + 2)];
          return [0, 1, 2].map(
            (n) =>
              b[n] +
              0.5 * t * (c[n] - a[n] + t * (2 * a[n] - 5 * b[n] + 4 * c[n] - d[n] + t * (3 * (b[n] - c[n]) + d[n] - a[n]))),
          ) as unknown as Vector;
        }),
  );
}
