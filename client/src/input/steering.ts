/** All that steers, as one stick: keys, gamepad, screen; sent to the server when it changes. */
import type { Live } from "../live";
import type { PageMessage } from "../messages";
import type { FollowCamera } from "../scene/camera";
import { stronger } from "./axes";
import { Gamepads } from "./gamepad";
import { Keyboard } from "./keyboard";
import { Latency } from "./latency";
import { ScreenStick } from "./screen_stick";

type StickMessage = Extract<PageMessage, { type: "stick" }>;
const CAMERA_SPEED = 2.2; // rad/s of a stick pushed all the way

export class Steering {
  readonly keyboard = new Keyboard();
  readonly gamepads = new Gamepads();
  readonly screen = new ScreenStick();
  readonly latency = new Latency();
  enabled = true; // while the played character is on the stage
  strafe = false;
  gait = "walk"; // chosen; Shift, or a trigger, takes the next faster one meanwhile
  device: "keys" | "pad" | "screen" | "none" = "none";
  onButton: (button: "pause" | "strafe" | "crouch" | "camera") => void = () => {};
  onMoved: () => void = () => {};
  private last = "";
  private sequence = 0;

  constructor(
    private readonly live: Live,
    private readonly camera: FollowCamera,
  ) {
    live.onChange((change) => {
      if (change === "welcome") this.last = "";
    });
    // at once, not with the next picture
    this.keyboard.onChange = this.screen.onChange = (at) => this.update(0, at);
  }

  private gaitNow(run: boolean): string {
    const gaits = this.live.welcome?.gaits ?? [];
    const chosen = gaits.find((gait) => gait.name === this.gait) ?? gaits[0];
    const faster = gaits.find((gait) => gait.filter === chosen?.filter && gait.speed > chosen.speed);
    return (run ? faster : undefined)?.name ?? chosen?.name ?? "walk";
  }

  /** Read all devices, turn the camera, tell the server what is new; `at` is when that happened. */
  update(seconds: number, at = performance.now()): void {
    if (!this.enabled) {
      return this.tell(
        { x: 0, y: 0, look_x: 0, look_y: 0, camera_yaw: 0, gait: this.gaitNow(false), strafe: false },
        at,
      );
    }
    const pad = this.gamepads.read();
    const keys = this.strafe ? this.keyboard.letters : stronger(this.keyboard.letters, this.keyboard.arrows);
    const none = { x: 0, y: 0 };
    const stick = stronger(keys, this.screen.axes, pad?.left ?? none);
    if (stick.x || stick.y) this.device = stick === keys ? "keys" : stick === this.screen.axes ? "screen" : "pad";
    const strafe = this.strafe !== (pad?.held("leftTrigger") ?? false);
    const look = strafe ? stronger(this.strafe ? this.keyboard.arrows : none, pad?.right ?? none) : none;
    const orbit = strafe || !pad ? none : pad.right;
    const turn = orbit.x + this.keyboard.orbit;
    if (turn || orbit.y) this.camera.orbit(-turn * CAMERA_SPEED * seconds, -orbit.y * 0.6 * CAMERA_SPEED * seconds);
    if (pad?.pressed("start")) this.onButton("pause");
    if (pad?.pressed("y")) this.onButton("camera");
    if (pad?.pressed("x")) this.onButton("strafe");
    if (pad?.pressed("b")) this.onButton("crouch");
    const run =
      this.keyboard.shift || (pad !== null && (pad.held("rightTrigger") || pad.held("rightShoulder") || pad.held("a")));
    const rest = !stick.x && !stick.y && !look.x && !look.y && !strafe;
    this.tell(
      {
        x: round(stick.x),
        y: round(stick.y),
        look_x: round(look.x),
        look_y: round(look.y),
        camera_yaw: rest ? 0 : round(this.camera.yaw),
        gait: this.gaitNow(run),
        strafe,
      },
      at,
    );
  }

  private tell(stick: Omit<StickMessage, "type" | "sequence">, at: number): void {
    const said = JSON.stringify(stick);
    if (said === this.last || !this.live.steers) return;
    const sequence = this.sequence + 1;
    if (!this.live.connection.send({ type: "stick", sequence, ...stick })) return;
    this.sequence = sequence;
    if (this.last) this.latency.sent(sequence, at); // the first one only tells where the stick rests
    this.last = said;
    if (stick.x || stick.y) this.onMoved();
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
