/** Build, the files: what is dropped or picked, what the doctor says of each, and whether the recipe has it. */
import { button, h, isTouched } from "../ui/elements";
import { loading, rerender, seconds } from "./fields";
import type { FileReport } from "./messages";
import type { Store } from "./store";
import "./files_view.css";

export class FilesView {
  readonly element = h("div.file-panel");
  private readonly picker: HTMLInputElement;
  private folder = "";

  constructor(private readonly store: Store) {
    this.picker = h("input", {
      type: "file",
      multiple: true,
      hidden: true,
      accept: ".bvh,.glb,.gltf,.vrm,.vrma,.npz,.fbx",
      onchange: () => {
        void store.upload([...(this.picker.files ?? [])]);
        this.picker.value = "";
      },
    }) as HTMLInputElement;
    document.body.append(this.picker);
  }

  update(): void {
    const { store } = this;
    if (!store.project) return rerender(this.element, loading("Opening the project"));
    const coming = new Set(store.uploading.map((one) => one.name));
    const names = store.names().filter((name) => !coming.has(name) || store.sourceOf(name) !== null);
    const built = (store.checked?.files ?? []).filter((file) => !file.path);
    if (!names.length && !built.length && !store.uploading.length)
      return rerender(this.element, this.invitation(), this.refusals());
    const left = store.uploading.filter((one) => !one.stored).length;
    const used = names.filter((name) => store.sourceOf(name) !== null);
    const unused = names.filter((name) => store.sourceOf(name) === null);
    rerender(
      this.element,
      h(
        "div.row.files-head",
        h("span.note.name", this.summary(used.length, built.length)),
        this.folderPicker(),
        button("Add files", () => this.picker.click(), { icon: "load", kind: "small" }),
      ),
      this.refusals(),
      used.length + built.length + store.uploading.length === 0
        ? this.beginning(unused)
        : h(
            "ul.list.file-list",
            {
              role: "listbox",
              "aria-label": "Files",
              "data-scroll": "files",
              onkeydown: (event: KeyboardEvent) => this.move(event),
            },
            ...store.uploading
              .filter((one) => store.sourceOf(one.name) === null)
              .map((one) =>
                h(
                  "li.file",
                  h("span.state.busy"),
                  h("span.name", one.name),
                  one.share < 0
                    ? h("span.fact", "waiting")
                    : one.share < 1
                      ? h(
                          "div.progress",
                          { style: "width:90px" },
                          h("i", { style: `width:${Math.round(100 * one.share)}%` }),
                        )
                      : h("span.fact", !one.stored ? "being read" : left ? "stored" : "being examined"),
                ),
              ),
            ...used.map((name) => this.row(name, true)),
            ...built.map((file) => this.builtIn(file.name)),
          ),
      unused.length && used.length + built.length
        ? h(
            "div.row",
            h("span.note.name", `${unused.length} more in the folder, not in the recipe`),
            unused.filter((name) => this.good(name)).length > 1
              ? button("Add all", () => void store.take(unused.filter((name) => this.good(name))), {
                  kind: "small quiet",
                })
              : null,
          )
        : null,
      unused.length
        ? h(
            "ul.list.file-list",
            { role: "listbox", "aria-label": "Files that are not in the recipe", "data-scroll": "others" },
            ...unused.map((name) => this.row(name, false)),
          )
        : null,
      store.listing.more
        ? h("span.note", "The folder holds more files than are shown; name them in the recipe's text.")
        : null,
    );
  }

  private beginning(names: string[]): HTMLElement {
    const good = names.filter((name) => this.good(name)),
      all = good.length === 1 ? "Add it" : `Add all ${good.length}`;
    if (!good.length)
      return h(
        "div.invitation.low",
        h("div.big", names.length === 1 ? "This file cannot be built" : "None of these files can be built"),
        h("p", "What is wrong with each is told below. Mend or export it again, or drop other files here."),
        button("Choose files", () => this.picker.click(), { icon: "load" }),
      );
    return h(
      "div.invitation.low",
      h("div.big", `${names.length} motion ${names.length === 1 ? "file is" : "files are"} in this folder`),
      h("p", "Bring them in and the doctor writes the recipe for them, fixes included. Or drop other files here."),
      button(all, () => void this.store.take(good), { kind: "primary" }),
    );
  }

  private good(name: string): boolean {
    const report = this.store.reports.get(name);
    return !(report instanceof Error) && (report?.buildable ?? true);
  }

  private summary(used: number, built: number): string {
    const { uploading } = this.store,
      stored = uploading.filter((one) => one.stored).length;
    if (uploading.length)
      return stored < uploading.length
        ? `${stored} of ${uploading.length} files have arrived`
        : "The doctor examines the files";
    const total = [...this.store.reports.entries()]
      .filter(([name]) => this.store.sourceOf(name) !== null)
      .reduce((sum, [, report]) => sum + (report instanceof Error ? 0 : report.duration), 0);
    if (!used && !built) return "No file is in the recipe yet";
    if (built) return `${used + built} motions, ${built} of them built in`;
    return `${used} ${used === 1 ? "file" : "files"} in the recipe, ${seconds(total)}`;
  }

