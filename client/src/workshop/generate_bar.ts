/** Build, the last step: generate the database, see how far it is, cancel, and play it. */
import { button, h } from "../ui/elements";
import { rerender } from "./fields";
import type { Store } from "./store";
import "./generate_bar.css";

const STAGES: Record<string, string> = {
  "": "Looking at the files",
  clips: "Cleaning clips",
  poses: "Joining poses",
  features: "Measuring features",
  write: "Writing",
  open: "Opening it",
};

export class GenerateBar {
  readonly element = h("footer.generate", { "aria-live": "polite" });
  private readonly stage = h("strong.name");
  private readonly count = h("span.note");
  private readonly clock = h("span.note", { "aria-live": "off" });
  private readonly bar = h("i");
  private readonly progress = h("div", this.bar);
  private readonly running = h("div.grow", h("div.row", this.stage, this.count, this.clock), this.progress);
  private readonly cancel = button("Cancel", () => void this.store.cancel());
  private seen = 0; // number of the job whose end was told
  private watched = 0; // number of the job that was started or running while this page looked

  constructor(
    private readonly store: Store,
    private readonly jump: (tab: string, file: string) => void,
  ) {}

  update(): void {
    const { store } = this,
      job = store.job,
      recipe = store.recipe;
    const wrong = store.draft ?? (store.text && store.checked?.problems.length ? store.checked : null);
    const ready = Boolean(recipe && store.text && !wrong);
    const start = button("Generate database", () => void store.build(), { icon: "build", kind: "primary" });
    start.disabled = !ready;
    start.id = start.dataset.key = "generate";
    if (job?.state === "running") {
      this.watched = job.number;
      const share = job.total ? Math.round((100 * job.done) / job.total) : 0;
      const known = job.stage === "clips" && job.total > 1;
      this.stage.textContent = STAGES[job.stage] ?? job.stage;
      this.count.textContent = known ? `${job.done} of ${job.total}` : "";
      this.clock.textContent = `${job.seconds.toFixed(0)} s`;
      this.progress.className = known ? "progress" : "progress unknown";
      this.bar.style.width = known ? `${share}%` : "";
      if (!this.running.isConnected) this.element.replaceChildren(this.running, this.cancel);
      return;
    }
    const parts: HTMLElement[] = [];
    const over = job && job.number !== this.watched ? "none" : job?.state; // how the build ended that this page has seen
    if (over === "failed" && !this.differing().length) parts.push(this.failed());
    else if (over === "cancelled")
      parts.push(
        h(
          "div.grow",
          h("strong", "Cancelled"),
          h("span.note", "Nothing was changed; an earlier database is as it was."),
        ),
      );
    else if (over === "done" && !this.differing().length) parts.push(this.done());
    else if (ready && this.waiting())
      parts.push(
        h(
          "div.grow",
          h("strong", "The doctor is looking at the files"),
          h("span.note", `${this.waiting()} to go; you need not wait`),
        ),
      );
    else if (ready && this.differing().length) parts.push(this.differ());
    else
      parts.push(
        h(
          "div.grow",
          h("strong", ready ? "Ready" : "Not ready yet"),
          h(
            "span.note",
            ready
              ? this.output()
              : wrong
                ? "The recipe has errors: see its text."
                : store.uploading.length
                  ? "The files are on their way."
                  : "Add motion files first.",
          ),
        ),
      );
    rerender(this.element, ...parts, start);
    if (job?.state === "done" && job.number === this.watched && this.seen !== job.number) {
      this.seen = job.number;
      const more = job.warnings.length
        ? ` ${job.warnings.length} ${job.warnings.length === 1 ? "warning" : "warnings"}: see Build.`
        : "";
      store.studio.say(`${job.summary}.${more}`, "good", "Now playing your database");
      store.studio.open("play");
    }
  }

  private output(): string {
    const { store } = this,
      name = store.recipe?.output || store.project!.recipe.replace(/\.toml$/, ".kinematch");
    return `writes ${name}, then plays it`;
  }

  /** How many files of the recipe are not examined yet. */
  private waiting(): number {
    const { store } = this;
    return store.names().filter((name) => store.sourceOf(name) !== null && !store.reports.has(name)).length;
  }

  /** Files whose skeleton is not that of the first. */
  private differing(): string[] {
    const { store } = this;
    return store.names().filter((name) => {
      const report = store.reports.get(name);
      return report && !(report instanceof Error) && report.difference && store.sourceOf(name) !== null;
    });
  }

  private differ(): HTMLElement {
    const { store } = this,
      files = this.differing();
    const text =
      files.length === 1
        ? "One file has a different skeleton"
        : `${files.length} files have another skeleton than the first`;
    return h(
      "div.grow",
      h("strong", text),
      h(
        "div.row",
        button(
          files.length === 1 ? "Retarget it" : `Retarget all ${files.length}`,
          () => void store.edit({ type: "set_for_files", files, values: { retarget: true }, whole: false }),
          { kind: "small", title: "Retarget their motion to the first file's skeleton" },
        ),
        h("span.note", "or leave them out"),
      ),
    );
  }

  private failed(): HTMLElement {
    const job = this.store.job!,
      file = job.file.split(/[\\/]/).pop() ?? "",
      isRecipe = file === this.store.project?.recipe;
    const name = this.store.names().find((one) => one === file || one.endsWith(`/${file}`));
    const show = isRecipe
      ? button("Show the line", () => this.jump("recipe", ""), { kind: "small" })
      : name
        ? button("Show the file", () => this.jump("files", name), { kind: "small" })
        : null;
    return h(
      "div.grow",
      { role: "alert" },
      h("strong.bad-text", "It could not be built"),
      h("span.why", `${file ? `${file}${job.line ? `, line ${job.line}` : ""}: ` : ""}${job.message}`),
      show,
    );
  }

  private done(): HTMLElement {
    const job = this.store.job!;
    const warnings = job.warnings.length
      ? h(
          "details.warnings",
          h("summary", `${job.warnings.length} ${job.warnings.length === 1 ? "warning" : "warnings"}`),
          ...job.warnings.map((one) => h("div.note", one)),
        )
      : null;
    return h(
      "div.grow",
      h(
        "div.row",
        h("strong", "Built and playing"),
        button("Go to Play", () => this.store.studio.open("play"), { kind: "small", icon: "play" }),
      ),
      h("span.note", job.summary),
      warnings,
    );
  }
}
