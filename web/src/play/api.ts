// How what the server says of calls and loops is written.
import { get } from "../lib/api";
import type { LoopState, Play } from "../lib/api.generated";

/** Classes that are ambiguous without their packages, and what they are written as. */
let labels = new Map<string, string>();

/** The recording, once it has been read; asked for before calls of it are shown. */
export async function askRecording(): Promise<Play> {
  const found = await get("play");
  labels = new Map(found.recording?.class_labels);
  return found;
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

/** `Oven` of `shop.Oven.bake`: the class without its package, unless others are called so too. */
export function simpleClass(of: { class: string }): string {
  return labels.get(of.class) ?? (of.class.split(".").pop() ?? of.class).replaceAll("$", ".");
}

/** `3 of 160`, and what is said of the last look at the condition. */
export function iterationOf(of: LoopState): string {
  const { iteration, rounds } = of;
  return iteration < rounds
    ? `${(iteration + 1).toLocaleString("en")} of ${rounds.toLocaleString("en")}`
    : `${rounds.toLocaleString("en")} done`;
}

/** The name of a loop in requests and addresses. */
export function loopKey(of: { method: number; loop: number | null }): string {
  return `${of.method}:${of.loop ?? "-"}`;
}
