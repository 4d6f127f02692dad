/** The surface of joined solids as triangles: surface nets over those blocks of a grid that it passes through. */
import { join, measure, type Distance, type Solid } from "./solids";

export interface Surface {
  positions: number[]; // (V, 3) m
  normals: number[]; // (V, 3)
  indices: number[];
}

const BLOCK = 4; // cells along a block

/** `cell` is the size of the grid, `width` that over which solids flow together, m. */
export function findSurface(solids: readonly Solid[], cell: number, width: number): Surface {
  const measures = solids.map((solid) => measure(solid, 1.3 * cell));
  const { low, count } = findGrid(solids, cell);
  const [columns, rows, layers] = count,
    corner = (i: number, j: number, k: number) => i + columns * (j + rows * k);
  const values = new Float32Array(columns * rows * layers).fill(1e3);
  const reach = 0.5 * Math.sqrt(3) * (BLOCK + 1) * cell; // from the middle of a block to its farthest corner
  const vertices = new Map<number, number>();
  const surface: Surface = { positions: [], normals: [], indices: [] };
  const blocks: [number, number, number, Distance][] = [];
  for (let k = 0; k < layers; k += BLOCK)
    for (let j = 0; j < rows; j += BLOCK)
      for (let i = 0; i < columns; i += BLOCK) {
        const x = low[0] + (i + BLOCK / 2) * cell,
          y = low[1] + (j + BLOCK / 2) * cell,
          z = low[2] + (k + BLOCK / 2) * cell;
        const far = measures.map((distance) => distance(x, y, z)),
          nearest = Math.min(...far);
        const least = nearest - width;
        if (nearest > reach + width || least < -4 * reach) {
          if (least < 0) fill(values, corner, count, [i, j, k], -1e3);
          continue;
        }
        const near = measures.flatMap((_, n) => (far[n] < nearest + 2 * reach + width ? [n] : []));
        const distance = joinAll(solids, measures, near, width);
        blocks.push([i, j, k, distance]);
        for (let c = k; c < Math.min(k + BLOCK, layers); c++)
          for (let b = j; b < Math.min(j + BLOCK, rows); b++)
            for (let a = i; a < Math.min(i + BLOCK, columns); a++)
              values[corner(a, b, c)] = distance(low[0] + a * cell, low[1] + b * cell, low[2] + c * cell);
      }
  for (const [i, j, k, distance] of blocks)
    for (let c = k; c < Math.min(k + BLOCK, layers - 1); c++)
      for (let b = j; b < Math.min(j + BLOCK, rows - 1); b++)
        for (let a = i; a < Math.min(i + BLOCK, columns - 1); a++) {
          const place = cross(values, corner, a, b, c);
          if (!place) continue;
          vertices.set(corner(a, b, c), surface.positions.length / 3);
          const point = place.map((at, axis) => low[axis] + at * cell);
          surface.positions.push(...settle(point, distance, cell));
          surface.normals.push(...findNormal(surface.positions.slice(-3), distance, 0.35 * cell));
        }
  addFaces(surface, vertices, values, corner, count);
  return surface;
}

/** The distance to some of the solids: the least within a chain, rounded between chains. */
function joinAll(solids: readonly Solid[], measures: Distance[], near: number[], width: number): Distance {
  const groups = new Map<string, Distance[]>();
  for (const n of near) {
    const chain = solids[n].chain ?? String(n);
    groups.set(chain, [...(groups.get(chain) ?? []), measures[n]]);
  }
  const chains = [...groups.values()];
  return (x, y, z) => {
    let found = 1e3;
    for (const chain of chains) {
      let least = 1e3;
      for (const distance of chain) least = Math.min(least, distance(x, y, z));
      found = found === 1e3 ? least : join(found, least, width);
    }
    return found;
  };
}

