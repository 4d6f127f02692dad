/** Sharing a moment: an address that opens the same panel at the same step, seen from the same side. */
import { Spherical } from "three";
import type { CameraMode } from "../scene/camera";
import { request } from "../stream/request";
import type { Studio } from "../studio";
import { readFrames } from "./film";
import type { Timeline } from "./timeline";

const MODES: CameraMode[] = ["follow", "chase", "side", "orbit", "free"];

export interface SharedMoment {
  panel: string;
  step: number;
  /** Camera: mode, where it is seen from the target (radius, polar, azimuth), and the target seen from the hips. */
  camera: { mode: CameraMode; away: [number, number, number]; target: [number, number, number] } | null;
}

/** What comes after '#' in an address: `why@640` or `why@640,follow,5.2,1.2,3.1,0,0,0`. */
export function writeMoment(moment: SharedMoment): string {
  const { camera } = moment,
    numbers = camera ? [...camera.away, ...camera.target].map((value) => String(+value.toFixed(3))) : [];
  return `${moment.panel}@${[moment.step, ...(camera ? [camera.mode] : []), ...numbers].join(",")}`;
}

/** Null for an address of no moment; a camera that makes no sense is left out. */
export function readMoment(hash: string): SharedMoment | null {
  const found = /^#?([\w-]+)@(\d{1,9})(?:,(.*))?$/.exec(hash);
  if (!found) return null;
  const [mode, ...rest] = (found[3] ?? "").split(","),
    numbers = rest.map(Number);
  const whole =
    MODES.includes(mode as CameraMode) && numbers.length === 6 && numbers.every((one) => Math.abs(one) < 1000);
  return {
    panel: found[1],
    step: Number(found[2]),
    camera: whole
      ? {
          mode: mode as CameraMode,
          away: numbers.slice(0, 3) as [number, number, number],
          target: numbers.slice(3) as [number, number, number],
        }
      : null,
  };
}

/** The address of what is shown now. */
export function linkToMoment(studio: Studio, panel: string): string {
  const { follow } = studio.viewport,
    { radius, phi, theta } = follow.away;
  const target = follow.controls.target.clone().sub(studio.live.hips);
  const address = new URL(location.href);
  address.hash = writeMoment({
    panel,
    step: studio.live.step,
    camera: { mode: follow.mode, away: [radius, phi, theta], target: [target.x, target.y, target.z] },
  });
  return address.href;
}

/** Show a shared moment as soon as the server has told how things stand: all see it if this page steers, else it alone. */
export function openMoment(studio: Studio, timeline: Timeline, moment: SharedMoment, recorded: boolean): void {
  const { live } = studio;
  let begun = live.situation !== null;
  if (begun) void begin();
  else
    live.onChange((change) => {
      if (change !== "situation" || begun || !live.situation) return;
      begun = true;
      void begin();
    });

  async function begin(): Promise<void> {
    const { oldest, newest } = live.situation!;
    if (!recorded && (moment.step < oldest || moment.step > newest)) {
      studio.say(
        "The studio keeps the last three minutes while it runs. Save a recording to keep a moment for good.",
        "bad",
        "That moment is no longer kept",
      );
      return;
    }
    if (live.steers) timeline.scrub(moment.step);
    else if (!recorded) {
      const answer = await request(`api/played?start=${moment.step}&stop=${moment.step + 1}`);
      const [frame] = readFrames(await answer.arrayBuffer()).frames;
      if (frame && frame.joints === live.rig?.count) live.pinned = { before: frame, after: frame, share: 0 };
    }
    look(40);
  }

  /** Once the moment is on the stage; it may take some frames. */
  function look(tries: number): void {
    if (live.step !== moment.step && tries > 0) return void setTimeout(() => look(tries - 1), 50);
    const { follow } = studio.viewport,
      { camera } = moment;
    if (!camera) return;
    follow.mode = camera.mode;
    follow.controls.target.copy(live.hips);
    follow.controls.target.x += camera.target[0];
    follow.controls.target.y += camera.target[1];
    follow.controls.target.z += camera.target[2];
    follow.away = new Spherical(...camera.away);
  }
}
