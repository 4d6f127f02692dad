/** What is far away: a sky with the sun's glow and clouds, and three rows of hills in the haze. */
import * as THREE from "three";
import type { Daylight } from "./daylight";

const SKY_RADIUS = 320; // m
const HILLS = [
  { radius: 130, height: 7, waves: 9, seed: 1 },
  { radius: 200, height: 17, waves: 7, seed: 5 },
  { radius: 280, height: 38, waves: 5, seed: 11 },
] as const; // m
const CORNERS = 240; // of a row of hills

const SKY = /* glsl */ `
  varying vec3 way;
  uniform vec3 zenith, middle, horizon, glow, glowAt;
  uniform float clouds;
  float scatter(vec2 p) { return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453); }
  float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(scatter(i), scatter(i + vec2(1, 0)), f.x), mix(scatter(i + vec2(0, 1)), scatter(i + vec2(1, 1)), f.x), f.y);
  }
  void main() {
    vec3 d = normalize(way);
    float up = max(d.y, 0.0);
    vec3 sky = mix(horizon, middle, smoothstep(0.0, 0.26, up));
    sky = mix(sky, zenith, smoothstep(0.16, 0.85, up));
    float near = max(dot(d, glowAt), 0.0);
    float haze = exp(-7.0 * up);
    if (clouds > 0.0 && d.y > 0.02) {
      vec2 at = d.xz / (d.y + 0.12) * vec2(1.1, 2.3);
      float thick = 0.6 * noise(at * 1.3 + 3.0) + 0.3 * noise(at * 3.1) + 0.1 * noise(at * 7.3);
      float seen = smoothstep(0.5, 0.82, thick) * smoothstep(0.02, 0.16, d.y) * clouds;
      sky = mix(sky, mix(mix(horizon, vec3(1.0), 0.35), glow, 0.7 * pow(near, 3.0)), 0.6 * seen);
    }
    sky = mix(sky, glow, 0.85 * pow(near, 5.0) * haze + 0.35 * pow(near, 24.0));
    sky += glow * smoothstep(0.9990, 0.9996, near) * 0.5;
    gl_FragColor = vec4(sky, 1.0);
    #include <colorspace_fragment>
  }
`;

export class Backdrop {
  readonly object = new THREE.Group();
  private readonly uniforms = {
    zenith: { value: new THREE.Color() },
    middle: { value: new THREE.Color() },
    horizon: { value: new THREE.Color() },
    glow: { value: new THREE.Color() },
    glowAt: { value: new THREE.Vector3() },
    clouds: { value: 1 },
  };
  private readonly hills: THREE.Mesh[];
  private clouds = 1;

  constructor() {
    const sky = new THREE.Mesh(
      new THREE.SphereGeometry(SKY_RADIUS, 24, 16),
      new THREE.ShaderMaterial({
        uniforms: this.uniforms,
        vertexShader: `varying vec3 way;
          void main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
        fragmentShader: SKY,
        side: THREE.BackSide,
        depthWrite: false,
      }),
    );
    sky.renderOrder = -10;
    this.hills = HILLS.map((row) => {
      const hills = new THREE.Mesh(
        ridge(row),
        new THREE.MeshBasicMaterial({ vertexColors: true, fog: false, side: THREE.DoubleSide }),
      );
      return hills;
    });
    this.object.add(sky, ...this.hills);
    for (const child of this.object.children) child.frustumCulled = false;
  }

  paint(light: Daylight): void {
    for (const name of ["zenith", "middle", "horizon", "glow"] as const) this.uniforms[name].value.set(light[name]);
    this.uniforms.glowAt.value.fromArray(light.glowAt).normalize();
    this.clouds = light.clouds;
    const haze = new THREE.Color(light.horizon);
    this.hills.forEach((row, k) => {
      const top = new THREE.Color(light.hills[k]),
        colours = row.geometry.getAttribute("color");
      for (let v = 0; v < colours.count; v++) {
        const paint = v % 2 ? top : haze;
        colours.setXYZ(v, paint.r, paint.g, paint.b);
      }
      colours.needsUpdate = true;
    });
  }

  /** Keep the far away around where the camera is. */
  centreOn(eye: THREE.Vector3, rich: boolean): void {
    this.object.position.set(eye.x, 0, eye.z);
    this.uniforms.clouds.value = rich ? this.clouds : 0;
  }
}

/** A row of hills around the origin: for each corner its foot and its top. */
function ridge({ radius, height, waves, seed }: (typeof HILLS)[number]): THREE.BufferGeometry {
  const positions: number[] = [],
    indices: number[] = [];
  for (let k = 0; k <= CORNERS; k++) {
    const angle = (2 * Math.PI * k) / CORNERS;
    const wave = (n: number, shift: number) => Math.sin(n * angle + seed * shift);
    const rise = 0.5 + 0.26 * wave(waves, 1) + 0.16 * wave(2 * waves + 1, 2.3) + 0.08 * wave(5 * waves + 2, 4.1);
    const [x, z] = [radius * Math.sin(angle), radius * Math.cos(angle)];
    positions.push(x, -1, z, x, height * Math.max(rise, 0.06), z);
    if (k < CORNERS) indices.push(2 * k, 2 * k + 1, 2 * k + 3, 2 * k, 2 * k + 3, 2 * k + 2);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(new Float32Array(positions.length), 3));
  geometry.setIndex(indices);
  return geometry;
}
