/** Where a person looks: ahead of a turn with eyes first and head behind, with blinks and small glances. */
import type { PoseFrame } from "../../messages";
import type { Gaze } from "../shape";

const HEAD_MOST = 0.62; // rad
const EYES_MOST = 0.5; // rad
const HEAD_SHARE = 0.75; // of the way to where the character will face
const HEAD_HALFLIFE = 0.11; // s
const EYES_HALFLIFE = 0.03; // s
const LONGEST = 0.3; // s between frames; after more the gaze is there at once
const BLINK = 0.16; // s that a blink takes
const BLINK_EVERY = 3.4; // s, about
const GLANCE_EVERY = 1.9; // s, about
const GLANCE = 0.14; // rad

export class GazeLead {
  private head = 0;
  private speed = 0; // rad/s, of the head
  private eyes = 0;
  private time = -1;

  forget(): void {
    this.time = -1;
  }

  /** Where the first character of a frame looks. */
  look(frame: PoseFrame): Gaze {
    const ahead = this.findTurn(frame);
    const wanted = clamp(HEAD_SHARE * ahead, HEAD_MOST);
    const seconds = frame.time - this.time;
    if (this.time < 0 || seconds < 0 || seconds > LONGEST) {
      this.head = wanted;
      this.speed = 0;
      this.eyes = 0;
    } else if (seconds > 0) {
      const stiffness = 1.678 / HEAD_HALFLIFE,
        decay = Math.exp(-stiffness * seconds); // a critically damped spring
      const away = this.head - wanted,
        drive = this.speed + stiffness * away;
      this.head = wanted + (away + drive * seconds) * decay;
      this.speed = (this.speed - stiffness * drive * seconds) * decay;
    }
    const left = clamp(ahead - this.head, EYES_MOST) + glance(frame.time, 0) * (Math.abs(ahead) < 0.2 ? 1 : 0.2);
    this.eyes += (left - this.eyes) * (seconds > 0 && seconds < LONGEST ? 1 - 2 ** (-seconds / EYES_HALFLIFE) : 1);
    this.time = frame.time;
    return { head: this.head, eyes: this.eyes, lift: 0.4 * glance(frame.time, 7), shut: findBlink(frame.time) };
  }

  /** How far the character will have turned at the end of what it is asked for, rad to the left. */
  private findTurn({ wanted, tracked, roots }: PoseFrame): number {
    const last = (tracked ? wanted.length / tracked : 0) - 4;
    if (last < 0) return 0;
    const [x, z] = [wanted[last + 2], wanted[last + 3]];
    if (!(Math.hypot(x, z) > 0.1)) return 0;
    const turn = Math.atan2(x, z) - roots[3];
    return turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  }
}

function clamp(angle: number, most: number): number {
  return Math.min(Math.max(angle, -most), most);
}

/** An even number from 0 to 1 for a whole one, always the same. */
function scatter(n: number): number {
  const s = Math.sin(n * 127.1 + 311.7) * 43758.5453;
  return s - Math.floor(s);
}

/** A small turn of the eyes that holds for a while, rad. */
function glance(time: number, kind: number): number {
  return GLANCE * (2 * scatter(Math.floor(time / GLANCE_EVERY) + kind) - 1);
}

function findBlink(time: number): number {
  const n = Math.floor(time / BLINK_EVERY),
    since = time - (n + 0.9 * scatter(n + 13)) * BLINK_EVERY;
  return since > 0 && since < BLINK ? Math.sin((Math.PI * since) / BLINK) : 0;
}
