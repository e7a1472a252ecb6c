// The axis of time above the rows: round moments, the day, and how much is shown.
import { fitting, ink } from "../lib/canvas";
import { clock, day, duration } from "../lib/format";
import { ticks, type Range } from "../lib/range";
import type { Field } from "./signs";

/** `start`: the beginning of the trace. Lines at the moments go down to `head`. */
export function axis(pen: CanvasRenderingContext2D, field: Field, range: Range, start: string, { height, head }: { height: number; head: number }): void {
  const { left, right, xOf } = field;
  const marks = ticks(range, Math.max(10, right - left) / 130, (step) => Number(BigInt(start) % BigInt(step)));
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  for (const time of marks.places) {
    const x = Math.round(xOf(time)) + 0.5;
    pen.fillStyle = ink("line");
    pen.fillRect(x, height - 7, 1, 7);
    pen.fillStyle = ink("line-soft");
    pen.fillRect(x, head, 1, 4);
    pen.fillStyle = ink("ink-2");
    const text = clock(start, time, marks.step);
    if (x + pen.measureText(text).width < right) pen.fillText(text, x + 3, height / 2 - 1);
  }
  pen.fillStyle = ink("ink-3");
  pen.fillText(fitting(pen, `${day(start, range.from)}  ·  ${duration(range.to - range.from)} shown`, left - 16), 10, height / 2 - 1);
}
