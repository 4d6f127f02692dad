/** Coverage: what motion the database has and lacks; point at a cell for its seconds, choose it for its clips. */
import { empty, h, segments } from "../ui/elements";
import { registerDatabasePanel, type DatabaseBrowser } from "./database";
import { capital, loading, rerender, seconds } from "./fields";
import { gridMap, wheelMap, type CellChoice, type HeatMap } from "./heat_map";
import type { Cell, CoverageInfo } from "./messages";
import "./coverage.css";

type Which = "turn" | "direction";
const JOG = 3.0; // m/s; empty cells up to here are worth seeing

class CoveragePanel {
  readonly element = h("div.coverage-panel");
  private which: Which = "turn";
  private map: HeatMap | null = null;
  private cell: CellChoice | null = null;
  private found: Cell | null = null;
  private played = "";
  private readonly reading = h("div.reading", { "aria-live": "polite" });
  private readonly details = h("section.group");
  private readonly picture = h("div.picture");

  constructor(private readonly browser: DatabaseBrowser) {
    browser.on(() => this.update());
  }

  update(): void {
    const { info, error } = this.browser;
    if (error) return rerender(this.element, this.browser.failure());
    if (!info) {
      this.map = null;
      this.cell = this.found = null;
      return rerender(this.element, loading("Measuring the database"));
    }
    if (this.map) return this.showDetails();
    const { coverage } = info;
    const facts: [string, string][] = [
      ["motion", `${info.minutes.toFixed(1)} min`],
      ["fastest", `${coverage.fastest.toFixed(1)} m/s`],
      ["standing", seconds(coverage.standing)],
      ["starts", String(coverage.starts)],
      ["stops", String(coverage.stops)],
    ];
    rerender(
      this.element,
      h("div.numbers", ...facts.map(([name, value]) => h("div.number-box", h("strong", value), h("span", name)))),
      h(
        "div.row",
        segments(
          [
            ["turn", "Speed and turning"],
            ["direction", "Speed and direction"],
          ] as const,
          this.which,
          (which) => this.turn(which),
          "Map",
        ),
        h("span.gap"),
        h("span.note", "little"),
        h("i.scale"),
        h("span.note", "much"),
      ),
      this.picture,
      this.reading,
      this.details,
      this.gaps(coverage),
    );
    this.draw();
    this.showDetails();
  }

  private turn(which: Which): void {
    this.which = which;
    this.cell = this.found = null;
    this.draw();
    this.showDetails();
  }

  private draw(): void {
    const { coverage } = this.browser.info!,
      values = this.which === "turn" ? coverage.speed_turn : coverage.speed_direction;
    const filled = coverage.speed_turn.reduce((last, row, k) => (row.some((one) => one > 0) ? k + 1 : last), 1);
    const rows = Math.max(
      filled,
      coverage.speeds.findIndex((edge) => edge >= JOG),
    );
    const options = {
      values,
      rows,
      edges: coverage.speeds,
      pointed: (cell: CellChoice | null) => this.point(cell),
      chosen: (cell: CellChoice) => void this.choose(cell),
    };
    this.map = this.which === "turn" ? gridMap({ ...options, turns: coverage.turns }) : wheelMap(options);
    this.map.choose(this.cell);
    this.picture.replaceChildren(this.map.element);
    this.point(null);
  }

  private point(cell: CellChoice | null): void {
    const { coverage } = this.browser.info!,
      at = cell ?? this.cell;
    if (!at)
      return this.reading.replaceChildren(
        h(
          "span.note",
          "Point at a cell to read it; choose one to see the clips in it. Empty cells are motions that a character cannot do.",
        ),
      );
    const value = (this.which === "turn" ? coverage.speed_turn : coverage.speed_direction)[at.row][at.column];
    this.reading.replaceChildren(h("strong", seconds(value)), ` ${this.words(at)}`);
  }

