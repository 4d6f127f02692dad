/** The stage: renderer, light, floor, camera, and layers that panels put their figures on. */
import * as THREE from "three";
import { colour, themed } from "../ui/theme";
import { FollowCamera } from "./camera";
import { Figure, type FigureLook } from "./figure";
import { SEEN_BY_OTHERS } from "./headless";
import { Floor } from "./floor";
import type { Rig } from "./kinematics";

const FIELD = 38; // degrees, from top to bottom

export type Quality = "auto" | "high" | "low";

export class Viewport {
  readonly scene = new THREE.Scene();
  readonly renderer: THREE.WebGLRenderer;
  readonly follow: FollowCamera;
  readonly floor = new Floor();
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb9c2cc, 1.5);
  private readonly figures = new Set<Figure>();
  private readonly painters = new Set<() => void>();
  private readonly raycaster = new THREE.Raycaster();
  private readonly size = new THREE.Vector2();
  private readonly dusk = new THREE.Color();
  /** Looked through instead of the camera that follows. */
  eye: THREE.PerspectiveCamera | null = null;
  /** Whether the background is drawn, for what has no page behind it: a headset, a mirror. */
  solid = false;
  private slow = 0;
  private level: number; // of thrift: 0 is all there is

  constructor(
    private readonly holder: HTMLElement,
    private readonly quality: Quality,
  ) {
    const thrifty = quality === "low" || (quality === "auto" && drawsSlowly());
    this.level = thrifty ? 2 : 0;
    this.renderer = new THREE.WebGLRenderer({ antialias: !thrifty, alpha: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    canvas.setAttribute("aria-label", "The character; steer with the keys W A S D or the arrows");
    holder.prepend(canvas);
    this.follow = new FollowCamera(canvas);
    this.follow.camera.layers.enable(SEEN_BY_OTHERS);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.normalBias = 0.02;
    Object.assign(this.sun.shadow.camera, { left: -9, right: 9, top: 9, bottom: -9, near: 1, far: 50 });
    this.scene.add(this.sun, this.sun.target, this.sky, this.floor.object);
    themed(() => this.paint());
  }

  private paint(): void {
    const dark = document.documentElement.dataset.theme !== "light";
    this.sky.intensity = dark ? 1.35 : 1.4;
    this.sun.intensity = dark ? 2.3 : 1.9;
    this.sky.groundColor.set(dark ? 0x59636f : 0xc9d2dc);
    this.holder.style.background = `linear-gradient(${colour("stage-top")}, ${colour("stage-bottom")} 62%)`;
    this.floor.paint();
    for (const figure of this.figures) figure.paint();
    for (const painter of this.painters) painter();
  }

  /** A layer of one's own; add objects to it, and show or hide it as a whole. */
  layer(): THREE.Group {
    const group = new THREE.Group();
    this.scene.add(group);
    return group;
  }

  /** Figures of a skeleton on a layer; painted anew with the theme until forgotten. */
  figure(rig: Rig, layer: THREE.Object3D, look: FigureLook = {}): Figure {
    const figure = new Figure(rig, look);
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
    this.sun.castShadow = size !== null || this.level < 2;
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
      if (!this.eye) this.follow.update(followed, yaw, Math.min(seconds, 0.25));
    }
    this.scene.background = worn || this.solid || this.filming ? this.dusk.set(colour("stage-top")) : null;
    const centre = followed ?? this.follow.controls.target;
    this.floor.centreOn(centre.x, centre.z);
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).add(new THREE.Vector3(5, 11, -6));
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
    const ratio = Math.min(devicePixelRatio, 2) * [1, 0.75, 0.6][this.level];
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

  /** On a slow machine, fewer pixels and then no shadows: an answering character is worth more than a pretty one. */
  private thrift(seconds: number): void {
    const wanted = this.quality === "high" ? 0 : this.quality === "low" ? 2 : this.level;
    this.slow = seconds > 0.045 ? this.slow + seconds : Math.max(0, this.slow - 2 * seconds);
    this.level = this.quality === "auto" && this.slow > 2.5 && this.level < 2 ? this.level + 1 : wanted;
    if (this.level !== wanted) this.slow = 0;
    if (this.sun.castShadow !== this.level < 2) {
      this.sun.castShadow = this.level < 2;
      document.documentElement.toggleAttribute("data-thrift", this.level === 2);
    }
  }
}

/** Whether the processor draws in place of a graphics card. */
function drawsSlowly(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return false;
  const about = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(context.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
