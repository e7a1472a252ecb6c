// Scrolling through a hundred million rows. No element of a page can be that tall, so the page holds the
// few rows in sight, and the first of them is a number that wheel, keys and the bar change.

export interface Window {
  /** The row at the upper edge; a fraction where it is partly out of sight. */
  top: number;
  /** Rows in all, and rows in sight. */
  total: number;
  seen: number;
}

/** The row at the upper edge, kept between the ends. */
export function kept(window: Window, top: number): number {
  const most = Math.max(0, window.total - window.seen);
  return Math.min(Math.max(0, Number.isFinite(top) ? top : 0), most);
}

/** The upper edge that brings `row` into sight: as it is where it is in sight, else in the middle. */
export function bring(window: Window, row: number): number {
  if (row >= window.top && row + 1 <= window.top + window.seen) return window.top;
  const near = row >= window.top - 2 && row <= window.top + window.seen + 2;
  if (near) return kept(window, row < window.top ? row : row + 1 - window.seen);
  return kept(window, row - Math.floor(window.seen / 2));
}

const SHORTEST = 28;

/** The bar's thumb in a track of so many pixels. */
export function thumb(window: Window, track: number): { at: number; long: number } {
  if (window.total <= window.seen) return { at: 0, long: track };
  const long = Math.max(SHORTEST, (window.seen / window.total) * track);
  const most = window.total - window.seen;
  return { at: (window.top / most) * (track - long), long };
}

/** The upper edge when the thumb is drawn to `at`. */
export function drawn(window: Window, track: number, at: number): number {
  const { long } = thumb(window, track);
  if (track <= long) return 0;
  return kept(window, (at / (track - long)) * (window.total - window.seen));
}

/** The block of rows to ask for around what is seen: aligned, so that small moves ask for nothing. */
export function asked(window: Window, block = 100): { from: number; count: number } {
  const from = Math.max(0, Math.floor((window.top - block / 2) / block) * block);
  const to = Math.min(window.total, Math.ceil((window.top + window.seen + block / 2) / block) * block);
  return { from, count: Math.max(0, Math.min(400, to - from)) };
}
