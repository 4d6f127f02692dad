/** A page that plays an exported character: no server, the step runs in the browser. */
import "../ui/theme.css";
import "../ui/stage.css";
import "./character.css";
import { h } from "../ui/elements";
import { startTheme } from "../ui/theme";
import { CharacterPage, type Loaded } from "./page";

startTheme();
const line = h("p.character-line", { role: "status" }, "Loading the character");
document.body.append(line);

async function start(): Promise<void> {
  // the module lies beside the page, where a site may replace it
  const address = new URL("kinematch.js", document.baseURI).href;
  const { Kinematch } = (await import(/* @vite-ignore */ address)) as {
    Kinematch: { load(folder: string): Promise<Loaded> };
  };
  const character = await Kinematch.load(new URL(".", document.baseURI).href);
  line.remove();
  const page = new CharacterPage(document.body, character);
  Object.assign(window, { character, page }); // for the console, and for tests
  page.run();
}

start().catch((error: unknown) => {
  line.classList.add("bad");
  line.textContent = `The character was not loaded: ${error instanceof Error ? error.message : String(error)}`;
});
