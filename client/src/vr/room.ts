/** The room as the server tells it: who is in it, which body is one's own, and the samples that move it. */
import {
  isAvatarFrame,
  readAvatarFrame,
  writeTrackerSample,
  type AvatarFrame,
  type AvatarInfo,
  type Calibrate,
  type ChangeBody,
  type PageMessage,
  type RoomNow,
  type TrackerSample,
} from "../messages";
import type { Connection } from "../stream/connection";
import { RoundTrip } from "./round_trip";

const FRAME_HEADER = 64,
  PER_JOINT = 28; // bytes
const RATE_KEPT = 60;

export class Room {
  now: RoomNow | null = null;
  readonly roundTrip = new RoundTrip();
  milliseconds = 0; // that the last step of one's own body took
  device = "generic";
  user = localStorage.getItem("kinematch-user") ?? ""; // whose calibration is kept
  private inside = false;
  private sequence = 0;
  private times: number[] = [];
  private readonly changed: (() => void)[] = [];
  private readonly framed: ((frame: AvatarFrame, at: number) => void)[] = [];

  constructor(private readonly connection: Connection) {
    connection.on("room_now", (now) => {
      this.now = now;
      for (const listener of this.changed) listener();
    });
    connection.on("welcome", () => {
      if (this.inside) connection.send(this.entrance); // the line was lost meanwhile
    });
    connection.onBinary((buffer) => this.receive(buffer));
  }

  onChange(listener: () => void): void {
    this.changed.push(listener);
  }

  onFrame(listener: (frame: AvatarFrame, at: number) => void): void {
    this.framed.push(listener);
  }

  /** The body that this page moves, or null. */
  get own(): AvatarInfo | null {
    return this.now?.users.find((user) => user.client === this.connection.client) ?? null;
  }

  private get entrance(): PageMessage {
    return { type: "enter_room", device: this.device, user: this.user };
  }

  rename(user: string): void {
    this.user = user.trim().slice(0, 64);
    localStorage.setItem("kinematch-user", this.user);
  }

  /** Whether a body was asked for that is not there yet. */
  get waiting(): boolean {
    return this.inside && !this.own;
  }

  enter(): void {
    this.inside = true;
    this.roundTrip.clear();
    this.connection.send(this.entrance);
  }

  leave(): void {
    this.inside = false;
    this.connection.send({ type: "leave_room" });
  }

  calibrate(by: Calibrate["by"] = "height"): void {
    this.connection.send({ type: "calibrate", by });
  }

  /** Take a height that is known, m. */
  measure(height: number): void {
    this.connection.send({ type: "calibrate", height });
  }

  change(body: Omit<ChangeBody, "type">): void {
    this.connection.send({ type: "change_body", ...body });
  }

  record(on: boolean): void {
    this.connection.send({ type: "record_trackers", on });
  }

  /** Send what the trackers say; `at` is when they said it (performance.now). */
  send(sample: TrackerSample, at: number): void {
    if (!this.own) return;
    sample.sequence = ++this.sequence;
    sample.time = at / 1000;
    this.times = [...this.times, at].slice(-RATE_KEPT);
    if (this.connection.send(writeTrackerSample(sample))) this.roundTrip.sent(sample.sequence, at);
  }

  /** Samples a second of late. */
  get rate(): number {
    const span = this.times[this.times.length - 1] - this.times[0];
    return this.times.length > 1 && span > 0 ? (1000 * (this.times.length - 1)) / span : 0;
  }

  private receive(buffer: ArrayBuffer): void {
    const now = performance.now();
    for (let at = 0; at < buffer.byteLength; ) {
      const head = new DataView(buffer, at);
      const size = FRAME_HEADER + PER_JOINT * head.getUint32(20, true);
      const part = buffer.slice(at, at + size);
      if (!isAvatarFrame(part)) return;
      at += size;
      const frame = readAvatarFrame(part);
      const mine = frame.user === this.own?.user;
      if (mine !== frame.own > 0) continue; // of oneself one sees the body that is near the headset
      if (mine) {
        this.roundTrip.received(frame.sequence, now);
        this.milliseconds = frame.milliseconds;
      }
      for (const listener of this.framed) listener(frame, now);
    }
  }
}
