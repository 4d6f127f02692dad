/** Which of the 33 landmarks are joined by lines, and which side of the body each line is on. */
export const LANDMARKS = 33;
export type Side = "left" | "right" | "middle";

const ARM = [11, 13, 15, 19],
  LEG = [23, 25, 27, 31],
  HEEL = [27, 29, 31];
const chain = (points: number[], side: Side): [number, number, Side][] =>
  points.slice(1).map((point, k) => [points[k], point, side]);
const other = (points: number[]) => points.map((point) => point + 1); // the right side is one behind the left

export const LINES: [number, number, Side][] = [
  ...[ARM, LEG, HEEL].flatMap((part) => [...chain(part, "left"), ...chain(other(part), "right")]),
  ...chain([12, 11, 23, 24, 12], "middle"),
  ...chain([8, 0, 7], "middle"),
];
