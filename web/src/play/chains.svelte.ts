// The chains of calls of a thread and the bubbles that show them: the first ones, which the server reports, and those beyond
// them, which are placed once a call of them runs.

import type { Context, Frame, Method, MethodSize } from "../lib/api.generated";
import { Bubbles } from "./bubbles";
import { layOut, Layout, type Box } from "./layout";
import { rowOf } from "./lines";

const MOST_LATE = 1500;

const keyOf = (frame: Frame): string => `${frame.depth} ${frame.method} ${frame.caller}`;

export class Chains {
  /** Whether the server reported every chain of the thread; else only the first ones. */
  complete = $state(true);
  /** How many the server reported. */
  known = $state(0);
  contexts: Context[] = $state.raw([]);
  boxes: Box[] = $state.raw([]);
  /** By chain: the bubble that shows it. */
  bubble: number[] = $state.raw([]);
  /** By bubble and row: the bubbles that it calls there. */
  below: ReadonlyMap<number, ReadonlyMap<number, number[]>> = $state.raw(new Map());

  private bubbles = new Bubbles([], true);
  private layout = new Layout([300]);
  private isFolded = true;
  /** The chains that were placed late, by a frame at their end. */
  private late = new Map<string, number>();

  /** Those of a thread. `isFolded`: a recursion has one bubble. */
  begin(contexts: Context[], complete: boolean, sizes: Map<number, MethodSize>, isFolded: boolean): void {
    this.isFolded = isFolded;
    this.late.clear();
    this.bubbles = new Bubbles(contexts, isFolded);
    this.layout = layOut(contexts, sizes, this.bubbles.of, complete);
    this.show(contexts);
    this.complete = complete;
    this.known = contexts.length;
  }

  /** The bubble that shows a chain. */
  bubbleOf(context: number): number {
    return this.bubble[context] ?? context;
  }

  /** The bubble that shows an open call. */
  bubbleOfFrame(frame: Frame): number | undefined {
    const context = this.of(frame);
    return context === undefined ? undefined : this.bubbleOf(context);
  }

  /** Whether the server does not know this chain. */
  isLate(context: number): boolean {
    return context >= this.contexts.length - this.late.size;
  }

  /** Whether these frames need more chains than there is room for: then those placed before are to be forgotten. */
  isFull(frames: Frame[], methods: ReadonlyMap<number, Method>): boolean {
    const more = frames.filter((frame) => this.of(frame) === undefined && methods.has(frame.method)).length;
    return this.late.size > 0 && this.late.size + more > MOST_LATE;
  }

  /** Places the chains of open calls that are too deep or too far on to be among the first ones. */
  place(frames: Frame[], methods: ReadonlyMap<number, Method>): void {
    let parent: number | null = null;
    const contexts = [...this.contexts];
    for (const frame of frames) {
      let context = this.of(frame);
      const method = methods.get(frame.method);
      if (context === undefined && method && this.late.size < MOST_LATE) {
        const caller: Context | undefined = parent === null ? undefined : contexts[parent];
        const rows = caller ? methods.get(caller.method)?.rows : undefined;
        const row = rows ? rowOf(rows, frame.caller) : null;
        context = contexts.length;
        const one = { parent, method: frame.method, caller: frame.caller, how: frame.how, first: frame.begin, row };
        contexts.push(one);
        const bubble = this.bubbles.add(one);
        if (bubble !== context) this.layout.share(bubble);
        else this.layout.place({ parent, row, rows: method.rows.length });
        this.late.set(keyOf(frame), context);
      }
      parent = context ?? parent;
    }
    if (contexts.length > this.contexts.length) this.show(contexts);
  }

  /** Forgets the chains that were placed late. */
  forgetLate(): void {
    this.late.clear();
    const contexts = this.contexts.slice(0, this.known);
    this.bubbles = new Bubbles(contexts, this.isFolded);
    this.layout.shorten(this.known);
    this.show(contexts);
  }

  private of(frame: Frame): number | undefined {
    return frame.context ?? this.late.get(keyOf(frame));
  }

  private show(contexts: Context[]): void {
    this.contexts = contexts;
    this.boxes = [...this.layout.boxes];
    this.bubble = [...this.bubbles.of];
    this.below = new Map(this.bubbles.below);
  }
}
