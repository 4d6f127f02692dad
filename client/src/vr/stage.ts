/** The stage of the VR panel: bodies, mirror, sign, and the eye that looks at them. */
import * as THREE from "three";
import { lookAs } from "../scene/headless";
import type { Studio } from "../studio";
import { Avatars } from "./avatars";
import type { CameraControls } from "./camera/controls";
import { Headset } from "./headset";
import { Mirror } from "./mirror";
import { spotOf } from "./placement";
import { Room } from "./room";
import { StandIn } from "./stand_in";
import { Sign } from "./sign";
import { SimulatedUser } from "./simulated";

export type Look = "third" | "first";
const BOUND = 16; // ms, from sample to body, below which nobody notices (thesis 2.1.3)

export class VrStage {
  readonly room: Room;
  readonly avatars: Avatars;
  readonly headset: Headset;
  readonly simulated: SimulatedUser;
  readonly mirror: Mirror;
  readonly standIn: StandIn;
  camera: CameraControls | null = null;
  look: Look = "third";
  since: number | null = null; // ms, when one's own body was asked for
  private readonly sign: Sign;
  private readonly eye = new THREE.PerspectiveCamera(70, 1, 0.03, 400);

  constructor(private readonly studio: Studio) {
    const { viewport, connection } = studio;
    this.room = new Room(connection);
    this.avatars = new Avatars(this.room, viewport);
    this.avatars.onTrouble = (text) => studio.say(text, "bad");
    this.headset = new Headset(viewport, (sample, at) => this.room.send(sample, at));
    this.simulated = new SimulatedUser(
      studio,
      (sample, at) => this.room.send(sample, at),
      () => new THREE.Matrix4().makeTranslation(this.spot),
    );
    this.mirror = new Mirror(viewport);
    this.standIn = new StandIn(studio.live, viewport);
    this.sign = new Sign(viewport);
    this.room.onChange(() => this.furnish());
    lookAs(this.eye, true);
  }

  /** Where one's own place in the room is. */
  get spot(): THREE.Vector3 {
    return spotOf(this.room.own?.place ?? 0);
  }

  private furnish(): void {
    const space = this.room.own?.space ?? 1,
      spot = this.spot.multiplyScalar(space);
    this.headset.enlarge(space);
    this.mirror.face(spot, space);
    this.sign.face(spot, space);
  }

  recentre(): void {
    if (this.headset.worn) this.headset.recentre(this.spot);
    else this.simulated.restart();
  }

  /** The next of the databases, for those who have a button and no list. */
  nextDatabase(): void {
    const all = this.room.now?.databases ?? [];
    const next = all[(all.indexOf(this.room.own?.database ?? "") + 1) % all.length];
    if (next) this.room.change({ database: next });
  }

  /** How quickly bodies answer: milliseconds of the middle and of the slow ones, and whether that is quick enough. */
  get answer(): { middle: number; slow: number; good: boolean } | null {
    const middle = this.room.roundTrip.quantile(0.5),
      slow = this.room.roundTrip.quantile(0.95);
    return middle === null || slow === null ? null : { middle, slow, good: slow < BOUND };
  }

  /** Each drawn frame, while the panel is open or a user is in the room. */
  update(seconds: number): void {
    this.avatars.evenly = this.camera?.on === true && !this.simulated.running && !this.headset.worn;
    this.avatars.update(performance.now(), seconds);
    const { viewport } = this.studio;
    this.sign.shown = this.headset.worn;
    this.standIn.update(this.room.waiting, this.spot);
    if (this.headset.worn) {
      this.writeSign();
      return;
    }
    const first = this.look === "first" && this.simulated.running && this.room.own !== null;
    viewport.eye = first ? this.eye : null;
    if (first) {
      this.eye.position.fromArray(this.simulated.sample.positions, 0).multiplyScalar(this.room.own!.space);
      this.eye.quaternion.fromArray(this.simulated.sample.rotations, 0);
    }
  }

  /** The panel is closed: the stage is another's. */
  close(): void {
    this.mirror.shown = false;
    this.standIn.update(false, this.spot);
    this.studio.viewport.eye = null;
  }

  private writeSign(): void {
    const answer = this.answer,
      own = this.room.own;
    this.sign.write([
      own ? `${own.database}, ${own.height.toFixed(2)} m` : "Waiting for a body",
      "Stand upright, then press",
      "A   calibrate",
      "B   back to the mirror",
      "X   next database",
      "Y   mirror on or off",
      answer ? `${Math.round(answer.middle)} ms of ${BOUND}, step ${this.room.milliseconds.toFixed(1)} ms` : "",
    ]);
  }
}
