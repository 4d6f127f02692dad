/** Many coloured lines in one draw call, written again each frame into the same memory. */
import * as THREE from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

export class Strokes {
  readonly object: LineSegments2;
  private readonly geometry = new LineSegmentsGeometry();
  private readonly places: THREE.InstancedInterleavedBuffer;
  private readonly colours: THREE.InstancedInterleavedBuffer;
  private used = 0;

  constructor(
    private readonly capacity: number,
    options: { width: number; through?: boolean; opacity?: number },
  ) {
    this.geometry.setPositions(new Float32Array(6 * capacity));
    this.geometry.setColors(new Float32Array(6 * capacity));
    this.places = (this.geometry.getAttribute("instanceStart") as THREE.InterleavedBufferAttribute)
      .data as THREE.InstancedInterleavedBuffer;
    this.colours = (this.geometry.getAttribute("instanceColorStart") as THREE.InterleavedBufferAttribute)
      .data as THREE.InstancedInterleavedBuffer;
    const material = new LineMaterial({
      linewidth: options.width,
      vertexColors: true,
      transparent: true,
      opacity: options.opacity ?? 1,
      depthTest: !options.through,
      depthWrite: false,
    });
    this.object = new LineSegments2(this.geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = options.through ? 12 : 8;
  }

  begin(): void {
    this.used = 0;
  }

  line(ax: number, ay: number, az: number, bx: number, by: number, bz: number, colour: THREE.Color): void {
    if (this.used >= this.capacity) return;
    const at = 6 * this.used++;
    this.places.array.set([ax, ay, az, bx, by, bz], at);
    this.colours.array.set([colour.r, colour.g, colour.b, colour.r, colour.g, colour.b], at);
  }

  /** A line with a head, lying in the plane that is flat or as steep as it is. */
  arrow(ax: number, ay: number, az: number, bx: number, by: number, bz: number, colour: THREE.Color): void {
    this.line(ax, ay, az, bx, by, bz, colour);
    const length = Math.hypot(bx - ax, by - ay, bz - az);
    if (length < 1e-3) return;
    const head = Math.min(0.09, 0.4 * length) / length;
    const dx = (bx - ax) * head,
      dy = (by - ay) * head,
      dz = (bz - az) * head;
    for (const side of [-0.55, 0.55]) this.line(bx, by, bz, bx - dx + side * dz, by - dy, bz - dz - side * dx, colour);
  }

  ring(x: number, y: number, z: number, radius: number, colour: THREE.Color, corners = 28): void {
    for (let k = 0; k < corners; k++) {
      const a = (2 * Math.PI * k) / corners,
        b = (2 * Math.PI * (k + 1)) / corners;
      this.line(
        x + radius * Math.sin(a),
        y,
        z + radius * Math.cos(a),
        x + radius * Math.sin(b),
        y,
        z + radius * Math.cos(b),
        colour,
      );
    }
  }

  end(): void {
    this.geometry.instanceCount = this.used;
    this.places.needsUpdate = this.colours.needsUpdate = true;
  }
}
