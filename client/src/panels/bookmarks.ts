/** Camera bookmarks: views of the followed character to come back to, and to film through; the browser keeps them. */
import { Spherical } from "three";
import type { FollowCamera } from "../scene/camera";
import { button, h } from "../ui/elements";

const KEPT = "kinematch-views"; // where the browser keeps them
const MOST = 6;

export type View = [radius: number, polar: number, azimuth: number];

/** The bookmarked views, in the order in which they were made. */
export function loadViews(): View[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]") as unknown;
    if (!Array.isArray(kept)) return [];
    return kept.filter(
      (view): view is View => Array.isArray(view) && view.length === 3 && view.every((value) => Number.isFinite(value)),
    );
  } catch {
    return [];
  }
}

/** The view at a share of the way through some of them; slow at each one. */
export function blendViews(views: View[], share: number): View {
  const place = Math.min(Math.max(share, 0), 1) * (views.length - 1),
    first = Math.min(Math.floor(place), Math.max(views.length - 2, 0));
  const a = views[first],
    b = views[Math.min(first + 1, views.length - 1)],
    t = place - first,
    eased = t * t * (3 - 2 * t);
  const turn = b[2] - a[2],
    shorter = turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  return [a[0] + eased * (b[0] - a[0]), a[1] + eased * (b[1] - a[1]), a[2] + eased * shorter];
}

export function takeView(camera: FollowCamera, view: View): void {
  camera.away = new Spherical(...view);
}

export function bookmarkRow(camera: FollowCamera): HTMLElement {
  const row = h("div.row.bookmarks", { role: "group", "aria-label": "Camera bookmarks" });
  function keep(views: View[]): void {
    localStorage.setItem(KEPT, JSON.stringify(views));
    draw();
  }
  function draw(): void {
    const views = loadViews();
    const marks = views.map((view, k) =>
      h(
        "span.bookmark",
        button(String(k + 1), () => takeView(camera, view), { kind: "small", title: `View ${k + 1}` }),
        button("", () => keep(views.filter((_, other) => other !== k)), {
          icon: "close",
          kind: "quiet small icon",
          title: `Remove view ${k + 1}`,
        }),
      ),
    );
    const add = button(
      "Bookmark this view",
      () => {
        const { radius, phi, theta } = camera.away;
        keep([...views, [radius, phi, theta]]);
      },
      { kind: "small quiet", icon: "save", title: "Come back to it later, or film from one to the next" },
    );
    add.disabled = views.length >= MOST;
    row.replaceChildren(...marks, add);
  }
  draw();
  return row;
}
