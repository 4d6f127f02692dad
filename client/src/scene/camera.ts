/** The camera: the pointer orbits it, and it goes along with who is followed. */
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export type CameraMode = "follow" | "chase" | "side" | "orbit" | "free";

const HALFLIFE = 0.12; // s, in which half of the way to the followed point is made up
const CHASE_HALFLIFE = 0.7; // s, in which half of the turn behind the followed one is made up
export const PERSON_REACH = 0.95; // m from the hips of a person to the feet
const DISTANCE = 4.95; // from the character, for each metre of its reach
const LIFT_HALFLIFE = 0.25; // s, in which half of the way above a rise is made up
const CLEARANCE = 0.12; // m between the ground and what is seen over it
const SIGHTS = 12; // points of the ground between character and camera
const ORBIT = (2 * Math.PI) / 20; // rad/s
const TOUCHED = 900; // ms after the pointer turned the camera, before it turns by itself again

export class FollowCamera {
  readonly camera = new THREE.PerspectiveCamera(38, 1, 0.05, 400);
  readonly controls: OrbitControls;
  mode: CameraMode = "follow";
  private fresh = true;
  private touched = -1e9;
  private reach = PERSON_REACH;
  private lift = 0; // m above where the pointer has it, so that no ground hides the character

  constructor(element: HTMLElement) {
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 1;
    this.controls.maxDistance = 60;
    this.controls.maxPolarAngle = 0.495 * Math.PI; // above the floor
    this.controls.addEventListener("start", () => {
      this.touched = performance.now();
    });
    this.view("back");
  }

  /** Where the camera looks, as a yaw: 0 along +Z, a quarter turn along +X. */
  get yaw(): number {
    const ahead = this.controls.target.clone().sub(this.camera.position);
    return Math.atan2(ahead.x, ahead.z);
  }

  /** Look from a side of a character that faces `yaw`. */
  view(from: "back" | "front" | "left" | "right" | "top", yaw = 0, distance = DISTANCE * this.reach): void {
    const turn =
      { back: Math.PI, front: 0, left: Math.PI / 2, right: -Math.PI / 2, top: Math.PI }[from] +
      yaw +
      (from === "back" ? 0.42 : 0);
    const height = from === "top" ? 0.96 : 0.115;
    const flat = distance * Math.cos((height * Math.PI) / 2);
    const away = new THREE.Vector3(
      Math.sin(turn) * flat,
      distance * Math.sin((height * Math.PI) / 2),
      Math.cos(turn) * flat,
    );
    this.camera.position.copy(this.controls.target).add(away);
    this.controls.update();
  }

  /** Stand as far away as a character needs whose head or feet are `reach` metres from its hips. */
  fit(reach: number): void {
    this.zoom(reach / this.reach);
    this.reach = reach;
  }

  /** Turn about the followed point, radians; for sticks and keys. */
  orbit(yaw: number, pitch: number): void {
    const away = this.away;
    away.theta += yaw;
    away.phi = Math.min(Math.max(away.phi + pitch, 0.05), this.controls.maxPolarAngle);
    this.away = away;
    this.touched = performance.now();
  }

  zoom(factor: number): void {
    const away = this.camera.position.clone().sub(this.controls.target);
    away.setLength(Math.min(Math.max(away.length() * factor, this.controls.minDistance), this.controls.maxDistance));
    this.camera.position.copy(this.controls.target).add(away);
  }

  /** Start over at the next followed point instead of travelling there. */
  jump(): void {
    this.fresh = true;
  }

  update(followed: THREE.Vector3 | null, yaw: number, seconds: number, heightAt: HeightAt): void {
    this.camera.position.y -= this.lift;
    if (followed && (this.mode !== "free" || this.fresh)) {
      const far = followed.distanceTo(this.controls.target) > 8;
      const share = this.fresh || far ? 1 : 1 - 2 ** (-seconds / HALFLIFE);
      const move = followed.clone().sub(this.controls.target).multiplyScalar(share);
      this.controls.target.add(move);
      this.camera.position.add(move);
      this.fresh = false;
      if (performance.now() - this.touched > TOUCHED) this.turn(yaw, seconds);
    }
    this.controls.update(seconds);
    this.lift +=
      (measureLift(this.controls.target, this.camera.position, heightAt) - this.lift) *
      (1 - 2 ** (-seconds / LIFT_HALFLIFE));
    if (this.lift < 0.001) this.lift = 0;
    if (!this.lift) return;
    this.camera.position.y += this.lift;
    this.camera.lookAt(this.controls.target);
  }

  /** What the mode turns by itself. */
  private turn(yaw: number, seconds: number): void {
    if (this.mode === "orbit") return this.revolve(ORBIT * seconds);
    if (this.mode !== "chase" && this.mode !== "side") return;
    // from the side, the character walks to the right
    const turn = yaw - this.yaw + (this.mode === "side" ? Math.PI / 2 : 0);
    this.revolve((turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI))) * (1 - 2 ** (-seconds / CHASE_HALFLIFE)));
  }

  /** Turn about the followed point, radians. */
  revolve(angle: number): void {
    const away = this.away;
    away.theta += angle;
    this.away = away;
  }

  /** Where the camera is, seen from the followed point. */
  get away(): THREE.Spherical {
    return new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(this.controls.target));
  }

  set away(away: THREE.Spherical) {
    this.camera.position.setFromSpherical(away).add(this.controls.target);
  }

  /** As if nobody had touched it lately. */
  release(): void {
    this.touched = -1e9;
  }
}

type HeightAt = (x: number, z: number) => number;

/** Metres that a camera must rise to see the ground beneath its target over what lies between. */
export function measureLift(target: THREE.Vector3, camera: THREE.Vector3, heightAt: HeightAt): number {
  const feet = heightAt(target.x, target.z) + CLEARANCE;
  let most = 0;
  for (let k = 1; k <= SIGHTS; k++) {
    const share = k / SIGHTS,
      at = target.clone().lerp(camera, share);
    most = Math.max(most, feet + (heightAt(at.x, at.z) + CLEARANCE - feet) / share - camera.y);
  }
  return most;
}
