/** Figures of one skeleton, one or hundreds, drawn with a single call: joints are read from a texture by the vertex shader. */
import * as THREE from "three";
import { colour } from "../ui/theme";
import { bodyTriangles, TINTS } from "./cones";
import { below, SEEN_BY_OTHERS, SEEN_BY_SELF, withoutHidden } from "./headless";
import type { GlobalPose, Rig } from "./kinematics";

export interface FigureLook {
  capacity?: number; // how many at most; 1 if not given
  opacity?: number; // below 1: a ghost
  colour?: string; // one colour of the theme for the whole body, instead of left and right
  corners?: "all" | "some" | "few"; // all if not given; fewer for crowds
  shadow?: boolean;
  own?: boolean; // the body of who looks: the head is for others and mirrors alone
}

const POSED = /* glsl */ `
  attribute float carrier;
  uniform highp sampler2D poses;
  vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
  vec4 jointTurn() { return texelFetch(poses, ivec2(2 * int(carrier), gl_InstanceID), 0); }
  vec3 jointPlace() { return texelFetch(poses, ivec2(2 * int(carrier) + 1, gl_InstanceID), 0).xyz; }
`;

export class Figure {
  readonly object = new THREE.Group();
  private readonly geometry = new THREE.InstancedBufferGeometry();
  private readonly materials: THREE.Material[] = [];
  private readonly texture: THREE.DataTexture;
  private readonly data: Float32Array;
  private readonly tints: Uint8Array;
  private readonly width: number;
  private headless: THREE.InstancedBufferGeometry | null = null;

  constructor(
    readonly rig: Rig,
    private readonly look: FigureLook = {},
  ) {
    const capacity = look.capacity ?? 1;
    const [sides, steps] = { all: [16, 5], some: [8, 3], few: [5, 2] }[look.corners ?? "all"];
    const mesh = bodyTriangles(rig.info.body, rig, sides, steps);
    this.tints = mesh.tints;
    this.geometry.setAttribute("position", new THREE.BufferAttribute(mesh.positions, 3));
    this.geometry.setAttribute("normal", new THREE.BufferAttribute(mesh.normals, 3));
    this.geometry.setAttribute("carrier", new THREE.BufferAttribute(mesh.carriers, 1));
    this.geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * mesh.tints.length), 3));
    this.geometry.setIndex(new THREE.BufferAttribute(mesh.indices, 1));
    this.geometry.instanceCount = 0;
    this.width = 2 * rig.count;
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
          roughness: 0.62,
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
    const head = this.rig.info.roles.head;
    if (head === undefined) return;
    const hidden = below(this.rig.parents, head),
      carriers = this.geometry.getAttribute("carrier");
    const geometry = this.geometry.clone();
    for (const name of Object.keys(this.geometry.attributes))
      geometry.setAttribute(name, this.geometry.getAttribute(name)); // shared, so that both are painted at once
    const index = withoutHidden(this.geometry.index!.array, (corner) => hidden.has(carriers.getX(corner)));
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
    material.onBeforeCompile = (shader) => {
      shader.uniforms.poses = { value: this.texture };
      shader.vertexShader =
        POSED +
        shader.vertexShader
          .replace("#include <beginnormal_vertex>", "vec3 objectNormal = turned(jointTurn(), normal);")
          .replace("#include <begin_vertex>", "vec3 transformed = turned(jointTurn(), position) + jointPlace();");
    };
    material.customProgramCacheKey = () => "posed";
    this.materials.push(material);
    return material;
  }

  /** Colours of the theme as it is now. */
  paint(): void {
    const names = {
      body: "body",
      left: "body-left",
      right: "body-right",
      left_arm: "body-left-arm",
      right_arm: "body-right-arm",
      joints: "body-joints",
    };
    const palette = TINTS.map((tint) => new THREE.Color(colour(this.look.colour ?? names[tint])));
    const colours = this.geometry.getAttribute("color") as THREE.BufferAttribute;
    this.tints.forEach((tint, v) => colours.setXYZ(v, palette[tint].r, palette[tint].g, palette[tint].b));
    colours.needsUpdate = true;
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
  pose(which: number, pose: GlobalPose): void {
    const row = 4 * this.width * which;
    for (let j = 0; j < this.rig.count; j++) {
      const at = row + 8 * j;
      this.data.set(pose.rotations.subarray(4 * j, 4 * j + 4), at);
      this.data.set(pose.positions.subarray(3 * j, 3 * j + 3), at + 4);
    }
    if (which >= this.count) this.count = which + 1;
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.object.removeFromParent();
    this.geometry.dispose();
    this.headless?.dispose();
    this.texture.dispose();
    for (const material of this.materials) material.dispose();
  }
}
