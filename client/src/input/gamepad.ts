/** The gamepad in use: standard mapping, dead zones, plugged in and out at any time. */
import { withDeadZone, type Axes } from "./axes";

export const BUTTONS = {
  a: 0,
  b: 1,
  x: 2,
  y: 3,
  leftShoulder: 4,
  rightShoulder: 5,
  leftTrigger: 6,
  rightTrigger: 7,
  select: 8,
  start: 9,
} as const;
export type ButtonName = keyof typeof BUTTONS;

export interface PadState {
  name: string;
  left: Axes;
  right: Axes;
  held: (button: ButtonName) => boolean;
  pressed: (button: ButtonName) => boolean; // since the last reading
}

export class Gamepads {
  onPlug: (name: string, plugged: boolean) => void = () => {};
  private used = -1;
  private before: boolean[] = [];

  constructor() {
    window.addEventListener("gamepadconnected", (event) => this.onPlug(padName(event.gamepad), true));
    window.addEventListener("gamepaddisconnected", (event) => {
      if (event.gamepad.index === this.used) this.used = -1;
      this.onPlug(padName(event.gamepad), false);
    });
  }

  /** The pad that was moved last, or null. */
  read(): PadState | null {
    const pads = (navigator.getGamepads?.() ?? []).filter(
      (pad): pad is Gamepad => pad !== null && pad.connected && pad.axes.length >= 2,
    );
    if (!pads.length) return null;
    const moved = pads.find(
      (pad) =>
        pad.index !== this.used &&
        (pad.buttons.some((button) => button.pressed) || pad.axes.some((axis) => Math.abs(axis) > 0.5)),
    );
    const pad = moved ?? pads.find((one) => one.index === this.used) ?? pads[0];
    this.used = pad.index;
    const now = pad.buttons.map((button) => button.pressed || button.value > 0.5),
      before = this.before;
    this.before = now;
    return {
      name: padName(pad),
      left: withDeadZone(pad.axes[0], -pad.axes[1]),
      right: withDeadZone(pad.axes[2] ?? 0, -(pad.axes[3] ?? 0)),
      held: (button) => now[BUTTONS[button]] ?? false,
      pressed: (button) => (now[BUTTONS[button]] ?? false) && !(before[BUTTONS[button]] ?? false),
    };
  }
}

function padName(pad: Gamepad): string {
  return pad.id.replace(/\s*\(.*$/, "").trim() || "Gamepad";
}
