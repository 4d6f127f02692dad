/** The stage of one character: devices steer it, the step moves it, three.js draws it. */
import * as THREE from "three";
import { stronger } from "../input/axes";
import { Gamepads } from "../input/gamepad";
import { Keyboard } from "../input/keyboard";
import { ScreenStick } from "../input/screen_stick";
import type { SkeletonInfo } from "../messages";
import { newPose, Rig } from "../scene/kinematics";
import { Viewport } from "../scene/viewport";
import { h } from "../ui/elements";

/** What the page uses of kinematch.js; kinematch.d.ts describes all of it. */
export interface Loaded {
  about: { figure: SkeletonInfo; filters: string[]; sources: string[]; speeds: [number, number] };
  pose: { globalPositions: Float32Array; globalRotations: Float32Array };
  command(command: { velocity: number[]; facing?: number[]; filter?: number; source?: number }): void;
  step(dt: number): number;
  teleport(position: number[], yaw?: number): void;
}

const LONGEST_FRAME = 0.1; // s that a page which was hidden makes up for
const FARTHEST = 2000; // m from the middle of the world, where the character begins again

export class CharacterPage {
  private readonly stage = h("div.character-stage");
  private readonly view: Viewport;
  private readonly keyboard = new Keyboard();
  private readonly gamepads = new Gamepads();
  private readonly stick = new ScreenStick();
  private readonly rig: Rig;
  private readonly shown;
  private readonly figure;
  private readonly at = new THREE.Vector3();
  private last = 0;
  private running = false;
  private filter = 0;
  private source = 0;
  /** Steps since the page began. */
  steps = 0;

  constructor(
    holder: HTMLElement,
    private readonly character: Loaded,
  ) {
    holder.append(this.stage);
    this.view = new Viewport(this.stage, "auto");
    this.rig = new Rig(character.about.figure);
    this.shown = newPose(this.rig);
    this.figure = this.view.figure(this.rig, this.view.layer());
    this.stage.append(this.stick.element, this.makeBar());
  }

  run(): void {
    const draw = (now: number) => {
      const seconds = Math.min((now - (this.last || now)) / 1000, LONGEST_FRAME);
      this.last = now;
      this.advance(seconds);
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  }

  private advance(seconds: number): void {
    const pad = this.gamepads.read();
    const none = { x: 0, y: 0 };
    const { x, y } = stronger(this.keyboard.letters, this.keyboard.arrows, this.stick.axes, pad?.left ?? none);
    if (pad?.right.x || pad?.right.y) this.view.follow.orbit(-2 * pad.right.x * seconds, -pad.right.y * seconds);
    const run = this.running !== (this.keyboard.shift || (pad?.held("a") ?? false));
    const speed = this.character.about.speeds[run ? 1 : 0];
    const yaw = this.view.follow.yaw;
    const velocity = [
      speed * (Math.sin(yaw) * y - Math.cos(yaw) * x),
      0,
      speed * (Math.cos(yaw) * y + Math.sin(yaw) * x),
    ];
    this.character.command({ velocity, filter: this.filter, source: this.source });
    this.character.step(seconds);
    this.steps++;
    this.show();
    if (this.at.length() > FARTHEST) this.character.teleport([0, 0, 0]);
    this.view.draw(this.at, yaw, seconds);
  }

  private show(): void {
    const { globalPositions, globalRotations } = this.character.pose;
    this.shown.positions.set(globalPositions.subarray(0, this.shown.positions.length));
    for (let j = 0; j < this.rig.count; j++) {
      for (let k = 0; k < 3; k++) this.shown.rotations[4 * j + k] = globalRotations[4 * j + k + 1];
      this.shown.rotations[4 * j + 3] = globalRotations[4 * j];
    }
    this.figure.pose(0, this.shown);
    this.at.set(globalPositions[0], globalPositions[1] + 0.9, globalPositions[2]);
  }

  private makeBar(): HTMLElement {
    const run = h("button", { type: "button", "aria-pressed": "false", title: "Or hold Shift" }, "Run");
    run.addEventListener("click", () => {
      this.running = !this.running;
      run.setAttribute("aria-pressed", String(this.running));
    });
    const choose = (names: string[], label: string, chosen: (number: number) => void) => {
      if (names.length < 2) return null;
      const options = names.map((name, number) => h("option", { value: String(number) }, name || "everything"));
      const list = h("select", { "aria-label": label, onchange: () => chosen(list.selectedIndex) }, ...options);
      return list;
    };
    return h(
      "div.character-bar",
      choose(this.character.about.filters, "Style", (number) => (this.filter = number)),
      choose(this.character.about.sources, "Motion", (number) => (this.source = number)),
      run,
    );
  }
}
