/** A mirror in front of one's spot, as tall as a person. */
import * as THREE from "three";
import { Reflector } from "three/examples/jsm/objects/Reflector.js";
import { lookAs } from "../scene/headless";
import type { Viewport } from "../scene/viewport";

const WIDTH = 2.4,
  HEIGHT = 2.2,
  FRAME = 0.03,
  AWAY = 1.8; // m

export class Mirror {
  private readonly object = new THREE.Group();

  constructor(viewport: Viewport) {
    const glass = new Reflector(new THREE.PlaneGeometry(WIDTH, HEIGHT), {
      textureWidth: 1024,
      textureHeight: 940,
      multisample: 4,
      color: 0xbcbcbc, // leaves colours as they are
    }) as Reflector & { getReflectionCamera(camera: THREE.Camera): THREE.Camera };
    const reflect = glass.getReflectionCamera.bind(glass);
    glass.getReflectionCamera = (camera) => {
      const reflection = reflect(camera);
      lookAs(reflection, false); // the head is seen here
      return reflection;
    };
    const frame = new THREE.Mesh(
      new THREE.BoxGeometry(WIDTH + 2 * FRAME, HEIGHT + 2 * FRAME, 0.04),
      new THREE.MeshStandardMaterial({ color: 0x39424e, roughness: 0.6 }),
    );
    frame.position.z = -0.022;
    this.object.add(glass, frame);
    this.object.visible = false;
    viewport.scene.add(this.object);
  }

  get shown(): boolean {
    return this.object.visible;
  }

  set shown(shown: boolean) {
    this.object.visible = shown;
  }

  /** Stand in front of a spot whose user looks along +Z. */
  face(spot: THREE.Vector3, size: number): void {
    this.object.scale.setScalar(size);
    this.object.position.set(spot.x, size * (HEIGHT / 2 + FRAME), spot.z + size * AWAY);
    this.object.rotation.y = Math.PI; // a plane faces +Z
  }
}
