/** The floor: endless stones that fade into the haze, flat or over uneven ground, with the shadows on it. */
import * as THREE from "three";
import type { Ground } from "../messages";
import type { Daylight } from "./daylight";

const PATTERN = /* glsl */ `
  varying vec3 groundPoint;
  uniform vec3 gridColour, otherTone, horizon;
  uniform vec3 centre;
  uniform float reach;
  float ruled(vec2 at, float step, float thickness) {
    vec2 wide = fwidth(at / step);
    vec2 line = abs(fract(at / step - 0.5) - 0.5) / max(wide, 1e-5);
    float faint = 1.0 - smoothstep(0.25, 0.9, max(wide.x, wide.y)); // lines closer than a pixel only shimmer
    return (1.0 - min(min(line.x, line.y) / thickness, 1.0)) * faint;
  }
  float groundScatter(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }
  float groundNoise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(groundScatter(i), groundScatter(i + vec2(1, 0)), f.x),
      mix(groundScatter(i + vec2(0, 1)), groundScatter(i + vec2(1, 1)), f.x), f.y);
  }
`;
const COLOUR = /* glsl */ `
  float away = distance(groundPoint.xz, centre.xz);
  vec2 tile = floor(groundPoint.xz + 0.5);
  float tone = 0.65 * groundNoise(groundPoint.xz * 0.11) + 0.35 * groundNoise(groundPoint.xz * 0.6);
  tone += 0.16 * (groundScatter(tile) - 0.5) * (1.0 - smoothstep(14.0, 34.0, away)); // each stone has a tone of its own
  diffuseColor.rgb = mix(diffuseColor.rgb, otherTone, clamp(tone, 0.0, 1.0));
  float major = ruled(groundPoint.xz, 5.0, 1.5), minor = ruled(groundPoint.xz + 0.5, 1.0, 1.0);
  diffuseColor.rgb = mix(diffuseColor.rgb, gridColour, max(0.55 * major, 0.3 * minor) * (1.0 - smoothstep(12.0, 42.0, away)));
  diffuseColor.a *= 1.0 - smoothstep(0.55 * reach, reach, away);
`;
/** The haze of the far ground, which light does not reach. */
const HAZE = /* glsl */ `
  gl_FragColor.rgb = mix(gl_FragColor.rgb, horizon, smoothstep(18.0, 120.0, away));
`;

const FAR = 1e6; // m, where flat floor has faded away: never, it is lost in haze
const AROUND = 320; // m across the flat floor
const DRAWN = 48; // m across the piece of uneven ground that is drawn
const GAP = 0.05; // m from the lowest uneven ground down to the flat floor beneath it
const STRIDE = 4; // m after which that piece is moved

export class Floor {
  readonly object = new THREE.Group();
  private readonly uniforms = {
    gridColour: { value: new THREE.Color() },
    otherTone: { value: new THREE.Color() },
    horizon: { value: new THREE.Color() },
    centre: { value: new THREE.Vector3() },
  };
  private readonly stone = this.makeStone(FAR);
  private readonly unevenStone = this.makeStone(DRAWN / 2 - STRIDE);
  private readonly plane: THREE.Mesh;
  private uneven: THREE.Mesh | null = null;
  private ground: Ground | null = null;
  private middle = [0, 0]; // m, of the piece that is drawn

