// Where bubbles go: a column for each depth of call, each bubble beside the line that calls it, or below
// what stands there already. A place depends only on the bubbles that were placed before, so nothing
// that was placed ever moves, and the same bubbles in the same order always give the same picture.

import type { Context, MethodSize } from "../lib/api.generated";

export const ROW = 20;
export const HEAD = 36;
export const FOOT = 6;
/** Rows that a bubble shows at a time; longer methods scroll inside of it. */
export const TALL = 15;
/** Between columns. */
export const GAP_X = 96;
const GAP_Y = 26;
/** Size of letters, px, and how wide one of them is; and how small they may become where rows are long. */
const LETTERS = 12;
const LETTER = 7.25;
const SMALL_LETTERS = 9.5;
/** What stands in front of the text of a row, and the button behind it that shows what the row calls. */
const GUTTER = 88;
const CALL = 24;
const NARROW = 240;
const WIDE = 540;

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
  depth: number;
}

/** What the layout must know of a bubble. */
export interface Shape {
  parent: number | null;
  /** The row of the parent from which it is called. */
  row: number | null;
  rows: number;
}

/** The height of a bubble with so many rows. */
export function height(rows: number): number {
  return HEAD + Math.max(1, Math.min(rows, TALL)) * ROW + FOOT;
}

/** The width of a bubble whose longest row has so many letters. */
export function width(columns: number): number {
  return Math.round(Math.min(WIDE, Math.max(NARROW, columns * LETTER + GUTTER)));
}

/** The size of letters, px, at which the longest row of a bubble is whole, as far as it can be read then. */
export function letters(box: Box, columns: number): number {
  const fitting = (LETTERS * (box.w - GUTTER - CALL)) / (columns * LETTER);
  return Math.min(LETTERS, Math.max(SMALL_LETTERS, fitting));
}

export class Layout {
  readonly boxes: Box[] = [];
  /** For each column what is taken, by upper edge. */
  private readonly taken: { from: number; to: number }[][] = [];
  private readonly lefts: number[] = [];

  /** `widths`: of each column. Deeper columns are as wide as the last. */
  constructor(private readonly widths: number[]) {}

  private columnWidth(depth: number): number {
    return this.widths[Math.min(depth, this.widths.length - 1)] ?? NARROW;
  }

  private left(depth: number): number {
    for (let at = this.lefts.length; at <= depth; at++) {
      this.lefts.push(at === 0 ? 0 : (this.lefts[at - 1] ?? 0) + this.columnWidth(at - 1) + GAP_X);
    }
    return this.lefts[depth] ?? 0;
  }

  /** One more chain of calls that has the bubble of another. */
  share(other: number): void {
    const box = this.boxes[other];
    if (box) this.boxes.push(box);
  }

  /** Only the first ones stay. */
  shorten(count: number): void {
    const removed = new Set(this.boxes.splice(count));
    for (const box of this.boxes) removed.delete(box);
    for (const { depth, y } of removed) {
      const taken = this.taken[depth];
      if (taken)
        taken.splice(
          taken.findIndex((one) => one.from === y),
          1,
        );
    }
  }

  /** Places one more bubble. */
  place(shape: Shape): Box {
    const parent = shape.parent === null ? undefined : this.boxes[shape.parent];
    const depth = parent ? parent.depth + 1 : 0;
    const h = height(shape.rows);
    const wanted = parent ? anchor(parent, shape.row) - HEAD / 2 : 0;
    this.taken[depth] ??= [];
    const taken = this.taken[depth];
    let y = Math.max(0, wanted);
    let at = 0;
    for (; at < taken.length; at++) {
      const other = taken[at];
      if (!other || other.from >= y + h + GAP_Y) break;
      if (other.to + GAP_Y > y) y = other.to + GAP_Y;
    }
    taken.splice(at, 0, { from: y, to: y + h });
    const box = { x: this.left(depth), y, w: this.columnWidth(depth), h, depth };
    this.boxes.push(box);
    return box;
  }
}

/** The middle of a row of a bubble, or of its head; rows that are scrolled away count as the last. */
export function anchor(box: Box, row: number | null, scrolled = 0): number {
  if (row === null) return box.y + HEAD / 2;
  const y = box.y + HEAD + (row - scrolled) * ROW + ROW / 2;
  return Math.min(Math.max(y, box.y + HEAD + ROW / 2), box.y + box.h - FOOT - ROW / 2);
}

/**
 * Places all contexts of a thread, in the order of their first call. Where not all are known, nobody knows yet how wide
 * the bubbles of a column will be, so each column has all the width that a bubble may have.
 */
export function layOut(
  contexts: Context[],
  sizes: Map<number, MethodSize>,
  bubble: number[],
  isComplete = true,
): Layout {
  const depths: number[] = [];
  const widths: number[] = [];
  for (const [index, context] of contexts.entries()) {
    const own = bubble[index] ?? index;
    const depth = own !== index ? (depths[own] ?? 0) : context.parent === null ? 0 : (depths[context.parent] ?? 0) + 1;
    depths[index] = depth;
    widths[depth] = isComplete ? Math.max(widths[depth] ?? 0, width(sizes.get(context.method)?.columns ?? 0)) : WIDE;
  }
  const layout = new Layout(widths);
  for (const [index, context] of contexts.entries()) {
    const own = bubble[index] ?? index;
    if (own !== index) layout.share(own);
    else layout.place({ parent: context.parent, row: context.row, rows: sizes.get(context.method)?.rows ?? 1 });
  }
  return layout;
}

/** Which row a bubble shows first, so that `row` is in sight: as little movement as possible. */
export function scrollTo(rows: number, row: number | null, before: number): number {
  const most = Math.max(0, rows - TALL);
  const now = Math.min(Math.max(0, before), most);
  if (row === null) return now;
  const margin = 2;
  if (row < now + margin) return Math.min(Math.max(0, row - margin), most);
  if (row > now + TALL - 1 - margin) return Math.min(Math.max(0, row - TALL + 1 + margin), most);
  return now;
}

/** Bubbles that show their text; the others only their title. */
export const FULL = 60;

/** Which of the shown bubbles show their text: the ones that matter most, by `weight`. */
export function detailed(shown: number[], weight: (bubble: number) => number, zoom: number): Set<number> {
  if (zoom < 0.32) return new Set();
  if (shown.length <= FULL) return new Set(shown);
  return new Set([...shown].sort((a, b) => weight(b) - weight(a) || a - b).slice(0, FULL));
}
