/** A person made for a rig: the triangles of body and clothes, and the joints that move them. */
import { EYE_RADIUS, eyeAt } from "./face";
import { dress, TINTS, type Detail, type Tint } from "./outfit";
import { findPulls, PULLS, type Pull } from "./skin";
import type { Stance } from "./stance";
import { findSurface } from "./surface";
import type { Vector } from "./solids";

export { findStance, type Stance } from "./stance";
export { TINTS } from "./outfit";

/** Joints that a person has beyond those of the rig, in this order behind them. */
export const FACE_JOINTS = ["left eye", "right eye", "left lid", "right lid"] as const;

export interface PersonTriangles {
  positions: Float32Array; // (V, 3) m, in the stance
  normals: Float32Array; // (V, 3)
  joints: Float32Array; // (V, 4)
  weights: Float32Array; // (V, 4)
  tints: Float32Array; // (V,) places in TINTS
  indices: Uint32Array;
}

const COARSENESS = { all: 1.2, some: 2.2, few: 4 } as const; // of the grids that surfaces are found on
const CORNERS = { all: 20, some: 10, few: 6 } as const; // around an eye

/** A person of as much detail as its size on the screen deserves. */
export function makePerson(stance: Stance, detail: Detail): PersonTriangles {
  const built = new Builder();
  for (const { tint, solids, cell, width, pull = [] } of dress(stance, detail)) {
    const thin = (detail === "all" ? 1.1 : 1.55) * thickness(solids); // a coarser grid would lose the thinnest
    const { positions, normals, indices } = findSurface(solids, Math.min(cell * COARSENESS[detail], thin), width);
    const pulls = findPulls(stance, [...solids, ...pull]);
    const first = built.count;
    for (let v = 0; v < positions.length; v += 3) {
      const [x, y, z] = [positions[v], positions[v + 1], positions[v + 2]];
      built.add([x, y, z], [normals[v], normals[v + 1], normals[v + 2]], pulls(x, y, z), tint);
    }
    for (const index of indices) built.indices.push(first + index);
  }
  [1, -1].forEach((side, k) => {
    const middle = eyeAt(stance, side),
      joint = stance.rig.count + k;
    addEye(built, middle, EYE_RADIUS * stance.unit, joint, CORNERS[detail]);
    addLid(built, middle, 1.07 * EYE_RADIUS * stance.unit, joint + 2, CORNERS[detail]);
  });
  return built.finish();
}

/** The radius of the thinnest of some solids, m. */
function thickness(solids: { radii: readonly [number, number]; scales?: readonly [number, number] }[]): number {
  return Math.min(...solids.map(({ radii, scales }) => Math.max(...radii) * Math.min(...(scales ?? [1]), 1)));
}

/** Places of the eyes of a stance, with which its joints go on. */
export function faceJoints(stance: Stance): Vector[] {
  const eyes = [eyeAt(stance, 1), eyeAt(stance, -1)];
  return [...eyes, ...eyes];
}

const IRIS = [0, 0.45, 0.98] as const; // rad from the axis, where pupil, iris and white begin

/** A ball whose pole looks ahead, with a pupil and an iris. */
function addEye(built: Builder, middle: Vector, radius: number, joint: number, corners: number): void {
  const zones: [Tint, number, number, number][] = [
    ["pupil", IRIS[0], IRIS[1], 2],
    ["iris", IRIS[1], IRIS[2], 2],
    ["white", IRIS[2], 2.2, Math.ceil(corners / 3)],
  ];
  for (const [tint, from, to, steps] of zones) addZone(built, middle, radius, joint, tint, from, to, steps, corners, 2);
}

/** Half a shell, open below. */
function addLid(built: Builder, middle: Vector, radius: number, joint: number, corners: number): void {
  addZone(built, middle, radius, joint, "skin", 0, 1.57, Math.ceil(corners / 3), corners, 1);
}

/** The part of a ball between two angles from an axis, which is +Y (1) or +Z (2). */
function addZone(
  built: Builder,
  middle: Vector,
  radius: number,
  joint: number,
  tint: Tint,
  from: number,
  to: number,
  steps: number,
  corners: number,
  axis: 1 | 2,
): void {
  const first = built.count;
  for (let ring = 0; ring <= steps; ring++)
    for (let k = 0; k <= corners; k++) {
      const polar = from + ((to - from) * ring) / steps,
        turn = (2 * Math.PI * k) / corners;
      const normal: [number, number, number] = [0, 0, 0];
      normal[axis] = Math.cos(polar);
      normal[(axis + 1) % 3] = Math.sin(polar) * Math.cos(turn);
      normal[(axis + 2) % 3] = Math.sin(polar) * Math.sin(turn);
      const at = middle.map((place, n) => place + radius * normal[n]) as unknown as Vector;
      built.add(at, normal, [[joint, 1]], tint);
    }
  const row = corners + 1;
  for (let ring = 0; ring < steps; ring++)
    for (let k = 0; k < corners; k++) {
      const a = first + ring * row + k,
        b = a + row;
      built.indices.push(a, b, b + 1, a, b + 1, a + 1);
    }
}

class Builder {
  readonly indices: number[] = [];
  private readonly positions: number[] = [];
  private readonly normals: number[] = [];
  private readonly joints: number[] = [];
  private readonly weights: number[] = [];
  private readonly tints: number[] = [];

  get count(): number {
    return this.tints.length;
  }

  add(position: Vector, normal: Vector, pulls: readonly Pull[], tint: Tint): void {
    this.positions.push(...position);
    this.normals.push(...normal);
    for (let k = 0; k < PULLS; k++) {
      this.joints.push(pulls[k]?.[0] ?? 0);
      this.weights.push(pulls[k]?.[1] ?? 0);
    }
    this.tints.push(TINTS.indexOf(tint));
  }

  finish(): PersonTriangles {
    return {
      positions: Float32Array.from(this.positions),
      normals: Float32Array.from(this.normals),
      joints: Float32Array.from(this.joints),
      weights: Float32Array.from(this.weights),
      tints: Float32Array.from(this.tints),
      indices: Uint32Array.from(this.indices),
    };
  }
}
