// How what the server says of calls and loops is written.
import type { LoopState } from "../lib/api.generated";

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
