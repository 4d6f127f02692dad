/** Heat maps of seconds: a grid of speed and turning, and a wheel of speed and direction; cells can be pointed at and chosen. */

export interface CellChoice {
  row: number;
  column: number;
}

export interface HeatMap {
  element: SVGSVGElement;
  choose(cell: CellChoice | null): void;
}

export interface HeatOptions {
  values: number[][]; // (rows, columns) s
  rows: number; // shown, from the slowest
  edges: number[]; // m/s, rows + 1 or more
  pointed(cell: CellChoice | null): void;
  chosen(cell: CellChoice): void;
}

const SPACE = "http://www.w3.org/2000/svg";

function svg(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS(SPACE, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text) element.textContent = text;
  return element;
}

/** From faint to strong by the logarithm of the seconds, since a little is worlds away from nothing. */
export function heat(seconds: number, most: number): string {
  if (seconds <= 0) return "var(--surface-sunken)";
  const low = 0.03,
    share = Math.min(Math.max(Math.log(Math.max(seconds, low) / low) / Math.log(Math.max(most, 2 * low) / low), 0), 1);
  const mixed = (from: string, to: string, part: number) =>
    `color-mix(in oklab, var(--${to}) ${Math.round(100 * part)}%, var(--${from}))`;
  if (share < 0.5) return mixed("surface-sunken", "accent", 0.16 + 1.68 * share);
  if (share < 0.78) return mixed("accent", "series-3", (share - 0.5) / 0.28);
  return mixed("series-3", "series-5", (share - 0.78) / 0.22);
}

/** Arrow keys move among the cells, Enter chooses one. */
function navigable(
  root: SVGSVGElement,
  cells: Map<string, SVGElement>,
  options: HeatOptions,
  across: number,
  wrap: boolean,
): HeatMap {
  let current: CellChoice = { row: 0, column: Math.floor(across / 2) };
  root.tabIndex = 0;
  const show = (cell: CellChoice | null) => {
    for (const element of cells.values()) element.classList.remove("chosen");
    if (!cell) return;
    current = cell;
    const element = cells.get(`${cell.row},${cell.column}`);
    if (!element) return;
    element.classList.add("chosen");
    const line = element.parentElement!;
    line.append(element); // above its neighbours, so that its outline is whole
    line.parentElement!.append(line);
    element.id ||= `cell-${root.getAttribute("aria-label")!.replace(/\W/g, "-")}-${cell.row}-${cell.column}`;
    root.setAttribute("aria-activedescendant", element.id);
  };
  root.addEventListener("keydown", (event) => {
    const [dr, dc] = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1] }[event.key] ?? [
      0, 0,
    ];
    if (event.key === "Enter" || event.key === " ") options.chosen(current);
    else if (dr || dc) {
      const column = wrap
        ? (current.column + dc + across) % across
        : Math.min(Math.max(current.column + dc, 0), across - 1);
      show({ row: Math.min(Math.max(current.row + dr, 0), options.rows - 1), column });
      options.pointed(current);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  for (const [key, element] of cells) {
    const [row, column] = key.split(",").map(Number);
    element.addEventListener("pointerenter", () => options.pointed({ row, column }));
    element.addEventListener("click", () => options.chosen({ row, column }));
  }
  root.addEventListener("pointerleave", () => options.pointed(null));
  return { element: root, choose: show };
}

/** Speed upwards, turning across: turns to the left on the left, as the character sees it. */
export function gridMap(options: HeatOptions & { turns: number[] }): HeatMap {
  const width = 588,
    height = 300,
    left = 34,
    bottom = 30,
    top = 6,
    right = 4;
  const columns = options.values[0].length,
    w = (width - left - right) / columns,
    t = (height - top - bottom) / options.rows;
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "heat",
    role: "grid",
    "aria-label": "Seconds by speed and turning",
  }) as SVGSVGElement;
  const most = Math.max(...options.values.flat());
  const layer = svg("g", {}),
    cells = new Map<string, SVGElement>();
  for (let row = 0; row < options.rows; row++) {
    const line = svg("g", { role: "row" });
    layer.append(line);
    for (let column = 0; column < columns; column++) {
      const x = left + (columns - 1 - column) * w,
        y = height - bottom - (row + 1) * t;
      const cell = svg("rect", {
        x: x + 0.5,
        y: y + 0.5,
        width: w - 1,
        height: t - 1,
        rx: 1.5,
        class: "cell",
        "data-cell": `${row},${column}`,
        role: "gridcell",
        "aria-label": `${options.edges[row]} to ${options.edges[row + 1]} m/s: ${options.values[row][column].toFixed(1)} s`,
        style: `fill:${heat(options.values[row][column], most)}`,
      });
      cells.set(`${row},${column}`, cell);
      line.append(cell);
    }
  }
  root.append(layer);
  for (let row = 0; row <= options.rows; row += 4)
    root.append(
      svg("text", { x: left - 6, y: height - bottom - row * t + 3, class: "axis end" }, `${options.edges[row]}`),
    );
  for (const turn of [-180, -90, 0, 90, 180]) {
    const share = (turn - options.turns[0]) / (options.turns[options.turns.length - 1] - options.turns[0]);
    root.append(
      svg(
        "text",
        { x: left + (1 - share) * (width - left - right), y: height - bottom + 13, class: "axis middle" },
        turn ? String(Math.abs(turn)) : "0 degrees/s",
      ),
    );
  }
  root.append(
    svg("text", { x: left, y: height - 3, class: "axis" }, "← turning left"),
    svg("text", { x: width - right, y: height - 3, class: "axis end" }, "turning right →"),
  );
  root.append(
    svg(
      "text",
      { x: 0, y: 0, class: "axis middle", transform: `translate(9 ${(height - bottom) / 2}) rotate(-90)` },
      "speed, m/s",
    ),
  );
  return navigable(root, cells, options, columns, false);
}

