/** Training: the curves of trainings on this machine, as `kinematch train learned` writes them while it runs. */
import { registerPanel, type Studio } from "../studio";
import { empty, group, h } from "../ui/elements";

const EVERY = 2000; // ms between two looks
const SILENT = 60; // s after which a training without a verdict has stopped
const WIDTH = 300,
  HEIGHT = 90;
const NAMES: Record<string, string> = { compress: "Poses", step: "Stepper", project: "Projector" };

type Point = [number, number]; // step, value

interface Stage {
  step: number;
  steps: number;
  losses: Point[];
  reports: Point[]; // cm
  text: string;
}

interface Training {
  name: string;
  database: string; // that it was trained on; empty where an older version did not note it
  folder: string; // where the model is written
  verdict: string | null;
  age: number; // s since the last line
  stages: Record<string, Stage>;
}

export function registerTrain(): void {
  let timer = 0;
  const list = h("div", { style: "display:grid;gap:20px" });
  let studio: Studio | null = null;

  async function look(): Promise<void> {
    try {
      show(await studio!.ask<Training[]>("/api/training"));
    } catch (error) {
      list.replaceChildren(h("p.note", String((error as Error).message ?? error)));
    }
  }
  function show(trainings: Training[]): void {
    if (!trainings.length) {
      const text = "Run kinematch train learned DATABASE in a terminal; its curves appear here while it runs.";
      list.replaceChildren(empty("No training on this machine yet", text));
    } else {
      const whose = "Trainings that ran on this machine, by everyone who uses its cache folder, the latest first.";
      list.replaceChildren(h("p.note", whose), ...trainings.map(describe));
    }
  }

  registerPanel({
    id: "train",
    title: "Train",
    icon: "train",
    layout: "side",
    stage: "live",
    dock: "slim",
    build: (given) => {
      studio = given;
      return list;
    },
    opened: () => {
      if (studio) void look();
      timer = window.setInterval(() => void look(), EVERY);
    },
    closed: () => window.clearInterval(timer),
  });
}

function describe(training: Training): HTMLElement {
  const state = training.verdict ?? (training.age > SILENT ? "stopped" : "running");
  const stages = Object.entries(training.stages).map(([name, stage]) =>
    h(
      "div",
      h("div.row", h("span.name", NAMES[name] ?? name), h("output", `${stage.step} of ${stage.steps}`)),
      chart(stage),
      h("p.note", stage.text || "first figures are on their way"),
    ),
  );
  const whose = [
    training.database ? `learns ${training.database}` : "",
    training.folder ? `kept in ${training.folder}` : "",
    `last heard of ${lasting(training.age)} ago`,
  ];
  const about = h("p.note", { style: "overflow-wrap:anywhere" }, `${whose.filter(Boolean).join(", ")}.`);
  return group(`${training.name}: ${state}`, about, ...stages);
}

function lasting(seconds: number): string {
  const [size, unit] =
    seconds < 90 ? [1, "s"] : seconds < 5400 ? [60, "minutes"] : seconds < 129600 ? [3600, "hours"] : [86400, "days"];
  return `${Math.round(seconds / Number(size))} ${unit}`;
}

/** The loss, thin, and the error on held-out motion in cm, bold, each from zero to its largest. */
function chart(stage: Stage): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `loss and error in centimetres over ${stage.step} steps`);
  svg.style.cssText = "display:block;width:100%;background:var(--field,transparent);border-radius:6px";
  const line = (points: Point[], stroke: string, width: number) => {
    const top = Math.max(...points.map(([, value]) => value), 1e-9);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    const at = ([step, value]: Point) =>
      `${((step / stage.steps) * WIDTH).toFixed(1)},${(HEIGHT - 4 - (value / top) * (HEIGHT - 10)).toFixed(1)}`;
    path.setAttribute("points", points.map(at).join(" "));
    path.setAttribute("fill", "none");
    path.setAttribute("stroke", stroke);
    path.setAttribute("stroke-width", String(width));
    svg.append(path);
  };
  if (stage.losses.length) line(stage.losses, "var(--ink-soft)", 1);
  if (stage.reports.length) line(stage.reports, "var(--accent)", 2.5);
  return svg;
}
