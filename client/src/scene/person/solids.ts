/** Solids as signed distances: round cones that flow into one another, cut by planes. */

export type Vector = readonly [number, number, number];

export const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vector, s: number): Vector => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const mix = (a: Vector, b: Vector, share: number): Vector => add(a, scale(subtract(b, a), share));
export const length = (a: Vector): number => Math.hypot(a[0], a[1], a[2]);
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export function unit(a: Vector, otherwise: Vector = [0, 1, 0]): Vector {
  const far = length(a);
  return far > 1e-9 ? scale(a, 1 / far) : otherwise;
}

/** What lies beyond a point, along the normal, is cut away. */
export interface Cut {
  point: Vector;
  normal: Vector;
}

/** A round cone between two balls, wider or thinner along `across` and along its normal. */
export interface Solid {
  start: Vector;
  end: Vector;
  radii: readonly [number, number];
  across?: Vector; // +X if not given
  scales?: readonly [number, number];
  cuts?: readonly Cut[];
  joint?: number; // that carries it; the spine if not given
  chain?: string; // solids of one chain meet as they are, others flow together
}

/** Measures a solid at a point: the distance to its surface, negative inside. */
export type Distance = (x: number, y: number, z: number) => number;

export function measure(solid: Solid, rim = 0.004): Distance {
  const { start, end, cuts = [] } = solid,
    [r0, r1] = solid.radii;
  const span = subtract(end, start),
    far = length(span);
  const along = unit(span);
  const wide = solid.across ?? [1, 0, 0];
  const flat = subtract(wide, scale(along, dot(wide, along)));
  const across = length(flat) > 1e-6 ? unit(flat) : unit(cross(along, [0, 0, 1]), [1, 0, 0]);
  const normal = cross(across, along);
  const [sx, sz] = solid.scales ?? [1, 1],
    least = Math.min(sx, sz, 1);
  const lean = far > 1e-9 ? (r0 - r1) / far : 0,
    ball = far < 1e-9 || Math.abs(lean) >= 1,
    rise = ball ? 0 : Math.sqrt(1 - lean * lean);
  const ballCentre = ball && r1 > r0 ? far : 0,
    ballRadius = Math.max(r0, r1);
  return (x, y, z) => {
    const dx = x - start[0],
      dy = y - start[1],
      dz = z - start[2];
    const u = (dx * across[0] + dy * across[1] + dz * across[2]) / sx,
      v = dx * along[0] + dy * along[1] + dz * along[2],
      w = (dx * normal[0] + dy * normal[1] + dz * normal[2]) / sz;
    const out = Math.sqrt(u * u + w * w);
    let distance: number;
    if (ball) distance = Math.hypot(out, v - ballCentre) - ballRadius;
    else {
      const k = v * rise - out * lean;
      if (k < 0) distance = Math.hypot(out, v) - r0;
      else if (k > rise * far) distance = Math.hypot(out, v - far) - r1;
      else distance = out * rise + v * lean - r0;
    }
    distance *= least;
    for (const { point, normal: away } of cuts)
      distance = -join(
        -distance,
        -((x - point[0]) * away[0] + (y - point[1]) * away[1] + (z - point[2]) * away[2]),
        rim,
      );
    return distance;
  };
}

/** The smaller of two distances, rounded over a width where both are near. */
export function join(a: number, b: number, width: number): number {
  const near = Math.max(width - Math.abs(a - b), 0);
  return Math.min(a, b) - (near * near) / (4 * width);
}
