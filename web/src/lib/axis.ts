// The axis of time above the rows: round moments, the days and their zone, and how much is shown.
import { fitting, ink } from "./canvas";
import { clock, day, days, duration } from "./format";
import { ticks, type Range } from "./range";

/** Where something is drawn over time. */
export interface Field {
  left: number;
  right: number;
  xOf: (time: number) => number;
  whole: Range;
}

const [SECOND, MINUTE, HOUR, DAY] = [1e9, 60e9, 3600e9, 86_400e9];

/** What is round on a clock beyond seconds. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 7, 14, 28, 91, 182, 364].map((count) => count * DAY),
];

/** Round moments of a range, each with its words: the date where it is another than that of the mark before. */
export function moments(start: string, range: Range, count: number): { time: number; text: string }[] {
  const rough = (range.to - range.from) / Math.max(1, count);
  // What counts from a round place may be more nanoseconds than a number holds exactly.
  const behind = (step: number) => Number(BigInt(start) % BigInt(step));
  const marks = ticks(range, count, behind, rough > 30 * SECOND ? STEPS : []);
  const isLong = day(start, range.from) !== day(start, range.to);
  let before = "";
  return marks.positions.map((time) => {
    const date = day(start, time);
    const isNew = isLong && date !== before;
    before = date;
    const text = marks.step >= DAY && date ? date : clock(start, time, marks.step);
    return { time, text: isNew && text !== date ? `${date} ${text}` : text };
  });
}

/** `start`: the beginning of the trace. Lines at the moments go down to `head`. */
export function axis(
  pen: CanvasRenderingContext2D,
  field: Field,
  range: Range,
  start: string,
  { height, head }: { height: number; head: number },
): void {
  const { left, right, xOf } = field;
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  // Times with dates need more room.
  const isLong = day(start, range.from) !== day(start, range.to);
  for (const { time, text } of moments(start, range, Math.max(10, right - left) / (isLong ? 170 : 130))) {
    const x = Math.round(xOf(time)) + 0.5;
    pen.fillStyle = ink("line");
    pen.fillRect(x, height - 7, 1, 7);
    pen.fillStyle = ink("line-soft");
    pen.fillRect(x, head, 1, 4);
    pen.fillStyle = ink("ink-2");
    if (x + pen.measureText(text).width < right) pen.fillText(text, x + 3, height / 2 - 1);
  }
  pen.fillStyle = ink("ink-3");
  const whole = days(start, range);
  const shown = `${duration(range.to - range.from)} shown`;
  // The days matter more than how much is shown, which the axis says, too.
  const text =
    [`${whole}  ·  ${shown}`, whole].find((text) => whole && pen.measureText(text).width <= left - 16) ??
    (whole || shown);
  pen.fillText(fitting(pen, text, left - 16), 10, height / 2 - 1);
}