  constructor() {
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(AROUND, AROUND).rotateX(-Math.PI / 2), this.stone);
    this.plane.receiveShadow = true;
    this.plane.renderOrder = -5;
    this.object.add(this.plane);
  }

  /** What the floor is made of, to `reach` metres from its centre. */
  private makeStone(reach: number): THREE.MeshLambertMaterial {
    const material = new THREE.MeshLambertMaterial({ transparent: true });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms, { reach: { value: reach } });
      shader.vertexShader =
        "varying vec3 groundPoint;\n" +
        shader.vertexShader.replace(
          "#include <fog_vertex>",
          "#include <fog_vertex>\n groundPoint = (modelMatrix * vec4(position, 1.0)).xyz;",
        );
      shader.fragmentShader =
        PATTERN +
        shader.fragmentShader
          .replace("#include <color_fragment>", `#include <color_fragment>\n${COLOUR}`)
          .replace("#include <opaque_fragment>", `#include <opaque_fragment>\n${HAZE}`);
    };
    return material;
  }

  paint(light: Daylight): void {
    for (const stone of [this.stone, this.unevenStone]) stone.color.set(light.ground[0]);
    this.uniforms.otherTone.value.set(light.ground[1]);
    this.uniforms.gridColour.value.set(light.grid);
    this.uniforms.horizon.value.set(light.horizon);
  }

  /** Keep the drawn part of the endless floor around a point. */
  centreOn(x: number, z: number): void {
    this.uniforms.centre.value.set(x, 0, z);
    this.plane.position.setX(Math.round(x / 5) * 5).setZ(Math.round(z / 5) * 5);
    if (Math.max(Math.abs(x - this.middle[0]), Math.abs(z - this.middle[1])) > STRIDE) this.move(x, z);
  }

  show(ground: Ground | null): void {
    this.uneven?.removeFromParent();
    this.uneven?.geometry.dispose();
    this.uneven = null;
    this.ground = ground && ground.heights.some((height) => height !== 0) ? ground : null;
    // far away the ground is flat again
    this.plane.position.y = this.ground ? this.ground.heights.reduce((low, height) => Math.min(low, height)) - GAP : 0;
    if (!this.ground) return;
    const [wide, deep] = this.ground.cells;
    const across = Math.ceil(DRAWN / wide),
      along = Math.ceil(DRAWN / deep);
    const geometry = new THREE.PlaneGeometry(across * wide, along * deep, across, along).rotateX(-Math.PI / 2);
    this.uneven = new THREE.Mesh(geometry, this.unevenStone);
    this.uneven.receiveShadow = this.uneven.castShadow = true;
    this.object.add(this.uneven);
    this.move(this.uniforms.centre.value.x, this.uniforms.centre.value.z);
  }

  /** Draw the piece of the ground around a point; it moves by whole cells, so that its posts stay where they are. */
  private move(x: number, z: number): void {
    if (!this.ground || !this.uneven) return;
    const { origin, cells, columns, rows, heights } = this.ground;
    const { widthSegments, heightSegments } = (this.uneven.geometry as THREE.PlaneGeometry).parameters;
    const i = Math.round((x - origin[0]) / cells[0] - widthSegments / 2),
      j = Math.round((z - origin[1]) / cells[1] - heightSegments / 2);
    this.uneven.position.set(
      origin[0] + (i + widthSegments / 2) * cells[0],
      0,
      origin[1] + (j + heightSegments / 2) * cells[1],
    );
    this.middle = [x, z];
    const positions = this.uneven.geometry.getAttribute("position");
    let v = 0;
    for (let row = 0; row <= heightSegments; row++)
      for (let column = 0; column <= widthSegments; column++)
        positions.setY(v++, heights[wrap(j + row, rows - 1) * columns + wrap(i + column, columns - 1)]);
    positions.needsUpdate = true;
    this.uneven.geometry.computeVertexNormals();
    this.uneven.geometry.computeBoundingSphere();
  }

  /** Height of the ground at a point; zero where it is flat. */
  height(x: number, z: number): number {
    if (!this.ground) return 0;
    const { origin, cells, columns, rows, heights } = this.ground;
    const u = (x - origin[0]) / cells[0],
      v = (z - origin[1]) / cells[1];
    const i = Math.floor(u),
      j = Math.floor(v);
    const post = (di: number, dj: number) => heights[wrap(j + dj, rows - 1) * columns + wrap(i + di, columns - 1)];
    const low = post(0, 0) + (post(1, 0) - post(0, 0)) * (u - i);
    const high = post(0, 1) + (post(1, 1) - post(0, 1)) * (u - i);
    return low + (high - low) * (v - j);
  }

  /** What pointers are cast against. */
  get surface(): THREE.Object3D {
    return this.uneven ?? this.plane;
  }
}

function wrap(index: number, count: number): number {
  return ((index % count) + count) % count;
}
