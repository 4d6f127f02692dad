/** A stick on the screen for mouse and touch. */
import { h } from "../ui/elements";
import type { Axes } from "./axes";

const REACH = 40; // px

export class ScreenStick {
  readonly element = h(
    "div.screen-stick",
    { title: "Drag to steer", role: "img", "aria-label": "Stick to drag with mouse or finger" },
    h("i"),
  );
  axes: Axes = { x: 0, y: 0 };
  onChange: (at: number) => void = () => {}; // when it happened, as performance.now counts
  private pointer = -1;

  constructor() {
    const knob = this.element.firstElementChild as HTMLElement;
    const show = (event: PointerEvent) => {
      knob.style.transform = `translate(${this.axes.x * REACH}px, ${-this.axes.y * REACH}px)`;
      this.onChange(event.timeStamp);
    };
    const move = (event: PointerEvent) => {
      if (event.pointerId !== this.pointer) return;
      const box = this.element.getBoundingClientRect();
      const x = (event.clientX - box.left - box.width / 2) / REACH,
        y = -(event.clientY - box.top - box.height / 2) / REACH;
      const length = Math.max(Math.hypot(x, y), 1);
      this.axes = { x: x / length, y: y / length };
      show(event);
    };
    const release = (event: PointerEvent) => {
      if (event.pointerId !== this.pointer) return;
      this.pointer = -1;
      this.axes = { x: 0, y: 0 };
      show(event);
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.pointer = event.pointerId;
      this.element.setPointerCapture(event.pointerId);
      move(event);
      event.preventDefault();
    });
    this.element.addEventListener("pointermove", move);
    this.element.addEventListener("pointerup", release);
    this.element.addEventListener("pointercancel", release);
  }
}
