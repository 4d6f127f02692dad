/** The stage: renderer, light, floor, camera, and layers that panels put their figures on. */
import * as THREE from "three";
import { themed } from "../ui/theme";
import { Backdrop } from "./backdrop";
import { Blobs } from "./blobs";
import { FollowCamera } from "./camera";
import { findDaylight, Lights } from "./daylight";
import { Figure, type FigureLook } from "./figure";
import { SEEN_BY_OTHERS } from "./headless";
import { Floor } from "./floor";
import type { Rig } from "./kinematics";

const FIELD = 38; // degrees, from top to bottom

export const QUALITIES = ["auto", "high", "medium", "low"] as const;
export type Quality = (typeof QUALITIES)[number];
/** From all there is to what a slow machine draws in time: pixels for each of the page's, corners of the shadow map. */
const LEVELS = [
  { most: 2, share: 1, shadow: 2048 },
  { most: 1, share: 1, shadow: 1024 },
  { most: 1, share: 0.8, shadow: 0 }, // fewer pixels would show as blocks
] as const;
const LAST = LEVELS.length - 1;
const SLOW_FRAME = 0.045; // s
const PATIENCE = 2.5; // s of slow frames before less is drawn

export class Viewport {
  readonly scene = new THREE.Scene();
  readonly renderer: THREE.WebGLRenderer;
  readonly follow: FollowCamera;
  readonly floor = new Floor();
  private readonly lights = new Lights();
  private readonly backdrop = new Backdrop();
  readonly blobs = new Blobs(this.floor);
  private readonly figures = new Set<Figure>();
  private readonly painters = new Set<() => void>();
  private readonly raycaster = new THREE.Raycaster();
  private readonly size = new THREE.Vector2();
  /** Looked through instead of the camera that follows. */
  eye: THREE.PerspectiveCamera | null = null;
  /** Figures that are made from now on have more corners, or fewer. */
  onCoarseness: () => void = () => {};
  private slow = 0;
  private level: number; // a place in LEVELS

  constructor(
    private readonly holder: HTMLElement,
    private chosen: Quality,
  ) {
    this.level = this.findLevel();
    this.renderer = new THREE.WebGLRenderer({
      antialias: chosen !== "low" || !drawsSlowly(),
      alpha: true,
      powerPreference: "high-performance",
    });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    canvas.setAttribute("aria-label", "The character; steer with the keys W A S D or the arrows");
    holder.prepend(canvas);
    this.follow = new FollowCamera(canvas);
    this.follow.camera.layers.enable(SEEN_BY_OTHERS);
    this.scene.add(this.lights.object, this.backdrop.object, this.floor.object);
    themed(() => this.paint());
  }

  private paint(): void {
    const light = findDaylight();
    this.lights.paint(light);
    this.backdrop.paint(light);
    this.floor.paint(light);
    this.holder.style.background = light.horizon;
    for (const figure of this.figures) figure.paint();
    for (const painter of this.painters) painter();
  }

  /** A layer of one's own; add objects to it, and show or hide it as a whole. */
  layer(): THREE.Group {
    const group = new THREE.Group();
    this.scene.add(group);
    return group;
  }

  /** Figures of a skeleton on a layer; painted again with the theme until forgotten. */
  figure(rig: Rig, layer: THREE.Object3D, look: FigureLook = {}): Figure {
    const figure = new Figure(rig, { corners: this.level === LAST ? "some" : "all", ...look });
    layer.add(figure.object);
    this.figures.add(figure);
    return figure;
  }

  forget(figure: Figure | null): void {
    if (!figure) return;
    this.figures.delete(figure);
    figure.dispose();
  }

  /** Called at once and whenever the theme changes. */
  painted(painter: () => void): void {
    this.painters.add(painter);
    painter();
  }

  /** The point of the ground under a pointer, or null. */
  groundAt(event: { clientX: number; clientY: number }): THREE.Vector3 | null {
    this.aim(event);
    return this.raycaster.intersectObject(this.floor.surface)[0]?.point ?? null;
  }

  /** The first of some objects under a pointer, or null. */
  hit(event: { clientX: number; clientY: number }, objects: THREE.Object3D[]): THREE.Intersection | null {
    this.aim(event);
    return this.raycaster.intersectObjects(objects, true)[0] ?? null;
  }

