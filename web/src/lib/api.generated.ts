// What the server is asked and what it answers. Made of `crates/viewer/src/api/`; do not edit: a test compares, and
// `UPDATE_EXPECT=1 cargo test --package viewer generated` writes it anew.

/** What was opened. */
export interface About {
  /** What people call it. */
  name: string;
  /** The version of the program. */
  version: string;
  /** The views that have something to show, the first one first. */
  views: View[];
}

/** Where something began. */
export interface Beginning {
  /** Blocks in these calls and below. */
  blocks: number;
  calls: number;
  class: string;
  kind: BeginningKind;
  method: number;
  /** As people write it, and its class without the package. */
  title: string;
}

/** What began there. */
export type BeginningKind = "test" | "main" | "request" | "task" | "outermost";

/** `[block, count]` */
export type BlockCount = [number, number];

/** One call. */
export interface Call {
  /** Position of its first block in the thread. */
  at: number;
  /** Blocks that ran in it, those of inner calls included. */
  blocks: number;
  /** Calls inside it. */
  calls: number;
  class: string;
  /** Open calls around it. */
  depth: number;
  /** The file of its source, and the first line there. */
  file: string | null;
  how: Entered;
  /** The lost records by which it is inferred that it began; null: that was recorded. */
  inferred: InferredPart | null;
  /** Records that were lost in it, whose content is inferred. */
  inferred_inside: number;
  /** The number of the iteration around it, from 0; null where it stands in no loop that went round. */
  iteration: number | null;
  /** Iterations of that loop. */
  iterations: number | null;
  left: Left;
  line: number | null;
  method: number;
  name: string;
  /** Whether it is the first listed call after recording went on behind inferred records. */
  resumes: boolean;
  row: number;
  /** Arguments and result, where they were kept: `(sku: "A1") = true`. */
  values: string | null;
}

/** The call of a line. */
export interface CallOfLine {
  /** Null: it never ran below the entry. */
  call: number | null;
}

/** A call in the text of a method. */
export interface CallSite {
  block: number;
  class: string;
  name: string;
}

/** Who made the call that is shown. */
export interface Caller {
  /** The block that ran last before. */
  block: number | null;
  /** Number of its call. */
  call: number;
  class: string;
  /** Whether it is a scene. */
  is_scene: boolean;
  level_count: number;
  /** Names of the calls between the scene around and this caller, the outermost first, at most 20; how many there are. */
  levels: string[];
  method: number;
  /** How often each block of it ran. */
  ran: BlockCount[];
  title: string;
}

/** Some calls. */
export interface Calls {
  /** The first row below. */
  from: number;
  /** The row of the position that was asked for. */
  row: number | null;
  rows: Call[];
  /** Rows in all. */
  total: number;
}

/** A value for a field of an inferred event. */
export interface Choice {
  /** The number of the event. */
  event: number;
  /** The name of the field. */
  field: string;
  /** One of its alternatives. */
  value: FieldValue;
}

/** What ran of a package. */
export interface Classes {
  /** Those that ran most blocks first, at most 2000. */
  methods: MethodWork[];
  /** How many were left out. */
  more: number;
  package: string;
}

/** Two recordings, once both have been read. */
export interface Compare {
  /** Null until both have been read. */
  comparison: Comparison | null;
  /** Why it failed, as a sentence. */
  failure: string | null;
  phase: Phase;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
}

/** The methods of a row. */
export interface ComparedCall {
  /** Lines of both, matched by their text, in order. */
  lines: ComparedLine[];
  /** Whether the text is source on both sides; byte code otherwise. */
  source: boolean;
  verdict: RowVerdict;
}

/** A line of both sides, or of one. */
export interface ComparedLine {
  a: CountedLine | null;
  b: CountedLine | null;
  /** The calls ran it not equally often. */
  differs: boolean;
}

/** A call of both sides, or of one. */
export interface ComparedRow {
  /** The call of each side; its `row` is its number among the calls of its thread. */
  a: Call | null;
  b: Call | null;
  row: number;
  verdict: RowVerdict;
}

/** Some rows. */
export interface ComparedRows {
  /** The row of the position that was asked for. */
  row: number | null;
  rows: ComparedRow[];
}

/** A thread of one side. */
export interface ComparedThread {
  calls: number;
  name: string;
  serial: number;
}

/** What is compared. */
export interface Comparison {
  /** What people call the recording of side A, which is the one that the other views show, and that of side B. */
  a: string;
  b: string;
  /** What cannot be compared, in sentences. */
  missing: string[];
  /** Those of side A in their order, then those that only B has. */
  pairs: PairOfThreads[];
}

/** One chain of calls: what a bubble stands for. */
export interface Context {
  /** The block of the caller that ran last before. */
  caller: number | null;
  /** Position of its first call. */
  first: number;
  /** How its first call began. */
  how: Entered;
  method: number;
  /** The chain without its last call: its index; null for an outermost call. */
  parent: number | null;
  /** The row of the caller's text from which it is called. */
  row: number | null;
}

/** Chains of calls, and the methods at their ends. */
export interface Contexts {
  /** Whether these are all. */
  complete: boolean;
  contexts: Context[];
  methods: MethodSize[];
}

/** A line of one side. */
export interface CountedLine {
  /** Its number in the source; 0 where that is not known. */
  line: number;
  text: string;
  /** How often the call ran it; null for a line without code. */
  times: number | null;
}

/** One thing that is wrong. */
export interface Diagnostic {
  /** Where, and what. */
  sentence: string;
  severity: Severity;
}

/** What the reader of the input found wrong so far. */
export interface Diagnostics {
  /** All of them. */
  count: number;
  /** How many of them are damage. */
  damage: number;
  /** The first thousand. */
  diagnostics: Diagnostic[];
  /** Why it failed, as a sentence. */
  failure: string | null;
  phase: Phase;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
}

/** A difference. */
export interface DifferenceFound {
  /** Its number among them. */
  index: number | null;
  /** The row where this one begins; null: there is none in that direction. */
  row: number | null;
  /** Differences in all. */
  total: number;
}

/** The rows of one pixel. */
export interface DifferencePixel {
  /** Differences that begin there. */
  differences: number;
  /** Rows that only this side has. */
  only_a: number;
  only_b: number;
}

/** Differences along a strip. */
export interface DifferenceProfile {
  /** For each pixel from left to right. */
  pixels: DifferencePixel[];
}

/** What a state of a thread means. */
export type Doing = "runs" | "over" | "ready" | "waits" | "unknown";

/** A loop in which a history ends. */
export interface EndLoop {
  /** The loops inside an iteration, in their order. */
  inner: InnerLoop[];
  /** Whole iterations. */
  iterations: number;
  level: number;
  /** The most whole iterations that a loop of the same kind made elsewhere in the history. */
  most_before: number | null;
  /** Units behind the last whole iteration. */
  rest: number;
  /** What the names in the word stand for: `Q = [A C]`. */
  says: string[];
  /** The step that it began with. */
  since: number;
  /** Steps that it covers. */
  steps: number;
  word: Word;
}

/** How a call began. */
export type Entered = "call" | "library" | "outermost" | "unseen";

/** An event that was found. */
export interface EventHit {
  /** The number of the event. */
  event: number;
  /** How many are found up to this one. */
  nth: number;
  /** The row that has it as its state. */
  row: number | null;
  time: number;
}

