/** The row below a timeline for the label that is picked on it: its name, its ends, and whether the recipe has it. */
import { button, h } from "../ui/elements";
import type { ClipDock } from "./clip_dock";
import { choice, numberField } from "./fields";
import { LEFT_OUT, nameOf, type Mark } from "./labels";
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
  editing = false; // until the recipe has what was changed, and is shown anew

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

  async change(mark: Mark, now: TimeRange | null): Promise<void> {
    this.editing = true;
    const file = this.store.selected;
    const done = await this.store.edit({ type: "set_label", file, was: mark.said ?? null, now });
    this.editing = false;
    if (!done || !now) return this.dock.choose(done ? null : [mark.from, mark.to], done ? null : mark);
    const to = now.stop ?? this.dock.length;
    this.dock.choose([now.start, to], { ...mark, kind: "range", from: now.start, to, said: now });
  }

  /** An end of the picked label was dragged; what the recipe does not have yet is only shown so. */
  moved(): void {
    const { chosen, picked } = this.dock;
    if (!chosen || !picked) return;
    const [start, stop] = chosen.map((time) => +time.toFixed(3)) as [number, number];
    if (picked.said) void this.change(picked, { ...picked.said, start, stop });
    else this.dock.choose([start, stop], { ...picked, from: start, to: stop });
  }

  /** A choice of labels for a stretch that has none yet. */
  adder(start: number, stop: number): HTMLElement {
    const names = [["", "Label as ..."] as const, ...choices(this.labels, [])];
    return choice(
      names,
      "",
      (name) =>
        void this.change({ kind: "seen", from: start, to: stop }, { start, stop, tags: tagsOf(name, this.labels) }),
      { key: "label-new", label: "Label of the chosen stretch" },
    );
  }

  controls(mark: Mark): (HTMLElement | null)[] {
    const now = this.rangeOf(mark),
      put = (values: Partial<TimeRange>) => {
        const next = { ...now, ...values };
        if (mark.said) return void this.change(mark, next);
        const to = next.stop ?? this.dock.length,
          label = nameOf(next.tags, this.labels);
        this.dock.choose([next.start, to], { ...mark, from: next.start, to, label });
      };
    const shown = mark.said ? nameOf(now.tags, this.labels) : now.tags.length ? (mark.label ?? "") : LEFT_OUT;
    return [
      choice(
        choices(this.labels, now.tags),
        shown,
        (name) => (name === AS_IT_IS ? undefined : put({ tags: tagsOf(name, this.labels) })),
        { key: "label-name", label: "Label" },
      ),
      numberField(now.start, (value) => put({ start: value ?? 0 }), {
        key: "label-from",
        label: "Label, from second",
        low: 0,
        step: 0.01,
      }),
      h("span.unit", "to"),
      numberField(now.stop, (value) => put({ stop: value ?? this.dock.length }), {
        key: "label-to",
        label: "Label, to second",
        low: 0,
        step: 0.01,
        placeholder: "end",
      }),
      h("span.unit", "s"),
      h("span.gap"),
      mark.said
        ? button("Delete", () => void this.change(mark, null), {
            kind: "small",
            title: "Take this label out of the recipe (Delete in the timeline)",
          })
        : button("Put into the recipe", () => void this.change(mark, now), {
            kind: "small",
            title: "The doctor saw this; the recipe says nothing of it yet",
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
