/** Figures of one skeleton, one or hundreds, drawn with a single call: joints are read from a texture by the vertex shader. */
import * as THREE from "three";
import { SEEN_BY_OTHERS, SEEN_BY_SELF, withoutHidden } from "./headless";
import type { GlobalPose, Rig } from "./kinematics";
import { makeMannequin, type Corners } from "./mannequin";
import { makePersonShape } from "./person/shape";
import type { BodyKind, Gaze, Shape } from "./shape";

export interface FigureLook {
  kind?: BodyKind; // the mannequin if not given
  first?: number; // which outfit the first wears; the next ones wear the next
  capacity?: number; // how many at most; 1 if not given
  opacity?: number; // below 1: a ghost
  colour?: string; // one colour of the theme for the whole body, instead of its own
  corners?: Corners; // all if not given; fewer for crowds
  shadow?: boolean;
  own?: boolean; // the body of who looks: the head is for others and mirrors alone
}

export class Figure {
  readonly object = new THREE.Group();
  private readonly shape: Shape;
  private readonly geometry = new THREE.InstancedBufferGeometry();
  private readonly materials: THREE.Material[] = [];
  private readonly texture: THREE.DataTexture;
  private readonly data: Float32Array;
  private readonly width: number;
  private headless: THREE.InstancedBufferGeometry | null = null;

  constructor(
    readonly rig: Rig,
    private readonly look: FigureLook = {},
  ) {
    const { capacity = 1, corners = "all" } = look;
    const person = look.kind === "person" ? makePersonShape(rig, corners, look.first ?? 0) : null;
    this.shape = person ?? makeMannequin(rig, corners);
    for (const [name, values] of Object.entries(this.shape.attributes)) this.geometry.setAttribute(name, values);
    this.geometry.setIndex(new THREE.BufferAttribute(this.shape.index, 1));
    this.geometry.instanceCount = 0;
    this.width = 2 * this.shape.columns;
    this.data = new Float32Array(4 * this.width * capacity);
    this.texture = new THREE.DataTexture(this.data, this.width, capacity, THREE.RGBAFormat, THREE.FloatType);
    this.addMeshes();
    this.paint();
  }

  private addMeshes(): void {
    const ghost = (this.look.opacity ?? 1) < 1;
    if (ghost) {
      // depth first, so that a see-through body does not show its own inside
      const before = new THREE.Mesh(this.geometry, this.posed(new THREE.MeshBasicMaterial({ colorWrite: false })));
      before.renderOrder = 1;
      this.object.add(before);
    }
    const body = new THREE.Mesh(
      this.geometry,
      this.posed(
        new THREE.MeshStandardMaterial({
          vertexColors: true,
          roughness: this.shape.roughness,
          transparent: ghost,
          opacity: this.look.opacity ?? 1,
        }),
      ),
    );
    body.renderOrder = ghost ? 2 : 0;
    body.castShadow = this.look.shadow ?? !ghost;
    body.receiveShadow = !ghost;
    body.customDepthMaterial = this.posed(new THREE.MeshDepthMaterial());
    this.object.add(body);
    if (this.look.own) this.addHeadless(body);
    for (const child of this.object.children) child.frustumCulled = false; // the joints alone know where it is
  }

  private addHeadless(body: THREE.Mesh): void {
    const { shape } = this;
    if (this.rig.info.roles.head === undefined) return;
    const geometry = this.geometry.clone();
    for (const name of Object.keys(this.geometry.attributes))
      geometry.setAttribute(name, this.geometry.getAttribute(name)); // shared, so that both are painted at once
    const index = withoutHidden(this.geometry.index!.array, (corner) => shape.isHead(shape.carrier(corner)));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.headless = geometry;
    const twin = new THREE.Mesh(geometry, body.material);
    twin.receiveShadow = true;
    // unseen, but its shadow has a head
    const caster = new THREE.Mesh(
      this.geometry,
      this.posed(new THREE.MeshBasicMaterial({ colorWrite: false, depthWrite: false })),
    );
    caster.castShadow = true;
    caster.customDepthMaterial = body.customDepthMaterial;
    for (const own of [twin, caster]) own.layers.set(SEEN_BY_SELF);
    body.layers.set(SEEN_BY_OTHERS);
    this.object.add(twin, caster);
  }

  private posed<M extends THREE.Material>(material: M): M {
    const { head, normal, place, colour, uniforms, key } = this.shape;
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, { poses: { value: this.texture } }, uniforms);
      shader.vertexShader =
        head +
        shader.vertexShader
          .replace("#include <beginnormal_vertex>", `vec3 objectNormal = ${normal};`)
          .replace("#include <begin_vertex>", `vec3 transformed = ${place};`);
      if (colour && material.vertexColors)
        shader.vertexShader = shader.vertexShader.replace("#include <color_vertex>", `vColor = vec4(1.0);\n${colour}`);
    };
    material.customProgramCacheKey = () => key;
    this.materials.push(material);
    return material;
  }

  /** Colours of the theme as it is now. */
  paint(): void {
    this.shape.paint(this.look.colour);
  }

  get capacity(): number {
    return this.look.capacity ?? 1;
  }

  get count(): number {
    return this.geometry.instanceCount;
  }

  /** How many of the first are drawn. */
  set count(count: number) {
    this.geometry.instanceCount = Math.min(count, this.capacity);
    if (this.headless) this.headless.instanceCount = this.geometry.instanceCount;
  }

  set visible(visible: boolean) {
    this.object.visible = visible;
  }

  get visible(): boolean {
    return this.object.visible;
  }

  /** Pose one of them; `count` grows to include it. */
  pose(which: number, pose: GlobalPose, gaze: Gaze | null = null): void {
    this.shape.write(pose, this.data, 4 * this.width * which, gaze);
    if (which >= this.count) this.count = which + 1;
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.object.removeFromParent();
    this.geometry.dispose();
    this.headless?.dispose();
    this.texture.dispose();
    this.shape.dispose();
    for (const material of this.materials) material.dispose();
  }
}
