/** Which clip a frame belongs to, and the colour of a clip. */
import type { ClipInfo } from "../messages";

/** The place of a database frame's clip among clips that stand in order, or -1. */
export function clipAt(clips: readonly ClipInfo[], frame: number): number {
  let low = 0,
    high = clips.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (frame < clips[middle].start) high = middle - 1;
    else if (frame >= clips[middle].stop) low = middle + 1;
    else return middle;
  }
  return -1;
}

const KINDS: readonly [words: readonly string[], series: number][] = [
  [["crouch", "crouching", "low", "level3"], 5],
  [["run", "running", "jog", "sprint"], 2],
  [["walk", "walking"], 1],
  [["idle", "standing"], 3],
];
const OTHERS = [4, 6, 7, 8];

/** The colour of a clip, 1 to 8: by what it mostly is where tags or its name tell, as labels have it; else by its place. */
export function seriesOf(clip: ClipInfo, place: number): number {
  const said = clip.name.toLowerCase().split(/[^a-z]+/);
  const find = (words: readonly string[]) => KINDS.find(([known]) => known.some((word) => words.includes(word)))?.[1];
  return find(said) ?? find(clip.tags) ?? OTHERS[place % OTHERS.length];
}