/** What a search has found in a range of time so far. */
export interface EventHits {
  /** Columns with some, and how many each has, one after another. */
  columns: number[];
  /** How many. */
  found: number;
  /** Whether asking again would bring nothing else. */
  is_over: boolean;
  /** Whether all of the range was looked at; else there may be more. */
  is_whole: boolean;
}

/** One event, as text. */
export interface EventLine {
  cpu: number | null;
  /** Names and values of its fields. */
  fields: string;
  name: string;
  number: number;
  stream: string;
  time: number;
}

/** What a search has found so far. */
export interface EventSearch {
  /** Why it failed, as a sentence. */
  failure: string | null;
  /** How many of them are found. */
  found: number;
  /** The next one. */
  hit: EventHit | null;
  /** Whether there is, or is not, a next one is known: else it may lie in what was not looked at yet. */
  is_known: boolean;
  /** Events that were looked at. */
  looked_at: number;
  /** What is to be known of what was found: a field that no event has. */
  note: string | null;
  phase: Phase;
  /** What is wrong with the query, as a sentence. */
  problem: string | null;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
}

/** Some events, as text. */
export interface Events {
  /** Events that were read so far. */
  all: number;
  events: EventLine[];
  /** The number of the first one. */
  first: number;
}

/** Where exceptions began or ended. */
export interface Exception {
  class: string;
  method: number;
  /** `Till.java:12` */
  place: string;
  times: number;
  title: string;
}

/** Where the program pointer faces. */
export type Facing = "up" | "right" | "down" | "left";

/** How a call is told. */
export type Fate = "here" | "equal" | "level" | "alike" | "hidden" | "untold";

/** A value of a field. */
export type FieldValue = number | string;

/** How many answers that take long are there. With 202: the answer is not; to be asked for again when there are more. */
export interface Finished {
  finished: number;
}

/** One line. */
export interface FoldedLine {
  around: number;
  blocks: number;
  /** Calls and blocks inside all of them. */
  calls: number;
  /** Its class without the package; empty where there is none. */
  class: string;
  /** The lines that called, the first of them. */
  from: number[];
  how: Entered | null;
  id: string;
  kind: LineKind;
  left: Left | null;
  method: number | null;
  /** What else is to be said, in words. */
  note: string;
  /** Whether there is something inside. */
  opens: boolean;
  /** The source lines that ran: `Till.java:12-14`. */
  place: string;
  /** The same number for what did exactly the same; null where that differs from time to time. */
  same: number | null;
  /** How often it happened, and what is around it. */
  times: number;
  /** As people write it. */
  title: string;
}

/** Some lines inside a line. */
export interface FoldedLines {
  /** The first one below. */
  from: number;
  /** Whether more was there than is looked at. */
  is_cut: boolean;
  lines: FoldedLine[];
  /** Lines in all. */
  total: number;
}

/** An open call. */
export interface Frame {
  /** Calls of the method in a row, of which it is one. */
  again: LoopState | null;
  begin: number;
  /** The block that runs. */
  block: number | null;
  /** The block of the caller that ran last before. */
  caller: number | null;
  /** Whether an exception was caught there. */
  caught: boolean;
  class: string;
  /** Its chain of calls; null where that is not among the first ones. */
  context: number | null;
  /** What ran in it so far. */
  counts: BlockCount[];
  /** Open calls around it. */
  depth: number;
  end: number;
  how: Entered;
  /** Those of them that are inferred. */
  inferred: BlockCount[];
  /** The blocks that ran in the present iteration of its innermost loop. */
  iteration: number[] | null;
  /** How it will end. */
  left: Left;
  /** The loops of it that are going on, the outermost first. */
  loops: LoopState[];
  method: number;
  name: string;
}

/** How many iterations a kind of loop made, each time. */
export interface Growth {
  /** Runs of the kind. */
  all: number;
  /** `[index of the run, its first step, whole iterations, rest]` */
  points: ([number, number, number, number])[];
  /** One run in so many is listed. */
  stride: number;
  word: Word;
}

/** The state of one row at one time. */
export interface HeldState {
  from: number | null;
  kind: RowKind;
  /** The name of the row. */
  name: string;
  /** Its number; null before the first one. */
  state: number | null;
  /** Null: it is the last one. */
  to: number | null;
}

/** Why a method has no scene unless it is asked for. */
export type Hidden = "accessor" | "empty_constructor" | "delegation" | "bridge" | "set_up";

/** Events in columns of equal width. */
export interface Histogram {
  /** Events of each column. */
  counts: number[];
  /** The largest count. */
  most: number;
}

/** One thing that is found. */
export interface Hit {
  at: number | null;
  /** What stands beside it: the class, the file and line. */
  beside: string;
  blocks: number;
  /** The line of a thread, or where a mark was set: serial number and position. */
  line: string | null;
  method: number | null;
  thread: number | null;
  /** Calls, or runs of a line. */
  times: number;
  /** As it is shown. */
  title: string;
}

/** Kinds of what is found. */
export type HitKind = "thread" | "mark" | "package" | "method" | "values" | "source";

/** An event that does not fit the state that its row was in. */
export interface Incoherence {
  cpu: number | null;
  event: string;
  number: number;
  row: number | null;
  /** What does not fit. */
  sentence: string;
  time: number;
}

/** What is inferred, and what was chosen. */
export interface Inference {
  /** Values that are chosen. */
  chosen: number;
  engine: string;
  /** Inferred events. */
  events: number;
  /** Why it failed, as a sentence. */
  failure: string | null;
  /** Whether there are states to infer. */
  is_there: boolean;
  model: string;
  /** Those with a choice to make. */
  open: number;
  phase: Phase;
  /** What was said of the choices of the command line. */
  problems: string[];
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
  /** Why there is none, as a sentence. */
  repair_failure: string | null;
  /** The revision that the repaired layer is of; null: there is none yet. */
  repaired: number | null;
  /** Grows with each choice and each undo. */
  revision: number;
  /** Choices that can be taken back. */
  undo: number;
}

/** Events that were inferred in a range. */
export interface InferredCounts {
  all: number;
  /** The most frequent ones. */
  names: NameCount[];
}

/** All that is known of an inferred event. */
export interface InferredEvent {
  fields: InferredField[];
  head: InferredHead;
  /** How probable each of them is. */
  name_probabilities: number[];
  /** Other events that may have been in its stead, the most probable first. */
  names: string[];
  /** Why it is concluded, as a sentence. */
  reason: string | null;
  /** The event as a line of text. */
  text: string;
}

/** Inferred events in an interval of time. */
export interface InferredEvents {
  /** All of them. */
  all: number;
  /** Some, spread over the interval. */
  events: InferredHead[];
}

/** A field of an inferred event. */
export interface InferredField {
  /** Possible values, the most probable first. */
  alternatives: FieldValue[];
  is_chosen: boolean;
  name: string;
  /** How many values are possible. */
  possible: number;
  /** Of each alternative; empty where they are not weighed. */
  probabilities: number[];
  /** The most probable value or the chosen one; null: not known. */
  value: FieldValue | null;
}

