/** The workshop's panels: Build, Coverage, Clips and Train. */
import "./workshop.css";
import { registerTrain } from "../panels/train";
import { registerBuild } from "./build";
import { registerClips } from "./clips";
import { registerCoverage } from "./coverage";

/** After the panels that play, so that these stand below them. */
export function registerWorkshopPanels(): void {
  registerBuild();
  registerCoverage();
  registerClips();
  registerTrain();
}
