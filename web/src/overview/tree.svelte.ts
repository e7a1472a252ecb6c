// The folded tree as far as it was opened: what is inside a line is asked for when somebody opens it.

import { failed, get } from "../lib/api";
import type { FoldedLine, Whole } from "../lib/api.generated";
import { counted } from "../lib/format";

/** What stands in a row of the tree. */
export interface Label {
  title: string;
  /** The class of a method; what else belongs to the title. */
  beside?: string;
  /** Where it is in the source. */
  place?: string;
  /** The lines that call it. */
  from?: number[];
  /** How often; left out where that is what one expects. */
  times?: number;
  /** In small letters. */
  notes?: string[];
  tone?: "section" | "loop" | "bad" | "quiet";
  calls?: number;
  blocks?: number;
}

type Load = (this: Node, from: number) => Promise<{ children: Node[]; total: number }>;

/** What a node has from its beginning, where it has it. */
interface Given {
  /** The method that it is about, whose page it leads to. */
  method?: number;
  /** The number of a line, where it has one of its own. */
  line?: string;
  /** Equal for lines that did exactly the same. */
  same?: number;
  /** Asks for children from a number on; what opens has it, or children. */
  load?: Load;
}

export class Node {
  readonly depth: number;
  isOpen = $state(false);
  children: Node[] | undefined = $state.raw();
  /** Children in all, also those that are not there yet. */
  total = $state(0);
  /** Whether children are being asked for, or why they could not be. */
  isAsking = $state(false);
  trouble = $state("");

  constructor(
    /** Of the line, or of a part of the overview. */
    readonly id: string,
    readonly parent: Node | undefined,
    readonly label: Label,
    readonly given: Given = {},
  ) {
    this.depth = parent ? parent.depth + 1 : 0;
  }

  get opens(): boolean {
    return this.given.load !== undefined || (this.children?.length ?? 0) > 0;
  }
}

/** Children that are asked for at a time. */
const PAGE = 200;

const left = { returned: "", threw: "✕ threw", unseen: "end not seen", open: "still open at the end" };
const how = { call: "", library: "via library", outermost: "", unseen: "beginning not seen" };

/** A line of the server as a node. */
export function lineNode(line: FoldedLine, parent: Node | undefined): Node {
  const isCall = line.kind === "call" || line.kind === "within";
  const notes = [line.note || (line.how ? how[line.how] : ""), line.kind === "within" ? "recursion" : ""];
  const label: Label = {
    title: line.title,
    // The file says it already.
    beside: line.place.startsWith(`${line.class}.`) ? "" : line.class,
    place: line.place,
    from: line.from,
    notes: notes.filter((note) => note !== ""),
    calls: line.calls,
    blocks: line.blocks,
  };
  if (line.kind === "thread" ? false : isCall || line.kind === "caught" ? line.times !== line.around : true)
    label.times = line.times;
  if (line.kind === "loop" || line.kind === "variant" || line.kind === "recursion") label.tone = "loop";
  if (line.kind === "caught" || line.kind === "gap" || line.left === "threw") label.tone = "bad";
  if (line.kind === "more" || line.kind === "within") label.tone = "quiet";
  if (line.left && left[line.left]) label.notes?.push(left[line.left]);
  return new Node(line.id, parent, label, {
    line: line.id,
    ...(line.method !== null && { method: line.method }),
    ...(line.same !== null && { same: line.same }),
    ...(line.opens && { load: insideOf(line.id) }),
  });
}

/** The lines inside a line. */
function insideOf(entry: string): Load {
  return async function (from) {
    const answer = await get("overview/inside", { entry, from, count: PAGE });
    return { children: answer.lines.map((one) => lineNode(one, this)), total: answer.total };
  };
}

/** All calls of a method, folded. */
export function callsNode(method: number, parent: Node | undefined, label: Label): Node {
  const id = `m${method}`;
  return new Node(id, parent, label, { method, line: id, load: insideOf(id) });
}

const began = {
  main: "the program",
  request: "requests",
  test: "a test",
  task: "a task of a thread",
  outermost: "called by nothing that was recorded",
};