/** What a mark on the timeline needs of an inferred event. */
export interface InferredHead {
  cpu: number | null;
  /** It was not before this time. */
  from: number;
  is_chosen: boolean;
  /** Whether some field of it may have several values. */
  is_open: boolean;
  name: string;
  number: number;
  /** In 0..=1; null where the engine does not weigh. */
  probability: number | null;
  /** The rows that it concerns. */
  rows: number[];
  /** A time in the interval, for drawing only. */
  time: number;
  /** It was not after this time. */
  to: number;
}

/** Records that were lost in a row, and how certain their inferred content is. */
export interface InferredPart {
  /** Position of the first inferred block. */
  begin: number;
  /** Position from which on blocks were recorded again; the same where only the end of a call was lost. */
  end: number;
  /** Whether nothing else fits. */
  only_way: boolean;
  /** How likely it is, in percent. 100 only where nothing else fits. */
  percent: number;
  /** How many. */
  records: number;
  /** The same as a sentence. */
  text: string;
}

/** How many records were lost, and of how many the content is inferred. */
export interface InferredRecords {
  /** Those for which nothing else fits. */
  only_way: number;
  records: number;
}

/** A loop inside the iterations of another. */
export interface InnerLoop {
  /** How regular the numbers of its iterations are, in words. */
  counts: string;
  word: Word;
}

/** What has come to the input. */
export interface InputGrowth {
  /** Bytes of its files that were not there when it was opened; less than 0 where it has shrunk. */
  bytes: number;
  /** Whether values of lost events were chosen on the page. They are forgotten when the input is read again. */
  has_choices: boolean;
  /** It is a recording that its program still writes, in memory that both share: no file need grow for that. */
  is_being_recorded: boolean;
}

/** Where an iteration begins. */
export interface IterationStart {
  /** Null: there is no such iteration. */
  at: number | null;
}

/** A part of one level: runs, or columns where there are more runs than columns to draw them in. */
export interface Lane {
  /** `[first step, end step, kind that covers most, runs]` of each column. */
  columns?: ([number, number, number, number])[];
  /** Runs of the range. */
  count: number;
  /** The step behind the last run; what comes after is not decided yet. */
  decided: number;
  /** Index of the first run. */
  first: number;
  /** On level 0 the steps before which something is missing, at most one for each column. */
  gaps: number[];
  /** `[index, first step, end step, kind, whole iterations, rest, period]` of each run. */
  runs?: ([number, number, number, number, number, number, number])[];
  /** The kinds of runs that are named above. */
  words: Word[];
}

/** What ran in the last call of a context; null where there is none. */
export interface LastCall {
  begin: number | null;
  counts: BlockCount[];
  end: number | null;
  /** Those of them that are inferred. */
  inferred: BlockCount[];
  left: Left | null;
}

/** How a call ended. */
export type Left = "returned" | "threw" | "unseen" | "open";

/** What a line tells. */
export type LineKind = "thread" | "call" | "loop" | "variant" | "recursion" | "caught" | "gap" | "more" | "within";

/** What is known of a loss whose events are not listed. */
export interface LongLoss {
  cpu: number;
  from: number;
  /** How probable it is that another one ran, in each of equal parts of the time. */
  others: number[];
  /** How many switches, from and to, in nine of ten losses like it. */
  switches: [number, number];
  /** Those that may have run in it; the first is no thread. */
  threads: LongThread[];
  to: number;
}

/** Losses whose events are not listed. */
export interface LongLosses {
  /** All of them. */
  all: number;
  /** The first ones. */
  losses: LongLoss[];
}

/** Who may have run in a long loss. */
export interface LongThread {
  /** How long, in nanoseconds, on average. */
  mean: number;
  /** Null: no thread ran. */
  name: string | null;
  /** How probable it is that it ran, in each of equal parts of the time. */
  probability: number[];
  row: number | null;
  /** From and to, in nine of ten losses like it. */
  usual: [number, number];
}

/** A level of the summary of a track. */
export interface LoopLevel {
  /** Whether the last run is a loop that has not been left. */
  in_loop: boolean;
  /** Different runs. */
  kinds: number;
  /** Runs that are loops. */
  loops: number;
  /** Units behind the last run that are not classified yet. */
  pending: number;
  runs: number;
}

/** A loop of the method. */
export interface LoopOfScene {
  /** The block at its head; null: blocks that the recorder itself repeated. */
  head: number | null;
  iterations: number;
  /** Its lines. */
  place: string;
  /** In the order of the first of each; all of them. */
  variants: VariantOfLoop[];
}

/** A loop that is going on. */
export interface LoopState {
  begin: number;
  end: number;
  /** The number of the iteration, from 0. */
  iteration: number;
  /** Position of the first block of the iteration. */
  iteration_begin: number;
  /** Position behind the last. */
  iteration_end: number;
  iterations: number;
  /** Its index in the method; null: calls of the method in a row, made by a library. */
  loop: number | null;
  method: number;
  /** The same without a last iteration that only found out that there is no other. */
  rounds: number;
  /** Its number at this position, for further questions. */
  slot: number;
}

/** One track. */
export interface LoopTrack {
  /** Whether something was lost at its end. */
  end_is_lost: boolean;
  /** The loops in which its history ends, the outermost first. */
  ends_in: EndLoop[];
  /** Positions at which something is missing. */
  gaps: number;
  levels: LoopLevel[];
  name: string;
  /** Steps of its history. */
  steps: number;
}

/** The tracks and how their histories end. */
export interface Loops {
  /** Tracks in all. */
  all: number;
  /** Why it failed, as a sentence. */
  failure: string | null;
  phase: Phase;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
  /** The busiest. */
  tracks: LoopTrack[];
}

/** One loss. */
export interface Loss {
  /** How much; null: nobody knows. */
  count: number | null;
  cpu: number | null;
  /** From when to when it may have been; an end that is open is null. */
  intervals: ([number | null, number | null])[];
  number: number;
  stream: string;
  unit: LossUnit;
}

/** What is counted of a loss. */
export type LossUnit = "events" | "packets";

/** Equal calls that it made. */
export interface MadeCall {
  /** The block that ran last before the first, and its line. */
  block: number | null;
  /** Number of the call. */
  call: number;
  class: string;
  fate: Fate;
  hidden: Hidden | null;
  /** Calls inside all of them. */
  inside: number;
  line: number | null;
  method: number;
  /** The scene that shows it, by its index in the list. */
  scene: number | null;
  times: number;
  title: string;
}

/** A moment that was given a name. */
export interface Mark {
  /** Blocks of the thread that ran before. */
  at: number;
  text: string;
}

/** What was lost in a range of time, and what does not fit. */
export interface Marks {
  /** Incoherences in all. */
  all_incoherences: number;
  /** Losses in all. */
  all_losses: number;
  /** Some, spread over the range. */
  incoherences: Incoherence[];
  /** The first ones. */
  losses: Loss[];
}

/** What a search found. */
export interface Match {
  /** Its position in the thread. */
  at: number | null;
  /** The number of this one. */
  index: number | null;
  /** The row of its call. */
  row: number | null;
  /** Matches in all. */
  total: number;
}

/** The text of a method. */
export interface Method {
  /** The lines of each block. */
  blocks: number[][];
  calls: CallSite[];
  class: string;
  descriptor: string;
  /** The file of its source. */
  file: string | null;
  id: number;
  loops: MethodLoop[];
  name: string;
  rows: TextRow[];
  /** Whether the rows are source, and not byte code. */
  source: boolean;
}

