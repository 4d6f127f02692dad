/** Keys of every page: its panels by number, the panel folded, and the list of keys; used controls give keys back. */

import { registeredPanels } from "../studio";
import { releaseClickedControls } from "./key_guard";
import type { Shell } from "./shell";
import { addShortcuts, listenForShortcuts, showShortcuts } from "./shortcuts";

export function addPageKeys(shell: Shell, isLive: () => boolean): void {
  addShortcuts(
    ...registeredPanels().map((panel, k) => ({
      section: "Page",
      keys: String(k + 1),
      codes: [`Digit${k + 1}`],
      text: panel.title,
      act: () => void shell.open(panel.id),
    })),
    {
      section: "Page",
      keys: "\\",
      codes: ["Backslash", "\\"],
      text: "Hide or show the panel",
      act: () => shell.fold(!shell.folded),
    },
    { section: "Page", keys: "?", codes: ["?"], text: "These keys", act: showShortcuts },
  );
  releaseClickedControls();
  listenForShortcuts(isLive);
}
