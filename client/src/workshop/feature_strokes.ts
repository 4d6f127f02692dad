/** Features drawn on the figure: points, arrows and the trajectory, in the colour that lists give them. */
import * as THREE from "three";
import type { Strokes } from "../scene/strokes";
import { colour } from "../ui/theme";
import { fromRoot, type ClipData } from "./clip_file";
import type { FeatureRow } from "./messages";

const SECONDS = 0.25; // of a velocity that its arrow shows
const LENGTH = 0.32; // m, of a direction's arrow

export function seriesColour(index: number): string {
  return `series-${(index % 8) + 1}`;
}

export function drawFeatures(strokes: Strokes, clip: ClipData, f: number, highlight: number): void {
  const rows = clip.about.features;
  rows.forEach((feature, k) => {
    const tone = new THREE.Color(colour(seriesColour(k)));
    if (highlight >= 0 && highlight !== k) tone.lerp(new THREE.Color(colour("stage-floor")), 0.72);
    const at = clip.columns * f + feature.first;
    const origin: Vector = [clip.roots[4 * f], clip.roots[4 * f + 1], clip.roots[4 * f + 2]];
    if (feature.kind.startsWith("trajectory_")) drawPath(strokes, clip, f, feature, at, origin, tone);
    else drawPose(strokes, clip, f, feature, at, origin, tone);
  });
}

type Vector = [number, number, number];

/** The columns of a feature as a vector; two of them leave the height out. */
function vector(clip: ClipData, at: number, feature: FeatureRow): Vector {
  const v = clip.features;
  return feature.dimensions === 2 ? [v[at], 0, v[at + 1]] : [v[at], v[at + 1], v[at + 2]];
}

function drawPath(
  strokes: Strokes,
  clip: ClipData,
  f: number,
  feature: FeatureRow,
  at: number,
  origin: Vector,
  tone: THREE.Color,
): void {
  const places = clip.about.features.find((other) => other.kind === "trajectory_position");
  let before: Vector | null = null;
  feature.times
    .map((time, k) => ({ time, k }))
    .sort((a, b) => a.time - b.time)
    .forEach(({ time, k }) => {
      const local = vector(clip, at + k * feature.dimensions, feature);
      if (feature.kind === "trajectory_position") {
        const [x, , z] = fromRoot(clip.roots, f, local[0], 0, local[2]);
        const here: Vector = [origin[0] + x, 0.02, origin[2] + z];
        const from: Vector = before ?? [origin[0], 0.02, origin[2]];
        if ((!before && time > 0) || before) strokes.line(...from, ...here, tone);
        strokes.ring(...here, 0.055, tone, 18);
        before =
          time < 0 && feature.times.every((other) => other <= time || other > 0) ? [origin[0], 0.02, origin[2]] : here;
        return;
      }
      const [dx, , dz] = fromRoot(clip.roots, f, local[0], 0, local[2]);
      let foot: Vector = [origin[0], 0.03, origin[2]];
      const same = places?.times.findIndex((other) => Math.abs(other - time) < 1e-3) ?? -1;
      if (places && same >= 0) {
        const there = vector(clip, clip.columns * f + places.first + same * places.dimensions, places);
        const [x, , z] = fromRoot(clip.roots, f, there[0], 0, there[2]);
        foot = [origin[0] + x, 0.03, origin[2] + z];
      }
      strokes.arrow(...foot, foot[0] + LENGTH * dx, foot[1], foot[2] + LENGTH * dz, tone);
    });
}

function drawPose(
  strokes: Strokes,
  clip: ClipData,
  f: number,
  feature: FeatureRow,
  at: number,
  origin: Vector,
  tone: THREE.Color,
): void {
  const joint = jointOf(clip, feature.joint);
  const place: Vector =
    joint < 0
      ? origin
      : [
          clip.positions[3 * (clip.joints * f + joint)],
          clip.positions[3 * (clip.joints * f + joint) + 1],
          clip.positions[3 * (clip.joints * f + joint) + 2],
        ];
  if (feature.kind === "position") {
    const [x, y, z] = fromRoot(clip.roots, f, ...vector(clip, at, feature));
    const there: Vector = [origin[0] + x, feature.dimensions === 2 ? 0.02 : origin[1] + y, origin[2] + z];
    strokes.ring(...there, 0.05, tone, 16);
    strokes.line(there[0], there[1] - 0.05, there[2], there[0], there[1] + 0.05, there[2], tone);
    strokes.line(origin[0], 0.02, origin[2], ...there, tone);
  } else if (feature.kind === "velocity") {
    const [x, y, z] = fromRoot(clip.roots, f, ...vector(clip, at, feature));
    strokes.arrow(...place, place[0] + SECONDS * x, place[1] + SECONDS * y, place[2] + SECONDS * z, tone);
  } else if (feature.kind === "direction") {
    const [x, y, z] = fromRoot(clip.roots, f, ...vector(clip, at, feature));
    strokes.arrow(...place, place[0] + LENGTH * x, place[1] + LENGTH * y, place[2] + LENGTH * z, tone);
  } else if (feature.kind === "height") {
    strokes.line(place[0], origin[1], place[2], place[0], origin[1] + clip.features[at], place[2], tone);
    strokes.ring(place[0], origin[1] + 0.01, place[2], 0.04, tone, 14);
  }
}

/** The joint of a name or a role; -1 for none. */
export function jointOf(clip: ClipData, name: string): number {
  const bare = name.replace(/^(joint|role):/, "");
  const byName = clip.about.skeleton.names.indexOf(bare);
  return byName >= 0 ? byName : (clip.about.skeleton.roles[bare] ?? -1);
}
