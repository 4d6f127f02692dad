/** Which steering keys are down; they are let go when the page loses them. */
import { belongsElsewhere } from "../ui/key_guard";
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
  onChange: (at: number) => void = () => {}; // when it happened, as performance.now counts
  acts = false; // E uses what is near, and does not turn the camera
  private readonly down = new Set<string>();

  constructor() {
    window.addEventListener("keydown", (event) => {
      if (!STEERING.has(event.code) || belongsElsewhere(event)) return;
      if (event.code.startsWith("Arrow")) event.preventDefault(); // which would scroll
      if (event.repeat) return;
      this.down.add(event.code);
      this.onChange(event.timeStamp);
    });
    window.addEventListener("keyup", (event) => {
      if (this.down.delete(event.code)) this.onChange(event.timeStamp);
    });
    const letGo = (event: Event) => {
      this.down.clear();
      this.onChange(event.timeStamp); // at once: a hidden page draws no more pictures
    };
    window.addEventListener("blur", letGo);
    document.addEventListener("visibilitychange", letGo);
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
    return Number(this.down.has("KeyE") && !this.acts) - Number(this.down.has("KeyQ"));
  }
}
