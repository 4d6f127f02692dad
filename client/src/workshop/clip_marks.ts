/** Marks on a clip's timeline: what is cut, split and tagged, and the strip of what the doctor saw. */
import { colour } from "../ui/theme";
import type { Mark } from "./labels";

const WIDE_ENOUGH = 34; // px of a bar, to write its label on it

type Place = (time: number) => number;

/** The recipe's marks, between the heights `top` and `top + tall`; what is left out is veiled from `above` to `bottom`. */
export function drawMarks(
  c: CanvasRenderingContext2D,
  marks: readonly Mark[],
  x: Place,
  at: { above: number; top: number; tall: number; bottom: number },
): void {
  for (const mark of marks) {
    const a = x(mark.from),
      b = x(mark.to);
    if (mark.kind === "out") {
      c.fillStyle = colour("surface");
      c.globalAlpha = 0.78;
      c.fillRect(a, at.above, b - a, at.bottom - at.above);
      c.globalAlpha = 1;
      c.fillStyle = colour("bad");
      c.fillRect(a, at.bottom - 2, b - a, 2);
      write(c, mark.label ?? "", a, b, at.top, at.tall);
    } else if (mark.kind === "split") {
      c.fillStyle = colour("warn");
      c.fillRect(a - 1, at.above, 2, at.bottom - at.above);
    } else {
      c.fillStyle = colour(mark.colour ?? "series-1");
      c.globalAlpha = 0.28;
      c.fillRect(a, at.top + 2, Math.max(b - a, 2), at.tall - 4);
      c.globalAlpha = 1;
      c.fillRect(a, at.top + 2, 2, at.tall - 4);
      write(c, mark.label ?? "", a, b, at.top, at.tall);
    }
  }
}

/** One bar of full colour for each stretch that the doctor labelled. */
export function drawStrip(
  c: CanvasRenderingContext2D,
  strip: readonly Mark[],
  x: Place,
  at: { top: number; tall: number; width: number },
): void {
  for (const mark of strip) {
    const a = x(mark.from),
      b = x(mark.to);
    if (b < 0 || a > at.width) continue;
    c.fillStyle = colour(mark.colour ?? "series-1");
    c.fillRect(a, at.top + 1, Math.max(b - a - 0.5, 1), at.tall - 2);
  }
}

function write(c: CanvasRenderingContext2D, text: string, a: number, b: number, top: number, tall: number): void {
  if (b - a <= WIDE_ENOUGH) return;
  c.save();
  c.beginPath();
  c.rect(a, top, b - a, tall);
  c.clip();
  c.fillStyle = colour("ink");
  c.textBaseline = "middle";
  c.fillText(text, a + 6, top + tall / 2);
  c.restore();
}
