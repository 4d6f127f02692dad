/** The database that plays, as Coverage and Clips see it, and one stage and timeline for both to show its clips on. */
import { registerPanel, type Studio } from "../studio";
import { button, empty, h } from "../ui/elements";
import type { IconName } from "../ui/icons";
import { ClipDock } from "./clip_dock";
import { fetchClip, type ClipData } from "./clip_file";
import { ClipStage } from "./clip_stage";
import { stripOf } from "./labels";
import type { DatabaseInfo } from "./messages";

export class DatabaseBrowser {
  info: DatabaseInfo | null = null;
  error = "";
  selected = -1; // clip
  readonly stage: ClipStage;
  readonly dock: ClipDock;
  private readonly notice = h("div.stage-notice", { hidden: true });
  private readonly listeners: (() => void)[] = [];
  private readonly kept = new Map<number, ClipData>();
  private fetching: AbortController | null = null;
  private stale = true;

  constructor(readonly studio: Studio) {
    const holder = studio.viewport.renderer.domElement.parentElement!;
    this.stage = new ClipStage(studio);
    this.dock = new ClipDock(this.stage, false);
    holder.append(this.dock.element, this.notice);
    studio.live.onChange((change) => {
      if (change !== "welcome") return;
      this.stale = true;
      if (this.stage.layer.visible) void this.load();
    });
  }

  on(listener: () => void): void {
    this.listeners.push(listener);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }

  async opened(shows: { features: boolean }): Promise<void> {
    this.stage.layer.visible = true;
    this.dock.set("features", shows.features);
    this.dock.element.hidden = !this.stage.clip;
    this.stage.look();
    if (!this.stage.clip) this.say("Choose a cell or a clip to see it here");
    if (this.stale) await this.load();
    else this.tell();
  }

  closed(): void {
    this.stage.layer.visible = false;
    this.dock.element.hidden = this.notice.hidden = true;
  }

  async load(): Promise<void> {
    this.stale = false;
    this.kept.clear();
    this.selected = -1;
    this.stage.show(null);
    this.dock.renew();
    this.info = null;
    this.error = "";
    this.tell();
    try {
      this.info = await this.studio.ask<DatabaseInfo>("api/workshop/database");
    } catch (error) {
      this.error = (error as Error).message;
      this.stale = true;
    }
    this.tell();
  }

  /** What a panel shows instead, where the database cannot be described. */
  failure(): HTMLElement {
    const again = button("Try again", () => void this.load(), { kind: "small" });
    return empty("The database cannot be described", this.error, again);
  }

  /** Play a clip, or a stretch of it in frames of the clip, over and over. */
  async play(index: number, stretch: [number, number] | null = null): Promise<void> {
    const changed = index !== this.selected;
    this.selected = index;
    this.tell();
    this.fetching?.abort();
    this.fetching = new AbortController();
    try {
      let clip = this.kept.get(index);
      if (!clip) {
        this.say("Loading the clip");
        clip = await fetchClip(`api/workshop/database/clips/${index}`, this.fetching.signal);
        this.kept.set(index, clip);
        if (this.kept.size > 12) this.kept.delete(this.kept.keys().next().value!);
      }
      if (this.selected !== index) return;
      this.say("");
      if (changed || this.stage.clip !== clip) this.stage.show(clip);
      const rate = clip.about.frame_rate * clip.about.step;
      this.dock.marks = stretch
        ? [{ kind: "range", from: stretch[0] / rate, to: stretch[1] / rate, label: "in this cell", colour: "series-5" }]
        : [];
      this.dock.strip = this.info ? stripOf(this.info.clips[index]?.labels ?? [], this.info.labels) : [];
      this.stage.bounds = stretch
        ? [Math.max(0, stretch[0] / rate - 0.6), Math.min(this.stage.length, stretch[1] / rate + 0.6)]
        : null;
      this.stage.playing = true;
      this.dock.renew();
      if (stretch) this.stage.seek(this.stage.bounds![0]);
      if (!this.stage.layer.visible) this.dock.element.hidden = true;
    } catch (error) {
      if ((error as Error).name !== "AbortError") this.say((error as Error).message, true);
    }
    this.tell();
  }

  private say(text: string, bad = false): void {
    this.notice.textContent = text;
    this.notice.classList.toggle("bad", bad);
    this.notice.hidden = !text || !this.stage.layer.visible;
  }
}

let shared: DatabaseBrowser | null = null;

/** The browser of the playing database, once a panel has needed it. */
export function findBrowser(): DatabaseBrowser | null {
  return shared;
}

/** A panel about the database that plays; all of them share one browser, and so one stage and one timeline. */
export function registerDatabasePanel(
  about: { id: string; title: string; icon: IconName; features: boolean },
  make: (browser: DatabaseBrowser) => HTMLElement,
): void {
  registerPanel({
    id: about.id,
    title: about.title,
    icon: about.icon,
    layout: "wide",
    stage: "own",
    dock: "none",
    build: (studio) => make((shared ??= new DatabaseBrowser(studio))),
    opened: () => void shared?.opened({ features: about.features }),
    closed: () => shared?.closed(),
    frame: (seconds) => shared?.stage.update(seconds),
    followed: () => shared?.stage.followed() ?? null,
  });
}
