/** Labels of a take: what the recipe drops and tags in a file, and what the doctor saw in it, in one set of colours. */
import { baseName, fits } from "./globs";
import type { LabelInfo, LabelRow, TimeRange } from "./messages";
import type { SourceTable } from "./recipe";

export const LEFT_OUT = "left out";

/** Something on a clip's timeline; `said` is the recipe's own stretch that it shows, and that can be changed. */
export interface Mark {
  kind: "out" | "split" | "range" | "seen";
  from: number; // s
  to: number;
  label?: string;
  colour?: string;
  said?: TimeRange;
}

/** The label of tags; a user's own tags have none. */
export function labelOf(tags: readonly string[], labels: readonly LabelInfo[]): LabelInfo | null {
  return labels.find((one) => one.tags.length > 0 && tags.includes(one.name)) ?? null;
}

export function colourOf(tags: readonly string[], labels: readonly LabelInfo[]): string {
  if (!tags.length) return "bad";
  return labelOf(tags, labels)?.colour ?? "ink-faint";
}

/** The name of exactly these tags in a list of labels; empty if they are a user's own. */
export function nameOf(tags: readonly string[], labels: readonly LabelInfo[]): string {
  if (!tags.length) return LEFT_OUT;
  const same = (one: LabelInfo) => one.tags.length === tags.length && one.tags.every((tag) => tags.includes(tag));
  return labels.find(same)?.name ?? "";
}

/** What a recipe says of one file's time, as marks. */
export function marksOf(source: SourceTable, file: string, end: number, labels: readonly LabelInfo[]): Mark[] {
  const marks: Mark[] = [];
  if (source.trim)
    marks.push(
      { kind: "out", from: 0, to: source.trim[0] },
      { kind: "out", from: source.trim[1], to: Math.max(end, source.trim[1]) },
    );
  for (const [from, to] of source.drop)
    marks.push({ kind: "out", from, to, label: LEFT_OUT, said: { start: from, stop: to, tags: [] } });
  for (const at of source.split) marks.push({ kind: "split", from: at, to: at });
  for (const one of source.range) {
    if (!fits(baseName(file), one.files)) continue;
    const more = [one.no_entry ? "no entry" : "", one.no_exit ? "no exit" : ""];
    marks.push({
      kind: "range",
      from: one.from,
      to: one.to ?? end,
      label: [...one.tags, ...more].filter(Boolean).join(", ") || "range",
      colour: colourOf(one.tags.length ? one.tags : ["range"], labels),
      said: one.tags.length ? { start: one.from, stop: one.to, tags: one.tags } : undefined,
    });
  }
  return marks;
}

/** What the doctor saw, as marks of the strip. */
export function stripOf(rows: readonly LabelRow[], labels: readonly LabelInfo[]): Mark[] {
  return rows.map((row) => ({
    kind: "seen",
    from: row.start,
    to: row.stop,
    label: row.name,
    colour: labels.find((one) => one.name === row.name)?.colour ?? "ink-faint",
  }));
}

/** Whether two stretches of a recipe are the same. */
export function alike(a: TimeRange | undefined, b: TimeRange | undefined): boolean {
  return !!a && !!b && a.start === b.start && a.stop === b.stop && a.tags.join("\n") === b.tags.join("\n");
}

/** What a click at a time means: the recipe's shortest stretch there, or what the doctor saw. */
export function markAt(marks: readonly Mark[], time: number): Mark | null {
  const here = marks.filter((mark) => mark.kind !== "split" && mark.from <= time && time <= mark.to);
  const known = here.filter((mark) => mark.kind === "seen" || mark.kind === "range" || mark.said);
  return known.sort((a, b) => a.to - a.from - (b.to - b.from))[0] ?? null;
}

/** The next mark that begins after a time, or the first one again. */
export function nextMark(marks: readonly Mark[], time: number): Mark | null {
  const inOrder = marks.filter((mark) => mark.kind === "seen" || mark.said).sort((a, b) => a.from - b.from);
  return inOrder.find((mark) => mark.from > time + 1e-3) ?? inOrder[0] ?? null;
}
