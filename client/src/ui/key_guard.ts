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
  const pressed = target.matches("button, a, summary, input:not([type=range])");
  return pressed && [" ", "Enter"].includes(event.key);
}

/** Give the keys back after a click or a drag on a control: they steer, unless a field is typed in or Tab leads. */
export function releaseClickedControls(): void {
  let byPointer = false;
  window.addEventListener("pointerdown", () => (byPointer = true), true);
  window.addEventListener("keydown", () => (byPointer = false), true);
  const release = () => {
    const { activeElement: control } = document;
    if (!byPointer || !(control instanceof HTMLElement) || control.closest("dialog, [role=menu]")) return;
    if (!typing(control) || control.tagName === "SELECT") control.blur();
  };
  window.addEventListener("click", (event) => {
    if (!(event.target instanceof HTMLSelectElement)) release(); // whose list is open now
  });
  window.addEventListener("change", release);
}
