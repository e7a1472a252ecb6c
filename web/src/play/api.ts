// What the server says about what a thread did. Positions are numbers of blocks of one thread.

export interface Thread {
  serial: number;
  name: string;
  blocks: number;
  calls: number;
  depth: number;
  unfit: number;
  /** What of the thread is not told, as a sentence without its full stop. */
  ran_before: string | null;
}

export interface Overview {
  phase: "idle" | "running" | "done" | "failed";
  progress: number | null;
  failure: string | null;
  threads?: Thread[];
  packages?: string[];
  lost?: number;
  facts?: [string, string][];
  sources?: boolean;
}

export type How = "call" | "library" | "outermost" | "unseen";
export type Left = "returned" | "threw" | "unseen" | "open";

/** One chain of calls: what a bubble stands for. */
export interface Context {
  parent: number | null;
  method: number;
  caller: number | null;
  how: How;
  first: number;
  /** The row of the caller's text from which it is called. */
  row: number | null;
}

export interface MethodSize {
  id: number;
  class: string;
  name: string;
  rows: number;
  columns: number;
}

export interface Contexts {
  complete: boolean;
  contexts: Context[];
  methods: MethodSize[];
}

export interface Row {
  line: number;
  text: string;
  blocks: number[];
}

export interface Method {
  id: number;
  class: string;
  name: string;
  descriptor: string;
  file: string | null;
  source: boolean;
  rows: Row[];
  blocks: number[][];
  loops: { head: number; blocks: number[] }[];
  calls: { block: number; class: string; name: string }[];
}

/** A loop that is going on. */
export interface Iterations {
  method: number;
  /** Its index in the method; null: calls of the method in a row, made by a library. */
  loop: number | null;
  place: number;
  iteration: number;
  iterations: number;
  /** The same without a last iteration that only found out that there is no other. */
  rounds: number;
  begin: number;
  end: number;
  iterationBegin: number;
  iterationEnd: number;
}

/** How often each block ran. */
export type Counts = [block: number, count: number][];

export interface Frame {
  depth: number;
  context: number | null;
  method: number;
  class: string;
  name: string;
  how: How;
  left: Left;
  begin: number;
  end: number;
  caller: number | null;
  block: number | null;
  caught: boolean;
  counts: Counts;
  iteration: number[] | null;
  loops: Iterations[];
  again: Iterations | null;
}

export interface State {
  at: number;
  total: number;
  calls: number;
  call: number;
  depth: number;
  hidden: number;
  end: boolean;
  time: string | null;
  /** What was lost directly before: 0 where nobody knows how much. */
  lost?: number | null;
  skipped: { method: number; loop: number | null; iterations: number }[];
  frames: Frame[];
}

export interface Variants {
  method: number;
  loop: number | null;
  iterations: number;
  rounds: number;
  iteration: number;
  begin: number;
  all: number;
  variants: { times: number; firstIteration: number; look: boolean; at: number; blocks: number; calls: number; ran: number[] }[];
}

export interface LastCall {
  begin: number | null;
  end: number | null;
  left: Left | null;
  counts: Counts;
}

export interface Profile {
  total: number;
  min: (number | null)[];
  max: (number | null)[];
  /** Places where something was lost: how many, and the positions of the first ones. */
  losses: number;
  gaps: number[];
}

/** `Oven.bake`, and what people write for the special names. */
export function title(of: { class: string; name: string }): string {
  const simple = of.class.split(".").pop() ?? of.class;
  if (of.name === "<init>") return `new ${simple.split("$").pop()}`;
  if (of.name === "<clinit>") return `${simple} is set up`;
  const lambda = /^lambda\$(.*)\$\d+$/.exec(of.name);
  if (lambda) return `lambda in ${lambda[1]}`;
  return of.name;
}

/** `oven` of `shop.Oven.bake`: the class without its package. */
export function simpleClass(of: { class: string }): string {
  return (of.class.split(".").pop() ?? of.class).replaceAll("$", ".");
}

/** `3 of 160`, and what is said of the last look at the condition. */
export function iterationOf(of: Iterations): string {
  const { iteration, rounds } = of;
  return iteration < rounds ? `${(iteration + 1).toLocaleString("en")} of ${rounds.toLocaleString("en")}` : `${rounds.toLocaleString("en")} done`;
}

/** The name of a loop in requests and addresses. */
export function loopKey(of: { method: number; loop: number | null }): string {
  return `${of.method}:${of.loop ?? "-"}`;
}