  private invitation(): HTMLElement {
    const { store } = this,
      where = store.project!.temporary ? "" : ` They are copied into ${store.project!.folder}.`;
    const folders = store.listing.folders.length ? this.folderPicker() : null;
    const stored = store.project!.stored;
    if (stored)
      return h(
        "div.invitation",
        h("div.big", "This database came without its recipe"),
        h(
          "p",
          `It remembers the one it was built by. Bring that back as ${store.project!.recipe} to change it; building needs the motion files it names. Or drop other files here and start again.`,
        ),
        h(
          "div.row",
          button("Bring its recipe back", () => void store.write(stored), { icon: "load", kind: "primary" }),
          button("Choose files", () => this.picker.click()),
        ),
      );
    return h(
      "div.invitation",
      h("div.big", isTouched() ? "Bring motion files" : "Drop motion files or a folder here"),
      h(
        "p",
        `BVH, GLB, glTF, VRM or VRMA, of any rig, unit and axis. The doctor looks at each and writes the recipe for you.${where}`,
      ),
      h(
        "div.row",
        button("Choose files", () => this.picker.click(), { icon: "load", kind: "primary" }),
        folders,
        button("Use the built-in motion", () => void store.write('[[source]]\nbuiltin = "locomotion"\n'), {
          title: "Procedural walking, running, turning and strafing: no files needed",
        }),
      ),
    );
  }

  private folderPicker(): HTMLElement | null {
    const fresh = this.store.listing.files.filter((file) => !file.used).map((file) => file.path);
    const folders = this.store.listing.folders.filter(
      (folder) => folder.path && fresh.some((path) => path.startsWith(`${folder.path}/`)),
    );
    if (!folders.length) return null;
    const field = h(
      "select.field.small",
      {
        "aria-label": "Add a folder",
        "data-key": "folder",
        onchange: () => {
          this.folder = field.value;
          const inside = this.store.listing.files
            .filter((file) => file.path.startsWith(`${this.folder}/`))
            .map((file) => file.path);
          if (inside.length) void this.store.take(inside);
          field.value = "";
        },
      },
      h("option", { value: "" }, "Add a folder"),
      ...folders.map((folder) => h("option", { value: folder.path }, `${folder.path}  (${folder.files})`)),
    ) as HTMLSelectElement;
    return field;
  }

  private refusals(): HTMLElement | null {
    const { store } = this;
    if (!store.refused.length) return null;
    return h(
      "div.refusals",
      ...store.refused.map((one) =>
        h(
          "div.finding.error",
          { role: "alert" },
          h("div.what", h("strong", one.name), ` ${one.message}`),
          one.taken ? button("Replace it", () => void store.upload([one.taken!], true), { kind: "small" }) : null,
          button(
            "",
            () => {
              store.refused = store.refused.filter((other) => other !== one);
              this.update();
            },
            { icon: "close", kind: "quiet small icon", title: "Dismiss" },
          ),
        ),
      ),
    );
  }

  private row(name: string, used: boolean): HTMLElement {
    const { store } = this,
      report = store.reports.get(name);
    const state = !report ? "busy" : worst(report);
    const words = { busy: "being examined", good: "good", note: "good", warning: "warnings", error: "cannot be built" }[
      state
    ];
    const facts =
      report && !(report instanceof Error) && report.frames
        ? [report.family, seconds(report.duration)]
        : [report ? words : ""];
    const chosen = store.selected === name;
    return h(
      "li.file.pick",
      {
        role: "option",
        tabIndex: chosen ? 0 : -1,
        "aria-selected": String(chosen),
        "data-key": `file:${name}`,
        "data-file": name,
        title: `${name}: ${words}`,
        onclick: () => store.select(name),
      },
      h(`span.state.${state}`, { title: words }),
      h("span.name", name),
      this.badges(report),
      h("span.fact", facts[0]),
      h("span.fact.time", facts[1] ?? ""),
      used || (report && (report instanceof Error || !report.frames))
        ? null
        : // no button: what is inside of an option cannot be reached by keys; the file's own view has one
          h(
            "span.button.small",
            {
              title: "Bring it into the recipe",
              onclick: (event: Event) => {
                event.stopPropagation();
                void store.take([name]);
              },
            },
            "Add",
          ),
    );
  }

  private badges(report: FileReport | Error | undefined): HTMLElement | null {
    if (!report || report instanceof Error) return null;
    const open =
      report.findings.filter((finding) => finding.severity !== "note" && finding.state !== "applied").length +
      (report.difference ? 1 : 0);
    const fixed = report.findings.filter((finding) => finding.state === "applied").length;
    if (!open && !fixed) return null;
    return h("span.badge", open ? `${open} ${open === 1 ? "finding" : "findings"}` : `${fixed} fixed`);
  }

  private builtIn(name: string): HTMLElement {
    const chosen = this.store.selected === name;
    return h(
      "li.file.pick",
      {
        role: "option",
        tabIndex: chosen ? 0 : -1,
        "aria-selected": String(chosen),
        "data-file": name,
        onclick: () => this.store.select(name),
      },
      h("span.state.good"),
      h("span.name", name),
      h("span.fact", "built in"),
      h("span.fact.time", ""),
    );
  }

  private move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const rows = [...this.element.querySelectorAll<HTMLElement>("[data-file]")];
    const next = rows[rows.findIndex((row) => row.dataset.file === this.store.selected) + step];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    this.store.select(next.dataset.file!);
    this.element.querySelector<HTMLElement>(`[data-file="${CSS.escape(next.dataset.file!)}"]`)?.focus();
  }
}

/** The worst that is still open in a report. */
export function worst(report: FileReport | Error): "good" | "note" | "warning" | "error" {
  if (report instanceof Error || !report.frames || report.difference) return "error";
  const open = report.findings.filter((finding) => finding.state !== "applied").map((finding) => finding.severity);
  return open.includes("error") ? "error" : open.includes("warning") ? "warning" : open.length ? "note" : "good";
}