/** All about a method. */
export interface MethodCalls {
  blocks: number;
  /** What it called. */
  callees: MethodLink[];
  /** Who called it, the most frequent first, at most 500. */
  callers: MethodLink[];
  calls: number;
  /** With the package. */
  class: string;
  descriptor: string;
  method: number;
  /** Links that were left out. */
  more: number;
  /** Blocks of its own, and with what it called. */
  own: number;
  /** `Till.java:12-40` */
  place: string;
  /** The names of the threads that called it. */
  threads: string[];
  /** Calls that ended with an exception. */
  threw: number;
  title: string;
}

/** Calls between two methods from one line. */
export interface MethodLink {
  class: string;
  how: Entered;
  /** The other method; null: nothing that was recorded. */
  method: number | null;
  /** The line that calls: `Till.java:12`. */
  place: string;
  times: number;
  title: string;
}

/** A loop of a method. */
export interface MethodLoop {
  blocks: number[];
  /** The block through which it is entered. */
  head: number;
}

/** What a bubble needs before its text is there. */
export interface MethodSize {
  class: string;
  /** Characters of the longest row. */
  columns: number;
  id: number;
  name: string;
  /** Rows of its text. */
  rows: number;
}

/** The work of a method. */
export interface MethodWork {
  /** Blocks of its own. */
  blocks: number;
  calls: number;
  /** Its class without the package. */
  class: string;
  method: number;
  title: string;
}

/** When a thread was at a position. */
export interface Moment {
  /** It was there after this; null: before the clock first looked. */
  at: number | null;
}

/** How many events are called so. */
export interface NameCount {
  count: number;
  name: string;
}

/** A note to write. */
export interface NewNote {
  /** The moment, or where the range begins. */
  from: number;
  /** The row that it is about; null: none. */
  row?: number;
  text: string;
  /** Where the range ends; null: it is about a moment. */
  to?: number;
}

/** The next mark of a kind; all null where there is none. */
export interface NextMark {
  row: number | null;
  /** What it is. */
  sentence: string | null;
  time: number | null;
}

/** One note. */
export interface Note {
  /** The moment, or where the range begins. */
  from: number;
  id: number;
  /** Grows with each change. */
  revision: number;
  /** The row that it is about, where the trace has it. */
  row: number | null;
  /** Its name, whether the trace has it or not. */
  row_name: string | null;
  text: string;
  /** Where the range ends; null: it is about a moment. */
  to: number | null;
}

/** Another text for a note. */
export interface NoteEdit {
  id: number;
  /** What it was when it was read. */
  revision: number;
  text: string;
}

/** A note as it was read. */
export interface NoteVersion {
  id: number;
  /** What it was when it was read. */
  revision: number;
}

/** Notes on the trace. */
export interface Notes {
  /** The file beside the trace; null: there is none to be beside. */
  file: string | null;
  /** How many characters each may have. */
  longest: number;
  /** How many there may be. */
  most: number;
  /** By time. */
  notes: Note[];
  /** Why they are not saved and last as long as the program runs, as a sentence; null: they are saved. */
  problem: string | null;
}

/** Some events with a choice to make. */
export interface OpenEvents {
  /** All of them. */
  all: number;
  events: InferredEvent[];
  /** Those that were left out. */
  skip: number;
}

/** A recording, once it has been read. */
export interface Overview {
  /** Why it failed, as a sentence. */
  failure: string | null;
  phase: Phase;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
  /** Null until it has been read. */
  whole: Whole | null;
}

/** The work of a package. */
export interface PackageWork {
  /** Blocks of its own methods. */
  blocks: number;
  calls: number;
  package: string;
  /** Methods of it that ran. */
  ran: number;
}

/** A thread of each side. */
export interface PairOfThreads {
  /** Null: only the other side has it. */
  a: ComparedThread | null;
  b: ComparedThread | null;
  /** Rows where a difference begins. */
  differences: number;
  /** Rows that only this side has. */
  only_a: number;
  only_b: number;
  rows: number;
}

/** What is not shown between two scenes. */
export interface Passing {
  /** Calls, those inside others counted too. */
  calls: number;
  /** Methods among them that ran first here and have no scene, and the variants of their loops. */
  methods: number;
  /** In words; empty where nothing passes. */
  text: string;
  variants: number;
}

/** Where work in the background stands. */
export type Phase = "idle" | "running" | "done" | "failed";

/** Where the first of something ran. */
export interface Place {
  /** Its position in the thread. */
  at: number;
  /** Its class with the package, its file, and whether this is source or byte code. */
  class: string;
  file: string | null;
  /** The method whose source follows. */
  method: number | null;
  /** Rows that were left out. */
  more: number;
  /** Lines of the source. */
  rows: PlaceRow[];
  source: boolean;
  /** Serial number and name of the thread. */
  thread: number;
  thread_name: string;
}

/** One line of source. */
export interface PlaceRow {
  line: number;
  /** Whether it ran there; null where no code stands on it. */
  ran: boolean | null;
  text: string;
}

/** A recording, once it has been read. */
export interface Play {
  /** Why it failed, as a sentence. */
  failure: string | null;
  phase: Phase;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
  /** Null until it has been read. */
  recording: Recording | null;
}

/** How deep the calls were. */
export interface Profile {
  /** The first of them. */
  gaps: number[];
  /** How often something was lost and is inferred. */
  inferences: number;
  /** The first of these. */
  inferred: InferredPart[];
  /** Positions at which something was lost and is not inferred. */
  losses: number;
  /** The greatest. */
  max: (number | null)[];
  /** The least depth of each pixel. */
  min: (number | null)[];
  /** Blocks of the thread. */
  total: number;
}

/** A thread that ran on a CPU for some time. */
export interface Ran {
  /** When it began first. */
  from: number;
  /** Nanoseconds. */
  lasted: number;
  name: string;
  row: number;
}

/** What happened in a range. */
export interface RangeSummary {
  /** Losses that touch the range. */
  all_losses: number;
  /** Names of events in all. */
  all_names: number;
  /** Events from the first to the last moment, both included. */
  events: number;
  from: number;
  incoherences: number;
  /** Null: what was lost is not inferred, or not yet. */
  inferred: InferredCounts | null;
  /** Whether the trace has been read to its end; else this is about what was read so far. */
  is_whole: boolean;
  /** The first ones. */
  losses: Loss[];
  /** Events that these losses took, where it is known how many. */
  lost_events: number;
  /** The most frequent ones. */
  names: NameCount[];
  /** Those that were asked for. */
  rows: RowShares[];
  to: number;
  /** Losses of which nobody knows how many events they took. */
  uncounted_losses: number;
}

/** There is nothing to say with it. */
export type ReadAgain = Record<string, never>;

/** What was recorded. */
export interface Recording {
  /** Classes that others are called like but for the package: the full name, and what it is written as. */
  class_labels: ([string, string])[];
  /** Facts about the recording: what, and its value. */
  facts: ([string, string])[];
  /** What of it is inferred. */
  inferred: InferredRecords;
  /** Blocks or records that the recorder declared lost. */
  lost: number;
  /** Packages of its classes, sorted. */
  packages: string[];
  /** Whether source text may be found. */
  sources: boolean;
  /** Those with the most blocks first. */
  threads: Thread[];
}

