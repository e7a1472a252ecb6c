// How long a story is to be: `50`, `50 scenes`, `5 minutes`, `all`.

/** Seconds that a scene is shown at normal speed. */
export const SECONDS = 6;
/** Scenes where nobody says how many. */
export const SCENES = 300;
const MOST = 5000;

/** The number of scenes; undefined: the text says nothing. */
export function scenesOf(text: string): number | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === "all") return MOST;
  const parts = /^(\d+(?:\.\d+)?)\s*(scenes?|s|sec|seconds?|m|min|minutes?|h|hours?)?$/.exec(wanted);
  const number = Number(parts?.[1]);
  if (!parts || !(number > 0)) return undefined;
  const unit = parts[2] ?? "scenes";
  const seconds = unit.startsWith("h") ? 3600 : unit.startsWith("m") ? 60 : 1;
  const scenes = unit.startsWith("scene") ? number : (number * seconds) / SECONDS;
  return Math.min(MOST, Math.max(1, Math.floor(scenes)));
}

/** `5 min` for 50 scenes. */
export function timeOf(scenes: number): string {
  const seconds = scenes * SECONDS;
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
