/** A headset, real or emulated: its session, its samples, and the room laid around its user. */
import * as THREE from "three";
import type { TrackerSample } from "../messages";
import { lookAs } from "../scene/headless";
import type { Viewport } from "../scene/viewport";
import { centre } from "./placement";
import { emptySample, sampleFrame } from "./samples";

const FRAME_RATE = 90;
const FEATURES: XRSessionInit = { requiredFeatures: ["local-floor"], optionalFeatures: ["hand-tracking"] };

export type HeadsetButton = "calibrate" | "recentre" | "mirror" | "database";
const BUTTONS: { [hand in XRHandedness]?: { [button: number]: HeadsetButton } } = {
  right: { 4: "calibrate", 5: "recentre" }, // A, B
  left: { 4: "database", 5: "mirror" }, // X, Y
};

export class Headset {
  readonly camera = new THREE.PerspectiveCamera(80, 1, 0.03, 400);
  onEnd: () => void = () => {};
  onButton: (button: HeadsetButton) => void = () => {};
  private session: XRSession | null = null;
  private base: XRReferenceSpace | null = null;
  private readonly room = new THREE.Matrix4(); // from the headset's space
  private readonly rig = new THREE.Group(); // carries the camera into the room
  private spot: THREE.Vector3 | null = null; // to be laid under the user
  private size = 1;
  private readonly sample = emptySample();
  private readonly pressed = new Set<string>();

  constructor(
    private readonly viewport: Viewport,
    private readonly send: (sample: TrackerSample, at: number) => void,
  ) {
    lookAs(this.camera, true);
    this.rig.matrixAutoUpdate = false;
    this.rig.add(this.camera);
    viewport.scene.add(this.rig);
  }

  get worn(): boolean {
    return this.session !== null;
  }

  /** Whether the browser has a headset; pages without https never do. */
  static async isThere(): Promise<boolean> {
    return (await navigator.xr?.isSessionSupported("immersive-vr").catch(() => false)) ?? false;
  }

  async enter(spot: THREE.Vector3): Promise<void> {
    const { renderer } = this.viewport;
    const session = await navigator.xr!.requestSession("immersive-vr", FEATURES);
    const rates = session.supportedFrameRates;
    if (rates?.includes(FRAME_RATE)) await session.updateTargetFrameRate?.(FRAME_RATE).catch(() => undefined);
    renderer.xr.enabled = true;
    renderer.xr.setReferenceSpaceType("local-floor");
    await renderer.xr.setSession(session);
    this.session = session;
    this.base = renderer.xr.getReferenceSpace()!;
    this.spot = spot;
    this.viewport.eye = this.camera;
    session.addEventListener("end", () => this.leave());
    session.requestAnimationFrame(this.look);
  }

  async exit(): Promise<void> {
    await this.session?.end();
  }

  /** Lay a spot of the room under the user, ahead where they look. */
  recentre(spot: THREE.Vector3): void {
    this.spot = spot;
  }

  private leave(): void {
    this.session = null;
    this.viewport.renderer.xr.enabled = false;
    this.viewport.eye = null;
    this.viewport.takeBack();
    this.onEnd();
  }

  private readonly look = (_: number, frame: XRFrame): void => {
    if (!this.session || !this.base) return;
    this.session.requestAnimationFrame(this.look);
    const now = performance.now();
    if (this.spot) this.lay(frame, this.spot);
    sampleFrame(frame, this.base, this.room, this.sample);
    this.send(this.sample, now);
    this.feel();
  };

  private lay(frame: XRFrame, spot: THREE.Vector3): void {
    const pose = frame.getViewerPose(this.base!)?.transform;
    if (!pose) return;
    this.spot = null;
    const { position: p, orientation: q } = pose;
    const head = new THREE.Vector3(p.x, p.y, p.z);
    this.room.copy(centre(head, new THREE.Quaternion(q.x, q.y, q.z, q.w), spot));
    this.enlarge(this.size);
  }

  /** Let a metre of the user's space be so many of the room: for those who are fitted to their avatar. */
  enlarge(size: number): void {
    this.size = size;
    this.rig.matrix.makeScale(size, size, size).multiply(this.room);
    this.rig.matrixWorldNeedsUpdate = true;
  }

  private feel(): void {
    for (const source of this.session!.inputSources)
      for (const [index, meaning] of Object.entries(BUTTONS[source.handedness] ?? {})) {
        const held = source.gamepad?.buttons[Number(index)]?.pressed ?? false;
        if (held && !this.pressed.has(meaning)) this.onButton(meaning);
        if (held) this.pressed.add(meaning);
        else this.pressed.delete(meaning);
      }
  }
}