/** Speed outwards, the direction of movement around: forward is up. */
export function wheelMap(options: HeatOptions): HeatMap {
  const width = 588,
    height = 318,
    radius = 138,
    cx = width / 2,
    cy = 160,
    inner = 8;
  const sectors = options.values[0].length,
    ring = (radius - inner) / options.rows,
    each = (2 * Math.PI) / sectors;
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "heat",
    role: "grid",
    "aria-label": "Seconds by speed and direction",
  }) as SVGSVGElement;
  const most = Math.max(...options.values.flat());
  const layer = svg("g", {}),
    cells = new Map<string, SVGElement>();
  const point = (r: number, angle: number) =>
    `${(cx - r * Math.sin(angle)).toFixed(2)} ${(cy - r * Math.cos(angle)).toFixed(2)}`;
  for (let row = 0; row < options.rows; row++) {
    const line = svg("g", { role: "row" });
    layer.append(line);
    for (let column = 0; column < sectors; column++) {
      const a = (column - 0.5) * each,
        b = (column + 0.5) * each,
        low = inner + row * ring,
        high = low + ring;
      const path = `M ${point(low, a)} L ${point(high, a)} A ${high} ${high} 0 0 0 ${point(high, b)} L ${point(low, b)} A ${low} ${low} 0 0 1 ${point(low, a)} Z`;
      const cell = svg("path", {
        d: path,
        class: "cell ruled",
        "data-cell": `${row},${column}`,
        role: "gridcell",
        "aria-label": `${options.edges[row]} to ${options.edges[row + 1]} m/s: ${options.values[row][column].toFixed(1)} s`,
        style: `fill:${heat(options.values[row][column], most)}`,
      });
      cells.set(`${row},${column}`, cell);
      line.append(cell);
    }
  }
  root.append(layer);
  for (const [text, angle] of [
    ["forward", 0],
    ["left", Math.PI / 2],
    ["backward", Math.PI],
    ["right", -Math.PI / 2],
  ] as const) {
    const [x, y] = point(radius + 12, angle)
      .split(" ")
      .map(Number);
    root.append(
      svg("text", { x, y: y + 4, class: `axis ${text === "left" ? "end" : text === "right" ? "" : "middle"}` }, text),
    );
  }
  for (let row = 4; row <= options.rows; row += 4)
    root.append(
      svg(
        "text",
        { x: cx + 0.72 * (inner + row * ring) - 2, y: cy + 0.72 * (inner + row * ring), class: "axis over" },
        `${options.edges[row]} m/s`,
      ),
    );
  return navigable(root, cells, options, sectors, true);
}