function findGrid(solids: readonly Solid[], cell: number): { low: number[]; count: number[] } {
  const low = [1e9, 1e9, 1e9],
    high = [-1e9, -1e9, -1e9];
  for (const { start, end, radii, scales } of solids) {
    const wide = Math.max(...(scales ?? [1]), 1);
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = Math.min(low[axis], start[axis] - radii[0] * wide, end[axis] - radii[1] * wide);
      high[axis] = Math.max(high[axis], start[axis] + radii[0] * wide, end[axis] + radii[1] * wide);
    }
  }
  const begin = low.map((at) => at - 2.5 * cell);
  return { low: begin, count: high.map((at, axis) => Math.ceil((at - begin[axis]) / cell) + 3) };
}

function fill(
  values: Float32Array,
  corner: (i: number, j: number, k: number) => number,
  count: number[],
  [i, j, k]: number[],
  value: number,
): void {
  for (let c = k; c < Math.min(k + BLOCK, count[2]); c++)
    for (let b = j; b < Math.min(j + BLOCK, count[1]); b++)
      for (let a = i; a < Math.min(i + BLOCK, count[0]); a++) values[corner(a, b, c)] = value;
}

/** Where the surface passes through a cell, in cells; null where it does not. */
function cross(
  values: Float32Array,
  corner: (i: number, j: number, k: number) => number,
  a: number,
  b: number,
  c: number,
): number[] | null {
  const sum = [0, 0, 0];
  let hits = 0;
  for (let axis = 0; axis < 3; axis++)
    for (let edge = 0; edge < 4; edge++) {
      const from = [a, b, c],
        u = (axis + 1) % 3,
        v = (axis + 2) % 3;
      from[u] += edge & 1;
      from[v] += edge >> 1;
      const to = [...from];
      to[axis]++;
      const at = values[corner(from[0], from[1], from[2])],
        then = values[corner(to[0], to[1], to[2])];
      if (at < 0 === then < 0) continue;
      const share = at / (at - then);
      for (let k = 0; k < 3; k++) sum[k] += from[k] + (k === axis ? share : 0);
      hits++;
    }
  return hits ? sum.map((total) => total / hits) : null;
}

/** Bring a point of a net onto the surface itself. */
function settle(point: number[], distance: Distance, cell: number): number[] {
  const away = distance(point[0], point[1], point[2]);
  const normal = findNormal(point, distance, 0.25 * cell);
  const by = Math.max(-0.5 * cell, Math.min(0.5 * cell, away));
  return point.map((at, axis) => at - by * normal[axis]);
}

function findNormal([x, y, z]: number[], distance: Distance, step: number): number[] {
  const slope = [
    distance(x + step, y, z) - distance(x - step, y, z),
    distance(x, y + step, z) - distance(x, y - step, z),
    distance(x, y, z + step) - distance(x, y, z - step),
  ];
  const size = Math.hypot(...slope) || 1;
  return slope.map((part) => part / size);
}

/** Two triangles for each edge of the grid that the surface crosses, between the four cells around it. */
function addFaces(
  surface: Surface,
  vertices: Map<number, number>,
  values: Float32Array,
  corner: (i: number, j: number, k: number) => number,
  count: number[],
): void {
  const columns = count[0],
    rows = count[1];
  for (const at of vertices.keys()) {
    const place = [at % columns, Math.floor(at / columns) % rows, Math.floor(at / (columns * rows))];
    for (let axis = 0; axis < 3; axis++) {
      const u = (axis + 1) % 3,
        v = (axis + 2) % 3;
      const to = [...place];
      to[axis]++;
      const inside = values[at] < 0;
      if (inside === values[corner(to[0], to[1], to[2])] < 0) continue;
      const cells = [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ].map(([back, down]) => {
        const cell = [...place];
        cell[u] -= back;
        cell[v] -= down;
        return vertices.get(corner(cell[0], cell[1], cell[2]));
      });
      if (cells.some((cell) => cell === undefined)) continue;
      const [p, q, r, s] = cells as number[];
      surface.indices.push(...(inside ? [p, q, r, p, r, s] : [p, r, q, p, s, r]));
    }
  }
}
