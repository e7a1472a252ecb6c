// States of a row in a range as people read them: those that are called alike are one, what may be one of many is one.
import type { RowShares, StateNames } from "../lib/api.generated";
import { counted, duration } from "../lib/format";
import { stateText } from "./colours";

/** States that are named where any of them is possible. */
const MOST = 3;

export interface Share {
  text: string;
  weight: number;
  /** Of all of the range, or of all events of the row. */
  part: number;
  /** A state that looks so, for its colour; none where nothing is known. */
  state: number | undefined;
}

/** `12.3 %`; what is there is never nothing, and what is not all is never all. */
export function percent(part: number): string {
  if (part > 0 && part < 0.001) return "under 0.1 %";
  if (part < 1 && part > 0.999) return "over 99.9 %";
  return `${(part * 100).toFixed(1)} %`;
}

/** The shares of a row: the largest first, then what is not known. `length`: of the range. */
export function sharesOf(row: RowShares, states: StateNames[], length: number): Share[] {
  const all = row.is_count ? row.states.reduce((sum, { weight }) => sum + weight, 0) : length;
  const known = new Map<string, Share>();
  for (const { state, weight } of row.states) {
    const names = states[state];
    // Which of many it may have been does not matter here.
    const text = !names || names.names.length > MOST ? "uncertain, one of many states" : stateText(names);
    const before = known.get(text);
    if (before) before.weight += weight;
    else known.set(text, { text, weight, part: 0, state });
  }
  const out = [...known.values()].sort((one, other) => other.weight - one.weight);
  if (row.unknown > 0) out.push({ text: "not known", weight: row.unknown, part: 0, state: undefined });
  for (const share of out) share.part = all > 0 ? share.weight / all : 0;
  return out;
}

/** `runs 12.3 % (1.2 ms)`, or `3 events`. */
export function shareText(share: Share, isCount: boolean): string {
  const much = isCount ? counted(share.weight, "event") : duration(share.weight);
  return `${share.text} ${percent(share.part)} (${much})`;
}
