/** Saving what was played: a recording to open again, or files for other programs. */
import { request } from "../stream/request";
import type { Studio } from "../studio";
import { button, h } from "../ui/elements";

const FORMATS = [
  ["Recording", "everything, to open with “kinematch play FILE”", "recording", ""],
  ["GLB", "the motion on the character, for engines and Blender", "export", "glb"],
  ["BVH", "the motion alone", "export", "bvh"],
  ["GIF", "a film as a moving picture", "film", "gif"],
  ["MP4", "a film", "film", "mp4"],
  ["Page", "a folder for any web server: it plays in a browser, without Kinematch", "page", ""],
  ["Link", "to this moment, for everyone who can open this page", "link", ""],
] as const;

/** A button that opens a small menu above it; `window` tells which steps are meant. */
export function saveMenu(
  studio: Studio,
  window_: () => [number, number],
  film: (format: "gif" | "mp4", steps: [number, number]) => void,
  link: () => string,
): HTMLElement {
  const choices = h("div.choices", { hidden: true, role: "menu" });
  const open = button("Save", () => show(choices.hidden), {
    icon: "save",
    kind: "small",
    title: "Save what the timeline shows",
  });
  const menu = h("div.menu", open, choices);
  open.setAttribute("aria-haspopup", "menu");

  function show(visible: boolean): void {
    choices.hidden = !visible;
    open.setAttribute("aria-expanded", String(visible));
    const formats = studio.live.welcome?.formats ?? [];
    for (const item of choices.children)
      (item as HTMLElement).hidden = !["", ...formats].includes((item as HTMLElement).dataset.format!);
    if (visible) (choices.firstElementChild as HTMLElement).focus();
  }
  for (const [title, text, path, format] of FORMATS) {
    const item = h(
      "button.button.quiet",
      {
        type: "button",
        role: "menuitem",
        "data-format": format,
        onclick: () => {
          show(false);
          open.focus();
          if (path === "film") film(format, window_());
          else if (path === "link") void copyLink();
          else void save(title, path, format);
        },
      },
      title,
      h("small", text),
    );
    choices.append(item);
  }
  menu.addEventListener("keydown", (event) => {
    const items = ([...choices.children] as HTMLElement[]).filter((item) => !item.hidden),
      at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape" && !choices.hidden) {
      show(false);
      open.focus();
    } else if (at >= 0 && (event.key === "ArrowDown" || event.key === "ArrowUp"))
      items[(at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) show(false);
  });

  async function copyLink(): Promise<void> {
    const address = link();
    try {
      await navigator.clipboard.writeText(address);
      studio.say("It opens this panel at this moment, seen from here.", "good", "The link is copied");
    } catch {
      studio.say(address, "plain", "Copy this link"); // the browser lets pages copy over https and on this machine alone
    }
  }

  async function save(title: string, path: string, format: string): Promise<void> {
    const [start, stop] = window_();
    const query = new URLSearchParams({ start: String(start), stop: String(stop), ...(format ? { format } : {}) });
    studio.say(
      `${((stop - start) / (studio.live.welcome?.step_rate ?? 60)).toFixed(1)} s are being written.`,
      "plain",
      title,
    );
    try {
      const answer = await request(`api/${path}?${query}`);
      const name =
        /filename="?([^";]+)/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ??
        `kinematch.${format || "recording"}`;
      const address = URL.createObjectURL(await answer.blob());
      h("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    } catch (error) {
      studio.say(String((error as Error).message), "bad", `${title} was not saved`);
    }
  }
  return menu;
}
