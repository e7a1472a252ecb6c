// Tiles: the states of the rows on the screen, a little more time than the screen shows, painted once
// when they arrive. Moving and zooming only copies them until newer ones are there.
import { get } from "../lib/api";
import type { RowStates, StateNames } from "../lib/api.generated";
import { isDark } from "../lib/canvas";
import type { Range } from "../lib/range";
import type { Layer } from "./api";
import { groundOf, lineOf, paleOf, patternOf } from "./colours";

export interface Label {
  from: number;
  to: number;
  state: number;
}

export interface Tile {
  range: Range;
  columns: number;
  picture: HTMLCanvasElement;
  /** Where in the picture each row is. */
  tops: Map<number, number>;
  /** Long stretches of one state, by row, in columns. */
  labels: Map<number, Label[]>;
  height: number;
}

/** A state as pixels: ground, lines, and which way they lean; dots where nothing is known. */
interface Paint {
  ground: number;
  pale: number;
  line: number;
  slant: -1 | 0 | 1;
  isDotted: boolean;
}

function pixel([r, g, b]: [number, number, number]): number {
  return (255 << 24) | (b << 16) | (g << 8) | r;
}

const paints = new Map<string, Paint>();

function paintOf(state: StateNames, number: number): Paint {
  const key = `${isDark()} ${number} ${state.names.join()} ${state.is_inferred}`;
  const known = paints.get(key);
  if (known) return known;
  const pattern = patternOf(state);
  const paint: Paint = {
    ground: pixel(groundOf(state, number)),
    pale: state.kind === "track" ? pixel(paleOf(state, number)) : pixel(groundOf(state, number)),
    line: pixel(lineOf(pattern)),
    isDotted: pattern === "unknown",
    slant: pattern === "plain" || pattern === "unknown" ? 0 : pattern === "doubt" ? 1 : -1,
  };
  paints.set(key, paint);
  return paint;
}

/** Paints the answer of the server. */
export function paint(
  rows: RowStates[],
  states: StateNames[],
  range: Range,
  columns: number,
  height: number,
  old?: HTMLCanvasElement,
): Tile {
  // The canvas before is used again: left to be collected they pile up while things move.
  const picture = old ?? document.createElement("canvas");
  picture.width = Math.max(1, columns);
  picture.height = Math.max(1, rows.length * height);
  const tops = new Map<number, number>();
  const labels = new Map<number, Label[]>();
  const pen = picture.getContext("2d");
  const tile = { range, columns, picture, tops, labels, height };
  if (!pen || rows.length === 0) return tile;
  const image = pen.createImageData(picture.width, picture.height);
  const pixels = new Uint32Array(image.data.buffer);
  const fill = (x0: number, x1: number, y0: number, y1: number, number: number, isHeld = false) => {
    const state = states[number];
    if (!state) return;
    const paint = paintOf(state, number);
    const { line, slant, isDotted } = paint;
    const ground = isHeld ? paint.pale : paint.ground;
    for (let y = y0; y < y1; y++) {
      const base = y * columns;
      if (slant === 0) {
        pixels.fill(ground, base + x0, base + x1);
        if (!isDotted || (y & 7) > 1) continue;
        for (let x = x0; x < x1; x++) if ((x & 7) < 2) pixels[base + x] = line;
      } else for (let x = x0; x < x1; x++) pixels[base + x] = ((x + slant * y) & 7) < 2 ? line : ground;
    }
  };
  rows.forEach((row, place) => {
    const top = place * height;
    tops.set(row.row, top);
    const long: Label[] = [];
    for (let at = 0; at + 2 < row.solid.length; at += 3) {
      const [from, to, state] = [row.solid[at] ?? 0, row.solid[at + 1] ?? 0, row.solid[at + 2] ?? 0];
      fill(from, to, top, top + height, state, true);
      if (to - from > 50) long.push({ from, to, state });
    }
    for (let at = 0; at + 6 < row.mixed.length; at += 7) {
      const column = row.mixed[at] ?? 0;
      // What was held longest lies at the bottom, and the heights are the shares.
      let bottom = top + height;
      for (let part = 1; part < 7; part += 2) {
        const [state, share] = [row.mixed[at + part] ?? -1, row.mixed[at + part + 1] ?? 0];
        if (state < 0) break;
        const last = part === 5 || (row.mixed[at + part + 2] ?? -1) < 0;
        const up = last ? top : Math.max(top, Math.min(bottom - 1, Math.round(bottom - (share / 100) * height)));
        fill(column, column + 1, up, bottom, state);
        bottom = up;
        if (bottom <= top) break;
      }
    }
    labels.set(row.row, long);
  });
  pen.putImageData(image, 0, 0);
  return tile;
}

/** What a tile should show. */
export interface Wanted {
  range: Range;
  whole: Range;
  width: number;
  rows: number[];
  states: StateNames[];
  height: number;
  /** Changes when the server knows more. */
  version: string;
}

/** Keeps the tile of one layer up to date. */
export class Tiles {
  tile: Tile | undefined;
  private key = "";
  private isAsking = false;
  private next: Wanted | undefined;

  constructor(
    private readonly layer: Layer,
    private readonly changed: () => void,
  ) {}

  /** Sees to a tile for what is wanted. One question at a time: while things move, each answer is shown. */
  async need(wanted: Wanted): Promise<void> {
    if (this.isAsking) {
      this.next = wanted;
      return;
    }
    const { range, whole, width, rows, states, height, version } = wanted;
    const span = range.to - range.from;
    const key = `${rows.join()} ${version} ${height} ${width} ${isDark()}`;
    const old = this.tile;
    const fits = old && old.range.from <= range.from && old.range.to >= range.to;
    const scale = old ? (old.range.to - old.range.from) / old.columns / (span / width) : 0;
    if (fits && key === this.key && scale > 0.98 && scale < 1.02) return;
    // A third more on both sides, so that moving seldom has to wait; no further than the trace goes.
    const from = Math.max(whole.from, range.from - span * 0.34);
    const to = Math.min(whole.to, range.to + span * 0.34);
    const columns = Math.max(1, Math.min(8192, Math.round(((to - from) / span) * width)));
    const query = {
      from: Math.round(from),
      to: Math.round(to),
      width: columns,
      rows: rows.slice(0, 200).join(","),
      layer: this.layer,
    };
    this.isAsking = true;
    const answer = await get("timeline/states", query).catch(() => undefined);
    this.isAsking = false;
    if (answer) {
      this.key = key;
      this.tile = paint(
        answer.rows,
        states,
        { from: Math.round(from), to: Math.round(to) },
        columns,
        height,
        this.tile?.picture,
      );
      this.changed();
    }
    const next = this.next;
    this.next = undefined;
    if (next) void this.need(next);
  }

  forget(): void {
    this.tile = undefined;
    this.key = "";
  }
}
