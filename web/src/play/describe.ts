// What happens, in words: the sentence under the picture, which is also read aloud.

import { counted, grouped } from "../lib/format";
import type { Frame, State } from "../lib/api.generated";
import { title, iterationOf } from "./api";

/** What kind of thing happened: how the edge between two bubbles is drawn. */
export type Event = "call" | "library" | "return" | "throw" | "catch" | "step" | "begin" | "skip" | "lost" | "inferred";

export interface Description {
  event: Event;
  text: string;
}

function same(one: Frame | undefined, other: Frame | undefined): boolean {
  return !!one && !!other && one.method === other.method && one.begin === other.begin && one.depth === other.depth;
}

/** The same, with what was lost directly before, and at the beginning with what ran before that. */
export function describe(
  before: State | undefined,
  now: State,
  line: (method: number, block: number) => number | undefined,
  ranBefore: string | null = null,
): Description {
  const description = happened(before, now, line);
  if (description.event === "begin" && now.at === 0 && ranBefore)
    return { event: "begin", text: `${description.text} ${ranBefore}.` };
  if (now.lost == null && now.inferred) {
    const begins = before?.inferred?.begin !== now.inferred.begin;
    return {
      event: "inferred",
      text: `Inferred, not recorded: ${description.text}${begins ? ` ${now.inferred.text}.` : ""}`,
    };
  }
  if (now.lost == null && now.resumes) {
    const { begin, end, text } = now.resumes;
    // Where only the end of a call was lost, nothing ran that could be shown as inferred.
    const what = begin === end || before?.inferred?.begin !== begin ? ` ${text}.` : "";
    return { event: description.event, text: `Recorded again from here on. ${description.text}${what}` };
  }
  if (now.lost == null) return description;
  const lost = now.lost > 0 ? `${counted(now.lost, "record")} were lost` : "Something was lost";
  return { event: "lost", text: `${lost} just before this. ${description.text}` };
}

/** What led from one state to the next; `line` gives the line of a block of a method, if it is known. */
function happened(
  before: State | undefined,
  now: State,
  line: (method: number, block: number) => number | undefined,
): Description {
  const last = now.frames.at(-1);
  if (!last) return { event: "begin", text: "Nothing was recorded in this thread." };
  const where = last.block === null ? undefined : line(last.method, last.block);
  const here = where ? `line ${where} of ${title(last)}` : title(last);
  if (now.end) return { event: "begin", text: `This is the ${now.at === 0 ? "beginning" : "end"} of the recording.` };
  if (!before)
    return {
      event: "begin",
      text:
        now.at === 0
          ? `The recording begins in ${title(last)}. Space plays it, the arrow keys step.`
          : `Now at ${here}.`,
    };
  const left = before.frames.filter((frame) => frame.end <= now.at || frame.begin > now.at);
  const entered = now.frames.filter((frame) => !before.frames.some((other) => same(frame, other)));
  const skipped = now.skipped.reduce((sum, one) => sum + one.iterations, 0);
  const skip =
    skipped > 0 ? ` ${counted(skipped, "more iteration")} of the loop ${skipped === 1 ? "is" : "are"} skipped.` : "";
  if (now.at < before.at) return { event: "step", text: `Back at ${here}.` };
  const thrown = left.find((frame) => frame.left === "threw" && frame.end <= now.at);
  if (thrown && last.caught)
    return {
      event: "catch",
      text: `${title(thrown)} ends with an exception, and ${title(last)} catches it${where ? ` on line ${where}` : ""}.${skip}`,
    };
  if (thrown) return { event: "throw", text: `${title(thrown)} ends with an exception.${skip}` };
  if (last.caught) return { event: "catch", text: `An exception arrives at ${here}.${skip}` };
  const callee = entered.at(-1);
  if (callee && same(callee, last) && left.length === 0) {
    const caller = now.frames.at(-2);
    if (callee.how === "library")
      return {
        event: "library",
        text: `${caller ? title(caller) : "A library"} called a library, which calls ${title(callee)}.`,
      };
    if (callee.how === "unseen")
      return { event: "call", text: `${title(callee)} was running already when recording began.` };
    return { event: "call", text: caller ? `${title(caller)} calls ${title(callee)}.` : `${title(callee)} begins.` };
  }
  if (left.length > 0) {
    const names = left.map(title);
    const returned =
      names.length === 1 ? `${names[0]} returns` : `${names.at(-1)} returns through ${grouped(names.length)} calls`;
    if (callee) return { event: "call", text: `${returned}; next comes ${title(last)}.${skip}` };
    return { event: "return", text: `${returned} to ${here}.${skip}` };
  }
  if (skipped > 0) return { event: "skip", text: `${skip.trim()} Now at ${here}.` };
  const iteration = last.loops.findLast((one) => one.iterations > 1);
  const round = iteration ? `, iteration ${iterationOf(iteration)}` : "";
  return { event: "step", text: `${here.charAt(0).toUpperCase()}${here.slice(1)}${round}.` };
}