  private words(cell: CellChoice): string {
    const { coverage } = this.browser.info!,
      [low, high] = [coverage.speeds[cell.row], coverage.speeds[cell.row + 1]];
    const speed = `at ${low} to ${high} m/s`;
    if (this.which === "direction") {
      const angle = (cell.column * 360) / coverage.directions,
        side = angle > 180 ? "right" : "left",
        apart = Math.min(angle, 360 - angle);
      return `${speed}, moving ${apart === 0 ? "forward" : apart === 180 ? "backward" : `${apart}° to the ${side} of forward`}`;
    }
    const middle = (coverage.turns[cell.column] + coverage.turns[cell.column + 1]) / 2;
    return `${speed}, ${Math.abs(middle) < 8 ? "going straight" : `turning ${middle > 0 ? "left" : "right"} at ${Math.abs(middle).toFixed(0)}°/s`}`;
  }

  private async choose(cell: CellChoice): Promise<void> {
    this.cell = cell;
    this.found = null;
    this.map?.choose(cell);
    this.point(cell);
    this.showDetails();
    try {
      const found = await this.browser.studio.ask<Cell>(
        `api/workshop/database/cell?map=${this.which}&row=${cell.row}&column=${cell.column}`,
      );
      if (this.cell !== cell) return;
      this.found = found;
      if (found.stretches[0]) this.play(found.stretches[0]);
    } catch (error) {
      this.browser.studio.say((error as Error).message, "bad");
    }
    this.showDetails();
  }

  private play(one: Cell["stretches"][number]): void {
    this.played = `${one.clip}:${one.start}`;
    void this.browser.play(one.clip, [one.start, one.stop]);
  }

  private showDetails(): void {
    const { cell, found } = this,
      info = this.browser.info;
    if (!cell || !info) return rerender(this.details);
    if (!found) return rerender(this.details, loading("Looking for its clips"));
    if (!found.stretches.length)
      return rerender(
        this.details,
        empty(
          "No motion here",
          `Nothing in the database moves ${this.words(cell)}. Record it, or mirror what you have.`,
        ),
      );
    const rate = info.frame_rate;
    rerender(
      this.details,
      h(
        "h2",
        `${found.stretches.length + found.more} ${found.stretches.length + found.more === 1 ? "stretch" : "stretches"} of clips in this cell`,
      ),
      h(
        "ul.list.stretches",
        { role: "listbox", "aria-label": "Clips in this cell", "data-scroll": "stretches" },
        ...found.stretches.slice(0, 40).map((one) =>
          h(
            "li.pick",
            {
              role: "option",
              tabIndex: 0,
              "aria-selected": String(this.played === `${one.clip}:${one.start}` && this.browser.selected === one.clip),
              "data-key": `stretch:${one.clip}:${one.start}`,
              onclick: () => this.play(one),
              onkeydown: (event: KeyboardEvent) => {
                if (event.key === "Enter") this.play(one);
              },
            },
            h("span.name", one.name),
            h("span.fact", `${(one.start / rate).toFixed(2)} to ${(one.stop / rate).toFixed(2)} s`),
            h("span.fact.time", `${one.speed.toFixed(2)} m/s`),
          ),
        ),
      ),
      found.more ? h("span.note", `and ${found.more} shorter ones`) : null,
    );
  }

  private gaps(coverage: CoverageInfo): HTMLElement {
    if (!coverage.gaps.length)
      return h(
        "section.group",
        h("h2", "Worth recording next"),
        h("div.finding.fixed", h("div.what", "No gaps: all motions of a locomotion set are there.")),
      );
    return h(
      "section.group",
      h(
        "h2",
        `Worth recording next`,
        h("span.gap"),
        h("span.note", `${coverage.gaps.length} motions are missing or short`),
      ),
      h(
        "div.gaps",
        ...coverage.gaps
          .slice(0, 24)
          .map((gap) =>
            h(
              "div.gap-row",
              h("span.name", capital(gap.motion)),
              h(
                "div.meter",
                { title: `${gap.seconds.toFixed(1)} of ${gap.wanted.toFixed(0)} s` },
                h("i", { style: `width:${Math.round((100 * gap.seconds) / gap.wanted)}%` }),
              ),
              h("span.fact", `${gap.seconds.toFixed(1)} of ${gap.wanted.toFixed(0)} s`),
            ),
          ),
      ),
      coverage.gaps.length > 24 ? h("span.note", `and ${coverage.gaps.length - 24} more`) : null,
    );
  }
}

export function registerCoverage(): void {
  registerDatabasePanel(
    { id: "coverage", title: "Coverage", icon: "coverage", features: false },
    (browser) => new CoveragePanel(browser).element,
  );
}