  private aim(event: { clientX: number; clientY: number }): void {
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new THREE.Vector2(
      ((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2,
    );
    this.raycaster.setFromCamera(at, this.follow.camera);
  }

  /** Prepare for pictures of a size of their own, or for the page again. */
  setFilmSize(size: { width: number; height: number } | null): void {
    this.filming = size !== null;
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(size?.width ?? 1, size?.height ?? 1, false); // the page's is fitted when it is drawn next
    this.lights.setShadow(size ? LEVELS[0].shadow : LEVELS[this.level].shadow);
    this.blobs.object.visible = !size && !LEVELS[this.level].shadow;
    if (size) this.frame(size.width / size.height);
  }
  private filming = false;

  /** Draw; `followed` is the point that the camera and the light go along with. */
  draw(followed: THREE.Vector3 | null, yaw: number, seconds: number): void {
    const worn = this.renderer.xr.isPresenting; // a headset has its own size and camera
    if (!worn) {
      if (!this.filming) {
        this.fit();
        this.thrift(seconds);
      }
      if (!this.eye) this.follow.update(followed, yaw, Math.min(seconds, 0.25), (x, z) => this.floor.height(x, z));
    }
    const centre = followed ?? this.follow.controls.target;
    this.floor.centreOn(centre.x, centre.z);
    this.lights.centreOn(centre);
    this.backdrop.centreOn((this.eye ?? this.follow.camera).position, this.filming || this.level < LAST);
    this.renderer.render(this.scene, this.eye ?? this.follow.camera);
  }

  /** Where the stage is on the page. */
  get box(): DOMRect {
    return this.holder.getBoundingClientRect();
  }

  /** Take the canvas back from an emulated headset. */
  takeBack(): void {
    this.holder.prepend(this.renderer.domElement);
    this.renderer.setSize(1, 1, false); // fitted when it is drawn next
  }

  private fit(): void {
    const width = this.holder.clientWidth,
      height = this.holder.clientHeight;
    const { most, share } = LEVELS[this.level],
      ratio = Math.max(Math.min(devicePixelRatio, most) * share, 0.45 * devicePixelRatio);
    this.renderer.getSize(this.size);
    if (this.eye && height && this.eye.aspect !== width / height) {
      this.eye.aspect = width / height;
      this.eye.updateProjectionMatrix();
    }
    if (this.size.x === width && this.size.y === height && this.renderer.getPixelRatio() === ratio) return;
    if (!width || !height) return;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.frame(width / height);
  }

  private frame(aspect: number): void {
    const { camera } = this.follow;
    camera.aspect = aspect;
    // a narrow stage shows as much to the sides as a wide one
    camera.fov = (360 / Math.PI) * Math.atan(Math.tan((FIELD * Math.PI) / 360) * Math.max(1, 1.1 / camera.aspect));
    camera.updateProjectionMatrix();
  }

  /** How much is drawn: all, some or little, or as much as the machine draws in time. */
  get quality(): Quality {
    return this.chosen;
  }

  set quality(quality: Quality) {
    this.chosen = quality;
    this.setLevel(this.findLevel());
  }

  private findLevel(): number {
    return { high: 0, medium: 1, low: LAST, auto: drawsSlowly() ? 1 : 0 }[this.chosen];
  }

  private setLevel(level: number): void {
    const coarser = (this.level === LAST) !== (level === LAST);
    this.level = level;
    this.slow = 0;
    if (coarser) this.onCoarseness();
  }

  /** On a slow machine, fewer pixels and then no shadows: an answering character is worth more than a pretty one. */
  private thrift(seconds: number): void {
    this.slow = seconds > SLOW_FRAME ? this.slow + seconds : Math.max(0, this.slow - 2 * seconds);
    if (this.chosen === "auto" && this.slow > PATIENCE && this.level < LAST) {
      this.setLevel(this.level + 1);
    }
    const { shadow } = LEVELS[this.level];
    document.documentElement.toggleAttribute("data-thrift", this.level === LAST);
    this.lights.setShadow(shadow);
    this.blobs.object.visible = !shadow;
  }
}

/** Whether the processor draws in place of a graphics card. */
function drawsSlowly(): boolean {
  return (slowly ??= askDriver());
}
let slowly: boolean | null = null;

function askDriver(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return false;
  const about = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(context.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
