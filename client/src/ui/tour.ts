/** A short tour for newcomers: one card after another beside what it speaks of; nothing is locked meanwhile. */
import { button, h, isTouched } from "./elements";

const SEEN = "kinematch-tour"; // where the browser keeps that it was taken or refused

interface Stop {
  title: string;
  text: string;
  touch?: string; // in place of it where fingers point
  panel: string; // opened first
  at: string; // selector of what is marked
}

const STOPS: Stop[] = [
  {
    title: "Drive the character",
    text: "W A S D or the arrows walk, Shift runs, dragging the stage looks around.",
    touch: "Drag the round stick to walk, farther to go faster; drag the stage to look around.",
    panel: "play",
    at: "main.stage canvas",
  },
  {
    title: "Bring your own character",
    text: "Drop a GLB or VRM on the page, or try one of ours under Character. The motion is retargeted to it while it plays.",
    touch: "Choose a GLB or VRM under Character, or try one of ours. The motion is retargeted to it while it plays.",
    panel: "play",
    at: "#tab-play",
  },
  {
    title: "See why",
    touch:
      "Pause and drag the timeline back. This panel shows what each search wanted, what it found, and what decided.",
    text: "Pause with Space and drag the timeline back. This panel shows what each search wanted, what it found, and what decided.",
    panel: "why",
    at: "#tab-why",
  },
  {
    title: "Change how it feels",
    text: "Every setting acts at once. Begin with a preset such as Responsive or Smooth; Compare plays two settings side by side.",
    panel: "tune",
    at: "#tab-tune",
  },
  {
    title: "Build from your own motion",
    touch:
      "Choose BVH, GLB or VRMA files here. Kinematch examines them, suggests fixes, and builds a database that plays at once.",
    text: "Drop BVH, GLB or VRMA files here. Kinematch examines them, suggests fixes, and builds a database that plays at once.",
    panel: "build",
    at: "#tab-build",
  },
  {
    title: "Take it with you",
    text: "Save writes a recording, a GLB with your character, a BVH, or a film. Help has the keys, the manual and this tour.",
    panel: "play",
    at: ".timeline .menu",
  },
];

/** Whether a newcomer has not been offered the tour yet. */
export function isNewcomer(): boolean {
  return localStorage.getItem(SEEN) === null;
}

export function startTour(open: (panel: string) => void): void {
  document.querySelector(".tour")?.remove();
  let at = 0;
  let marked: Element | null = null;
  const title = h("h2"),
    text = h("p"),
    count = h("span.note");
  const back = button("Back", () => go(at - 1), { kind: "small quiet" }),
    next = button("Next", () => go(at + 1), { kind: "small primary" }),
    skip = button("Skip", () => end(), { kind: "small quiet" });
  const card = h(
    "section.card.tour",
    { role: "region", "aria-label": "Tour", "aria-live": "polite" },
    title,
    text,
    h("div.row", count, h("span.gap"), skip, back, next),
  );

  function end(): void {
    localStorage.setItem(SEEN, "done");
    marked?.classList.remove("tour-mark");
    card.remove();
    window.removeEventListener("resize", place);
    window.removeEventListener("keydown", leave);
  }
  function leave(event: KeyboardEvent): void {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) end();
  }
  function go(to: number): void {
    if (to >= STOPS.length) {
      open("play");
      return end();
    }
    at = to;
    const stop = STOPS[at];
    open(stop.panel);
    marked?.classList.remove("tour-mark");
    marked = document.querySelector(stop.at);
    marked?.classList.add("tour-mark");
    title.textContent = stop.title;
    text.textContent = (isTouched() && stop.touch) || stop.text;
    count.textContent = `${at + 1} of ${STOPS.length}`;
    back.hidden = at === 0;
    next.textContent = at === STOPS.length - 1 ? "Done" : "Next";
    skip.hidden = at === STOPS.length - 1;
    place();
  }
  /** To the right of what is marked, or else at the stage's left, off the character; below a stage that fills the
   * width, as on phones; always within the window. */
  function place(): void {
    const box = (marked ?? document.body).getBoundingClientRect(),
      own = card.getBoundingClientRect(),
      wide = box.width > innerWidth / 3,
      full = box.width > 0.9 * innerWidth,
      beside = !wide && box.right + own.width + 24 < innerWidth;
    const left = beside ? box.right + 14 : wide ? box.left + 16 : box.right - own.width;
    const level = full ? box.bottom + 8 : wide ? box.top + 0.16 * box.height : box.top - own.height - 14;
    const top = beside ? box.top : level;
    card.style.left = `${Math.min(Math.max(left, 8), innerWidth - own.width - 8)}px`;
    card.style.top = `${Math.min(Math.max(top, 8), innerHeight - own.height - 8)}px`;
  }
  document.body.append(card);
  window.addEventListener("resize", place);
  window.addEventListener("keydown", leave);
  go(0);
}
