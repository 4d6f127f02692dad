/** The frame of the page: the rail of panels, the stage, the side, the dock below, and short messages. */
import { registeredPanels, type Panel, type Studio } from "../studio";
import { button, h } from "./elements";
import { icon } from "./icons";
import { isDark, setDark } from "./theme";

export class Shell {
  readonly root: HTMLElement;
  readonly stage = h("main.stage", { "aria-label": "Stage" });
  readonly overlay = h("div.overlay");
  readonly dock = h("section.dock", { "aria-label": "Timeline" });
  private readonly rail = h("nav.rail", { "aria-label": "Panels and help" });
  private readonly heading = h("h1");
  private readonly body = h("div.body", { tabIndex: 0 });
  private readonly side: HTMLElement;
  private readonly messages = h("div.messages", { role: "status", "aria-live": "polite" });
  private readonly built = new Map<string, HTMLElement>();
  private readonly tabs = new Map<string, HTMLButtonElement>();
  private readonly unfold: HTMLButtonElement;
  current: Panel | null = null;
  onOpen: (panel: Panel) => void = () => {};

  constructor(
    private readonly help: (panel: string) => void,
    private readonly title = "Kinematch Studio",
  ) {
    const fold = button("", () => this.fold(true), { icon: "fold", kind: "quiet icon", title: "Hide the panel (\\)" });
    this.unfold = button("", () => this.fold(false), { icon: "fold", kind: "icon", title: "Show the panel (\\)" });
    this.unfold.style.cssText = "position:absolute;right:12px;top:50%;transform:rotate(180deg);z-index:2";
    this.unfold.hidden = true;
    const about = button("", () => this.help(this.current?.id ?? ""), {
      icon: "help",
      kind: "quiet icon",
      title: "Help with this panel",
    });
    this.side = h("aside.side", h("header", this.heading, about, fold), this.body);
    this.stage.append(this.overlay, this.unfold);
    this.root = h("div.shell", { "data-layout": "side" }, this.rail, this.stage, this.dock, this.side);
    document.body.append(this.root, this.messages);
  }

  /** Fill the rail with the registered panels. */
  furnish(): void {
    const mark = h("div.mark", { title: this.title }, icon("person"));
    const tabs = h("div.tabs", { role: "tablist", "aria-label": "Panels", "aria-orientation": "vertical" });
    this.rail.append(mark, tabs);
    registeredPanels().forEach((panel, k) => {
      const tab = h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${panel.id}`,
          title: `${panel.title} (${k + 1})`,
          onclick: () => void this.open(panel.id),
        },
        icon(panel.icon),
        panel.title,
      );
      this.tabs.set(panel.id, tab);
      tabs.append(tab);
    });
    this.rail.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      const all = [...this.rail.querySelectorAll("button")];
      const at = all.indexOf(document.activeElement as HTMLButtonElement);
      if (!step || at < 0) return;
      event.preventDefault();
      event.stopPropagation();
      all[(at + step + all.length) % all.length].focus();
    });
    const theme = h("button", {
      type: "button",
      title: "Dark or light",
      onclick: () => {
        setDark(!isDark());
        showTheme();
      },
    });
    const showTheme = () => theme.replaceChildren(icon(isDark() ? "sun" : "moon"), isDark() ? "Light" : "Dark");
    showTheme();
    this.rail.append(
      h("div.gap"),
      theme,
      h(
        "button",
        { type: "button", title: "Help, the tour and the keys", onclick: () => this.help("") },
        icon("help"),
        "Help",
      ),
    );
  }

  async open(id: string, studio?: Studio): Promise<void> {
    if (studio) this.studio = studio;
    const panel = registeredPanels().find((one) => one.id === id);
    if (!panel) return;
    if (this.current === panel) return this.fold(false);
    this.current?.closed?.();
    this.current = panel;
    for (const [other, tab] of this.tabs) tab.setAttribute("aria-selected", String(other === id));
    this.tabs.get(id)?.scrollIntoView({ block: "nearest", inline: "nearest" }); // a phone shows some of them alone
    this.heading.textContent = panel.title;
    this.root.dataset.layout = panel.layout;
    this.fold(false);
    let content = this.built.get(id);
    if (!content) {
      content = h("div.panel", { id: `panel-${id}` });
      this.built.set(id, content);
      try {
        content.append(await panel.build(this.studio!));
      } catch (error) {
        content.append(
          h(
            "div.empty",
            h("strong", `${panel.title} could not be opened`),
            h("span", String((error as Error).message ?? error)),
          ),
        );
        console.error(error);
      }
    }
    if (this.current !== panel) return;
    this.body.replaceChildren(content);
    this.body.scrollTop = 0;
    history.replaceState(null, "", location.hash.startsWith(`#${id}@`) ? location.hash : `#${id}`);
    panel.opened?.();
    this.onOpen(panel);
  }
  private studio?: Studio;

  fold(folded: boolean): void {
    if (folded) this.root.dataset.side = "folded";
    else delete this.root.dataset.side;
    this.unfold.hidden = !folded;
  }

  get folded(): boolean {
    return this.root.dataset.side === "folded";
  }

  say(text: string, kind: "plain" | "good" | "bad" = "plain", title = ""): void {
    // the same again, or other news of the same thing
    for (const other of [...this.messages.children] as HTMLElement[])
      if (other.dataset.text === title + text || (title && other.dataset.title === title)) other.remove();
    const close = button("", () => box.remove(), { icon: "close", kind: "quiet small icon", title: "Close" });
    const box = h(
      "div.message",
      { "data-text": title + text, "data-title": title },
      h("div.text", title ? h("strong", title) : null, text),
      close,
    );
    box.classList.add(kind);
    this.messages.append(box);
    while (this.messages.children.length > 4) this.messages.firstChild!.remove();
    setTimeout(() => box.remove(), kind === "bad" ? 20_000 : 5000);
  }
}
