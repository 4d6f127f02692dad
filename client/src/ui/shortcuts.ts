/** The keys of the page: one table that both acts and is shown by '?'. */
import { button, h } from "./elements";

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

/** Whether the user is typing, or a control wants the key for itself. */
export function typing(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  if (!element?.tagName) return false;
  if (element.tagName === "INPUT")
    return !["range", "checkbox", "radio", "button"].includes((element as HTMLInputElement).type);
  return element.tagName === "TEXTAREA" || element.tagName === "SELECT" || element.isContentEditable;
}

/** Act on keys; all but the page's own sections act only while the played character is on the stage. */
export function listenForShortcuts(isLive: () => boolean): void {
  window.addEventListener("keydown", (event) => {
    if (
      typing(event.target) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector("dialog[open]")
    )
      return;
    const activates =
      event.target instanceof HTMLElement && ["BUTTON", "INPUT", "A", "SUMMARY"].includes(event.target.tagName);
    if (activates && [" ", "Enter"].includes(event.key)) return; // the key presses the focused control
    const slides = event.target instanceof HTMLInputElement && event.target.type === "range";
    if (slides && event.key.startsWith("Arrow")) return;
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
