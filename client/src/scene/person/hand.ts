/** A hand as solids: a palm with the rig's fingers, or else with a thumb and four fingers of its own. */
import { add, cross, scale, subtract, unit, type Solid, type Vector } from "./solids";
import type { Stance } from "./stance";

const FINGERS = ["thumb", "index", "middle", "ring", "little"];
const THICKNESS = [0.0155, 0.0115, 0.0105, 0.0095, 0.0075]; // m, from the wrist to the tip of a finger

export function hand(stance: Stance, side: "left" | "right"): Solid[] {
  const { at, unit: u, has } = stance,
    { roles } = stance.rig.info;
  const joint = roles[`${side}_hand`],
    wrist = at(`${side}_hand`);
  const ahead = unit(subtract(wrist, at(`${side}_lower_arm`)));
  const front: Vector = [0, 0, 1]; // the thumb's side, with the palm towards the thigh
  const back = unit(cross(front, ahead)); // out of the back of the hand, or of the palm
  const on = (far: number, aside: number, out = 0): Vector =>
    add(wrist, add(scale(ahead, far * u), add(scale(front, aside * u), scale(back, out * u))));
  const solids: Solid[] = [
    { start: on(-0.03, 0), end: on(0.012, 0), radii: [0.027 * u, 0.024 * u], joint },
    {
      start: on(0.02, 0),
      end: on(0.078, 0),
      radii: [0.026 * u, 0.029 * u],
      across: front,
      scales: [1.35, 0.62],
      joint,
    },
  ];
  const chains = FINGERS.map((finger) =>
    ["proximal", "intermediate", "distal"].map((piece) => `${side}_${finger}_${piece}`).filter(has),
  );
  if (chains.some((chain) => chain.length)) {
    chains.forEach((chain, finger) => solids.push(...ownFinger(stance, chain, finger, wrist, ahead, joint)));
    return solids;
  }
  const curl = side === "left" ? -1 : 1;
  [0.03, 0.01, -0.01, -0.029].forEach((aside, k) => {
    const far = [0.162, 0.172, 0.166, 0.148][k];
    const knuckle = on(0.088, aside),
      middle = on(0.5 * (0.088 + far), 1.05 * aside, 0.006 * curl),
      tip = on(far - 0.008, 1.05 * aside, 0.024 * curl);
    solids.push(
      { start: knuckle, end: middle, radii: [0.0115 * u, 0.0105 * u], joint, chain: `finger ${k}` },
      { start: middle, end: tip, radii: [0.0105 * u, 0.0085 * u], joint, chain: `finger ${k}` },
    );
  });
  solids.push(
    { start: on(0.025, 0.022), end: on(0.06, 0.05, 0.008 * curl), radii: [0.0165 * u, 0.0125 * u], joint },
    {
      start: on(0.06, 0.05, 0.008 * curl),
      end: on(0.088, 0.054, 0.014 * curl),
      radii: [0.0125 * u, 0.0095 * u],
      joint,
    },
  );
  return solids;
}

/** A hand of a palm and closed fingers, for a figure that is small on the screen. */
export function mitten(stance: Stance, side: "left" | "right"): Solid[] {
  const { at, unit: u } = stance,
    wrist = at(`${side}_hand`),
    joint = stance.rig.info.roles[`${side}_hand`];
  const ahead = scale(unit(subtract(wrist, at(`${side}_lower_arm`))), u);
  const on = (far: number): Vector => add(wrist, scale(ahead, far));
  const across: Vector = [0, 0, 1];
  return [
    { start: on(-0.03), end: on(0.02), radii: [0.027 * u, 0.026 * u], joint },
    { start: on(0.02), end: on(0.09), radii: [0.028 * u, 0.03 * u], across, scales: [1.3, 0.7], joint },
    { start: on(0.09), end: on(0.15), radii: [0.03 * u, 0.02 * u], across, scales: [1.25, 0.7], joint },
  ];
}

/** A finger of the rig, from its first joint to a little beyond its last. */
function ownFinger(
  stance: Stance,
  chain: string[],
  finger: number,
  wrist: Vector,
  ahead: Vector,
  palm: number,
): Solid[] {
  if (!chain.length) return [];
  const u = stance.unit,
    { roles } = stance.rig.info;
  const places = [finger ? subtract(stance.at(chain[0]), scale(ahead, 0.012 * u)) : wrist, ...chain.map(stance.at)];
  const last = places.length - 1;
  const way = chain.length > 1 ? unit(subtract(places[last], places[last - 1])) : ahead;
  places.push(add(places[last], scale(way, 0.021 * u)));
  const joints = [palm, ...chain.map((role) => roles[role])];
  return joints.map((joint, n) => ({
    start: places[n],
    end: places[n + 1],
    radii: [THICKNESS[n] * u, THICKNESS[n + 1] * u],
    joint,
    chain: chain[0],
  }));
}
