/** Shoes, and a bag with its straps, as solids. */
import { add, scale, unit, type Cut, type Solid, type Vector } from "./solids";
import type { Side, Stance } from "./stance";
import type { Trunk } from "./trunk";

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
  return {
    ankle,
    ball,
    ahead,
    ground,
    on,
    across: [ahead[2], 0, -ahead[0]] as Vector,
    foot,
    toes: roles[`${side}_toes`] ?? foot,
  };
}

export function shoe(stance: Stance, side: Side): Solid[] {
  const { ankle, ball, ground, on, across, foot, toes } = measureFoot(stance, side),
    u = stance.unit;
  const cuts: Cut[] = [{ point: [0, ground + 0.014 * u, 0], normal: [0, -1, 0] }];
  const top: Cut = { point: add(ankle, [0, 0.012 * u, 0]), normal: unit([0, 1, 0.25]) };
  return [
    {
      start: on(ankle, -0.046, 0.036),
      end: on(ball, 0, 0.03),
      radii: [0.04 * u, 0.034 * u],
      across,
      scales: [1.02, 1],
      cuts,
      joint: foot,
    },
    {
      start: add(ankle, [0, 0.01 * u, 0]),
      end: on(ball, -0.03, 0.04),
      radii: [0.047 * u, 0.034 * u],
      across,
      cuts: [top, ...cuts],
      joint: foot,
    },
    {
      start: on(ball, -0.005, 0.028),
      end: on(ball, 0.06, 0.022),
      radii: [0.035 * u, 0.029 * u],
      across,
      scales: [1.32, 1],
      cuts,
      joint: toes,
    },
  ];
}

export function sole(stance: Stance, side: Side): Solid[] {
  const { ankle, ball, ground, on, across, foot, toes } = measureFoot(stance, side),
    u = stance.unit;
  const cuts: Cut[] = [
    { point: [0, ground + 0.024 * u, 0], normal: [0, 1, 0] },
    { point: [0, ground, 0], normal: [0, -1, 0] },
  ];
  return [
    {
      start: on(ankle, -0.05, 0.012),
      end: on(ball, 0, 0.012),
      radii: [0.043 * u, 0.048 * u],
      across,
      cuts,
      joint: foot,
    },
    {
      start: on(ball, 0, 0.012),
      end: on(ball, 0.056, 0.012),
      radii: [0.048 * u, 0.042 * u],
      across,
      cuts,
      joint: toes,
    },
  ];
}

export function bag({ along }: Trunk, u: number): Solid[] {
  return [
    { start: along(0.36, -0.165), end: along(0.88, -0.168), radii: [0.085 * u, 0.072 * u], scales: [1.75, 0.82] },
    { start: along(0.26, -0.155), end: along(0.4, -0.165), radii: [0.07 * u, 0.08 * u], scales: [1.75, 0.8] },
  ];
}

export function bagPocket({ along }: Trunk, u: number): Solid[] {
  return [{ start: along(0.28, -0.222), end: along(0.46, -0.222), radii: [0.045 * u, 0.042 * u], scales: [2.2, 0.6] }];
}

/** From the top of the bag over each shoulder and back under the arm. */
export function straps(stance: Stance, { along, shoulders }: Trunk): Solid[] {
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
      (end, k): Solid => ({
        start: way[k],
        end,
        radii: [0.012 * u, 0.012 * u],
        scales: [1.9, 1],
        chain: `strap ${side}`,
      }),
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
              0.5 *
                t *
                (c[n] - a[n] + t * (2 * a[n] - 5 * b[n] + 4 * c[n] - d[n] + t * (3 * (b[n] - c[n]) + d[n] - a[n]))),
          ) as unknown as Vector;
        }),
  );
}
