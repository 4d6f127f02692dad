/** Build: from dropped files to a playing character; every control edits the recipe, and nothing else. */
import { undoOrRedo } from "../panels/undo";
import { registerPanel, type Studio } from "../studio";
import { button, h, isTouched, segments } from "../ui/elements";
import { CleaningView } from "./cleaning_view";
import { ClipDock } from "./clip_dock";
import { fetchClip } from "./clip_file";
import { ClipStage } from "./clip_stage";
import { ClipView } from "./clip_view";
import { FeaturesView } from "./features_view";
import { loading } from "./fields";
import { FilesView } from "./files_view";
import { GenerateBar } from "./generate_bar";
import { download, RecipeView } from "./recipe_view";
import { RoleEditor } from "./roles";
import { Store } from "./store";

type Tab = "files" | "cleaning" | "features" | "recipe";
const TABS = [
  ["files", "Files"],
  ["cleaning", "Cleaning"],
  ["features", "Features"],
  ["recipe", "Recipe"],
] as const;

class BuildPanel {
  readonly element = h("div.build");
  readonly store: Store;
  readonly stage: ClipStage;
  private readonly dock: ClipDock;
  private readonly files: FilesView;
  private readonly clip: ClipView;
  private readonly cleaning: CleaningView;
  private readonly features: FeaturesView;
  private readonly recipe: RecipeView;
  private readonly generate: GenerateBar;
  private readonly roles: RoleEditor;
  private readonly body = h("div.build-body");
  private readonly notice = h("div.stage-notice", { hidden: true });
  private readonly undo: HTMLButtonElement;
  private readonly redo: HTMLButtonElement;
  private readonly tabs: ReturnType<typeof segments<Tab>>;
  private readonly place = h("span.note.place");
  private tab: Tab = "files";
  private fetching: AbortController | null = null;
  private shown = ""; // file and recipe of the clip on the stage

  constructor(private readonly studio: Studio) {
    const holder = studio.viewport.renderer.domElement.parentElement!;
    this.store = new Store(studio);
    this.stage = new ClipStage(studio);
    this.dock = new ClipDock(this.stage, true);
    this.roles = new RoleEditor(this.store, this.stage, this.dock, studio.viewport.renderer.domElement);
    this.files = new FilesView(this.store);
    this.clip = new ClipView(this.store, this.dock, this.roles);
    this.clip.now = () => this.stage.time;
    this.clip.onWhich = () => void this.preview();
    this.cleaning = new CleaningView(this.store);
    this.features = new FeaturesView(this.store, this.stage, this.dock);
    this.recipe = new RecipeView(this.store);
    this.generate = new GenerateBar(this.store, (tab, file) => {
      this.show(tab as Tab);
      if (file) this.store.select(file);
    });
    this.dock.onChosen = () => this.clip.chosenBar();
    holder.append(this.dock.element, this.notice);
    this.undo = button("", () => this.store.undo(), {
      icon: "undo",
      kind: "quiet small icon",
      title: "Undo the last change to the recipe (Ctrl Z)",
    });
    this.redo = button("", () => this.store.redo(), {
      icon: "redo",
      kind: "quiet small icon",
      title: "Redo (Ctrl Shift Z)",
    });
    const save = button("", () => download(), { icon: "save", kind: "quiet small icon", title: "Download the recipe" });
    this.tabs = segments(TABS, this.tab, (tab) => this.show(tab), "Parts of the recipe");
    this.tabs.classList.add("fill", "grow");
    this.element.append(
      h("div.build-head", this.place, h("div.row", this.tabs, this.undo, this.redo, save)),
      this.body,
      this.generate.element,
    );
    this.body.append(loading("Opening the project"));
    this.store.on((what) => this.changed(what));
    window.addEventListener("keydown", (event) => this.key(event));
  }

  async opened(): Promise<void> {
    this.stage.layer.visible = true;
    this.roles.open = true;
    this.dock.element.hidden = !this.stage.clip;
    this.notice.hidden = !this.notice.textContent;
    this.stage.look();
    try {
      await this.store.load();
    } catch (error) {
      this.body.replaceChildren(
        h(
          "div.empty",
          h("strong", "The project cannot be opened"),
          h("span", (error as Error).message),
          button("Try again", () => void this.opened(), { kind: "small" }),
        ),
      );
      return;
    }
    this.show(this.tab);
    if (!this.store.selected) {
      const first = this.store.checked?.files[0],
        name = first ? first.path || first.name : this.store.names()[0];
      if (name) this.store.select(name);
    }
  }

  closed(): void {
    this.stage.layer.visible = false;
    this.roles.open = false;
    this.roles.close();
    this.dock.element.hidden = this.notice.hidden = true;
  }

