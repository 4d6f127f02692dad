/** Which steering keys are down; they are let go when the page loses them. */
import { typing } from "../ui/shortcuts";
import { fromKeys, type Axes } from "./axes";

const STEERING = new Set([
  "KeyW",
  "KeyA",
  "KeyS",
  "KeyD",
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "ShiftLeft",
  "ShiftRight",
  "KeyQ",
  "KeyE",
]);

export class Keyboard {
  onChange: () => void = () => {};
  private readonly down = new Set<string>();

  constructor() {
    window.addEventListener("keydown", (event) => {
      if (
        typing(event.target) ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        document.querySelector("dialog[open]")
      )
        return;
      if (!STEERING.has(event.code)) return;
      // a focused slider or list keeps its arrows
      if (event.code.startsWith("Arrow")) {
        const target = event.target as HTMLElement;
        if (target !== document.body && target.tagName !== "CANVAS") return;
        event.preventDefault();
      }
      if (event.repeat) return;
      this.down.add(event.code);
      this.onChange();
    });
    window.addEventListener("keyup", (event) => {
      if (this.down.delete(event.code)) this.onChange();
    });
    window.addEventListener("blur", () => this.down.clear());
    document.addEventListener("visibilitychange", () => this.down.clear());
  }

  get letters(): Axes {
    const on = (code: string) => this.down.has(code);
    return fromKeys(on("KeyA"), on("KeyD"), on("KeyS"), on("KeyW"));
  }

  get arrows(): Axes {
    const on = (code: string) => this.down.has(code);
    return fromKeys(on("ArrowLeft"), on("ArrowRight"), on("ArrowDown"), on("ArrowUp"));
  }

  get shift(): boolean {
    return this.down.has("ShiftLeft") || this.down.has("ShiftRight");
  }

  /** Turning the camera: Q and E, -1 to 1. */
  get orbit(): number {
    return Number(this.down.has("KeyE")) - Number(this.down.has("KeyQ"));
  }
}
