/** The drawn body as triangles: round cones, each cap carried by a joint, as kinematch.draw has them. */
import type { BodyInfo } from "../messages";
import { place, type Rig } from "./kinematics";

export interface BodyTriangles {
  positions: Float32Array; // (V, 3) in the space of the joint that carries the vertex
  normals: Float32Array; // (V, 3) likewise
  carriers: Float32Array; // (V,) joints
  tints: Uint8Array; // (V,) places in TINTS
  indices: Uint32Array;
}

export const TINTS = ["body", "left", "right", "left_arm", "right_arm", "joints"] as const;

type Vector = [number, number, number];
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const scaled = (a: Vector, s: number): Vector => [a[0] * s, a[1] * s, a[2] * s];
const plus = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** All parts around the reference pose, taken to the space of their joints. `sides` corners around, `steps` rings a cap. */
export function bodyTriangles(body: BodyInfo, rig: Rig, sides: number, steps: number): BodyTriangles {
  const rings = 2 * steps,
    each = rings * sides,
    parts = body.tints.length;
  const out: BodyTriangles = {
    positions: new Float32Array(3 * each * parts),
    normals: new Float32Array(3 * each * parts),
    carriers: new Float32Array(each * parts),
    tints: new Uint8Array(each * parts),
    indices: new Uint32Array(parts * 6 * sides * (rings - 2)),
  };
  let index = 0;
  for (let part = 0; part < parts; part++) {
    addPart(body, rig, part, sides, steps, out, part * each);
    for (let ring = 0; ring < rings - 1; ring++) {
      for (let k = 0; k < sides; k++) {
        const low = part * each + ring * sides,
          high = low + sides,
          after = (k + 1) % sides;
        if (ring < rings - 2) {
          out.indices[index++] = low + k;
          out.indices[index++] = high + k;
          out.indices[index++] = high + after;
        }
        if (ring > 0) {
          out.indices[index++] = low + k;
          out.indices[index++] = high + after;
          out.indices[index++] = low + after;
        }
      }
    }
  }
  return out;
}

function addPart(
  body: BodyInfo,
  rig: Rig,
  part: number,
  sides: number,
  steps: number,
  out: BodyTriangles,
  first: number,
): void {
  const { positions, rotations } = rig.reference;
  const joints = body.joints[part];
  const world = (joint: number, v: number[], from = positions): Vector => {
    const result = new Float32Array(3);
    place(rotations, 4 * joint, v, 0, from, 3 * joint, result, 0);
    return [result[0], result[1], result[2]];
  };
  const zero = new Float32Array(positions.length);
  let start = world(joints[0], body.offsets[part][0]);
  const end = world(joints[1], body.offsets[part][1]);
  let [r0, r1] = body.radii[part];
  const span = plus(end, scaled(start, -1));
  let length = Math.hypot(...span);
  let y: Vector = length > 1e-9 ? scaled(span, 1 / length) : world(joints[0], body.along[part], zero);
  if (length <= Math.abs(r0 - r1)) {
    // a ball inside the other adds nothing: what is left is one ellipsoid
    if (r1 > r0) start = end;
    r0 = r1 = Math.max(r0, r1);
    length = 0;
  }
  y = scaled(y, 1 / Math.hypot(...y));
  const across = world(joints[0], body.across[part], zero);
  let x = plus(across, scaled(y, -dot(across, y)));
  if (Math.hypot(...x) < 1e-6) {
    const helper: Vector = Math.abs(y[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0]; // across lies along the axis: any normal will do
    x = plus(helper, scaled(y, -dot(helper, y)));
  }
  x = scaled(x, 1 / Math.hypot(...x));
  const z = cross(x, y);
  const [sx, sz] = body.scales[part];
  const seam = length > 0 ? Math.asin(Math.max(-1, Math.min(1, (r0 - r1) / length))) : 0;
  const tint = Math.max(0, (TINTS as readonly string[]).indexOf(body.tints[part]));
  for (let ring = 0; ring < 2 * steps; ring++) {
    const second = ring >= steps,
      share = (ring % steps) / (steps - 1);
    const latitude = second ? seam + (Math.PI / 2 - seam) * share : -Math.PI / 2 + (seam + Math.PI / 2) * share;
    const radius = second ? r1 : r0,
      joint = joints[second ? 1 : 0];
    for (let k = 0; k < sides; k++) {
      const angle = (2 * Math.PI * k) / sides;
      const flat: Vector = [
        Math.cos(latitude) * Math.cos(angle),
        Math.sin(latitude),
        Math.cos(latitude) * Math.sin(angle),
      ];
      const local: Vector = [flat[0] * radius * sx, flat[1] * radius + (second ? length : 0), flat[2] * radius * sz];
      const point = plus(start, plus(scaled(x, local[0]), plus(scaled(y, local[1]), scaled(z, local[2]))));
      const normal = plus(scaled(x, flat[0] / sx), plus(scaled(y, flat[1]), scaled(z, flat[2] / sz)));
      const at = first + ring * sides + k,
        back = [-rotations[4 * joint], -rotations[4 * joint + 1], -rotations[4 * joint + 2], rotations[4 * joint + 3]];
      const away = [
        point[0] - positions[3 * joint],
        point[1] - positions[3 * joint + 1],
        point[2] - positions[3 * joint + 2],
      ];
      place(back, 0, away, 0, [0, 0, 0], 0, out.positions, 3 * at);
      place(back, 0, scaled(normal, 1 / Math.hypot(...normal)), 0, [0, 0, 0], 0, out.normals, 3 * at);
      out.carriers[at] = joint;
      out.tints[at] = tint;
    }
  }
}