/** The parts of the overview. */
export function sections(whole: Whole): Node[] {
  const section = (id: string, title: string, notes: string[], make: (parent: Node) => Node[]): Node => {
    const parent = new Node(id, undefined, { title, notes, tone: "section" });
    parent.isOpen = true;
    parent.children = make(parent);
    parent.total = parent.children.length;
    return parent;
  };
  const exceptions = (id: string, title: string, all: Whole["thrown"]) =>
    section(id, title, [counted(all.length, "place")], (parent) =>
      all.map(
        (one, index) =>
          new Node(
            `${id}.${index}`,
            parent,
            { title: one.title, beside: one.class, place: one.place, times: one.times, tone: "bad" },
            { method: one.method, line: `m${one.method}` },
          ),
      ),
    );
  const parts = [
    section("beginnings", "Where it begins", [], (parent) =>
      whole.beginnings.map((one) =>
        callsNode(one.method, parent, {
          title: one.title,
          beside: one.class,
          notes: [began[one.kind]],
          times: one.calls,
          blocks: one.blocks,
        }),
      ),
    ),
    section("threads", "Threads", [counted(whole.threads, "thread")], (parent) =>
      whole.kinds.map((one) => lineNode(one, parent)),
    ),
    section("packages", "Packages", ["by the blocks that ran in their own methods"], (parent) =>
      whole.packages.map((one) => packageNode(one, parent)),
    ),
  ];
  if (whole.thrown.length > 0) parts.push(exceptions("thrown", "Exceptions came from", whole.thrown));
  if (whole.caught.length > 0) parts.push(exceptions("caught", "Exceptions were caught", whole.caught));
  if (whole.missing.length > 0)
    parts.push(
      section("missing", "What is missing", [], (parent) =>
        whole.missing.map((title, index) => new Node(`missing.${index}`, parent, { title, tone: "bad" })),
      ),
    );
  for (const part of parts)
    if (part.id === "packages" || part.id === "caught" || part.id === "thrown") part.isOpen = false;
  return parts;
}

function packageNode(one: Whole["packages"][number], parent: Node): Node {
  const notes = [counted(one.ran, "method")];
  const label = { title: one.package || "no package", notes, calls: one.calls, blocks: one.blocks };
  return new Node(`package ${one.package}`, parent, label, {
    async load(this: Node) {
      const { methods } = await get("overview/classes", { package: one.package });
      const children = methods.map(({ method, title, class: beside, calls, blocks }) =>
        callsNode(method, this, { title, beside, times: calls, blocks }),
      );
      return { children, total: children.length };
    },
  });
}

/** The rows that are seen, and which of them is selected. */
export class Tree {
  roots: Node[] = $state.raw([]);
  rows: Node[] = $state.raw([]);
  selected: Node | undefined = $state.raw();

  constructor(roots: Node[] = []) {
    this.show(roots);
  }

  show(roots: Node[]): void {
    this.roots = roots;
    this.selected = undefined;
    this.refresh();
  }

  /** After a node was changed. */
  private refresh(): void {
    const rows: Node[] = [];
    const waiting = [...this.roots].reverse();
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      rows.push(next);
      if (next.isOpen && next.children)
        for (let at = next.children.length - 1; at >= 0; at--) waiting.push(next.children[at] as Node);
    }
    this.rows = rows;
  }

  get index(): number {
    return this.selected ? this.rows.indexOf(this.selected) : -1;
  }

  select(index: number): void {
    this.selected = this.rows[Math.min(Math.max(0, index), this.rows.length - 1)];
  }

  async open(of: Node): Promise<void> {
    if (!of.opens) return;
    of.isOpen = true;
    if (!of.children || of.trouble) await this.more(of);
    else this.refresh();
  }

  /** The next children; that they could not be had is said at their place. */
  async more(of: Node): Promise<void> {
    if (!of.given.load || of.isAsking) return;
    of.isAsking = true;
    of.trouble = "";
    this.refresh();
    try {
      const known = of.children ?? [];
      const { children, total } = await of.given.load.call(of, known.length);
      of.children = [...known, ...children];
      of.total = total;
    } catch (error) {
      of.trouble = failed(error);
    }
    of.isAsking = false;
    this.refresh();
  }

  close(of: Node): void {
    of.isOpen = false;
    if (this.selected && isIn(this.selected, of)) this.selected = of;
    this.refresh();
  }

  /** Opens the way to a line by the ids of the lines on it, and selects the last that is there. */
  async reveal(ids: string[]): Promise<void> {
    let among = this.roots;
    for (const root of this.roots)
      if (root.children?.some((one) => one.id === ids[0])) {
        root.isOpen = true;
        among = root.children;
        break;
      }
    for (const [at, id] of ids.entries()) {
      const around: Node | undefined = among[0]?.parent;
      let found = among.find((one) => one.id === id);
      while (!found && around && around.children && around.children.length < around.total && !around.trouble) {
        await this.more(around);
        found = around.children.find((one) => one.id === id);
      }
      if (!found) break;
      this.selected = found;
      if (at < ids.length - 1) {
        await this.open(found);
        among = found.children ?? [];
      }
    }
    this.refresh();
  }
}

function isIn(one: Node, around: Node): boolean {
  for (let at: Node | undefined = one; at; at = at.parent) if (at === around) return true;
  return false;
}

/** The ids on the way to a line: `k0`, `k0.3`, `k0.3.1`. */
export function wayTo(id: string): string[] {
  const parts = id.split(".");
  return parts.map((_, at) => parts.slice(0, at + 1).join("."));
}