/** One row. */
export interface Row {
  /** Changes of its state. */
  changes: number;
  /** How far it is indented. */
  depth: number;
  kind: RowKind;
  name: string;
  /** Its number. */
  row: number;
}

/** What a row is about. */
export type RowKind = "cpu" | "interrupts" | "thread" | "machine" | "track";

/** States of one row in a range. */
export interface RowShares {
  /** Whether events are counted, and not the time that states lasted. */
  is_count: boolean;
  name: string;
  /** Its number. */
  row: number;
  /** The largest first. */
  states: StateShare[];
  /** Nanoseconds of which nothing is known: before the first event, after the end of what was recorded. */
  unknown: number;
}

/** States of one row. */
export interface RowStates {
  /** Of each column with several states: the column, then three times a state and its share in hundredths; -1: none. */
  mixed: number[];
  /** Its number. */
  row: number;
  /** First column, end column and state of each interval, one after another. */
  solid: number[];
}

/** How the two sides of a row compare. */
export type RowVerdict = "equal" | "differs" | "only" | "unknown";

/** The rows in their order. */
export interface Rows {
  /** Rows in all. */
  all: number;
  /** The first ones. */
  rows: Row[];
}

/** One iteration of a run. */
export interface RunIteration {
  /** Its first step. */
  from: number;
  is_whole: boolean;
  /** Its number, from 1. */
  iteration: number;
  /** Units in all. */
  length: number;
  /** Its end step. */
  to: number;
  /** Its first units. */
  units: Unit[];
}

/** Some iterations of a run. */
export interface RunIterations {
  /** First step of the run. */
  from: number;
  /** Whole iterations. */
  iterations: number;
  list: RunIteration[];
  /** Units behind the last whole iteration. */
  rest: number;
  /** Iterations that were left out. */
  skip: number;
  /** Its end step. */
  to: number;
  word: Word;
}

/** A call that is shown. */
export interface Scene {
  at: number;
  /** Number of the call. */
  call: number;
  /** Null: it is where the story enters. */
  caller: Caller | null;
  calls_of_method: number;
  class: string;
  how: Entered;
  left: Left;
  /** The loops of the method, with the iterations of all its calls below the entry. */
  loops: LoopOfScene[];
  /** What it called itself, in the order of the first of each; at most 500. */
  made: MadeCall[];
  method: number;
  /** Calls that are not listed. */
  more: number;
  /** File and lines. */
  place: string;
  /** How often each block ran in this call. */
  ran: BlockCount[];
  /** Blocks that ran in other calls of the method only. */
  ran_elsewhere: number[];
  /** What happens, in a few sentences. */
  text: string;
  /** Where it began: serial number of the thread, its name, position. */
  thread: number;
  thread_name: string;
  /** How often this very call ran below the entry, and calls of the method in all. */
  times: number;
  title: string;
}

/** A scene in the list of all. */
export interface SceneLine {
  /** The scene around it, by its index in the list. */
  around: number | null;
  at: number;
  /** Number of the call. */
  call: number;
  class: string;
  /** Scenes around it. */
  depth: number;
  left: Left;
  /** Calls between that and this one, which show nothing new. */
  levels: number;
  method: number;
  /** What passes before the next scene. */
  passing: Passing;
  /** Where it began: serial number of the thread, position. */
  thread: number;
  /** How often this very call ran below the entry. */
  times: number;
  title: string;
  /** Variants of the loops of the method. */
  variants: number;
}

/** What it finds of one kind. */
export interface SearchResult {
  /** The first of them, at most 200. */
  hits: Hit[];
  kind: HitKind;
  /** In all. */
  total: number;
}

/** What a search finds. */
export interface SearchResults {
  results: SearchResult[];
}

/** How bad it is. */
export type Severity = "note" | "damage";

/** A loop whose iterations a step left out. */
export interface SkippedLoop {
  /** Iterations that were left out. */
  iterations: number;
  /** Its index in the method; null: calls of the method in a row, made by a library. */
  loop: number | null;
  method: number;
}

/** Where a thread is. */
export interface State {
  /** The position. */
  at: number;
  /** The row of the innermost call in the list of all calls. */
  call: number;
  /** Calls of the thread. */
  calls: number;
  /** Open calls in all. */
  depth: number;
  /** Whether there was no step left to go. */
  end: boolean;
  /** Open calls, the outermost first. */
  frames: Frame[];
  /** Open calls that are left out between the outermost and the innermost. */
  hidden: number;
  /** The lost records by which the block that runs is inferred; null: it was recorded. */
  inferred: InferredPart | null;
  /** What was lost directly before: 0 where nobody knows how much. */
  lost: number | null;
  /** The inferred records after which recording goes on with the block that runs. */
  resumes: InferredPart | null;
  /** Loops whose iterations the step left out. */
  skipped: SkippedLoop[];
  /** The last moment that is known: nanoseconds as text. */
  time: string | null;
  /** Blocks of the thread. */
  total: number;
}

/** What a state is called. */
export interface StateNames {
  /** Whether an inferred event led to it. */
  is_inferred: boolean;
  /** Whether nothing more is to come of what is in it. */
  is_over: boolean;
  kind: RowKind;
  /** More than one: nobody knows which; none: nothing is known. */
  names: string[];
}

/** How long one state lasted, or how often an event happened. */
export interface StateShare {
  state: number;
  /** Nanoseconds, or events. */
  weight: number;
}

/** States of some rows as columns of a picture. */
export interface States {
  /** Events that were read so far. */
  events: number;
  rows: RowStates[];
}

/** What ran below an entry, in scenes. */
export interface Story {
  /** Scenes that show something new, however many were asked for. */
  all: number;
  /** What passes before the first scene. */
  before: Passing;
  /** Calls below the entry, and the methods that they are of. */
  calls: number;
  /** Lines that the first scenes show, for each number of scenes from 1 on, at most 1000. */
  curve: number[];
  /** What else can be told: where something began, then threads; the most work first. */
  entries: StoryEntry[];
  /** What is told. */
  entry: string;
  hidden: number;
  /** Lines that ran, and those of them that scenes show. */
  lines: number;
  lines_shown: number;
  methods: number;
  /** In the order of execution. */
  scenes: SceneLine[];
  title: string;
  /** Methods that have no scene; how many of them are hidden by rule. */
  untold: number;
  /** Variants of loops, and those that scenes show. */
  variants: number;
  variants_shown: number;
}

/** What may be told. */
export interface StoryEntry {
  blocks: number;
  calls: number;
  class: string;
  entry: string;
  /** Null for a thread. */
  kind: BeginningKind | null;
  title: string;
}

/** A recording, once it has been read. */
export interface StoryStatus {
  /** Why it failed, as a sentence. */
  failure: string | null;
  phase: Phase;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
  /** Null until it has been read. */
  story: Story | null;
}

/** The tape over a part of the run. */
export interface Tape {
  /** Cells of one column. */
  cells_a_column: number;
  /** Position of the first cell of the first column. */
  first: number;
  /** In the order of time. */
  rows: TapeRow[];
}

/** The tape after a step. */
export interface TapeRow {
  /** The first column that is not zero. */
  column: number;
  /** The greatest one. */
  greatest: number;
  /** The least position that it was at from this row up to the next. */
  least: number;
  /** Position of the data pointer. */
  pointer: number;
  step: number;
  /** Of each column from there on the value that is farthest from zero, up to the last that is not zero. */
  values: number[];
}

