/** Which keys are not the page's own to act on. */

/** Whether text is typed there. */
function typing(element: HTMLElement): boolean {
  if (element.tagName === "INPUT")
    return !["range", "checkbox", "radio", "button"].includes((element as HTMLInputElement).type);
  return element.tagName === "TEXTAREA" || element.tagName === "SELECT" || element.isContentEditable;
}

/** Whether a key belongs to the browser, to a dialog, or to the control that has the focus. */
export function belongsElsewhere(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (typing(target)) return true;
  // sliders and lists are moved by arrows, and what has the focus is pressed by Space and Enter
  if (event.key.startsWith("Arrow")) return target !== document.body && target.tagName !== "CANVAS";
  return [" ", "Enter"].includes(event.key) && ["BUTTON", "INPUT", "A", "SUMMARY"].includes(target.tagName);
}
