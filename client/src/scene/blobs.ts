/** A soft dark spot under each character, where shadows cost too much. */
import * as THREE from "three";
import type { Floor } from "./floor";
import type { GlobalPose } from "./kinematics";

const MOST = 500;
const RADIUS = 0.48; // m
const LIFT = 0.012; // m above the ground

export class Blobs {
  readonly object: THREE.InstancedMesh;
  private readonly matrix = new THREE.Matrix4();

  constructor(private readonly floor: Floor) {
    const material = new THREE.MeshBasicMaterial({ color: 0x0b1020, transparent: true, depthWrite: false });
    material.defines = { USE_UV: "" };
    material.onBeforeCompile = (shader) => {
      shader.fragmentShader = shader.fragmentShader.replace(
        "#include <color_fragment>",
        "float far = 2.0 * length(vUv - 0.5);\n diffuseColor.a = 0.42 * pow(max(1.0 - far, 0.0), 1.4);",
      );
    };
    const spot = new THREE.PlaneGeometry(2 * RADIUS, 2 * RADIUS).rotateX(-Math.PI / 2);
    this.object = new THREE.InstancedMesh(spot, material, MOST);
    this.object.frustumCulled = false;
    this.object.renderOrder = -4;
    this.object.count = 0;
    this.object.visible = false;
  }

  /** Put them under characters whose `hips` are these joints. */
  show(poses: readonly GlobalPose[], hips: number): void {
    if (!this.object.visible) return;
    this.object.count = Math.min(poses.length, MOST);
    for (let k = 0; k < this.object.count; k++) {
      const { positions } = poses[k],
        [x, z] = [positions[3 * hips], positions[3 * hips + 2]];
      this.object.setMatrixAt(k, this.matrix.makeTranslation(x, this.floor.height(x, z) + LIFT, z));
    }
    this.object.instanceMatrix.needsUpdate = true;
  }
}
