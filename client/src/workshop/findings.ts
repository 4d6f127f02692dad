/** The doctor's findings about one file, with their cures. */
import { button, h } from "../ui/elements";
import { icon } from "../ui/icons";
import { capital } from "./fields";
import type { FileReport, Finding } from "./messages";
import type { Store } from "./store";
import "./findings.css";

const OPEN = new Set<string>(); // parts that were unfolded

/** All findings about a file, those still open with a button that mends them. */
export function findings(store: Store, report: FileReport, index: number | null): HTMLElement {
  const rows: HTMLElement[] = [];
  if (report.difference) {
    rows.push(
      h(
        "div.finding.error",
        mark("error"),
        h(
          "div.what",
          h("strong", "Different skeleton"),
          h("div", `Compared with ${report.difference_from}: ${report.difference}.`),
          h(
            "div.row",
            button(
              "Retarget it",
              () =>
                void store.edit({
                  type: "set_for_files",
                  files: [report.path],
                  values: { retarget: true },
                  whole: false,
                }),
              { kind: "small primary", title: "Retarget its motion to the first file's skeleton" },
            ),
            button("Leave it out", () => void store.edit({ type: "leave_out", file: report.path }), {
              kind: "small",
            }),
          ),
        ),
      ),
    );
  }
  const source = index === null ? null : store.recipe?.source[index];
  if (source?.retarget)
    rows.push(
      h("div.finding.fixed", mark("fixed"), h("div.what", "Its motion is retargeted to the first file's skeleton.")),
    );
  const [told, notes] = [
    report.findings.filter((one) => one.severity !== "note"),
    report.findings.filter((one) => one.severity === "note"),
  ];
  rows.push(...told.map((one) => finding(store, one, report, index)));
  if (notes.length) {
    rows.push(
      h(
        "details.notes",
        unfolding("notes"),
        h("summary", `${notes.length} ${notes.length === 1 ? "note" : "notes"}, good to know`),
        ...notes.map((one) => h("div.finding.note-line", mark("note"), h("div.what", capital(one.what)))),
      ),
    );
  }
  if (!rows.length) rows.push(h("div.finding.fixed", mark("fixed"), h("div.what", "No problems found.")));
  return h("section.findings", ...rows);
}

function finding(store: Store, one: Finding, report: FileReport, index: number | null): HTMLElement {
  const fixed = one.state === "applied",
    companions = index === null ? 0 : store.companions(index);
  const paste = (whole: boolean) => void store.edit({ type: "paste", file: report.path, lines: one.fix, whole });
  const leaves = /^exclude\b/.test(one.fix);
  if (fixed)
    return h("div.finding.fixed", mark("fixed"), h("div.what", h("div", capital(one.what)), h("code", one.fix)));
  const actions =
    one.state !== "open" || index === null
      ? null
      : leaves
        ? h(
            "div.row",
            button("Leave it out", () => paste(false), { kind: "small" }),
          )
        : h(
            "div.row",
            button("Fix", () => paste(companions < 2), {
              kind: "small primary",
              title: "Put these lines into the recipe",
            }),
            companions > 1
              ? button(`Fix all ${companions} files of this group`, () => paste(true), { kind: "small" })
              : null,
          );
  return h(
    `div.finding.${one.severity}`,
    mark(one.severity),
    h(
      "div.what",
      h("div", capital(one.what)),
      one.fix && !leaves ? h("code.fix", one.fix) : null,
      one.state === "manual" && one.fix
        ? h("span.note", "Fill in what cannot be detected, below or in the recipe's text.")
        : null,
      actions,
    ),
  );
}

function mark(kind: string): HTMLElement {
  return h(`span.mark.${kind}`, { "aria-label": kind }, kind === "fixed" ? icon("check") : kind === "note" ? "i" : "!");
}

/** For a `details` that stays folded or unfolded as the user left it. */
export function unfolding(key: string): { open: boolean; ontoggle: (event: Event) => void; "data-fold": string } {
  return {
    "data-fold": key,
    open: OPEN.has(key),
    ontoggle: (event) => {
      if ((event.currentTarget as HTMLDetailsElement).open) OPEN.add(key);
      else OPEN.delete(key);
    },
  };
}
