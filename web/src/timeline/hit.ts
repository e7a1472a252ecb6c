// What lies under the pointer on the timeline: a mark before a state, and in words what it is.
import { counted, dated, share } from "../lib/format";
import type { Range } from "../lib/range";
import type { InferredHead, Marks, Note, Row } from "../lib/api.generated";
import { type Columns, lossText } from "./signs";

/** What is chosen: a moment, mostly of a row, and the mark that lies there. */
export interface Picked {
  row: number | undefined;
  time: number;
  inferred?: number;
  incoherence?: number;
  loss?: number;
  /** The number of an event at that moment. */
  event?: number;
  /** The id of a note. */
  note?: number;
}

export interface Hit extends Picked {
  text: string;
}

/** The lanes of marks above the rows. */
export type Lane = "lost" | "unfit" | "inferred" | "found" | "note";

/** What is drawn, and where. */
export interface View {
  rows: Row[];
  range: Range;
  whole: Range;
  /** The height of the axis and the lanes, which stand below one another. */
  head: number;
  axis: number;
  lane: number;
  lanes: Lane[];
  rowHeight: number;
  /** Pixels that are scrolled away. */
  top: number;
  /** Where the plot begins, and ends. */
  left: number;
  width: number;
  marks: Marks | undefined;
  inferred: InferredHead[];
  notes: Note[];
  /** Events that were searched for. */
  found: Columns | undefined;
  /** The beginning of the trace. */
  start: string;
  picked: Picked | undefined;
}

/** Events in the columns around a moment. */
function countNear({ range, width, columns }: Columns, time: number, near: number): number {
  const each = (range.to - range.from) / width;
  let sum = 0;
  for (let at = 0; at < columns.length; at += 2) {
    const middle = range.from + ((columns[at] ?? 0) + 0.5) * each;
    if (Math.abs(middle - time) <= Math.max(near, each)) sum += columns[at + 1] ?? 0;
  }
  return sum;
}

/** How far from a mark the pointer may be, in pixels. */
const REACH = 7;

export function under(x: number, y: number, view: View): Hit | undefined {
  const { rows, range, whole, head, left, marks, inferred, start, picked } = view;
  const plot = Math.max(10, view.width - left);
  const time = range.from + ((Math.max(left, x) - left) / plot) * (range.to - range.from);
  const near = (range.to - range.from) * (REACH / plot);
  const closest = <T extends { time: number }>(items: T[]) =>
    items
      .filter((item) => Math.abs(item.time - time) < near)
      .sort((one, other) => Math.abs(one.time - time) - Math.abs(other.time - time))[0];
  const ofInferred = (event: InferredHead, row?: number): Hit => ({
    row: row ?? event.rows[0],
    time: event.time,
    inferred: event.number,
    text: `inferred: ${event.name}${event.probability === null ? "" : `, probability ${share(event.probability)}`}`,
  });
  if (y < head) {
    const lane = view.lanes[Math.floor((y - view.axis) / view.lane)];
    if (x < left || y < view.axis || !lane) return undefined;
    if (lane === "inferred") {
      const found = closest(inferred);
      return found && ofInferred(found);
    }
    if (lane === "unfit") {
      const found = closest(marks?.incoherences ?? []);
      return (
        found && { row: found.row ?? undefined, time: found.time, incoherence: found.number, text: found.sentence }
      );
    }
    if (lane === "note") {
      const reaches = (note: Note) => note.from - near <= time && (note.to ?? note.from) + near >= time;
      // Of several the one that begins last: a long range would hide what lies in it.
      const note = view.notes.filter(reaches).at(-1);
      return note && { row: note.row ?? undefined, time: note.from, note: note.id, text: note.text };
    }
    if (lane === "found") {
      const count = view.found ? countNear(view.found, time, near / 2) : 0;
      return count > 0 ? { row: picked?.row, time, text: `${counted(count, "event")} found here` } : undefined;
    }
    const loss = (marks?.losses ?? []).find((loss) =>
      loss.intervals.some(([from, to]) => (from ?? whole.from) - near <= time && (to ?? whole.to) + near >= time),
    );
    return loss && { row: undefined, time, loss: loss.number, text: `${lossText(loss)} on ${loss.stream}` };
  }
  const row = rows[Math.floor((y - head + view.top) / view.rowHeight)];
  if (!row) return undefined;
  if (x < left) return { row: row.row, time: picked?.time ?? (range.from + range.to) / 2, text: row.name };
  const implied = closest(inferred.filter((event) => event.rows.includes(row.row)));
  if (implied) return ofInferred(implied, row.row);
  const unfit = closest((marks?.incoherences ?? []).filter((found) => found.row === row.row));
  if (unfit) return { row: row.row, time: unfit.time, incoherence: unfit.number, text: unfit.sentence };
  return { row: row.row, time, text: `${row.name}, ${dated(start, time)}` };
}
