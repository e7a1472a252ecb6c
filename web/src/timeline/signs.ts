// The signs on the timeline: what was lost, what does not fit, what was inferred. Each has a form of its own,
// so that it is not shown by colour alone.

import type { Field } from "../lib/axis";
import { fitting, hatch, ink } from "../lib/canvas";
import { grouped } from "../lib/format";
import type { InferredHead, Loss, Note } from "../lib/api.generated";
import type { Range } from "../lib/range";

type Pen = CanvasRenderingContext2D;

/** From where to where a loss may be, for each of its intervals. */
export function spans(loss: Loss, field: Field): [number, number][] {
  return loss.intervals.map(([from, to]) => [field.xOf(from ?? field.whole.from), field.xOf(to ?? field.whole.to)]);
}

/** How much was lost, in words. */
export function lossText(loss: Loss): string {
  return `${loss.count === null ? "an unknown number of" : grouped(loss.count)} ${loss.unit} lost`;
}

/** A flag on a row: something does not fit here. */
export function flag(pen: Pen, field: Field, x: number, y: number, height: number): void {
  if (x < field.left || x > field.right) return;
  pen.fillStyle = ink("bad");
  pen.fillRect(x - 0.75, y, 1.5, height);
  pen.beginPath();
  pen.moveTo(x - 5, y);
  pen.lineTo(x + 5, y);
  pen.lineTo(x, y + 8);
  pen.fill();
}

/** A triangle in a lane: the same. */
export function triangle(pen: Pen, x: number, y: number, height: number, isPicked: boolean): void {
  const size = isPicked ? 7 : 5;
  pen.fillStyle = ink("bad");
  pen.beginPath();
  pen.moveTo(x - size, y + 1);
  pen.lineTo(x + size, y + 1);
  pen.lineTo(x, y + height - 4);
  pen.fill();
}

/** A diamond: an inferred event, hollow while it has a choice to make. Where they are dense a stroke stands for each. */
export function diamond(
  pen: Pen,
  x: number,
  y: number,
  size: number,
  event: InferredHead,
  isPicked: boolean,
  isDense: boolean,
): void {
  const isOpen = event.is_open && !event.is_chosen;
  if (isDense && !isPicked && !isOpen) {
    pen.fillStyle = ink("infer");
    pen.fillRect(x - 0.75, y - size, 1.5, size * 2);
    return;
  }
  pen.beginPath();
  pen.moveTo(x, y - size);
  pen.lineTo(x + size, y);
  pen.lineTo(x, y + size);
  pen.lineTo(x - size, y);
  pen.closePath();
  pen.fillStyle = ink(isOpen ? "panel" : "infer");
  pen.fill();
  pen.strokeStyle = ink(isOpen ? "infer" : "panel");
  pen.lineWidth = isOpen ? 1.8 : 1;
  pen.stroke();
}

/** The lane of losses: hatched, one below the other where they may overlap, in words where there is one. */
export function losses(pen: Pen, field: Field, all: Loss[], y: number, height: number): void {
  const thin = Math.max(2, (height - 4) / Math.max(1, Math.min(all.length, 4)));
  all.forEach((loss, index) => {
    const level = y + (index % 4) * thin;
    for (const [x, end] of spans(loss, field)) {
      pen.fillStyle = all.length > 4 ? ink("bad") : hatch(pen, ink("bad-soft"), ink("bad"));
      pen.fillRect(x, level, Math.max(2, end - x), thin - 0.5);
      if (all.length > 1) continue;
      const left = Math.max(x, field.left);
      const text = fitting(pen, lossText(loss), Math.min(end, field.right) - left - 10);
      if (!text) continue;
      pen.fillStyle = ink("bad-soft");
      pen.fillRect(left + 3, level, pen.measureText(text).width + 6, thin);
      pen.fillStyle = ink("bad");
      pen.fillText(text, left + 6, y + height / 2 - 1);
    }
  });
}

