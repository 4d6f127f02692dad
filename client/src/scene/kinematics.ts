/** Local poses to global ones, and the blend between two poses; quaternions are x y z w. */
import type { SkeletonInfo } from "../messages";

/** Rotate vector b[bo..] by quaternion a[ao..], add p[po..], into out[oo..]. */
export function place(
  q: ArrayLike<number>,
  qo: number,
  v: ArrayLike<number>,
  vo: number,
  p: ArrayLike<number>,
  po: number,
  out: Float32Array,
  oo: number,
): void {
  const x = q[qo],
    y = q[qo + 1],
    z = q[qo + 2],
    w = q[qo + 3];
  const vx = v[vo],
    vy = v[vo + 1],
    vz = v[vo + 2];
  const tx = 2 * (y * vz - z * vy),
    ty = 2 * (z * vx - x * vz),
    tz = 2 * (x * vy - y * vx);
  out[oo] = p[po] + vx + w * tx + y * tz - z * ty;
  out[oo + 1] = p[po + 1] + vy + w * ty + z * tx - x * tz;
  out[oo + 2] = p[po + 2] + vz + w * tz + x * ty - y * tx;
}

/** a * b: b first. */
export function multiply(
  a: ArrayLike<number>,
  ao: number,
  b: ArrayLike<number>,
  bo: number,
  out: Float32Array,
  oo: number,
): void {
  const ax = a[ao],
    ay = a[ao + 1],
    az = a[ao + 2],
    aw = a[ao + 3];
  const bx = b[bo],
    by = b[bo + 1],
    bz = b[bo + 2],
    bw = b[bo + 3];
  out[oo] = aw * bx + ax * bw + ay * bz - az * by;
  out[oo + 1] = aw * by - ax * bz + ay * bw + az * bx;
  out[oo + 2] = aw * bz + ax * by - ay * bx + az * bw;
  out[oo + 3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** Normalised blend from a to b along the shorter way. */
export function blendRotation(
  a: ArrayLike<number>,
  ao: number,
  b: ArrayLike<number>,
  bo: number,
  share: number,
  out: Float32Array,
  oo: number,
): void {
  const dot = a[ao] * b[bo] + a[ao + 1] * b[bo + 1] + a[ao + 2] * b[bo + 2] + a[ao + 3] * b[bo + 3];
  const s = 1 - share,
    t = dot < 0 ? -share : share;
  let length = 0;
  for (let k = 0; k < 4; k++) {
    out[oo + k] = s * a[ao + k] + t * b[bo + k];
    length += out[oo + k] * out[oo + k];
  }
  const scale = 1 / Math.sqrt(length);
  for (let k = 0; k < 4; k++) out[oo + k] *= scale;
}

/** A skeleton ready to be posed: flat arrays. */
export class Rig {
  readonly count: number;
  readonly parents: Int32Array;
  readonly offsets: Float32Array; // (J, 3)
  readonly slot: Int32Array; // (J,) place among the positioned joints, -1 for none
  readonly reference: { positions: Float32Array; rotations: Float32Array }; // global, T-pose or rest

  constructor(readonly info: SkeletonInfo) {
    this.count = info.names.length;
    this.parents = Int32Array.from(info.parents);
    this.offsets = Float32Array.from(info.offsets.flat());
    this.slot = new Int32Array(this.count).fill(-1);
    info.positioned.forEach((joint, k) => {
      this.slot[joint] = k;
    });
    const local = Float32Array.from((info.tpose ?? info.rotations).flat());
    this.reference = { positions: new Float32Array(3 * this.count), rotations: new Float32Array(4 * this.count) };
    this.forward([0, 0, 0], 0, null, 0, local, 0, this.reference.positions, this.reference.rotations);
  }

  /** Global pose from a root position, the positioned joints' positions (or null for the offsets) and local rotations. */
  forward(
    root: ArrayLike<number>,
    ro: number,
    positions: ArrayLike<number> | null,
    po: number,
    rotations: ArrayLike<number>,
    qo: number,
    globalPositions: Float32Array,
    globalRotations: Float32Array,
  ): void {
    for (let j = 0; j < this.count; j++) {
      const parent = this.parents[j];
      if (parent < 0) {
        for (let k = 0; k < 3; k++) globalPositions[3 * j + k] = root[ro + k];
        for (let k = 0; k < 4; k++) globalRotations[4 * j + k] = rotations[qo + 4 * j + k];
        continue;
      }
      const slot = this.slot[j];
      const moved = positions !== null && slot >= 0;
      place(
        globalRotations,
        4 * parent,
        moved ? positions : this.offsets,
        moved ? po + 3 * slot : 3 * j,
        globalPositions,
        3 * parent,
        globalPositions,
        3 * j,
      );
      multiply(globalRotations, 4 * parent, rotations, qo + 4 * j, globalRotations, 4 * j);
    }
  }
}

/** What one character looks like: global positions (J, 3) and rotations (J, 4). */
export interface GlobalPose {
  positions: Float32Array;
  rotations: Float32Array;
}

export function newPose(rig: Rig): GlobalPose {
  return { positions: new Float32Array(3 * rig.count), rotations: new Float32Array(4 * rig.count) };
}
