/** The panels about the played character: Play, See why and Tune, with the timeline below them. */
import type { Steering } from "../input/steering";
import type { WornCharacter } from "../scene/character";
import type { Lineup } from "../scene/lineup";
import type { Overlays } from "../scene/overlays";
import { registerPanel, type Studio } from "../studio";
import { playPanel } from "./play";
import { Timeline } from "./timeline";
import { tunePanel } from "./tune";
import { whyPanel } from "./why";

export interface Parts {
  steering: Steering;
  overlays: Overlays;
  character: WornCharacter;
  lineup: Lineup;
}

/** Of a recording without a server there is nothing to steer or set. */
export function registerLivePanels(studio: Studio, parts: Parts, recorded: boolean): Timeline {
  const timeline = new Timeline(studio);
  registerPanel(whyPanel(studio, parts, timeline));
  if (recorded) return timeline;
  registerPanel(playPanel(studio, parts, timeline));
  registerPanel(tunePanel(studio));
  return timeline;
}