/** What is probable in each of equal parts of a time, as bars from the foot of a row. */
export function band(
  pen: Pen,
  field: Field,
  time: { from: number; to: number },
  probability: number[],
  y: number,
  height: number,
): void {
  const edge = (part: number) => field.xOf(time.from + ((time.to - time.from) * part) / probability.length);
  pen.save();
  pen.globalAlpha = 0.55;
  pen.fillStyle = ink("infer");
  probability.forEach((one, part) => {
    const [x, end] = [Math.max(field.left, edge(part)), Math.min(field.right, edge(part + 1))];
    const tall = Math.round(one * height);
    if (end > x && tall > 0) pen.fillRect(x, y + height - tall, end - x, tall);
  });
  pen.restore();
}

/** The range that is selected: pale over the rows, with its length at the axis. Dashed where only one end is set. */
export function marked(
  pen: Pen,
  field: Field,
  range: { from: number; to: number },
  height: number,
  text: string,
): void {
  const [from, to] = [field.xOf(range.from), field.xOf(range.to)];
  const [x, end] = [Math.max(field.left, from), Math.min(field.right, to)];
  if (end < x) return;
  pen.save();
  pen.globalAlpha = 0.13;
  pen.fillStyle = ink("accent");
  pen.fillRect(x, 0, end - x, height);
  pen.globalAlpha = 1;
  for (const edge of [from, to])
    if (edge >= field.left && edge <= field.right) pen.fillRect(Math.round(edge) - 0.75, 0, 1.5, height);
  pen.fillRect(x, 0, end - x, 3);
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  const words = fitting(pen, text, end - x - 12);
  if (words) {
    pen.fillStyle = ink("panel");
    pen.fillRect(x + 4, 4, pen.measureText(words).width + 6, 14);
    pen.fillStyle = ink("accent");
    pen.fillText(words, x + 7, 11);
  }
  pen.restore();
}

/** An arrow from one place to another: who woke whom. */
export function arrow(pen: Pen, from: { x: number; y: number }, to: { x: number; y: number }): void {
  const down = to.y >= from.y ? 1 : -1;
  const colour = ink("accent");
  const line = (width: number, stroke: string) => {
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y - down * 6);
    pen.stroke();
  };
  // A pale border, so that it is seen on every colour of a row.
  line(5, ink("panel"));
  line(2, colour);
  pen.fillStyle = colour;
  pen.strokeStyle = ink("panel");
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(to.x, to.y);
  pen.lineTo(to.x - 5, to.y - down * 9);
  pen.lineTo(to.x + 5, to.y - down * 9);
  pen.closePath();
  pen.fill();
  pen.stroke();
  pen.beginPath();
  pen.arc(from.x, from.y, 3.5, 0, Math.PI * 2);
  pen.fill();
  pen.stroke();
}

/** Counts of columns of equal width: the columns that have some, each with its count, one after another. */
export interface Columns {
  range: Range;
  width: number;
  columns: number[];
}

/** A tick for each column that has something; the more there is, the higher, unless all are to be `isWhole`. */
export function ticks(
  pen: Pen,
  field: Field,
  { range, width, columns }: Columns,
  y: number,
  height: number,
  isWhole = false,
): void {
  const each = (range.to - range.from) / width;
  pen.fillStyle = ink("good");
  for (let at = 0; at < columns.length; at += 2) {
    const x = field.xOf(range.from + ((columns[at] ?? 0) + 0.5) * each);
    if (x < field.left || x > field.right) continue;
    const tall = isWhole ? height : Math.min(height, 5 + 3 * Math.log2(columns[at + 1] ?? 1));
    pen.fillRect(x - 0.75, y + height - tall, 1.5, tall);
  }
}

/** A note: a bookmark, with a line to where its range ends. */
export function bookmark(pen: Pen, field: Field, note: Note, y: number, height: number, isPicked: boolean): void {
  const [from, to] = [field.xOf(note.from), field.xOf(note.to ?? note.from)];
  if (to < field.left - 8 || from > field.right + 8) return;
  pen.fillStyle = ink(isPicked ? "accent" : "warn");
  if (note.to !== null) {
    pen.fillRect(from, y + 3, Math.max(1, to - from), 2);
    pen.fillRect(to - 1.5, y, 1.5, 8);
  }
  const half = isPicked ? 5.5 : 4;
  pen.beginPath();
  pen.moveTo(from - half, y);
  pen.lineTo(from + half, y);
  pen.lineTo(from + half, y + height);
  pen.lineTo(from, y + height - half);
  pen.lineTo(from - half, y + height);
  pen.closePath();
  pen.fill();
}
