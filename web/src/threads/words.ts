// What is said of a call and its times.
import type { TimedCall } from "../lib/api.generated";
import { counted, duration } from "../lib/format";

/** The class without its package, and the method. */
export function title(call: TimedCall): string {
  return `${call.class.slice(call.class.lastIndexOf(".") + 1)}.${call.name}`;
}

/** `12.3 ms (± 0.4 ms), 10.1 ms of it waiting` */
export function times(call: TimedCall): string {
  const length = duration(call.to - call.from);
  if (call.count > 1) return `${counted(call.count, "call")} within ${length}`;
  const within = call.within * 20 > call.to - call.from ? ` (± ${duration(call.within)})` : "";
  const waiting = call.waiting === null ? "" : `, ${duration(call.waiting)} of it waiting`;
  const end = call.threw ? ", ended by an exception" : call.open ? ", still open at the end" : "";
  return `${length}${within}${waiting}${end}`;
}

/** Which share of a call was waiting; nothing where that is not known or several are put together. */
export function waitingShare(call: TimedCall): number | undefined {
  if (call.waiting === null || call.count > 1 || call.to <= call.from) return undefined;
  return Math.min(1, call.waiting / (call.to - call.from));
}
