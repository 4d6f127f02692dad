/** The path: click to place keypoints, drag them, give each a speed, delete them. */
import * as THREE from "three";
import type { PathPoint, Situation } from "../messages";
import { Strokes } from "../scene/strokes";
import type { Studio } from "../studio";
import { button, h, switchRow } from "../ui/elements";
import { colour } from "../ui/theme";

const SPEED = 1.4; // m/s of a new keypoint
const SLOWEST = 0.1,
  FASTEST = 8; // m/s
const ECHO = 1000; // ms, in which what the server tells of the path may be older than what it was told
const FIRST: PathPoint[] = [
  [2, 2],
  [2, 5],
  [-2, 6],
  [-3, 2],
].map(([x, z]) => ({ x, z, speed: SPEED }));

export class PathEditor {
  readonly element = h("div.group", { hidden: true });
  private points: PathPoint[] = [];
  private loops = true;
  private selected = -1;
  private active = false;
  private isOpen = false;
  private dragging = -1;
  private sent = -ECHO; // when the server was told of the path last
  private readonly layer: THREE.Group;
  private readonly line = new Strokes(512, { width: 3, opacity: 0.8 });
  private readonly marks: THREE.Mesh[] = [];
  private readonly rows = h("div.list");
  private readonly loop = switchRow("Walk in circles", true, (on) => {
    this.loops = on;
    this.send();
  });
  private readonly plain = new THREE.MeshBasicMaterial();
  private readonly picked = new THREE.MeshBasicMaterial();

  constructor(private readonly studio: Studio) {
    this.layer = studio.viewport.layer();
    this.layer.visible = false;
    this.layer.add(this.line.object);
    studio.viewport.painted(() => {
      this.plain.color.set(colour("accent"));
      this.picked.color.set(colour("matched"));
    });
    this.element.append(
      h("p.note", "Click the floor to place a point, drag to move it, Delete to remove it."),
      this.rows,
      this.loop,
      h(
        "div.row",
        button(
          "Clear",
          () => {
            this.points = [];
            this.selected = -1;
            this.send();
            this.list();
          },
          { icon: "trash", kind: "small" },
        ),
      ),
    );
    this.listen();
    studio.connection.on("error_message", (problem) => {
      if (problem.about === "follow_path") this.sent = -ECHO; // it is as it was
    });
  }

  /** Path mode was chosen; a first path stands ready. */
  begin(): void {
    if (!this.points.length) {
      const { x, z } = this.studio.live.hips;
      this.points = FIRST.map((one) => ({ x: x + one.x, z: z + one.z, speed: one.speed }));
      this.send();
    }
  }

  /** The panel is open or closed. */
  open(open: boolean): void {
    this.isOpen = open;
    this.layer.visible = this.active && open;
  }

  show(situation: Situation): void {
    this.active = situation.how === "path";
    this.element.hidden = !this.active;
    this.layer.visible = this.active && this.isOpen;
    if (this.dragging >= 0 || performance.now() - this.sent < ECHO) return;
    this.points = situation.keypoints.map((one) => ({ ...one }));
    this.loops = situation.loops;
    this.loop.set(situation.loops);
    if (this.selected >= this.points.length) this.selected = -1;
    if (!this.rows.contains(document.activeElement)) this.list();
  }

  private send(): void {
    this.sent = performance.now();
    this.studio.connection.send({ type: "follow_path", keypoints: this.points, loops: this.loops });
  }

  removePicked(): void {
    this.remove(this.selected);
  }

  private remove(index: number): void {
    if (index < 0 || !this.active) return;
    this.points.splice(index, 1);
    this.selected = Math.min(index, this.points.length - 1);
    this.send();
    this.list();
  }

  private list(): void {
    this.rows.replaceChildren(
      ...this.points.map((point, k) => {
        const speed = h("input.field.number", {
          type: "number",
          min: SLOWEST,
          max: FASTEST,
          step: 0.1,
          value: point.speed.toFixed(1),
          "aria-label": `Speed at point ${k + 1}, m/s`,
          onchange: () => {
            this.points[k].speed = Math.min(Math.max(Number(speed.value) || SPEED, SLOWEST), FASTEST);
            speed.value = this.points[k].speed.toFixed(1);
            this.send();
          },
        }) as HTMLInputElement;
        return h(
          "li",
          {
            "aria-selected": String(k === this.selected),
            onpointerdown: () => {
              this.selected = k;
            },
          },
          h("span.name", { style: "flex:1" }, `Point ${k + 1}`),
          speed,
          h("span.note", "m/s"),
          button("", () => this.remove(k), { icon: "close", kind: "quiet small icon", title: `Remove point ${k + 1}` }),
        );
      }),
    );
  }

  private listen(): void {
    const canvas = this.studio.viewport.renderer.domElement,
      controls = this.studio.viewport.follow.controls;
    let down: { x: number; y: number } | null = null;
    canvas.addEventListener(
      "pointerdown",
      (event) => {
        if (!this.layer.visible || event.button !== 0) return;
        const hit = this.studio.viewport.hit(event, this.marks.slice(0, this.points.length));
        down = { x: event.clientX, y: event.clientY };
        if (!hit) return;
        this.dragging = this.selected = this.marks.indexOf(hit.object as THREE.Mesh);
        controls.enabled = false;
        canvas.setPointerCapture(event.pointerId);
        this.list();
      },
      { capture: true },
    );
    canvas.addEventListener("pointermove", (event) => {
      if (this.dragging < 0) return;
      const at = this.studio.viewport.groundAt(event);
      if (at) Object.assign(this.points[this.dragging], { x: at.x, z: at.z });
    });
    canvas.addEventListener("pointerup", (event) => {
      const still = down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 5;
      down = null;
      if (this.dragging >= 0) {
        this.dragging = -1;
        controls.enabled = true;
        this.send();
      } else if (still && this.layer.visible && event.button === 0) {
        const at = this.studio.viewport.groundAt(event);
        if (!at) return;
        this.points.push({ x: at.x, z: at.z, speed: this.points.at(-1)?.speed ?? SPEED });
        this.selected = this.points.length - 1;
        this.send();
        this.list();
      }
    });
  }

  frame(): void {
    if (!this.layer.visible) return;
    const height = (x: number, z: number) => this.studio.viewport.floor.height(x, z);
    while (this.marks.length < this.points.length) {
      const mark = new THREE.Mesh(new THREE.CylinderGeometry(0.13, 0.13, 0.05, 24), this.plain);
      this.marks.push(mark);
      this.layer.add(mark);
    }
    this.marks.forEach((mark, k) => {
      mark.visible = k < this.points.length;
      if (!mark.visible) return;
      const { x, z } = this.points[k];
      mark.position.set(x, height(x, z) + 0.025, z);
      mark.material = k === this.selected ? this.picked : this.plain;
    });
    this.line.begin();
    const ends = this.loops && this.points.length > 2 ? this.points.length : this.points.length - 1;
    for (let k = 0; k < ends; k++) {
      const a = this.points[k],
        b = this.points[(k + 1) % this.points.length];
      this.line.line(a.x, height(a.x, a.z) + 0.02, a.z, b.x, height(b.x, b.z) + 0.02, b.z, this.plain.color);
    }
    this.line.end();
  }
}
