/** The page of an exported character: Studio's stage, Play and See why, over a step that runs in the page. */
import { Live } from "../live";
import { Steering } from "../input/steering";
import type { Parts } from "../panels/index";
import { findQuality } from "../panels/look";
import { playPanel } from "../panels/play";
import { Timeline } from "../panels/timeline";
import { whyPanel } from "../panels/why";
import { Lineup } from "../scene/lineup";
import { Overlays } from "../scene/overlays";
import { Viewport } from "../scene/viewport";
import { registerPanel, type Studio } from "../studio";
import { StageCorners } from "../ui/corners";
import { Covers } from "../ui/covers";
import { acceptDrops } from "../ui/drops";
import { addPageKeys } from "../ui/page_keys";
import { Shell } from "../ui/shell";
import { showShortcuts } from "../ui/shortcuts";
import { themed } from "../ui/theme";
import { LocalConnection } from "./connection";
import type { Loaded } from "./loaded";
import { LocalWorn } from "./worn";

const NARROW = "(max-width: 820px)"; // where the panel would cover the stage

export function openPage(own: Loaded): CharacterPage {
  const shell = new Shell(showShortcuts, "Kinematch");
  const viewport = new Viewport(shell.stage, findQuality());
  const connection = new LocalConnection(own);
  const live = new Live(connection, viewport);
  const steering = new Steering(live, viewport.follow);
  const overlays = new Overlays(live, viewport);
  const character = new LocalWorn(live, viewport, () => studio, own);
  const lineup = new Lineup(live, viewport, () => studio);
  const studio: Studio = {
    viewport,
    live,
    connection,
    character,
    themed,
    serverless: true,
    say: (text, kind, title) => shell.say(text, kind, title),
    open: (id) => void shell.open(id),
    ask: () => Promise.reject(new Error("this page has no server")),
  };
  const parts: Parts = { steering, overlays, character, lineup };
  const dock = new Timeline(studio);
  registerPanel(playPanel(studio, parts, dock));
  registerPanel(whyPanel(studio, parts, dock));
  shell.dock.append(dock.element);
  shell.furnish();
  new Covers(shell.stage, live);
  const corners = new StageCorners(shell.overlay, studio, steering, () => dock.steerFromHere());
  acceptDrops(studio, () => shell.current, character);
  shell.onOpen = (panel) => {
    overlays.layer.visible = panel.id === "why";
    dock.show(panel.dock ?? "slim");
    corners.show(true);
  };
  addPageKeys(shell, () => true);
  void shell.open(location.hash === "#why" ? "why" : "play", studio).then(() => {
    if (matchMedia(NARROW).matches) shell.fold(true);
  });
  connection.open();

  let before = performance.now();
  const draw = (now: number) => {
    const seconds = Math.max((now - before) / 1000, 0);
    before = now;
    live.pace(seconds);
    steering.update(Math.min(seconds, 0.1));
    connection.advance(seconds);
    live.update(performance.now() / 1000);
    steering.latency.shown(live.moment, performance.now());
    character.update(seconds);
    overlays.update();
    shell.current?.frame?.(seconds);
    dock.frame(seconds);
    corners.frame(seconds);
    viewport.draw(live.moment ? live.hips : null, live.yaw, seconds);
  };
  viewport.renderer.setAnimationLoop(draw);
  return { live, viewport, steering, connection, character, open: studio.open };
}

export interface CharacterPage {
  live: Live;
  viewport: Viewport;
  steering: Steering;
  connection: LocalConnection;
  character: LocalWorn;
  open: (id: string) => void;
}
