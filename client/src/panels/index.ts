/** The panels about the played character: Play, See why and Tune, with the timeline below them. */
import type { Steering } from "../input/steering";
import type { WornCharacter } from "../scene/character";
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
}

export function registerLivePanels(studio: Studio, parts: Parts): Timeline {
  const timeline = new Timeline(studio);
  registerPanel(playPanel(studio, parts, timeline));
  registerPanel(whyPanel(studio, parts, timeline));
  registerPanel(tunePanel(studio));
  return timeline;
}
