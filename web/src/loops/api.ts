// What the server says of loops; `/api/openapi.json` describes it.

export interface Word {
  id: number;
  name: string;
  is_loop: boolean;
  units: string[];
  length: number;
}

export interface EndLoop {
  level: number;
  word: Word;
  /** What the names in it stand for. */
  says: string[];
  since: number;
  steps: number;
  iterations: number;
  rest: number;
  most_before: number | null;
  inner: { word: Word; counts: string }[];
}

export interface LoopTrack {
  name: string;
  steps: number;
  /** Places where something is missing. */
  gaps: number;
  levels: { runs: number; kinds: number; loops: number; pending: number; in_loop: boolean }[];
  end_is_lost: boolean;
  ends_in: EndLoop[];
}

export interface LoopTracks {
  phase: "idle" | "running" | "done" | "failed";
  progress: number | null;
  failure: string | null;
  all: number;
  tracks: LoopTrack[];
}

export interface Strip {
  first: number;
  count: number;
  /** index, first step, end step, kind, whole iterations, rest, period */
  runs?: [number, number, number, number, number, number, number][];
  /** first step, end step, kind, runs */
  columns?: [number, number, number, number][];
  decided: number;
  /** On level 0: the steps before which something is missing, at most one for each column. */
  gaps: number[];
  words: Word[];
}

export interface Unit {
  name: string;
  /** What the name stands for, where it is a run. */
  says?: string;
  run?: number;
  iterations?: number;
  rest?: number;
}

export interface Iterations {
  word: Word;
  iterations: number;
  rest: number;
  from: number;
  to: number;
  skip: number;
  list: { iteration: number; from: number; to: number; is_whole: boolean; units: Unit[]; length: number }[];
}

export interface Growth {
  word: Word;
  all: number;
  stride: number;
  points: [number, number, number, number][];
}

/** `[A C]`, shortened; the units of a transition stand without brackets. */
export function wordText(word: Word, most = 12): string {
  const apart = word.units.some((unit) => unit.length > 1) ? " " : "";
  const shown = word.units.slice(0, most).join(apart);
  const text = word.length > Math.min(most, word.units.length) ? `${shown}${apart}…` : shown;
  return word.is_loop ? `[${text}]` : text;
}

/** `×4`, `×2.1`: two whole iterations and one unit of a third. */
export function iterationsText(iterations: number, rest: number): string {
  return rest ? `×${iterations}.${rest}` : `×${iterations}`;
}
