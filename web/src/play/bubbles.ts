// Which bubble shows a chain of calls. Each has its own, except that a call of a method that is under way already,
// whether the method made it itself or others between, is shown in the bubble where it is. So a recursion has one bubble,
// however deep it goes, and so has what is called from within it.

import type { Context } from "../lib/api.generated";

export class Bubbles {
  /** By chain of calls: the bubble that shows it. */
  readonly of: number[] = [];
  /** By bubble and row: the bubbles that it calls there; -1 where the row is not known. An inner map is never changed. */
  readonly below = new Map<number, Map<number, number[]>>();
  private readonly contexts: Context[] = [];
  private readonly placed = new Map<string, number>();

  constructor(
    contexts: Context[],
    private readonly isFolded: boolean,
  ) {
    for (const context of contexts) this.add(context);
  }

  /** One more chain of calls; its bubble. */
  add(context: Context): number {
    const index = this.contexts.length;
    this.contexts.push(context);
    const parent = this.above(index);
    const key = `${parent ?? ""} ${context.caller ?? ""} ${context.method}`;
    let own = index;
    if (this.isFolded) {
      let around = parent;
      while (around !== null && this.contexts[around]?.method !== context.method) around = this.above(around);
      own = around ?? this.placed.get(key) ?? index;
      if (own === index) this.placed.set(key, index);
    }
    this.of.push(own);
    if (parent !== null && parent !== own) {
      const calls = new Map(this.below.get(parent));
      const row = context.row ?? -1;
      calls.set(row, [...new Set([...(calls.get(row) ?? []), own])]);
      this.below.set(parent, calls);
    }
    return own;
  }

  /** The bubble of the call around one. */
  private above(index: number): number | null {
    const parent = this.contexts[index]?.parent ?? null;
    return parent === null ? null : (this.of[parent] ?? parent);
  }
}
