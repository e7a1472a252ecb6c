// The rows of the picture: a thread, and below it its lanes of calls, unless it is folded.
import type { TimedCall, TimedThread } from "../lib/api.generated";

/** Heights in pixels: the row of a thread, and a lane of calls. */
export const THREAD = 26;
export const LANE = 17;

export interface ThreadRow {
  thread: TimedThread;
  /** From the top of all rows. */
  top: number;
  height: number;
  isFolded: boolean;
}

/** A call that was selected, with its thread. */
export interface Picked {
  thread: TimedThread;
  call: TimedCall;
}

/** The rows of threads whose names have a text in them, one below the other. */
export function rowsOf(threads: TimedThread[], filter: string, folded: ReadonlySet<number>): ThreadRow[] {
  const wanted = filter.toLowerCase();
  let top = 0;
  return threads
    .filter((thread) => thread.name.toLowerCase().includes(wanted))
    .map((thread) => {
      const isFolded = folded.has(thread.serial);
      const height = THREAD + (isFolded ? 0 : thread.lanes * LANE + (thread.lanes ? 4 : 0));
      const row = { thread, top, height, isFolded };
      top += height;
      return row;
    });
}

/** The rows that are seen between two heights. */
export function seen(rows: ThreadRow[], top: number, bottom: number): ThreadRow[] {
  return rows.filter((row) => row.top < bottom && row.top + row.height > top);
}
