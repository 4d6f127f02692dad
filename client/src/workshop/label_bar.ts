/** The row below a timeline for the label that is picked on it: its name, its ends, and whether the recipe has it. */
import { button, h } from "../ui/elements";
import type { ClipDock } from "./clip_dock";
import { choice, numberField } from "./fields";
import { alike, LEFT_OUT, nameOf, type Mark } from "./labels";
import type { LabelInfo, TimeRange } from "./messages";
import type { Store } from "./store";

const AS_IT_IS = ""; // tags that no label has

/** Names to choose from: what is left out, and all labels that become tags. */
function choices(labels: readonly LabelInfo[], tags: readonly string[]): (readonly [string, string])[] {
  const known = labels.filter((one) => one.tags.length).map((one) => [one.name, one.name] as const);
  const own = nameOf(tags, labels) ? [] : [[AS_IT_IS, tags.join(", ")] as const];
  return [...own, [LEFT_OUT, LEFT_OUT] as const, ...known];
}

function tagsOf(name: string, labels: readonly LabelInfo[]): string[] {
  return [...(labels.find((one) => one.name === name)?.tags ?? [])];
}

export class LabelBar {
  private pending = 0; // edits that the recipe does not have yet

  constructor(
    private readonly store: Store,
    private readonly dock: ClipDock,
  ) {}

  private get labels(): LabelInfo[] {
    return this.store.project?.labels ?? [];
  }

  /** The recipe's stretch for a mark; what the doctor saw becomes one once it is put in. */
  private rangeOf(mark: Mark): TimeRange {
    return mark.said ?? { start: mark.from, stop: mark.to, tags: tagsOf(mark.label ?? "", this.labels) };
  }

  /**
   * Change, add or remove a label. It is shown at once, so that the next edit builds on it; if the server refuses it,
   * the label is picked again as it was.
   */
  async change(now: TimeRange | null, mark: Mark | null = this.dock.picked): Promise<void> {
    if (!mark) return;
    const next: Mark | null = now && {
      ...mark,
      kind: "range",
      from: now.start,
      to: now.stop ?? this.dock.length,
      said: now,
    };
    this.pick(next);
    const shown = this.dock.chosen;
    this.pending++;
    const edit = { type: "set_label", file: this.store.selected, was: mark.said ?? null, now } as const;
    const done = await this.store.edit(edit);
    this.pending--;
    if (!done && this.dock.chosen === shown) this.pick(mark);
    this.unpickMissing();
  }

  /** A label that the recipe no longer has, as after an undo, is picked no more. */
  unpickMissing(): void {
    const said = this.dock.picked?.said;
    if (said && !this.pending && !this.dock.marks.some((mark) => alike(mark.said, said))) this.pick(null);
  }

  private pick(mark: Mark | null): void {
    this.dock.choose(mark && [mark.from, mark.to], mark);
  }

  /** An end of the picked label was dragged; what the recipe does not have yet is only shown so. */
  moved(): void {
    if (!this.dock.chosen) return;
    const [start, stop] = this.dock.chosen.map((time) => +time.toFixed(3)) as [number, number];
    this.put({ start, stop });
  }

  /** Change the picked label: read when a control fires, since a click on a button first commits the focused field. */
  private put(values: Partial<TimeRange>): void {
    const { picked } = this.dock;
    if (!picked) return;
    const next = { ...this.rangeOf(picked), ...values };
    if (picked.said) return void this.change(next);
    const to = next.stop ?? this.dock.length,
      label = values.tags ? nameOf(values.tags, this.labels) : picked.label;
    this.pick({ ...picked, from: next.start, to, label });
  }

  /** A choice of labels for a stretch that has none yet. */
  adder(start: number, stop: number): HTMLElement {
    const names = [["", "Label as ..."] as const, ...choices(this.labels, [])];
    return choice(
      names,
      "",
      (name) =>
        void this.change({ start, stop, tags: tagsOf(name, this.labels) }, { kind: "seen", from: start, to: stop }),
      { key: "label-new", label: "Label of the chosen stretch" },
    );
  }

  controls(mark: Mark): (HTMLElement | null)[] {
    const now = this.rangeOf(mark);
    const shown = mark.said ? nameOf(now.tags, this.labels) : now.tags.length ? (mark.label ?? "") : LEFT_OUT;
    return [
      choice(
        choices(this.labels, now.tags),
        shown,
        (name) => (name === AS_IT_IS ? undefined : this.put({ tags: tagsOf(name, this.labels) })),
        { key: "label-name", label: "Label" },
      ),
      numberField(now.start, (value) => this.put({ start: value ?? 0 }), {
        key: "label-from",
        label: "Label, from second",
        low: 0,
        step: 0.01,
      }),
      h("span.unit", "to"),
      numberField(now.stop, (value) => this.put({ stop: value ?? this.dock.length }), {
        key: "label-to",
        label: "Label, to second",
        low: 0,
        step: 0.01,
        placeholder: "end",
      }),
      h("span.unit", "s"),
      h("span.gap"),
      mark.said
        ? button("Delete", () => void this.change(null), {
            kind: "small",
            title: "Take this label out of the recipe (Delete in the timeline)",
          })
        : button("Put into the recipe", () => this.dock.picked && void this.change(this.rangeOf(this.dock.picked)), {
            kind: "small",
            title: "The doctor found this; it is not in the recipe yet",
          }),
    ];
  }

  /** What the doctor saw in all, which also says what the colours mean; each picks its next stretch. */
  legend(): HTMLElement | null {
    const total = new Map<string, number>();
    for (const mark of this.dock.strip) total.set(mark.label!, (total.get(mark.label!) ?? 0) + mark.to - mark.from);
    if (!total.size) return null;
    const chips = this.labels
      .filter((one) => total.has(one.name))
      .map((one) =>
        h(
          "button.tag.pick.label-chip",
          {
            type: "button",
            title: `Go to the next ${one.name}`,
            onclick: () => this.dock.pickNext((mark) => mark.label === one.name),
          },
          h("i.swatch", { style: `background: var(--${one.colour})` }),
          `${one.name} ${total.get(one.name)!.toFixed(1)} s`,
        ),
      );
    return h(
      "section.group",
      h("h2", "What the doctor saw"),
      h("div.tag-row", ...chips),
      h(
        "p.note",
        "The coloured strip at the foot of the timeline. Click a bar of it, or a bar of the recipe above it, to change " +
          "the label, its start or its end; drag the ends of a picked bar. Only what stands in the recipe is built.",
      ),
    );
  }
}
