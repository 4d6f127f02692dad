/** Which clip a frame belongs to. */
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
