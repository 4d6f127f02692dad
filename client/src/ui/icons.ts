/** Line icons on a 24 pixel grid, drawn with the colour of the text. */

const PATHS = {
  play: "M7 4.5v15l12-7.500z",
  pause: "M8 5v14M16 5v14",
  why: "M4 18l5-6 4 3 7-9M15 6h5v5",
  tune: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5",
  train: "M4 4v16h16M7 7c1.500 7 5 9.500 12 9.500",
  build: "M12 3l8 4.500v9L12 21l-8-4.500v-9zM12 12l8-4.500M12 12v9M12 12L4 7.500",
  coverage: "M4 4h5v5H4zM9.500 4h5v5h-5zM15 4h5v5h-5zM4 9.500h5v5H4zM9.500 9.500h5v5h-5zM4 15h5v5H4z",
  clips: "M4 5h16v14H4zM4 9h16M4 15h16M8 5v4M8 15v4M16 5v4M16 15v4",
  headset:
    "M4 8h16a1.500 1.500 0 011.500 1.500v6A1.500 1.500 0 0120 17h-4.500l-2-2.500h-3l-2 2.500H4a1.500 1.500 0 01-1.500-1.500v-6A1.500 1.500 0 014 8zM6 8c1-3.500 11-3.500 12 0",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2.500v2M12 19.500v2M4.600 4.600L6 6M18 18l1.400 1.400M2.500 12h2M19.500 12h2M4.600 19.400L6 18M18 6l1.400-1.400",
  moon: "M20 14.500A8.500 8.500 0 019.500 4a8.500 8.500 0 1010.500 10.500z",
  help: "M9 9.200a3 3 0 115 2.300c-1.300 1-2 1.500-2 3M12 18v.1",
  close: "M6 6l12 12M18 6L6 18",
  fold: "M9 5l7 7-7 7",
  reset: "M4 12a8 8 0 108-8c-2.500 0-4.700 1.100-6.200 2.900M5 3v4.500h4.500",
  undo: "M9 14L4 9l5-5M4 9h10a6 6 0 010 12h-3",
  redo: "M15 14l5-5-5-5M20 9H10a6 6 0 000 12h3",
  save: "M12 4v11M7.500 11L12 15.500 16.500 11M5 20h14",
  load: "M12 15.500V4.500M7.500 9L12 4.500 16.500 9M5 20h14",
  camera: "M4 7h11v10H4zM15 10.500l5-3v9l-5-3",
  layers: "M12 4l9 5-9 5-9-5zM3.500 14l8.500 4.700 8.500-4.700",
  back: "M18 5l-9 7 9 7zM6 5v14",
  forward: "M6 5l9 7-9 7zM18 5v14",
  live: "M12 9a3 3 0 100 6 3 3 0 000-6zM6.300 17.700a8 8 0 010-11.400M17.700 6.300a8 8 0 010 11.400",
  path: "M5 19c0-6 6-4 7-8s2-6 7-6M5 17a2 2 0 100 4 2 2 0 000-4zM19 3a2 2 0 100 4 2 2 0 000-4z",
  strafe: "M3 12h18M7 8l-4 4 4 4M17 8l4 4-4 4",
  pad: "M7 8h10a4 4 0 014 4.500l-.6 3.500a2.500 2.500 0 01-4.500 1L14.500 15h-5L8.100 17a2.500 2.500 0 01-4.500-1L3 12.500A4 4 0 017 8zM8 10.500v3M6.500 12h3M16 12h.1",
  trash: "M5 7h14M10 7V4.500h4V7M7 7l1 13h8l1-13",
  person:
    "M12 4a2.200 2.200 0 100 4.400A2.200 2.200 0 0012 4zM6 11.500c4 1 8 1 12 0M12 12v4M12 16l-2.500 5M12 16l2.500 5",
  check: "M5 12.500l4.500 4.500L19 7.500",
  next: "M9 6l6 6-6 6",
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  for (const [key, value] of Object.entries({
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "1.7",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  }))
    path.setAttribute(key, value);
  svg.append(path);
  return svg;
}
