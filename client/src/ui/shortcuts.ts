/** The keys of the page: one table that both acts and is shown by '?'. */
import { button, h } from "./elements";
import { belongsElsewhere } from "./key_guard";

export interface Shortcut {
  keys: string; // as shown, e.g. "Space"
  text: string;
  section: string;
  codes?: string[]; // KeyboardEvent.code or .key; without them the line is only shown
  act?: () => void;
}

const shortcuts: Shortcut[] = [];

export function addShortcuts(...more: Shortcut[]): void {
  shortcuts.push(...more);
}

/** Act on keys; all but the page's own sections act only while the played character is on the stage. */
export function listenForShortcuts(isLive: () => boolean): void {
  window.addEventListener("keydown", (event) => {
    if (belongsElsewhere(event)) return;
    const found = shortcuts.find(
      (one) =>
        one.act &&
        (one.section === "Page" || isLive()) &&
        one.codes?.some((code) => code === event.code || code === event.key),
    );
    if (!found || event.repeat) return;
    event.preventDefault();
    found.act!();
  });
}

export function showShortcuts(): void {
  const dialog = h("dialog") as HTMLDialogElement;
  const sections = ["Steering", "Camera", "Time", "Page"].filter((section) =>
    shortcuts.some((one) => one.section === section),
  );
  const columns = sections.map((section) =>
    h(
      "section.group",
      h("h2", section),
      h(
        "div.keys",
        ...shortcuts
          .filter((one) => one.section === section)
          .flatMap((one) => [
            h("span", ...one.keys.split(" ").map((key) => h("kbd", { style: "margin-right:3px" }, key))),
            h("span", one.text),
          ]),
      ),
    ),
  );
  const close = button("Close", () => dialog.close(), { kind: "small" });
  dialog.append(
    h("div.card", { style: "gap:20px" }, h("div.row", h("h2.name", "Keys"), close), h("div.key-columns", ...columns)),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
