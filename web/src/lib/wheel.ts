// The wheel over a picture of time: along the time, or closer and farther.
import { moved, type Range, zoomed } from "./range";

export interface Wheeled {
  range: Range;
  whole: Range;
  /** Pixels of the time. */
  plot: number;
  /** The moment under the pointer. */
  around: number;
  /** Whether the wheel alone goes closer: nothing is there to scroll. */
  isFree: boolean;
  /** The shortest range, in nanoseconds. */
  least: number;
}

/** The range that a turn of the wheel leads to; nothing where the rows are to scroll. */
export function wheeled(event: WheelEvent, { range, whole, plot, around, isFree, least }: Wheeled): Range | undefined {
  const isAlong = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (!isAlong && !event.ctrlKey && !event.metaKey && !isFree) return undefined;
  event.preventDefault();
  if (isAlong) return moved(range, whole, (event.deltaX || event.deltaY) / plot);
  const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 160);
  return zoomed(range, whole, factor, around, least);
}
