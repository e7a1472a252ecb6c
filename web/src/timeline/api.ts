// What the views of a trace share besides the answers of the server.
import type { FieldValue, Gets, InferredField } from "../lib/api.generated";
import { share } from "../lib/format";

/** Which states are shown. */
export type Layer = NonNullable<Gets["timeline/states"]["query"]["layer"]>;

/** A value with its probability, where it is weighed: `4711 (0.25)`. */
export function weighed(field: InferredField, value: FieldValue | null): string {
  if (value === null) return "not known";
  const probability = field.probabilities[field.alternatives.indexOf(value)];
  return probability === undefined ? String(value) : `${value} (${share(probability)})`;
}
