// How what the server says of loops is written.
import type { Word } from "../lib/api.generated";

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
