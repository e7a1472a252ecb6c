// How the rows of a bubble look: what ran, what runs, what never did.

import type { BlockCount, TextRow } from "../lib/api.generated";

/** From dim to bright. `gap`: a row without code. */
export type Light = "gap" | "never" | "ran" | "iteration" | "now";

export interface RowState {
  light: Light;
  /** How often it ran in this call so far; 0 where it has no code. */
  count: number;
  /** Whether every one of these runs was lost and is inferred. */
  isInferred: boolean;
}

/** What is known of the call that a bubble shows. */
export interface Ran {
  counts: BlockCount[];
  /** Those of them that are inferred. */
  inferred: BlockCount[];
  /** The blocks of the current iteration of the innermost loop. */
  iteration: number[] | null;
  /** The block that runs, or that called what runs. */
  block: number | null;
}

/** The state of each row. */
export function lights(rows: TextRow[], ran: Ran | undefined): RowState[] {
  const counts = new Map(ran?.counts ?? []);
  const inferred = new Map(ran?.inferred ?? []);
  const iteration = new Set(ran?.iteration ?? []);
  return rows.map((row) => {
    if (row.blocks.length === 0) return { light: "gap", count: 0, isInferred: false };
    const count = Math.max(0, ...row.blocks.map((block) => counts.get(block) ?? 0));
    const isInferred =
      count > 0 && row.blocks.every((block) => (counts.get(block) ?? 0) === (inferred.get(block) ?? 0));
    if (ran?.block != null && row.blocks.includes(ran.block)) return { light: "now", count, isInferred };
    if (row.blocks.some((block) => iteration.has(block))) return { light: "iteration", count, isInferred };
    return { light: count > 0 ? "ran" : "never", count, isInferred };
  });
}

/** The row of a block: the last one with code of it, as a call stands at the end of its block. */
export function rowOf(rows: TextRow[], block: number | null): number | null {
  if (block === null) return null;
  for (let at = rows.length - 1; at >= 0; at--) if (rows[at]?.blocks.includes(block)) return at;
  return null;
}

/** How many of the lines with code ran. */
export function covered(states: RowState[]): { ran: number; all: number } {
  const code = states.filter((state) => state.light !== "gap");
  return { ran: code.filter((state) => state.light !== "never").length, all: code.length };
}
