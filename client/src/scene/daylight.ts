/** The two lights of the stage: a clear morning for the light theme, dusk for the dark one. */
import * as THREE from "three";

export interface Daylight {
  zenith: string;
  middle: string; // of the sky, 15 degrees up
  horizon: string; // the haze that far things fade to
  glow: string; // around the sun
  hills: readonly [near: string, middle: string, far: string];
  ground: readonly [string, string]; // two tones that mix over metres
  grid: string;
  sun: string;
  sunlight: number;
  sunAt: readonly [number, number, number]; // the way to it, for light and shadow
  glowAt: readonly [number, number, number]; // where it is seen
  fill: string; // of the light from the other side
  fillLight: number;
  sky: readonly [above: string, below: string];
  skyLight: number;
  clouds: number; // how much they show
}

export const DUSK: Daylight = {
  zenith: "#1a2547",
  middle: "#55598c",
  horizon: "#a98a97",
  glow: "#ffb072",
  hills: ["#2f3656", "#4b4c72", "#776888"],
  ground: ["#545a70", "#676678"],
  grid: "#8f8fa4",
  sun: "#ffc08f",
  sunlight: 3.1,
  sunAt: [-7, 6.4, 3.2],
  glowAt: [-0.5, 0.055, 1],
  fill: "#8fa8ff",
  fillLight: 0.7,
  sky: ["#b9c0ee", "#7a6a72"],
  skyLight: 1.6,
  clouds: 0.55,
};

export const MORNING: Daylight = {
  zenith: "#4f9be0",
  middle: "#a5d0f0",
  horizon: "#e9eee9",
  glow: "#fff3d6",
  hills: ["#7fa08d", "#9fbdb4", "#c2d7d6"],
  ground: ["#d9d6c6", "#cbcdb8"],
  grid: "#a7a896",
  sun: "#fff1dc",
  sunlight: 2.5,
  sunAt: [-6, 9, -3.5],
  glowAt: [-0.8, 0.5, -0.4],
  fill: "#cfe2ff",
  fillLight: 0.5,
  sky: ["#e2f0ff", "#b9b199"],
  skyLight: 1.45,
  clouds: 0.85,
};

export function findDaylight(): Daylight {
  return document.documentElement.dataset.theme === "light" ? MORNING : DUSK;
}

/** Sun, sky and a fill from the other side. */
export class Lights {
  readonly object = new THREE.Group();
  readonly sun = new THREE.DirectionalLight();
  private readonly sky = new THREE.HemisphereLight();
  private readonly fill = new THREE.DirectionalLight();
  private readonly away = new THREE.Vector3();

  constructor() {
    this.setShadow(2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.normalBias = 0.02;
    Object.assign(this.sun.shadow.camera, { left: -9, right: 9, top: 9, bottom: -9, near: 1, far: 50 });
    this.object.add(this.sun, this.sun.target, this.sky, this.fill, this.fill.target);
  }

  paint(light: Daylight): void {
    this.sun.color.set(light.sun);
    this.sun.intensity = light.sunlight;
    this.away.fromArray(light.sunAt).setLength(20);
    this.fill.color.set(light.fill);
    this.fill.intensity = light.fillLight;
    this.sky.color.set(light.sky[0]);
    this.sky.groundColor.set(light.sky[1]);
    this.sky.intensity = light.skyLight;
  }

  /** So many corners of the shadow map; none for no shadow. */
  setShadow(corners: number): void {
    this.sun.castShadow = corners > 0;
    const { shadow } = this.sun;
    if (!corners || shadow.mapSize.x === corners) return;
    shadow.mapSize.set(corners, corners);
    shadow.map?.dispose();
    shadow.map = null; // made again at its new size
  }

  /** Keep sun and shadows around a point. */
  centreOn(centre: THREE.Vector3): void {
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).add(this.away);
    this.fill.target.position.copy(centre);
    this.fill.position.set(centre.x - this.away.x, centre.y + 6, centre.z - this.away.z);
  }
}
