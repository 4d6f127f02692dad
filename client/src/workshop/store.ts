/** The project as the page knows it: the recipe's text and its history, the files, the doctor's reports, the build. */
import type { Studio } from "../studio";
import type { Checked, Edit, FileReport, JobInfo, Listing, ProjectInfo } from "./messages";
import type { Recipe } from "./recipe";
import { findRefusal, send, TakenError } from "./upload";

const API = "api/workshop";
export interface Upload {
  name: string;
  share: number; // of it that has arrived
  stored: boolean; // read by the server, and in the folder
}
export type Changed = "recipe" | "files" | "reports" | "job" | "selection";

export class Store {
  project: ProjectInfo | null = null;
  checked: Checked | null = null;
  draft: Checked | null = null; // a text with mistakes, not written to the file
  listing: Listing = { files: [], folders: [], more: false };
  reports = new Map<string, FileReport | Error>();
  job: JobInfo | null = null;
  selected = "";
  uploading: Upload[] = [];
  refused: { name: string; message: string; taken?: File }[] = [];
  private readonly past: string[] = [];
  private readonly future: string[] = [];
  private readonly listeners: ((what: Changed) => void)[] = [];
  private examining = 0;
  private polling = false;
  private chain: Promise<unknown> = Promise.resolve();

  constructor(readonly studio: Studio) {}

  on(listener: (what: Changed) => void): void {
    this.listeners.push(listener);
  }

  tell(what: Changed): void {
    for (const listener of this.listeners) listener(what);
  }

  get text(): string {
    return this.checked?.text ?? "";
  }

  get recipe(): Recipe | null {
    return (this.checked?.recipe as Recipe | null) ?? null;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  async load(): Promise<void> {
    this.project = await this.studio.ask<ProjectInfo>(`${API}/project`);
    this.checked = this.project.checked;
    this.job = this.project.job;
    if (this.job.state === "running") void this.follow();
    await this.list();
    this.tell("recipe");
    this.tell("job");
  }

  async list(): Promise<void> {
    this.listing = await this.studio.ask<Listing>(`${API}/files`);
    this.tell("files");
    void this.examine();
  }

  /** Change the recipe; edits wait for one another, and a refused one changes nothing. */
  edit(...edits: Edit[]): Promise<boolean> {
    if (this.draft) {
      this.studio.say(
        "The text has errors. Fix them, or go back to the saved recipe.",
        "bad",
        "First finish the recipe's text",
      );
      this.tell("recipe");
      return Promise.resolve(false);
    }
    return this.after(() => this.post<Checked>("recipe/edit", { text: this.text, edits }));
  }

  /** Take a text as it was typed; one with mistakes is kept as a draft. */
  write(text: string): Promise<boolean> {
    if (text === this.text && !this.draft) return Promise.resolve(true);
    return this.after(() => this.put(text));
  }

  /** Forget a text with mistakes. */
  discard(): void {
    this.draft = null;
    this.tell("recipe");
  }

  undo(): Promise<void> {
    return this.restore(this.past, this.future);
  }

  redo(): Promise<void> {
    return this.restore(this.future, this.past);
  }

  /** Go back to the last of these texts, after all edits before; a refused one changes nothing. */
  private restore(from: string[], to: string[]): Promise<void> {
    return this.queue(async () => {
      const text = from.at(-1);
      if (text === undefined) return;
      try {
        const checked = await this.put(text);
        from.pop();
        to.push(this.text);
        this.accept(checked);
      } catch (error) {
        this.studio.say((error as Error).message, "bad", "The recipe stays as it is");
      }
    });
  }

  /** Do something once all before it is done. */
  private queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.chain.then(work);
    this.chain = result;
    return result;
  }

  private put(text: string): Promise<Checked> {
    return this.studio.ask<Checked>(`${API}/recipe`, { method: "PUT", body: JSON.stringify({ text }) });
  }

  private after(work: () => Promise<Checked>): Promise<boolean> {
    return this.queue(async () => {
      const before = this.text;
      try {
        const checked = await work();
        if (!checked.saved) {
          this.draft = checked;
          this.tell("recipe");
          return false;
        }
        if (before && checked.text !== before) {
          this.past.push(before);
          this.future.length = 0;
        }
        this.accept(checked);
        return true;
      } catch (error) {
        this.studio.say((error as Error).message, "bad", "The recipe stays as it is");
        this.tell("recipe");
        return false;
      }
    });
  }

  private accept(checked: Checked): void {
    this.checked = checked;
    this.draft = null;
    const used = new Set(checked.files.map((file) => file.path));
    for (const file of this.listing.files) file.used = used.has(file.path);
    this.tell("recipe");
    this.tell("files");
    void this.examine();
  }

