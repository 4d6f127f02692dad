/** Sticks as numbers: dead zones and the shape of the answer. */

export interface Axes {
  x: number; // to the right
  y: number; // ahead
}

/** A stick's raw axes with a round dead zone; beyond it the answer grows from zero, and never over one. */
export function withDeadZone(x: number, y: number, dead = 0.16): Axes {
  const length = Math.hypot(x, y);
  if (!(length > dead)) return { x: 0, y: 0 };
  const scale = Math.min((length - dead) / (1 - dead), 1) / length;
  return { x: x * scale, y: y * scale };
}

/** Four keys as a stick. */
export function fromKeys(left: boolean, right: boolean, back: boolean, ahead: boolean): Axes {
  const x = Number(right) - Number(left),
    y = Number(ahead) - Number(back);
  const length = Math.hypot(x, y) || 1;
  return { x: x / length, y: y / length };
}

export function stronger(...sticks: Axes[]): Axes {
  return sticks.reduce((best, one) => (Math.hypot(one.x, one.y) > Math.hypot(best.x, best.y) ? one : best));
}
