/// <reference types="vite/client" />
/** Help in place: the tour, the keys, and the pages of the manual, which are part of this page. */
import { button, h } from "./elements";
import { renderMarkdown } from "./markdown";
import "./manual.css";

const PAGES = import.meta.glob<string>(
  [
    "../../../docs/studio.md",
    "../../../docs/character.md",
    "../../../docs/recipe.md",
    "../../../docs/retargeting.md",
    "../../../docs/avatars.md",
    "../../../docs/camera.md",
    "../../../docs/packed.md",
    "../../../docs/learned.md",
    "../../../docs/broken-mocap.md",
  ],
  { query: "?raw", import: "default" },
);
const TOPICS: [title: string, address: string][] = [
  ["Play", "studio.md#play"],
  ["Your own character", "studio.md#your-own-character"],
  ["See why", "studio.md#see-why"],
  ["Films", "studio.md#films"],
  ["Tune", "studio.md#tune"],
  ["Every setting", "character.md"],
  ["Build", "studio.md#build"],
  ["The recipe", "recipe.md"],
  ["Broken motion capture", "broken-mocap.md"],
  ["Coverage", "studio.md#coverage"],
  ["Clips", "studio.md#clips"],
  ["Learned models", "learned.md"],
  ["VR", "studio.md#vr"],
  ["Cameras", "camera.md"],
];
/** Where the manual speaks of each panel. */
export const SECTIONS: Record<string, string> = {
  play: "studio.md#play",
  why: "studio.md#see-why",
  tune: "studio.md#tune",
  build: "studio.md#build",
  coverage: "studio.md#coverage",
  clips: "studio.md#clips",
  train: "learned.md",
  vr: "studio.md#vr",
};

/** Open the manual at an address such as `studio.md#tune`; `actions` stand above its topics. */
export function openManual(address: string, actions: [string, () => void][]): void {
  const text = h("article.manual-text", { tabIndex: 0, "aria-label": "Manual" }),
    topics = h("nav.manual-topics", { "aria-label": "Topics" });
  const dialog = h(
    "dialog.manual",
    { "aria-label": "Help" },
    h(
      "div.card",
      h("div.row", h("h2.name", "Help"), button("Close", () => dialog.close(), { kind: "small" })),
      h("div.manual-columns", topics, text),
    ),
  ) as HTMLDialogElement;
  const link = (page: string) => (to: string) => {
    const [file, part] = to.split("#");
    const target = `${file || page}${part ? `#${part}` : ""}`;
    if (/^https?:/.test(to)) return h("a", { href: to, target: "_blank", rel: "noreferrer" });
    if (!findPage(file || page)) return null;
    return h("a", {
      href: "#",
      onclick: (event: Event) => {
        event.preventDefault();
        void show(target);
      },
    });
  };
  async function show(target: string): Promise<void> {
    const [page, part] = target.split("#");
    const read = findPage(page);
    if (!read) return;
    text.replaceChildren(...renderMarkdown(await read(), link(page)));
    const at = part ? text.querySelector(`#${CSS.escape(`manual-${part}`)}`) : null;
    if (at) at.scrollIntoView();
    else text.scrollTop = 0;
    for (const one of topics.querySelectorAll("button"))
      if (one.dataset.address) one.setAttribute("aria-current", String(one.dataset.address === target));
  }
  topics.append(
    ...actions.map(([title, act]) =>
      button(
        title,
        () => {
          dialog.close();
          act();
        },
        { kind: "small" },
      ),
    ),
    ...TOPICS.map(([title, to]) => {
      const one = button(title, () => void show(to), { kind: "small quiet" });
      one.dataset.address = to;
      return one;
    }),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  void show(address);
}

function findPage(file: string): (() => Promise<string>) | null {
  return PAGES[`../../../docs/${file}`] ?? null;
}
