/** Clips: every clip of the database, searched and filtered, played with its features and contacts on the figure. */
import { button, empty, h } from "../ui/elements";
import { seriesColour } from "./clip_stage";
import { registerDatabasePanel, type DatabaseBrowser } from "./database";
import { choice, loading, rerender, seconds } from "./fields";
import type { ClipRow, DatabaseInfo } from "./messages";
import { words } from "./roles";
import "./clips.css";

type Order = "order" | "name" | "longest" | "shortest" | "fastest";
const MOST = 400; // rows shown at once
const LENGTHS = [
  ["any", "Any length"],
  ["2", "under 2 s"],
  ["10", "2 to 10 s"],
  ["60", "10 to 60 s"],
  ["more", "over 60 s"],
] as const;
const ORDERS = [
  ["order", "In order"],
  ["name", "By name"],
  ["longest", "Longest first"],
  ["shortest", "Shortest first"],
  ["fastest", "Fastest first"],
] as const;

class ClipsPanel {
  readonly element = h("div.clips-panel");
  private words = "";
  private tag = "";
  private length: (typeof LENGTHS)[number][0] = "any";
  private loops = false;
  private order: Order = "order";
  private readonly list = h("ul.list.clip-list", {
    role: "listbox",
    "aria-label": "Clips",
    onkeydown: (event: KeyboardEvent) => this.move(event),
  });
  private readonly count = h("span.note");
  private readonly filters = h("div.filters");
  private readonly details = h("section.clip-details");
  private described: DatabaseInfo | null = null;

  constructor(private readonly browser: DatabaseBrowser) {
    browser.on(() => this.update());
  }

  update(): void {
    const { info, error } = this.browser;
    if (error) return rerender(this.element, this.browser.failure());
    if (!info) {
      this.described = null;
      return rerender(this.element, loading("Reading the clips"));
    }
    if (this.described !== info) {
      this.described = info;
      this.tag = "";
      rerender(this.element, this.filters, this.list, this.details);
      this.showFilters();
      const first = info.clips[0];
      if (first && this.browser.selected < 0) void this.browser.play(first.index);
    }
    this.showList();
    this.showDetails();
    if (this.seen !== this.browser.selected)
      this.list.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
    this.seen = this.browser.selected;
  }
  private seen = -1;

  private showFilters(): void {
    const info = this.browser.info!;
    const search = h("input.field.search", {
      type: "search",
      placeholder: "Search by name or tag",
      value: this.words,
      "aria-label": "Search clips",
      "data-key": "search",
      oninput: () => {
        this.words = search.value;
        this.showList();
      },
    }) as HTMLInputElement;
    const tags = Object.entries(info.tags).map(([tag, time]) =>
      h(
        "button",
        {
          className: "tag pick",
          type: "button",
          "aria-pressed": String(this.tag === tag),
          title: `${seconds(time)} are tagged '${tag}'`,
          onclick: () => {
            this.tag = this.tag === tag ? "" : tag;
            this.showFilters();
            this.showList();
          },
        },
        tag,
      ),
    );
    const loops = info.clips.some((clip) => clip.loop)
      ? h(
          "button",
          {
            className: "tag pick",
            type: "button",
            "aria-pressed": String(this.loops),
            onclick: () => {
              this.loops = !this.loops;
              this.showFilters();
              this.showList();
            },
          },
          "loops",
        )
      : null;
    rerender(
      this.filters,
      h(
        "div.row",
        search,
        choice(
          LENGTHS,
          this.length,
          (value) => {
            this.length = value;
            this.showList();
          },
          { key: "length", label: "Length" },
        ),
        choice(
          ORDERS,
          this.order,
          (value) => {
            this.order = value;
            this.showList();
          },
          { key: "order", label: "Order" },
        ),
      ),
      tags.length || loops ? h("div.tag-row", ...tags, loops) : null,
      this.count,
    );
  }

  private found(): ClipRow[] {
    const asked = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (clip: ClipRow) =>
      asked.every(
        (word) => clip.name.toLowerCase().includes(word) || clip.tags.some((tag) => tag.toLowerCase().includes(word)),
      ) &&
      (!this.tag || clip.tags.includes(this.tag)) &&
      (!this.loops || clip.loop) &&
      {
        any: true,
        2: clip.seconds < 2,
        10: clip.seconds >= 2 && clip.seconds < 10,
        60: clip.seconds >= 10 && clip.seconds < 60,
        more: clip.seconds >= 60,
      }[this.length];
    const rows = this.browser.info!.clips.filter(fits);
    const by: Record<Order, (a: ClipRow, b: ClipRow) => number> = {
      order: (a, b) => a.index - b.index,
      name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
      longest: (a, b) => b.seconds - a.seconds,
      shortest: (a, b) => a.seconds - b.seconds,
      fastest: (a, b) => b.speed - a.speed,
    };
    return rows.sort(by[this.order]);
  }