/** Where a task was handed over or begun. */
export interface TaskEnd {
  at: number;
  /** How many blocks the thread had run. */
  position: number;
  /** Serial number of the thread. */
  thread: number;
}

/** One row of the text of a method. */
export interface TextRow {
  /** The blocks with code of this row. */
  blocks: number[];
  /** Its line in the source; 0 where that is not known. */
  line: number;
  text: string;
}

/** One thread. */
export interface Thread {
  blocks: number;
  calls: number;
  /** How deep its calls nest. */
  depth: number;
  /** The moments that were named while it ran, in order. */
  marks: Mark[];
  name: string;
  /** What of the thread was not recorded, as a sentence without its full stop. */
  ran_before: string | null;
  serial: number;
  /** Steps that do not fit what ran before. */
  unfit: number;
}

/** All threads over time. */
export interface ThreadTimes {
  /** Calls that took at least so long are there, if their length is known. */
  least: number;
  /** How long all of it takes. */
  length: number;
  marks: TimedMark[];
  /** The beginning, nanoseconds since 1970; a text, because it may be more than a page counts exactly. */
  start: string;
  /** The tasks that went from one thread to another, in the order of their beginnings, at most ten thousand. */
  tasks: TimedTask[];
  /** In the order of their beginnings. */
  threads: TimedThread[];
}

/** The threads, once the recording has been read. */
export interface Threads {
  /** Why it failed, as a sentence. */
  failure: string | null;
  phase: Phase;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
  /** Null until it has been read. */
  times: ThreadTimes | null;
}

/** A call, or several that are too short to be drawn one by one. */
export interface TimedCall {
  class: string;
  /** How many they are. The rest of this is about the longest. */
  count: number;
  from: number;
  lane: number;
  method: number;
  name: string;
  /** It had not ended when the recording did. */
  open: boolean;
  /** How many blocks the thread had run before it. */
  position: number;
  /** It ended with an exception. */
  threw: boolean;
  to: number;
  /** How long the thread was on no processor meanwhile; null where that is not known. */
  waiting: number | null;
  /** How far the length may be off. */
  within: number;
}

/** What one thread did in a part of the time. */
export interface TimedCalls {
  calls: TimedCall[];
  /** For each four pixels: which share of the time the thread was on a processor; null where that is not known. */
  running: (number | null)[];
}

/** Something that was lost. */
export interface TimedLoss {
  /** Between these. */
  from: number;
  /** How many records or blocks; null: not known. */
  lost: number | null;
  to: number;
}

/** A mark. */
export interface TimedMark {
  at: number;
  text: string;
}

/** A task that goes from one thread to another. */
export interface TimedTask {
  /** Null: it had not begun at the end. */
  begun: TaskEnd | null;
  /** What began it: the class with its package, and the method; empty where nothing of it is recorded. */
  class: string;
  handed_over: TaskEnd;
  /** Whether it is the thread itself that was started. */
  is_thread: boolean;
  name: string;
}

/** A thread. */
export interface TimedThread {
  /** Calls whose length is known. */
  calls: number;
  /** When it was first and last seen to have run. */
  from: number;
  /** Lanes of calls, at most 64. */
  lanes: number;
  /** How many of these are too many to be held. */
  left_out: number;
  /** Records that were lost, the first ten thousand losses. */
  losses: TimedLoss[];
  name: string;
  serial: number;
  to: number;
}

/** The trace and its legend, as far as it has been read. */
export interface Timeline {
  events: number;
  /** Why it failed, as a sentence. */
  failure: string | null;
  incoherences: number;
  /** Whether states of threads and CPUs are shown. */
  is_kernel: boolean;
  /** From the first event to the last. */
  length: number;
  losses: number;
  /** Events that were lost, where it is known how many. */
  lost_events: number;
  phase: Phase;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
  rows: number;
  /** When the trace begins: nanoseconds as text, for they may be more than a page can count. */
  start: string;
  /** States by their number. */
  states: StateNames[];
}

/** The run, once the program was run. */
export interface TwoL {
  /** Why it failed, as a sentence. */
  failure: string | null;
  phase: Phase;
  /** A share in 0..=1 while it runs and the share is known. */
  progress: number | null;
  /** Null until it was run. */
  run: TwoLRun | null;
}

/** A program and its run. */
export interface TwoLRun {
  /** Its blocks, as `2l show` lists them. */
  blocks: string;
  /** Rows from top to bottom, a letter for each cell: `_` nothing, `o` data, `*` a turn, `.` not chosen. */
  cells: string[];
  /** How the run ends, or why it is shown no further, as a sentence. */
  end: string;
  /** The first position of the tape that the data pointer was at. */
  first: number;
  /** Whether these are all that it takes. */
  is_whole: boolean;
  /** The last one. */
  last: number;
  levels: LoopLevel[];
  /** Its name: its cells in letters of base 64. */
  program: string;
  /** Steps that are shown. */
  steps: number;
  /** Whether it halts or hangs, with what proves it, as a sentence; null while that is being looked for. */
  verdict: string | null;
}

/** The state after a step. */
export interface TwoLState {
  cells: number[];
  /** Where the program pointer is, from 0 at the left; outside the grid before the first step and after a halt. */
  column: number;
  facing: Facing;
  /** Position of the first of the cells. */
  first: number;
  /** Position of the data pointer. */
  pointer: number;
  /** The same from 0 at the bottom. */
  row: number;
  /** What it is at and what its last step did, as a sentence. */
  sentence: string;
  /** Steps taken. */
  step: number;
  /** The value there. */
  value: number;
  /** The runs that the step belongs to, the lowest level first; none of a level where that is not decided yet. */
  within: Within[];
}

/** Nothing more need be said to take a choice back. */
export type Undo = Record<string, never>;

/** One unit of a level: a step, or a run of the level below. */
export interface Unit {
  /** Whole iterations, where the run is a loop. */
  iterations?: number;
  name: string;
  /** Units behind them. */
  rest?: number;
  /** The number of the run. */
  run?: number;
  /** What the name stands for, where it is a run. */
  says?: string;
}

/** When a line runs next. */
export interface Until {
  /** Null: it does not run again. */
  at: number | null;
  /** How often it runs at all. */
  total: number;
}

/** A method without a scene. */
export interface UntoldMethod {
  /** Scenes that have begun before its first call. */
  behind: number;
  /** Number of its first call, which makes it a scene where it is asked for. */
  call: number;
  calls: number;
  class: string;
  /** Why it has none; null: the story is too short. */
  hidden: Hidden | null;
  method: number;
  package: string;
  title: string;
  /** Variants of its loops. */
  variants: number;
}

/** Methods without a scene. */
export interface UntoldMethods {
  /** At most 5000. */
  methods: UntoldMethod[];
  /** How many there are. */
  total: number;
}

/** Iterations that are alike. */
export interface Variant {
  /** Position of the first. */
  at: number;
  blocks: number;
  calls: number;
  /** The number of the first, from 0. */
  first_iteration: number;
  /** Whether it only found out that there is no other. */
  look: boolean;
  /** The blocks that ran. */
  ran: number[];
  /** How many there are. */
  times: number;
}

