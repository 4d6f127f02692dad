/** An emulated headset for those who have none: moved with keys, the pointer and sliders. */
import type { XRDevice } from "iwer";
import * as THREE from "three";
import { button, group, h, range, switchRow } from "../ui/elements";
import { belongsElsewhere } from "../ui/key_guard";
import type { Viewport } from "../scene/viewport";

const SPEED = 1.2; // m/s
const LOOK = 0.0045; // rad for a pixel
const TALLEST = 1.95,
  LOWEST = 0.5; // m, of the eyes

interface Hand {
  out: number;
  up: number;
  ahead: number; // m from the chest
}

export class Emulator {
  readonly controls: HTMLElement;
  private x = 0;
  private z = 0;
  private height = 1.6;
  private yaw = 0;
  private pitch = 0;
  private readonly hands: { left: Hand; right: Hand } = {
    left: { out: 0.22, up: -0.35, ahead: 0.3 },
    right: { out: 0.22, up: -0.35, ahead: 0.3 },
  };
  private readonly held = new Set<string>();

  private constructor(
    private readonly device: XRDevice,
    private readonly container: HTMLElement,
    private readonly viewport: Viewport,
    quit: () => void,
  ) {
    this.controls = this.build(quit);
    const canvas = viewport.renderer.domElement;
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons || !viewport.renderer.xr.isPresenting) return;
      this.yaw -= event.movementX * LOOK;
      this.pitch = THREE.MathUtils.clamp(this.pitch - event.movementY * LOOK, -1.4, 1.4);
    });
    window.addEventListener("keydown", (event) => {
      if (viewport.renderer.xr.isPresenting && !belongsElsewhere(event)) this.held.add(event.code);
    });
    window.addEventListener("keyup", (event) => this.held.delete(event.code));
  }

  /** Load it, and let it stand in for the browser's own headset, if there is one, until the page is reloaded. */
  static async load(viewport: Viewport, quit: () => void): Promise<Emulator> {
    const { XRDevice, metaQuest3 } = await import("iwer");
    const container = h("div.emulated") as HTMLDivElement;
    const device = new XRDevice(metaQuest3, { canvasContainer: container, stereoEnabled: false });
    device.installRuntime({ forceInstall: true });
    const emulator = new Emulator(device, container, viewport, quit);
    emulator.place();
    return emulator;
  }

  private build(quit: () => void): HTMLElement {
    const slider = (name: string, low: number, high: number, value: number, set: (value: number) => void) =>
      h("label.row", h("span.name", name), range({ low, high, step: 0.01, value, label: name }, set));
    const hand = (side: "left" | "right", title: string) => {
      const of = this.hands[side];
      return group(
        title,
        slider(`${title} ahead`, -0.3, 0.65, of.ahead, (value) => (of.ahead = value)),
        slider(`${title} up`, -0.7, 0.6, of.up, (value) => (of.up = value)),
        slider(`${title} out`, -0.3, 0.65, of.out, (value) => (of.out = value)),
        switchRow(`${title} is tracked`, true, (on) => {
          const controller = this.device.controllers[side];
          if (controller) controller.connected = on;
        }),
      );
    };
    return h(
      "div.emulator",
      h("p.note", h("kbd", "W"), h("kbd", "A"), h("kbd", "S"), h("kbd", "D"), " walk; drag the stage to look around."),
      slider("Height of the eyes", LOWEST, TALLEST, this.height, (value) => (this.height = value)),
      hand("left", "Left hand"),
      hand("right", "Right hand"),
      button("Leave VR", quit, { kind: "small" }),
    );
  }

  /** Each drawn frame. */
  update(seconds: number): void {
    const go = (code: string) => (this.held.has(code) ? SPEED * Math.min(seconds, 0.1) : 0);
    const ahead = go("KeyW") - go("KeyS"),
      right = go("KeyD") - go("KeyA");
    this.x += -Math.sin(this.yaw) * ahead + Math.cos(this.yaw) * right;
    this.z += -Math.cos(this.yaw) * ahead - Math.sin(this.yaw) * right;
    this.place();
    const box = this.viewport.box;
    Object.assign(this.container.style, {
      left: `${box.left}px`,
      top: `${box.top}px`,
      width: `${box.width}px`,
      height: `${box.height}px`,
      zIndex: "1",
    });
  }

  /** Where the emulated devices are, in a space whose user looks along -Z. */
  private place(): void {
    const turn = new THREE.Quaternion().setFromEuler(new THREE.Euler(this.pitch, this.yaw, 0, "YXZ"));
    this.device.position.set(this.x, this.height, this.z);
    this.device.quaternion.set(turn.x, turn.y, turn.z, turn.w);
    const facing = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), this.yaw);
    for (const side of ["left", "right"] as const) {
      const { out, up, ahead } = this.hands[side],
        controller = this.device.controllers[side];
      const at = new THREE.Vector3(side === "left" ? -out : out, up, -ahead).applyQuaternion(facing);
      controller?.position.set(this.x + at.x, this.height + at.y, this.z + at.z);
      controller?.quaternion.set(facing.x, facing.y, facing.z, facing.w);
    }
  }
}