  private showList(): void {
    const info = this.browser.info!,
      rows = this.found(),
      total = rows.reduce((sum, clip) => sum + clip.seconds, 0);
    const fastest = Math.max(...info.clips.map((clip) => clip.speed), 0.1);
    this.count.textContent =
      rows.length === info.clips.length
        ? `${rows.length} clips, ${seconds(total)}`
        : `${rows.length} of ${info.clips.length} clips, ${seconds(total)}`;
    if (!rows.length)
      return rerender(
        this.list,
        h(
          "li.none",
          empty(
            "No matching clips",
            "No clip matches the search and the filters.",
            button(
              "Show all",
              () => {
                this.words = this.tag = "";
                this.length = "any";
                this.loops = false;
                this.showFilters();
                this.showList();
              },
              { kind: "small" },
            ),
          ),
        ),
      );
    rerender(
      this.list,
      ...rows.slice(0, MOST).map((clip) => {
        const chosen = clip.index === this.browser.selected;
        return h(
          "li.pick.clip-row",
          {
            role: "option",
            tabIndex: chosen ? 0 : -1,
            "aria-selected": String(chosen),
            "data-key": `clip:${clip.index}`,
            "data-clip": clip.index,
            onclick: () => void this.browser.play(clip.index),
          },
          h("span.name", clip.name, clip.loop ? h("span.badge", "loop") : null),
          h("span.tag-row", ...clip.tags.slice(0, 3).map((tag) => h("span.tag", tag))),
          h(
            "div.meter",
            { title: `${clip.speed.toFixed(2)} m/s on average` },
            h("i", { style: `width:${Math.round((100 * clip.speed) / fastest)}%` }),
          ),
          h("span.fact", `${clip.speed.toFixed(1)} m/s`),
          h("span.fact.time", seconds(clip.seconds)),
        );
      }),
      rows.length > MOST ? h("li.note", `and ${rows.length - MOST} more: search for them`) : null,
    );
  }

  private showDetails(): void {
    const info = this.browser.info!,
      clip = info.clips[this.browser.selected];
    if (!clip) return rerender(this.details, empty("No clip is chosen", "Choose one to play it on the stage."));
    const facts: [string, string][] = [
      ["length", `${seconds(clip.seconds)}, ${clip.frames} frames`],
      ["speed", `${clip.speed.toFixed(2)} m/s on average, ${clip.fastest.toFixed(2)} at most`],
      ["turning", `${Math.abs(clip.turn).toFixed(0)}°/s to the ${clip.turn >= 0 ? "left" : "right"} on average`],
      ["can be chosen", `${Math.round(100 * clip.matchable)} % of its frames`],
      ["planted", info.contact_names.map((name, k) => `${name} ${Math.round(100 * clip.contacts[k])} %`).join(", ")],
    ];
    rerender(
      this.details,
      h("h2", clip.name),
      h("dl.facts", ...facts.flatMap(([key, text]) => [h("dt", key), h("dd", text)])),
      h(
        "div.legend",
        ...info.features.map((row, k) =>
          h(
            "span.legend-item",
            {
              onpointerenter: () => {
                this.browser.stage.highlight = k;
              },
              onpointerleave: () => {
                this.browser.stage.highlight = -1;
              },
            },
            h("i.swatch", { style: `background: var(--${seriesColour(k)})` }),
            words(row.joint ? `${row.joint} ${row.kind}` : row.kind),
          ),
        ),
      ),
    );
  }

  private move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const rows = [...this.list.querySelectorAll<HTMLElement>("[data-clip]")];
    const next = rows[rows.findIndex((row) => Number(row.dataset.clip) === this.browser.selected) + step];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    void this.browser.play(Number(next.dataset.clip));
    this.list.querySelector<HTMLElement>(`[data-clip="${next.dataset.clip}"]`)?.focus();
  }
}

export function registerClips(): void {
  registerDatabasePanel(
    { id: "clips", title: "Clips", icon: "clips", features: true },
    (browser) => new ClipsPanel(browser).element,
  );
}