/** Iterations that ran the same lines and made the same calls. */
export interface VariantOfLoop {
  at: number;
  /** The call in which the first of them ran; where that began. */
  call: number;
  call_count: number;
  /** What it calls, at most 6 names; how many different calls it makes. */
  calls: string[];
  /** The blocks that ran. */
  ran: number[];
  thread: number;
  /** How many, in all calls of the method. */
  times: number;
}

/** The different iterations of a loop. */
export interface Variants {
  /** Variants in all. */
  all: number;
  /** Position of the loop. */
  begin: number;
  /** The number of the iteration at the position, from 0. */
  iteration: number;
  iterations: number;
  /** Its index in the method; null: calls of the method in a row, made by a library. */
  loop: number | null;
  method: number;
  /** The same without a last iteration that only found out that there is no other. */
  rounds: number;
  /** Those that are listed. */
  variants: Variant[];
}

/** A view, by the name of its folder in the page. */
export type View = "compare" | "overview" | "play" | "list" | "threads" | "timeline" | "two_l" | "loops";

/** Of a state of a thread: how it ended, and what happened on the CPU meanwhile. */
export interface Wait {
  /** Who ran there in all of the time. */
  all_runners: number;
  /** The CPU that it ran on next, or else before; null: not known, or it ran. */
  cpu: number | null;
  doing: Doing;
  from: number | null;
  /** Nanoseconds in which it was idle. */
  idle: number;
  /** Whether that is the CPU that it ran on next. */
  is_next_cpu: boolean;
  /** What it did next. */
  next: Doing | null;
  row: number;
  /** The ones that ran longest. */
  runners: Ran[];
  /** Null: it is the last one. */
  to: number | null;
  /** Nanoseconds of which nothing is known. */
  unknown: number;
  /** How it was woken: at the end of a wait, or before it was ready. Null: no event tells. */
  woken: Woken | null;
}

/** Who ran where a thread was woken. */
export type Waker = "thread" | "nobody" | "unknown";

/** Lines that lead from one to another. */
export interface Way {
  /** The outermost first. */
  ids: string[];
  /** The index of each of them among the lines beside it. */
  indices: number[];
}

/** What was recorded. Blocks measure work. */
export interface Whole {
  /** Where something began, the most work first. */
  beginnings: Beginning[];
  blocks: number;
  calls: number;
  caught: Exception[];
  /** Kinds of threads, those with the most blocks first, at most 400; threads whose names differ in numbers only are one. */
  kinds: FoldedLine[];
  known: number;
  /** What is missing, in sentences. */
  missing: string[];
  /** Packages by the blocks that ran in their own methods. */
  packages: PackageWork[];
  /** Methods that ran, and that could have. */
  ran: number;
  /** Whether source text may be found. */
  sources: boolean;
  /** Threads in all. */
  threads: number;
  /** Where exceptions came from, and where they were caught. */
  thrown: Exception[];
}

/** A run that a step belongs to. */
export interface Within {
  /** Steps before it. */
  from: number;
  /** Whole iterations; 0 of what is no loop. */
  iterations: number;
  level: number;
  /** Units behind the last whole iteration. */
  rest: number;
  /** Its number on its level. */
  run: number;
  /** What it repeats, or its units: `[A C]`, `B D`. */
  says: string;
  /** Steps at its end. */
  to: number;
}

/** How a thread was woken. */
export interface Woken {
  /** Who ran there. */
  by: Waker;
  /** Its CPU, and the row of that. */
  cpu: number | null;
  cpu_row: number | null;
  /** The number of the event, and its name. */
  event: number;
  /** The state of the interrupts of that CPU, where there are any. */
  interrupt: number | null;
  name: string;
  /** When the thread was ready. */
  ready: number;
  /** The row of the thread that ran there, and its name and state. */
  row: number | null;
  row_name: string | null;
  state: number | null;
  /** When the event was by which it began to be woken. */
  time: number;
}

/** A kind of run. */
export interface Word {
  id: number;
  is_loop: boolean;
  /** Units in all. */
  length: number;
  name: string;
  /** The names of its first units. */
  units: string[];
}