  show(tab: Tab): void {
    this.tab = tab;
    this.tabs.set(tab);
    const parts = {
      files: [this.files.element, this.clip.element],
      cleaning: [this.cleaning.element],
      features: [this.features.element],
      recipe: [this.recipe.element],
    }[tab];
    this.body.replaceChildren(...parts);
    this.body.dataset.tab = tab;
    this.features.shown(tab === "features");
    if (tab !== "files") this.roles.active(false);
    this.update();
  }

  private update(): void {
    const project = this.store.project;
    const invitation = isTouched() ? "Choose motion files to see them here" : "Drop motion files anywhere on the page";
    if (project && !this.store.selected) this.tell(this.store.uploading.length ? "" : invitation);
    this.place.textContent = project
      ? project.temporary
        ? "Kept in a workspace of your own; “kinematch play FOLDER” keeps it in a folder"
        : `${project.folder} / ${project.recipe}`
      : "";
    this.place.title = project ? `${project.folder}/${project.recipe}` : "";
    this.undo.disabled = !this.store.canUndo;
    this.redo.disabled = !this.store.canRedo;
    this.clip.mark();
    if (this.tab === "files") {
      this.files.update();
      this.clip.update();
    }
    if (this.tab === "cleaning") this.cleaning.update();
    if (this.tab === "features") this.features.update();
    if (this.tab === "recipe") this.recipe.update();
    this.generate.update();
  }

  private changed(what: string): void {
    if (what === "selection") {
      this.clip.which = 0;
      this.dock.choose(null);
    }
    if (what === "job") this.generate.update();
    else this.update();
    if (what !== "job" && what !== "files") void this.preview();
  }

  /** Bring the chosen file to the stage, as the recipe cleans it. */
  private async preview(): Promise<void> {
    const file = this.store.selected,
      which = this.clip.which,
      key = `${file}\n${which}\n${this.studio.character.changes}\n${this.store.text}`;
    const report = this.store.reports.get(file),
      builtIn = this.store.checked?.files.some((one) => !one.path && one.name === file);
    if (!file || key === this.shown || (!report && !builtIn)) return;
    if (report instanceof Error || (report && !report.frames)) {
      this.shown = key;
      this.stage.show(null);
      this.dock.renew();
      this.tell(`${file}: ${report instanceof Error ? report.message : report.findings[0]?.what}`, true);
      return;
    }
    const same = this.shown.startsWith(`${file}\n${which}\n`);
    this.shown = key;
    this.fetching?.abort();
    this.fetching = new AbortController();
    if (!same) this.tell("Loading the clip");
    try {
      const clip = await fetchClip(
        `api/workshop/preview?file=${encodeURIComponent(file)}&clip=${which}`,
        this.fetching.signal,
      );
      this.stage.show(clip, same);
      this.clip.length = this.stage.length;
      this.tell(
        clip.about.notice ? `Shown as the file has it, since it cannot be built yet: ${clip.about.notice}` : "",
      );
    } catch (error) {
      if ((error as Error).name === "AbortError") return;
      this.stage.show(null);
      this.tell((error as Error).message, true);
    }
    this.dock.renew(same);
    if (!this.stage.layer.visible) this.dock.element.hidden = true;
    this.update();
  }

  private tell(text: string, bad = false): void {
    this.notice.textContent = text;
    this.notice.classList.toggle("bad", bad);
    this.notice.hidden = !text || !this.stage.layer.visible;
  }

  private key(event: KeyboardEvent): void {
    const how = undoOrRedo(event);
    if (!how || !this.element.isConnected || (event.target as HTMLElement).tagName === "TEXTAREA") return;
    event.preventDefault();
    this.store[how]();
  }

  async dropped(files: File[]): Promise<void> {
    if (!this.store.project) await this.store.load();
    this.show("files");
    await this.store.upload(files);
  }
}

let panel: BuildPanel | null = null;
let waiting: File[] = [];

export function registerBuild(): void {
  registerPanel({
    id: "build",
    title: "Build",
    icon: "build",
    layout: "wide",
    stage: "own",
    dock: "none",
    build(studio) {
      panel = new BuildPanel(studio);
      return panel.element;
    },
    opened() {
      void panel?.opened().then(() => {
        if (waiting.length) void panel!.dropped(waiting.splice(0));
      });
    },
    closed() {
      panel?.closed();
    },
    frame(seconds) {
      panel?.stage.update(seconds);
    },
    followed() {
      return panel?.stage.followed() ?? null;
    },
    dropped(files) {
      if (panel) void panel.dropped(files);
      else waiting = files;
      return true;
    },
  });
}
