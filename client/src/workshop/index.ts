/** The workshop's panels: Build, Coverage and Clips. */
import "./workshop.css";
import type { Studio } from "../studio";
import { registerBuild } from "./build";
import { registerClips } from "./clips";
import { registerCoverage } from "./coverage";
import { DatabaseBrowser } from "./database";

let browser: DatabaseBrowser | null = null;
const shared = (studio: Studio): DatabaseBrowser => (browser ??= new DatabaseBrowser(studio));

/** After the panels that play, so that these stand below them. */
export function registerWorkshopPanels(): void {
  registerBuild();
  registerCoverage(shared);
  registerClips(shared);
}
