/** Dark or light: the user's choice, remembered, or else the system's. */

const listeners: ((dark: boolean) => void)[] = [];
const system = matchMedia("(prefers-color-scheme: light)");

function stored(): string | null {
  try {
    return localStorage.getItem("kinematch-theme");
  } catch {
    return null; // storage may be forbidden; then the choice lasts for the page
  }
}

export function isDark(): boolean {
  return document.documentElement.dataset.theme !== "light";
}

export function setDark(dark: boolean, remember = true): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  try {
    if (remember) localStorage.setItem("kinematch-theme", dark ? "dark" : "light");
  } catch {
    // as above
  }
  for (const listener of listeners) listener(dark);
}

export function startTheme(): void {
  setDark(stored() ? stored() === "dark" : !system.matches, false);
  system.addEventListener("change", () => {
    if (!stored()) setDark(!system.matches, false);
  });
}

/** Called at once and at every change. */
export function themed(changed: (dark: boolean) => void): void {
  listeners.push(changed);
  changed(isDark());
}

/** A colour of the theme, as CSS writes it. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
