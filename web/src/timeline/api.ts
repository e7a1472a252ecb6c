// What the server says of the timeline and of inferred events; `/api/openapi.json` describes it.
import { share } from "../lib/format";

export type Kind = "cpu" | "interrupts" | "thread" | "machine" | "track";

export interface StateAbout {
  kind: Kind;
  names: string[];
  is_inferred: boolean;
}

export interface TimelineAbout {
  phase: "idle" | "running" | "done" | "failed";
  progress: number | null;
  failure: string | null;
  start: string;
  length: number;
  events: number;
  is_kernel: boolean;
  rows: number;
  losses: number;
  lost_events: number;
  incoherences: number;
  states: StateAbout[];
}

export interface Row {
  row: number;
  kind: Kind;
  name: string;
  depth: number;
  changes: number;
}

export interface RowStates {
  row: number;
  /** first column, end column, state */
  solid: number[];
  /** column, then three times a state and its share in hundredths */
  mixed: number[];
}

export interface Loss {
  number: number;
  stream: string;
  cpu: number | null;
  count: number | null;
  unit: "events" | "packets";
  places: [number | null, number | null][];
}

export interface Incoherence {
  number: number;
  time: number;
  row: number | null;
  cpu: number | null;
  event: string;
  sentence: string;
}

export interface Marks {
  all_losses: number;
  losses: Loss[];
  all_incoherences: number;
  incoherences: Incoherence[];
}

export interface EventLine {
  number: number;
  time: number;
  cpu: number | null;
  stream: string;
  name: string;
  fields: string;
}

export interface Events {
  first: number;
  all: number;
  events: EventLine[];
}

export interface InferenceAbout {
  is_there: boolean;
  phase: "idle" | "running" | "done" | "failed";
  progress: number | null;
  failure: string | null;
  engine: string;
  model: string;
  events: number;
  open: number;
  problems: string[];
  revision: number;
  repaired: number | null;
  repair_failure: string | null;
  chosen: number;
  undo: number;
}

export interface InferredHead {
  number: number;
  time: number;
  from: number;
  to: number;
  name: string;
  cpu: number | null;
  rows: number[];
  is_open: boolean;
  is_chosen: boolean;
  probability: number | null;
}

export type FieldValue = number | string;

export interface InferredField {
  name: string;
  value: FieldValue;
  alternatives: FieldValue[];
  /** Of each alternative; empty where they are not weighed. */
  probabilities: number[];
  possible: number;
  is_chosen: boolean;
}

export interface InferredEvent {
  head: InferredHead;
  text: string;
  reason: string | null;
  /** Other events that may have been in its place, and how probable each is. */
  names: string[];
  name_probabilities: number[];
  fields: InferredField[];
}

export type Layer = "original" | "repaired";

/** A value with its probability, where it is weighed: `4711 (0.25)`. */
export function weighed(field: InferredField, value: FieldValue): string {
  const probability = field.probabilities[field.alternatives.indexOf(value)];
  return probability === undefined ? String(value) : `${value} (${share(probability)})`;
}
