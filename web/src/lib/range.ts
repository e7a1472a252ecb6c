// A range of a long axis that is zoomed and moved: nanoseconds, or steps.

export interface Range {
  from: number;
  to: number;
}

/** `range` made longer or shorter around a point of it, inside `whole`, not shorter than `least`. */
export function zoomed(range: Range, whole: Range, factor: number, around: number, least: number): Range {
  const span = Math.min(Math.max((range.to - range.from) * factor, least), whole.to - whole.from);
  const share = (around - range.from) / (range.to - range.from || 1);
  return inside({ from: around - share * span, to: around - share * span + span }, whole);
}

/** `range` moved by a share of itself. */
export function moved(range: Range, whole: Range, share: number): Range {
  const by = (range.to - range.from) * share;
  return inside({ from: range.from + by, to: range.to + by }, whole);
}

/** `range` with its length kept, pushed into `whole`. */
export function inside(range: Range, whole: Range): Range {
  const span = Math.min(range.to - range.from, whole.to - whole.from);
  const from = Math.min(Math.max(range.from, whole.from), whole.to - span);
  return { from, to: from + span };
}

/**
 * Round positions for marks on an axis, about `count` of them. `behind`: how far the zero of the axis lies behind a
 * round position of this step, where what is written at a mark does not count from there. `steps`: those that are round
 * where they are not powers of ten, in order.
 */
export function ticks(
  range: Range,
  count: number,
  behind = (_: number) => 0,
  steps: number[] = [],
): { step: number; positions: number[] } {
  const rough = (range.to - range.from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  const step =
    steps.find((step) => step >= rough) ??
    Math.max(1, [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= rough) ?? power * 10);
  const positions: number[] = [];
  const shift = behind(step);
  for (let position = Math.ceil((range.from + shift) / step) * step - shift; position <= range.to; position += step)
    positions.push(position);
  return { step, positions };
}
