/** Kinematch Studio: the page comes to life here. */
import { Live } from "./live";
import { Steering } from "./input/steering";
import { Film } from "./panels/film";
import { askForFilm } from "./panels/film_dialog";
import { registerLivePanels } from "./panels/index";
import { findQuality } from "./panels/look";
import { linkToMoment, openMoment, readMoment } from "./panels/moment";
import type { Timeline } from "./panels/timeline";
import { WornCharacter } from "./scene/character";
import { Labels } from "./scene/labels";
import { Lineup } from "./scene/lineup";
import { Overlays } from "./scene/overlays";
import { Viewport } from "./scene/viewport";
import { Connection } from "./stream/connection";
import { findRecording, RecordedConnection } from "./stream/recorded";
import { request } from "./stream/request";
import { registeredPanels, registerPanel, type Studio } from "./studio";
import { acceptDrops } from "./ui/drops";
import { addPageKeys } from "./ui/page_keys";
import { StageCorners } from "./ui/corners";
import { Covers } from "./ui/covers";
import { Shell } from "./ui/shell";
import { showShortcuts } from "./ui/shortcuts";
import { openManual, SECTIONS } from "./ui/manual";
import { themed } from "./ui/theme";
import { isNewcomer, startTour } from "./ui/tour";
import { vrPanel } from "./vr/panel";
import type { VrStage } from "./vr/stage";
import { findBrowser } from "./workshop/database";
import { registerWorkshopPanels } from "./workshop/index";

const shell = new Shell(showHelp);
const viewport = new Viewport(shell.stage, findQuality());
const recording = findRecording();
const connection = recording ? new RecordedConnection(recording) : new Connection();
if (recording) document.body.dataset.recorded = "";
const live = new Live(connection, viewport);
const steering = new Steering(live, viewport.follow);
const overlays = new Overlays(live, viewport);
const labels = new Labels(live, viewport);
const character = new WornCharacter(live, viewport, () => studio);
const lineup = new Lineup(live, viewport, () => studio);
const studio: Studio = {
  viewport,
  live,
  connection,
  character,
  themed,
  say: (text, kind, title) => shell.say(text, kind, title),
  open: (id) => void shell.open(id),
  ask,
};

const dock = registerLivePanels(studio, { steering, overlays, character, lineup }, recording !== null);
const vr = vrPanel(studio);
if (!recording) {
  registerWorkshopPanels();
  registerPanel(vr.panel);
}
shell.dock.append(dock.element);
shell.furnish();
const covers = new Covers(shell.stage, live);
const corners = new StageCorners(shell.overlay, studio, steering, () => dock.steerFromHere());
const film = new Film(studio, { character, lineup }, draw);
dock.onFilm = (format, steps) => askForFilm(studio, film, format, steps);
acceptDrops(studio, () => shell.current, character);

shell.onOpen = (panel) => {
  live.layer.visible = character.visible = lineup.layer.visible = panel.stage === "live";
  vr.stage.avatars.layer.visible = panel.stage === "live" || panel.id === "vr";
  overlays.layer.visible = panel.id === "why" || panel.id === "tune";
  dock.show(panel.dock ?? (panel.stage === "live" ? "slim" : "none"));
  corners.show(panel.stage === "live");
  steering.enabled = panel.stage === "live";
  if (panel.stage === "live") viewport.follow.jump();
};

connection.on("error_message", (problem) => {
  if (problem.about !== "explain" && problem.about !== "stick") studio.say(problem.message, "bad");
});
connection.on("notice", (notice) => studio.say(notice.message, "plain"));

addPageKeys(shell, () => shell.current?.stage === "live");
const opened = location.hash.slice(1).replace(/@.*/, "");
dock.onLink = () => linkToMoment(studio, shell.current?.id ?? "play");
const shared = readMoment(location.hash);
if (shared) openMoment(studio, dock, shared, recording !== null);
window.addEventListener("hashchange", () => {
  // a link that was pasted into the address of this very page
  const moment = readMoment(location.hash);
  studio.open(location.hash.slice(1).replace(/@.*/, ""));
  if (moment) openMoment(studio, dock, moment, recording !== null);
});
void shell.open(registeredPanels().some((panel) => panel.id === opened) ? opened : recording ? "why" : "play", studio);
connection.open();

if (!recording && isNewcomer()) void covers.lifted.then(() => startTour(studio.open));

function showHelp(panel: string): void {
  const actions: [string, () => void][] = recording ? [] : [["Take the tour", () => startTour(studio.open)]];
  openManual(SECTIONS[panel] ?? "studio.md", [...actions, ["Keys", showShortcuts]]);
}

/** What a frame takes: calls of the graphics driver, triangles, and the page's own time of the last ones, ms. */
const drawing = { calls: 0, triangles: 0, times: [] as number[] };
let before = performance.now();
function draw(now: number): void {
  const seconds = Math.max((now - before) / 1000, 0);
  before = now;
  const panel = shell.current,
    began = performance.now();
  live.pace(seconds);
  steering.update(Math.min(seconds, 0.1));
  live.update(performance.now() / 1000);
  steering.latency.shown(live.moment, performance.now());
  const own = panel?.stage === "own";
  if (!own) {
    character.update(seconds);
    lineup.update(seconds);
    overlays.update();
    labels.update();
    vr.stage.avatars.update(performance.now(), seconds); // whoever is in the room is seen from everywhere
  }
  panel?.frame?.(seconds);
  dock.frame(seconds);
  corners.frame(seconds);
  const followed = own ? (panel?.followed?.() ?? null) : live.moment ? { position: live.hips, yaw: live.yaw } : null;
  if (panel?.layout !== "full") viewport.draw(followed?.position ?? null, followed?.yaw ?? 0, seconds);
  const { calls, triangles } = viewport.renderer.info.render;
  drawing.calls = calls;
  drawing.triangles = triangles;
  drawing.times.push(performance.now() - began);
  if (drawing.times.length > 60) drawing.times.shift();
}
viewport.renderer.setAnimationLoop(draw); // a headset, while one is worn, has frames of its own

async function ask<T>(path: string, options?: Parameters<Studio["ask"]>[1]): Promise<T> {
  const headers = { ...options?.headers, ...connection.identity };
  return (await (await request(path.replace(/^\//, ""), { ...options, headers })).json()) as T;
}

/** For tests and the curious. */
declare global {
  interface Window {
    kinematch: {
      live: Live;
      viewport: Viewport;
      steering: Steering;
      timeline: Timeline;
      character: WornCharacter;
      lineup: Lineup;
      vr: VrStage;
      browse: typeof findBrowser;
      drawing: typeof drawing;
      panels: string[];
      open: (id: string) => void;
    };
  }
}
window.kinematch = {
  live,
  viewport,
  steering,
  timeline: dock,
  character,
  lineup,
  vr: vr.stage,
  browse: findBrowser,
  drawing,
  panels: registeredPanels().map((panel) => panel.id),
  open: studio.open,
};
