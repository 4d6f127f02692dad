/** Filming: played motion drawn frame by frame, as large and as slow as one likes; the server encodes it. */
import type { Lineup } from "../scene/lineup";
import type { WornCharacter } from "../scene/character";
import type { CameraMode } from "../scene/camera";
import { isLineupFrame, readLineupFrame, readPoseFrame, type LineupFrame, type PoseFrame } from "../messages";
import { request } from "../stream/request";
import type { Moment } from "../stream/playback";
import type { Studio } from "../studio";
import { blendViews, takeView, type View } from "./bookmarks";

const AT_ONCE = 600; // steps fetched by one request
const QUALITY = 0.92; // of the pictures sent

export type FilmCamera = "now" | "follow" | "side" | "orbit" | "views";

export interface FilmOptions {
  format: "gif" | "mp4";
  start: number; // step
  stop: number;
  speed: number; // 1 is real time
  rate: number; // pictures a second
  width: number;
  height: number;
  camera: FilmCamera;
  views: View[];
}

export class Film {
  private stopped = false;

  constructor(
    private readonly studio: Studio,
    private readonly parts: { character: WornCharacter; lineup: Lineup },
    private readonly draw: (now: number) => void, // what the page does for each frame
  ) {}

  cancel(): void {
    this.stopped = true;
  }

  /** The encoded film, or null if it was cancelled. */
  async make(options: FilmOptions, progress: (share: number, text: string) => void): Promise<Blob | null> {
    const { viewport } = this.studio;
    this.stopped = false;
    progress(0, "Fetching what was played");
    const { frames, lineups } = await this.fetchFrames(options.start, options.stop);
    if (frames.length < 2) throw new Error("Nothing that was played is kept from that time.");
    const before = { mode: viewport.follow.mode, away: viewport.follow.away };
    viewport.renderer.setAnimationLoop(null);
    viewport.setFilmSize(options);
    let pictures: Blob[] = [];
    try {
      pictures = await this.takePictures(frames, lineups, options, progress);
    } finally {
      viewport.follow.mode = before.mode;
      viewport.follow.away = before.away;
      viewport.setFilmSize(null);
      viewport.renderer.setAnimationLoop(this.draw);
    }
    if (this.stopped) return null;
    progress(1, "Encoding");
    const body = new Blob(pictures.flatMap((one) => [new Uint32Array([one.size]), one]));
    const query = new URLSearchParams({ format: options.format, rate: String(options.rate) });
    const answer = await request(`api/film?${query}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/octet-stream", ...this.studio.connection.identity },
    });
    return this.stopped ? null : answer.blob();
  }

  private async fetchFrames(start: number, stop: number): Promise<Played> {
    const frames: PoseFrame[] = [],
      lineups: Played["lineups"] = new Map();
    for (let from = start; from < stop && !this.stopped; from += AT_ONCE) {
      const answer = await request(`api/played?start=${from}&stop=${Math.min(from + AT_ONCE, stop)}`);
      const played = readFrames(await answer.arrayBuffer());
      frames.push(...played.frames);
      for (const [step, lineup] of played.lineups) lineups.set(step, lineup);
    }
    const first = frames[0],
      drawn = (frame: PoseFrame) => frame.joints === first.joints && frame.joints === this.studio.live.rig?.count;
    return { frames: frames.filter(drawn), lineups };
  }

  private async takePictures(
    frames: PoseFrame[],
    lineups: Played["lineups"],
    options: FilmOptions,
    progress: (share: number, text: string) => void,
  ): Promise<Blob[]> {
    const { live, viewport } = this.studio,
      canvas = viewport.renderer.domElement;
    const begin = frames[0].time,
      seconds = (frames[frames.length - 1].time - begin) / options.speed;
    const count = Math.max(1, Math.round(seconds * options.rate)),
      pace = 1 / options.rate;
    this.setCamera(options.camera);
    viewport.follow.jump();
    const pictures: Blob[] = [];
    for (let k = 0; k < count && !this.stopped; k++) {
      const moment = findMoment(frames, begin + k * pace * options.speed);
      live.show(moment);
      this.parts.character.update(pace * options.speed);
      this.parts.lineup.show(lineups.get(moment.before.step), lineups.get(moment.after.step), moment.share);
      this.parts.lineup.update(pace * options.speed);
      if (options.camera === "orbit" && k) viewport.follow.revolve((2 * Math.PI) / count);
      if (options.camera === "views") takeView(viewport.follow, blendViews(options.views, k / Math.max(count - 1, 1)));
      viewport.draw(live.hips, live.yaw, k ? pace : 0);
      const picture = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
      if (!picture) throw new Error("The browser gave no picture.");
      pictures.push(picture);
      progress((k + 1) / count, `Picture ${k + 1} of ${count}`);
    }
    return pictures;
  }

  private setCamera(camera: FilmCamera): void {
    const { follow } = this.studio.viewport;
    const modes: Record<FilmCamera, CameraMode> = {
      now: follow.mode,
      follow: "follow",
      side: "side",
      orbit: "follow", // turned here, once around
      views: "follow",
    };
    follow.mode = modes[camera];
    follow.release();
    if (camera === "side") follow.view("right", this.studio.live.yaw, follow.away.radius);
  }
}

/** What was played, and by step the characters beside the first one. */
export interface Played {
  frames: PoseFrame[];
  lineups: Map<number, LineupFrame>;
}

/** Frames, each after its length. */
export function readFrames(data: ArrayBuffer): Played {
  const view = new DataView(data),
    played: Played = { frames: [], lineups: new Map() };
  for (let at = 0; at + 4 <= data.byteLength; ) {
    const length = view.getUint32(at, true),
      buffer = data.slice(at + 4, at + 4 + length);
    if (isLineupFrame(buffer)) {
      const lineup = readLineupFrame(buffer);
      played.lineups.set(lineup.step, lineup);
    } else played.frames.push(readPoseFrame(buffer));
    at += 4 + length;
  }
  return played;
}

/** The moment of a time, between two frames of the same characters. */
export function findMoment(frames: PoseFrame[], time: number): Moment {
  let low = 0,
    high = frames.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (frames[middle].time <= time) low = middle;
    else high = middle - 1;
  }
  const before = frames[low],
    next = frames[Math.min(low + 1, frames.length - 1)];
  const after = next.characters === before.characters && next.second === before.second ? next : before;
  const span = after.time - before.time;
  return { before, after, share: span > 0 ? Math.min(Math.max((time - before.time) / span, 0), 1) : 0 };
}
