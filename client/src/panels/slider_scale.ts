/** Where a value stands on its slider: small values get more room when the default is small for its range. */

export interface Scale {
  low: number;
  high: number;
  power: number;
}

const MIDDLE = 0.4; // where the default stands

export function scaleOf(low: number, high: number, standard: number): Scale {
  const share = (standard - low) / (high - low);
  if (!(share > 0)) return { low, high, power: 3 };
  return { low, high, power: Math.min(Math.max(Math.log(share) / Math.log(MIDDLE), 1), 6) };
}

export function toSlider(scale: Scale, value: number): number {
  return Math.min(Math.max((value - scale.low) / (scale.high - scale.low), 0), 1) ** (1 / scale.power);
}

/** The value at a place of the slider, with as many digits as anybody can mean. */
export function fromSlider(scale: Scale, place: number): number {
  return tidy(scale.low + (scale.high - scale.low) * place ** scale.power);
}

export function tidy(value: number): number {
  return Number(value.toPrecision(3));
}
