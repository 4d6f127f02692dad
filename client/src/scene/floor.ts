/** The floor: an endless grid that fades into the distance, flat or over hills, with the shadows on it. */
import * as THREE from "three";
import type { Ground } from "../messages";
import { colour } from "../ui/theme";

const PATTERN = /* glsl */ `
  varying vec3 groundPoint;
  uniform vec3 gridColour;
  uniform vec3 centre;
  uniform float reach;
  float ruled(vec2 at, float step, float thickness) {
    vec2 wide = fwidth(at / step);
    vec2 line = abs(fract(at / step - 0.5) - 0.5) / max(wide, 1e-5);
    float faint = 1.0 - smoothstep(0.25, 0.9, max(wide.x, wide.y)); // lines closer than a pixel only shimmer
    return (1.0 - min(min(line.x, line.y) / thickness, 1.0)) * faint;
  }
`;
const COLOUR = /* glsl */ `
  float major = ruled(groundPoint.xz, 5.0, 1.4), minor = ruled(groundPoint.xz, 1.0, 1.0);
  diffuseColor.rgb = mix(diffuseColor.rgb, gridColour, max(0.95 * major, 0.5 * minor));
  diffuseColor.a *= 1.0 - smoothstep(0.3 * reach, reach, distance(groundPoint.xz, centre.xz));
`;

export class Floor {
  readonly object = new THREE.Group();
  private readonly uniforms = {
    gridColour: { value: new THREE.Color() },
    centre: { value: new THREE.Vector3() },
    reach: { value: 42 },
  };
  private readonly material = new THREE.MeshLambertMaterial({ transparent: true });
  private readonly plane: THREE.Mesh;
  private hills: THREE.Mesh | null = null;
  private ground: Ground | null = null;

  constructor() {
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader =
        "varying vec3 groundPoint;\n" +
        shader.vertexShader.replace(
          "#include <fog_vertex>",
          "#include <fog_vertex>\n groundPoint = (modelMatrix * vec4(position, 1.0)).xyz;",
        );
      shader.fragmentShader =
        PATTERN + shader.fragmentShader.replace("#include <color_fragment>", `#include <color_fragment>\n${COLOUR}`);
    };
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(120, 120).rotateX(-Math.PI / 2), this.material);
    this.plane.receiveShadow = true;
    this.object.add(this.plane);
  }

  paint(): void {
    this.material.color.set(colour("stage-floor"));
    this.uniforms.gridColour.value.set(colour("stage-grid"));
  }

  /** Keep the drawn part of the endless floor around a point. */
  centreOn(x: number, z: number): void {
    this.uniforms.centre.value.set(x, 0, z);
    this.plane.position.set(Math.round(x / 5) * 5, 0, Math.round(z / 5) * 5);
  }

  show(ground: Ground | null): void {
    this.hills?.removeFromParent();
    this.hills?.geometry.dispose();
    this.hills = null;
    this.ground = ground && ground.heights.length ? ground : null;
    this.plane.visible = !this.ground;
    if (!this.ground) return;
    const { size, count, heights } = this.ground;
    const geometry = new THREE.PlaneGeometry(size, size, count - 1, count - 1).rotateX(-Math.PI / 2);
    const positions = geometry.getAttribute("position");
    for (let v = 0; v < heights.length; v++) positions.setY(v, heights[v]);
    geometry.computeVertexNormals();
    this.hills = new THREE.Mesh(geometry, this.material);
    this.hills.receiveShadow = this.hills.castShadow = true;
    this.object.add(this.hills);
  }

  /** Height of the ground at a point; zero where it is flat. */
  height(x: number, z: number): number {
    if (!this.ground) return 0;
    const { size, count, heights } = this.ground;
    const cell = size / (count - 1),
      last = count - 1.001;
    const u = Math.min(Math.max((x + size / 2) / cell, 0), last),
      v = Math.min(Math.max((z + size / 2) / cell, 0), last);
    const i = Math.floor(u),
      j = Math.floor(v),
      at = j * count + i;
    const low = heights[at] + (heights[at + 1] - heights[at]) * (u - i);
    const high = heights[at + count] + (heights[at + count + 1] - heights[at + count]) * (u - i);
    return low + (high - low) * (v - j);
  }

  /** What pointers are cast against. */
  get surface(): THREE.Object3D {
    return this.hills ?? this.plane;
  }
}
