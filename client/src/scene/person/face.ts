/** Head, hair and a face that is suggested: eyes with lids, brows, nose, mouth, ears. */
import type { Detail, Garment } from "./outfit";
import { add, scale, unit, type Solid, type Vector } from "./solids";
import type { Stance } from "./stance";

const HEAD_SIZE = 1.1; // larger than life
const EYE_ASIDE = 0.034; // m, of each eye from the middle
const EYE_HEIGHT = 0.082; // m above the head joint
const EYE_AHEAD = 0.083; // m
export const EYE_RADIUS = HEAD_SIZE * 0.0188; // m

/** The middle of an eye, side 1 for the left one. */
export function eyeAt(stance: Stance, side: number): Vector {
  return add(stance.at("head"), scale([side * EYE_ASIDE, EYE_HEIGHT, EYE_AHEAD], HEAD_SIZE * stance.unit));
}

export function face(stance: Stance, detail: Detail = "all"): Garment[] {
  const u = HEAD_SIZE * stance.unit,
    base = stance.at("head"),
    { roles } = stance.rig.info;
  const joint = roles.head;
  const on = (x: number, y: number, z: number): Vector => add(base, [x * u, y * u, z * u]);
  const solid = (
    start: Vector,
    end: Vector,
    r0: number,
    r1: number,
    scales: [number, number] = [1, 1],
    more: Partial<Solid> = {},
  ): Solid => ({ start, end, radii: [r0 * u, r1 * u], scales, joint, ...more });
  const neck = stance.has("neck") ? stance.at("neck") : on(0, -0.09, -0.01);
  const head: Solid[] = [
    {
      start: add(neck, [0, -0.01 * u, -0.004 * u]),
      end: on(0, 0.035, -0.004),
      radii: [0.046 * u, 0.044 * u],
      joint: roles.neck ?? joint,
    },
    solid(on(0, 0.105, -0.006), on(0, 0.105, -0.006), 0.098, 0.098, [0.85, 1]),
    solid(on(0, 0.088, 0.026), on(0, 0.002, 0.052), 0.078, 0.036, [0.86, 1]),
    solid(on(0, 0.04, 0.02), on(0, 0.03, 0.02), 0.062, 0.055, [0.98, 1]), // jaw
  ];
  const nose = [solid(on(0, 0.078, 0.098), on(0, 0.052, 0.113), 0.008, 0.0135, [1, 1])];
  const ears = [1, -1].map((side) =>
    solid(on(side * 0.083, 0.078, -0.004), on(side * 0.08, 0.056, 0.002), 0.023, 0.014, [0.45, 1]),
  );
  const sides = [1, -1];
  const brows = sides.flatMap((side) => [
    solid(on(side * 0.02, 0.1155, 0.0985), on(side * 0.037, 0.1185, 0.0935), 0.0042, 0.0044),
    solid(on(side * 0.037, 0.1185, 0.0935), on(side * 0.053, 0.114, 0.079), 0.0044, 0.003),
  ]);
  const mouth = [
    solid(on(-0.021, 0.0245, 0.0865), on(0, 0.02, 0.0935), 0.0036, 0.0046),
    solid(on(0, 0.02, 0.0935), on(0.021, 0.0245, 0.0865), 0.0046, 0.0036),
  ];
  const skin = detail === "few" ? head : [...head, ...nose, ...ears];
  const garments: Garment[] = [
    { tint: "skin", solids: skin, cell: 0.0085, width: 0.016 },
    { tint: "hair", solids: hair(on, solid), cell: 0.009, width: 0.018 },
  ];
  if (detail !== "few") garments.push({ tint: "hair", solids: brows, cell: 0.0045, width: 0.004 });
  if (detail === "all") garments.push({ tint: "lips", solids: mouth, cell: 0.0045, width: 0.003 });
  return garments;
}

/** Short at the neck, fuller on top and swept to one side. */
function hair(
  on: (x: number, y: number, z: number) => Vector,
  solid: (a: Vector, b: Vector, r0: number, r1: number, scales?: [number, number], more?: Partial<Solid>) => Solid,
): Solid[] {
  const brow = { point: on(0, 0.142, 0.066), normal: unit([0, -0.42, 0.9]) },
    temple = { point: on(0, 0.085, 0.03), normal: unit([0, -0.35, 0.94]) },
    nape = { point: on(0, 0.012, 0), normal: unit([0, -1, 0.12]) };
  return [
    solid(on(0, 0.112, -0.014), on(0, 0.112, -0.014), 0.105, 0.105, [0.885, 1], { cuts: [brow, temple, nape] }),
    solid(on(0, 0.06, -0.035), on(0, 0.02, -0.04), 0.078, 0.058, [0.98, 0.95], { cuts: [temple, nape] }),
    solid(on(-0.038, 0.186, 0.02), on(0.03, 0.172, 0.072), 0.034, 0.03, [1.1, 1]),
    solid(on(-0.03, 0.192, -0.02), on(0.045, 0.178, 0.036), 0.036, 0.034),
    solid(on(0.02, 0.182, 0.062), on(0.066, 0.142, 0.056), 0.027, 0.014),
    solid(on(-0.03, 0.178, 0.056), on(-0.066, 0.146, 0.05), 0.026, 0.014),
  ];
}