/** Paths that are asked: the query, and the answer. */
export interface Gets {
  /** What was opened, and which views can show it. */
  "about": { query: Record<string, never>; answer: About };
  /** What the reader of the input has found wrong so far: how many diagnostics, how many of them are damage, and the first thousand. */
  "diagnostics": { query: Record<string, never>; answer: Diagnostics };
  /** How many answers that take long are there; held for some seconds until one more is than the page knows of. */
  "finished": { query: { after: number }; answer: Finished };
  /** This document. */
  "openapi.json": { query: Record<string, never>; answer: object };
  /** How much the input has grown since it was read. */
  "growth": { query: Record<string, never>; answer: InputGrowth };
  /** Where a recording began and what did most, once it has been read. */
  "overview": { query: Record<string, never>; answer: Overview };
  /** The lines inside a line of the folded tree. */
  "overview/inside": { query: { entry: string; from?: number | undefined; count?: number | undefined }; answer: FoldedLines };
  /** From a line on into the line with the most work, as long as that is at least half of it. */
  "overview/heaviest": { query: { entry: string }; answer: Way };
  /** The lines that lead to the first call of a method. */
  "overview/first": { query: { id: number }; answer: Way };
  /** Where the first of what a line reports ran, and the source that ran there. */
  "overview/place": { query: { entry: string }; answer: Place };
  /** Who called a method, how often and from which lines, and what it called. */
  "overview/method": { query: { id: number }; answer: MethodCalls };
  /** The methods of a package that ran, those that ran most blocks first. */
  "overview/classes": { query: { package: string }; answer: Classes };
  /** What has a text: threads, packages, classes, methods as they are shown, marks; or lines of source that ran. */
  "overview/search": { query: { query: string; source?: boolean | undefined }; answer: SearchResults };
  /** The tracks and how their histories end; begins the search when first asked. */
  "loops": { query: Record<string, never>; answer: Loops };
  /** The runs of one level in a range of steps. */
  "loops/lane": { query: { track: number; level: number; from?: number | undefined; to?: number | undefined; width?: number | undefined }; answer: Lane };
  /** The iterations of one run. */
  "loops/iterations": { query: { track: number; level: number; run: number; skip?: number | undefined; count?: number | undefined }; answer: RunIterations };
  /** How many iterations a kind of loop made, each time. */
  "loops/growth": { query: { track: number; level: number; id: number }; answer: Growth };
  /** The trace and its legend; begins to read when first asked. */
  "timeline": { query: Record<string, never>; answer: Timeline };
  /** The rows in their order. */
  "timeline/rows": { query: Record<string, never>; answer: Rows };
  /** States of some rows as columns of a picture. */
  "timeline/states": { query: { from?: number | undefined; to?: number | undefined; width?: number | undefined; rows: string; layer?: "original" | "repaired" | undefined }; answer: States };
  /** The state of one row at one time, exactly. */
  "timeline/state": { query: { row: number; time: number; layer?: "original" | "repaired" | undefined }; answer: HeldState };
  /** Events in columns of equal width. */
  "timeline/histogram": { query: { from?: number | undefined; to?: number | undefined; width?: number | undefined }; answer: Histogram };
  /** Losses and incoherences. */
  "timeline/marks": { query: { from?: number | undefined; to?: number | undefined }; answer: Marks };
  /** The next loss, incoherence, uncertain state or inferred event. */
  "timeline/step": { query: { kind: "loss" | "incoherence" | "doubt" | "inferred"; time: number; back?: boolean | undefined; row?: number | undefined }; answer: NextMark };
  /** Some events, as text. */
  "timeline/events": { query: { time?: number | undefined; first?: number | undefined; count?: number | undefined }; answer: Events };
  /** What happened in a range: shares of states, events by name, losses, what was inferred. */
  "timeline/range": { query: { from?: number | undefined; to?: number | undefined; rows?: string | undefined; layer?: "original" | "repaired" | undefined }; answer: RangeSummary };
  /** Of the state of a thread at one time: who woke it, and who ran on the CPU meanwhile. */
  "timeline/wait": { query: { row: number; time: number; layer?: "original" | "repaired" | undefined }; answer: Wait };
  /** Events by name and field: how many, and the next one; begins to look when first asked. */
  "timeline/search": { query: { query: string; time?: number | undefined; event?: number | undefined; back?: boolean | undefined; first?: boolean | undefined }; answer: EventSearch };
  /** Events that a query finds in columns of equal width; begins to look when first asked. */
  "timeline/hits": { query: { query: string; from?: number | undefined; to?: number | undefined; width?: number | undefined }; answer: EventHits };
  /** A 2L program and how its run ends, once it was run; begins to run it when first asked. */
  "two_l": { query: Record<string, never>; answer: TwoL };
  /** The state of a 2L program after a step. */
  "two_l/state": { query: { step: number; cells?: number | undefined }; answer: TwoLState };
  /** The tape of a 2L program over a part of its run. */
  "two_l/tape": { query: { from: number; to: number; rows: number; first: number; cells: number; columns: number }; answer: Tape };
  /** The runs of one level in a part of the run of a 2L program. */
  "two_l/lane": { query: { level: number; from: number; to: number; width?: number | undefined }; answer: Lane };
  /** What is inferred, and how far; begins the work when first asked of a kernel trace. */
  "inference": { query: Record<string, never>; answer: Inference };
  /** Inferred events in an interval of time. */
  "inference/events": { query: { from?: number | undefined; to?: number | undefined }; answer: InferredEvents };
  /** One of them, with its alternatives. */
  "inference/event": { query: { number: number }; answer: InferredEvent };
  /** Losses in an interval of time that are too long for their events to be listed: who ran when, with which probability. */
  "inference/long": { query: { from?: number | undefined; to?: number | undefined }; answer: LongLosses };
  /** Those with a choice to make. */
  "inference/open": { query: { skip?: number | undefined; count?: number | undefined }; answer: OpenEvents };
  /** The file that `tracewright infer --choices` reads. */
  "inference/choices": { query: Record<string, never>; answer: string };
  /** Notes on the trace, and where they are saved. */
  "notes": { query: Record<string, never>; answer: Notes };
  /** Threads of a recording, once it has been read. */
  "play": { query: Record<string, never>; answer: Play };
  /** Chains of calls in the order of their first call, with the size of each bubble. */
  "play/contexts": { query: { thread: number }; answer: Contexts };
  /** What ran in the last call of a context before a position. */
  "play/last": { query: { thread: number; at: number; context: number }; answer: LastCall };
  /** The text of a method: source where it is found, else byte code. */
  "play/method": { query: { id: number }; answer: Method };
  /** The open calls at a position, and what ran in them. */
  "play/state": { query: { thread: number; at: number }; answer: State };
  /** The same one step on or back. */
  "play/step": { query: { thread: number; at: number; go: "next" | "back" | "over" | "backover" | "out" | "outback"; unfold?: string | undefined }; answer: State };
  /** When a line runs next. */
  "play/until": { query: { thread: number; at: number; method: number; line: number }; answer: Until };
  /** How deep the calls were, pixel by pixel. */
  "play/profile": { query: { thread: number; pixels: number }; answer: Profile };
  /** Where an iteration of a loop begins. */
  "play/iteration": { query: { thread: number; at: number; slot: number; iteration: number }; answer: IterationStart };
  /** The different iterations of a loop. */
  "play/variants": { query: { thread: number; at: number; slot: number }; answer: Variants };
  /** What ran, in so many scenes, once the recording has been read. */
  "story": { query: { entry?: string | undefined; scenes?: number | undefined; with?: string | undefined }; answer: StoryStatus };
  /** One scene: what ran in the call, its loops, its caller and what it called. */
  "story/scene": { query: { entry?: string | undefined; scenes?: number | undefined; with?: string | undefined; call: number }; answer: Scene };
  /** Methods that ran and have no scene, in the order of their first calls. */
  "story/untold": { query: { entry?: string | undefined; scenes?: number | undefined; with?: string | undefined; behind?: number | undefined }; answer: UntoldMethods };
  /** The first call of a method in which a line of it ran. */
  "story/call": { query: { entry?: string | undefined; method: number; line?: number | undefined }; answer: CallOfLine };
  /** Calls by their number. */
  "list": { query: { thread: number; from: number; count: number; position?: number | undefined; package?: string | undefined; first?: boolean | undefined }; answer: Calls };
  /** The next or previous match of a search. */
  "list/find": { query: { thread: number; at: number; query: string; position?: number | undefined; package?: string | undefined; first?: boolean | undefined; back?: boolean | undefined }; answer: Match };
  /** The threads of two recordings, side by side, once both have been read. */
  "compare": { query: Record<string, never>; answer: Compare };
  /** Calls of both sides beside each other, by their number. */
  "compare/rows": { query: { pair: number; from: number; count: number; position?: number | undefined }; answer: ComparedRows };
  /** The next or previous row where a difference begins. */
  "compare/find": { query: { pair: number; row?: number | undefined; back?: boolean | undefined }; answer: DifferenceFound };
  /** Where differences lie, for a strip of so many pixels. */
  "compare/profile": { query: { pair: number; pixels: number }; answer: DifferenceProfile };
  /** The text of the methods of one row, and how often each line ran in the two calls. */
  "compare/call": { query: { pair: number; row: number }; answer: ComparedCall };
  /** The threads of a recording over time, once it has been read for that. */
  "threads": { query: Record<string, never>; answer: Threads };
  /** The calls of a thread in a part of the time, each in the lane below the call around it, and when the thread ran. */
  "threads/calls": { query: { thread: number; from: number; to: number; pixels: number }; answer: TimedCalls };
  /** When a thread was at a position. */
  "threads/moment": { query: { thread: number; at: number }; answer: Moment };
}

/** Paths that change something: what is sent, and the answer. */
export interface Posts {
  /** Reads the input again; what is asked from now on is answered from that. */
  "read-again": { body: ReadAgain; answer: InputGrowth };
  /** Chooses a value; refused where it contradicts another choice. */
  "inference/choose": { body: Choice; answer: Inference };
  /** Takes the last choice back. */
  "inference/undo": { body: Undo; answer: Inference };
  /** Writes a note. */
  "notes/add": { body: NewNote; answer: Notes };
  /** Gives a note another text; refused where it was changed since it was read. */
  "notes/edit": { body: NoteEdit; answer: Notes };
  /** Removes a note; refused where it was changed since it was read. */
  "notes/remove": { body: NoteVersion; answer: Notes };
}
