/** A page that plays an exported character: no server, the step runs in the browser. */
import "../ui/theme.css";
import "../ui/shell.css";
import "../ui/corners.css";
import "../ui/covers.css";
import "../ui/controls.css";
import "../ui/fields.css";
import "../ui/touch.css";
import "../ui/stage.css";
import "./character.css";
import { h } from "../ui/elements";
import { startTheme } from "../ui/theme";
import { loadCharacter } from "./loaded";
import { openPage } from "./page";

startTheme();
const line = h("p.character-line", { role: "status" }, "Loading the character");
document.body.append(line);

async function start(): Promise<void> {
  if (!document.createElement("canvas").getContext("webgl2"))
    throw new Error("this browser does not draw with WebGL 2; turn on hardware acceleration or try another one");
  const character = await loadCharacter();
  line.remove();
  const page = openPage(character);
  Object.assign(window, { character, page }); // for the console, and for tests
}

start().catch((error: unknown) => {
  line.classList.add("bad");
  line.textContent = `The character was not loaded: ${error instanceof Error ? error.message : String(error)}`;
});