  private post<T>(path: string, value: unknown): Promise<T> {
    return this.studio.ask<T>(`${API}/${path}`, { method: "POST", body: JSON.stringify(value) });
  }

  /** Ask the doctor about all files, those of the recipe first; a later call takes the place of an earlier one. */
  private async examine(): Promise<void> {
    const round = ++this.examining;
    const names = this.names();
    const fresh = names.filter((name) => !this.reports.has(name));
    const known = names.filter((name) => this.reports.has(name));
    const parts = [...chunks(fresh, 3), ...chunks(known, 50)];
    for (const part of parts) {
      try {
        const reports = await this.post<FileReport[]>("reports", { files: part });
        for (const report of reports) this.reports.set(report.path, report);
      } catch (error) {
        for (const name of part) this.reports.set(name, error as Error);
      }
      if (round !== this.examining) return;
      this.tell("reports");
    }
  }

  /** Paths of all files: those of the recipe, then others of the folder. */
  names(): string[] {
    const used = (this.checked?.files ?? []).map((file) => file.path).filter(Boolean);
    return [...new Set([...used, ...this.listing.files.map((file) => file.path)])];
  }

  sourceOf(path: string): number | null {
    return this.checked?.files.find((file) => (file.path || file.name) === path)?.source ?? null;
  }

  /** How many files share a source. */
  companions(source: number): number {
    return this.checked?.files.filter((file) => file.source === source).length ?? 0;
  }

  select(path: string): void {
    this.selected = path;
    this.tell("selection");
  }

  /** Bring files in: upload each, then let the doctor's prescription take them into the recipe. */
  async upload(files: File[], replace = false): Promise<void> {
    const done: string[] = [];
    const jobs: Upload[] = []; // shown until the recipe has them
    const over = (ended: Upload[]) => {
      this.uploading = this.uploading.filter((one) => !ended.includes(one));
      this.tell("files");
    };
    const accepted: [File, Upload][] = [];
    for (const file of files) {
      this.refused = this.refused.filter((one) => one.name !== file.name);
      const message = findRefusal(file, this.project);
      if (message) this.refused.push({ name: file.name, message });
      else accepted.push([file, { name: file.name, share: -1, stored: false }]);
    }
    for (const [, job] of accepted) for (const list of [this.uploading, jobs]) list.push(job); // all at once
    this.tell("files");
    for (const [file, job] of accepted) {
      job.share = 0;
      this.tell("files");
      try {
        done.push(
          await send(
            `${API}/files/${encodeURIComponent(file.name)}${replace ? "?replace=true" : ""}`,
            file,
            this.studio.connection.identity,
            (share) => {
              job.share = share;
              this.tell("files");
            },
          ),
        );
        job.stored = true;
      } catch (error) {
        this.refused.push({
          name: file.name,
          message: (error as Error).message,
          taken: error instanceof TakenError ? file : undefined,
        });
        over([job]);
      }
    }
    if (!done.length) return;
    for (const path of done) this.reports.delete(path);
    try {
      await this.list();
      for (const report of await this.post<FileReport[]>("reports", { files: done }))
        this.reports.set(report.path, report);
      const read = done.filter((path) => (this.reports.get(path) as FileReport).frames > 0);
      if (read.length) await this.take(read);
      else this.select(done[0]);
    } catch (error) {
      this.studio.say((error as Error).message, "bad", "The files were not taken into the recipe");
    } finally {
      over(jobs);
    }
  }

  /** Bring files of the folder into the recipe. */
  async take(files: string[]): Promise<void> {
    const taken = await this.edit({ type: "take", files });
    if (taken || !this.selected) this.select(files[0]);
  }

  async build(): Promise<void> {
    try {
      this.job = await this.post<JobInfo>("build", {});
      this.tell("job");
      void this.follow();
    } catch (error) {
      this.studio.say((error as Error).message, "bad", "Nothing was built");
    }
  }

  async cancel(): Promise<void> {
    this.job = await this.studio.ask<JobInfo>(`${API}/build`, { method: "DELETE" });
    this.tell("job");
  }

  private async follow(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    try {
      do {
        await new Promise((done) => setTimeout(done, 150));
        this.job = await this.studio.ask<JobInfo>(`${API}/build`);
        this.tell("job");
      } while (this.job.state === "running");
    } catch (error) {
      this.studio.say((error as Error).message, "bad", "The progress of the build cannot be read");
    } finally {
      this.polling = false;
    }
  }
}

function chunks<T>(all: T[], size: number): T[][] {
  const out: T[][] = [];
  for (let k = 0; k < all.length; k += size) out.push(all.slice(k, k + size));
  return out;
}
