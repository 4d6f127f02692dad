/** A clothed person as solids around a stance: jacket, trousers, shoes, bag, skin, hair and face. */
import { face } from "./face";
import { bag, bagPocket, shoe, sole, straps } from "./gear";
import { hand, mitten } from "./hand";
import { add, mix, scale, subtract, unit, type Cut, type Solid, type Vector } from "./solids";
import { SIDES, type Side, type Stance } from "./stance";
import { measureTrunk, type Trunk } from "./trunk";

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

/** How much of a person is made: all of it, what shows in a small crowd, or what shows from afar. */
export type Detail = "all" | "some" | "few";

export function dress(stance: Stance, detail: Detail = "all"): Garment[] {
  const trunk = measureTrunk(stance);
  const sleeves = SIDES.flatMap((side) => sleeve(stance, side)),
    torso = jacket(stance, trunk),
    legs = SIDES.flatMap((side) => trouserLeg(stance, trunk, side));
  const u = stance.unit;
  const hands = SIDES.flatMap((side) => (detail === "all" ? hand(stance, side) : mitten(stance, side)));
  const near: Garment[] = [
    // too thin to be seen from afar
    {
      tint: "trim",
      solids: [...chestBand(torso, trunk, u), ...sleeves.map(cuff).filter(isSolid)],
      cell: 0.0105,
      width: 0.02,
    },
    { tint: "bag", solids: straps(stance, trunk), cell: 0.0085, width: 0.01 },
    { tint: "soles", solids: SIDES.flatMap((side) => sole(stance, side)), cell: 0.009, width: 0.008 },
  ];
  const garments: Garment[] = [
    { tint: "jacket", solids: [...torso, ...sleeves], cell: 0.014, width: 0.045, pull: legs },
    ...(detail === "few" ? [] : near),
    { tint: "trim", solids: [shirtCollar(trunk, u)], cell: 0.009, width: 0.01 },
    { tint: "trousers", solids: [...seat(stance, trunk), ...legs], cell: 0.015, width: 0.03 },
    { tint: "bag", solids: bag(trunk, u), cell: 0.013, width: 0.03 },
    { tint: "trim", solids: bagPocket(trunk, u), cell: 0.013, width: 0.02 },
    { tint: "shoes", solids: SIDES.flatMap((side) => shoe(stance, side)), cell: 0.01, width: 0.03 },
    { tint: "skin", solids: hands, cell: 0.0065, width: 0.01 },
    ...face(stance, detail),
  ];
  return garments.map((one) => ({ ...one, cell: one.cell * u, width: one.width * u }));
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
    {
      start: along(-0.2),
      end: along(0.22),
      radii: [0.128 * u, 0.112 * u],
      scales: [wide(hips + 0.112 * u, 0.122), 1.06],
      cuts: [hem],
    },
    {
      start: along(0.22),
      end: along(0.55),
      radii: [0.11 * u, 0.106 * u],
      scales: [wide(0.72 * shoulders + 0.02 * u, 0.11), 1],
      cuts: [hem],
    },
    {
      start: along(0.55, 0.004),
      end: along(0.8, 0.002),
      radii: [0.106 * u, 0.113 * u],
      scales: [wide(0.85 * shoulders, 0.113), 1],
    },
    // collar, and a hood that lies on the back
    {
      start: along(0.94, -0.012),
      end: add(neck, [0, 0.06 * u, 0.014 * u]),
      radii: [0.088 * u, 0.067 * u],
      cuts: [collar],
    },
    {
      start: add(neck, [0, 0.022 * u, -0.062 * u]),
      end: add(neck, [0, -0.045 * u, -0.088 * u]),
      radii: [0.05 * u, 0.052 * u],
      scales: [1.75, 0.85],
      joint: spine,
    },
  ];
  for (const side of SIDES) {
    const arm = at(`${side}_upper_arm`);
    const inner = add(mix(along(0.8), arm, 0.3), [0, 0.03 * u, 0]);
    solids.push(
      { start: inner, end: arm, radii: [0.066 * u, 0.056 * u], joint: joint[`${side}_shoulder`] ?? spine },
      {
        start: add(neck, [0, 0.004 * u, 0]),
        end: add(arm, [0, 0.006 * u, 0]),
        radii: [0.044 * u, 0.047 * u],
        joint: joint[`${side}_shoulder`] ?? spine,
      },
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
function cuff(solid: Solid): Solid | null {
  const rim = solid.cuts?.[0];
  if (!rim) return null;
  const begin = { point: subtract(rim.point, scale(rim.normal, 0.8 * solid.radii[1])), normal: scale(rim.normal, -1) };
  const last = { point: add(rim.point, scale(rim.normal, 0.04 * solid.radii[1])), normal: rim.normal };
  return { ...solid, radii: [solid.radii[0] * 1.1, solid.radii[1] * 1.16], cuts: [begin, last] };
}

/** The collar of a shirt, which the jacket's leaves free. */
function shirtCollar({ along, neck }: Trunk, u: number): Solid {
  const cut: Cut = { point: add(neck, [0, 0.058 * u, 0.03 * u]), normal: unit([0, 0.9, 0.42]) };
  return {
    start: along(0.98, -0.008),
    end: add(neck, [0, 0.07 * u, 0.012 * u]),
    radii: [0.07 * u, 0.057 * u],
    cuts: [cut],
  };
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
