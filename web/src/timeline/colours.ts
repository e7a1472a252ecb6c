// Colours of states, and how doubt and inference are drawn: by pattern, never by colour alone.
import { isDark } from "../lib/canvas";
import type { StateNames } from "../lib/api.generated";

export type Pattern = "plain" | "unknown" | "doubt" | "inferred" | "inferred-doubt";

type Rgb = [number, number, number];

/** Light and dark. Threads: green runs, blue is in the kernel, orange waits for a CPU, grey for something else. */
const KNOWN: Record<string, [Rgb, Rgb]> = {
  run_user: [
    [52, 148, 92],
    [62, 160, 104],
  ],
  run_call: [
    [58, 118, 216],
    [76, 136, 230],
  ],
  ready: [
    [240, 168, 72],
    [214, 146, 58],
  ],
  ready_user: [
    [240, 168, 72],
    [214, 146, 58],
  ],
  ready_call: [
    [232, 138, 62],
    [200, 118, 52],
  ],
  preempted: [
    [240, 168, 72],
    [214, 146, 58],
  ],
  preempted_user: [
    [240, 168, 72],
    [214, 146, 58],
  ],
  preempted_call: [
    [232, 138, 62],
    [200, 118, 52],
  ],
  exiting: [
    [98, 112, 156],
    [84, 98, 142],
  ],
  exiting_ready: [
    [150, 150, 158],
    [58, 62, 70],
  ],
  exiting_preempted: [
    [150, 150, 158],
    [58, 62, 70],
  ],
  exiting_blocked: [
    [150, 150, 158],
    [58, 62, 70],
  ],
  blocked_user: [
    [206, 212, 220],
    [64, 71, 82],
  ],
  blocked_call: [
    [188, 198, 212],
    [76, 84, 98],
  ],
  dead: [
    [238, 239, 241],
    [31, 34, 40],
  ],
  idle: [
    [214, 220, 226],
    [58, 64, 74],
  ],
  busy: [
    [52, 148, 92],
    [62, 160, 104],
  ],
  none: [
    [232, 236, 240],
    [44, 49, 58],
  ],
  irq: [
    [200, 92, 160],
    [196, 98, 160],
  ],
  irq_in_irq: [
    [160, 60, 130],
    [170, 76, 140],
  ],
  softirq: [
    [222, 132, 176],
    [176, 96, 140],
  ],
  irq_in_softirq: [
    [180, 76, 150],
    [186, 88, 150],
  ],
};

const WORDS: Record<string, string> = {
  run_user: "runs",
  run_call: "runs in a system call",
  ready: "waits for a CPU",
  ready_user: "waits for a CPU",
  ready_call: "waits for a CPU, in a call",
  preempted: "waits for a CPU",
  preempted_user: "waits for a CPU, preempted",
  preempted_call: "waits for a CPU, preempted in a call",
  exiting: "ends",
  exiting_ready: "ends, and waits for a CPU",
  exiting_preempted: "ends, and waits for a CPU, preempted",
  exiting_blocked: "ends, and is blocked",
  blocked_user: "blocked",
  blocked_call: "blocked in a call",
  dead: "has ended",
  idle: "idle",
  busy: "busy",
  none: "no interrupt",
  irq: "interrupt",
  irq_in_irq: "interrupt in an interrupt",
  softirq: "soft interrupt",
  irq_in_softirq: "interrupt in a soft interrupt",
  irq_in_irq_in_softirq: "two interrupts in a soft one",
};

/** What a state is called in the legend. */
export function stateName(name: string): string {
  return WORDS[name] ?? name;
}

/** A state in words, doubt and inference included. */
export function stateText(state: StateNames): string {
  if (state.names.length === 0) return "not known: nothing is recorded of it here";
  const names = [...new Set(state.names.map(stateName))];
  const text = names.length > 4 ? `any of ${names.length} states` : names.join(" or ");
  return state.is_inferred ? `${text} (inferred)` : text;
}

export function patternOf(state: StateNames): Pattern {
  if (state.names.length === 0) return "unknown";
  const doubt = state.names.length !== 1;
  if (state.is_inferred) return doubt ? "inferred-doubt" : "inferred";
  return doubt ? "doubt" : "plain";
}

/** The ground of a state. In doubt it is pale, and only lines lie on it. */
export function groundOf(state: StateNames, number: number): Rgb {
  const dark = isDark();
  const name = state.names[0];
  if (state.names.length !== 1 || name === undefined) return dark ? [38, 42, 50] : [240, 241, 244];
  const known = KNOWN[name];
  if (known) return known[dark ? 1 : 0];
  const over = KNOWN.dead;
  if (state.is_over && over) return over[dark ? 1 : 0];
  return hueOf(number, dark);
}

function hueOf(number: number, dark: boolean): Rgb {
  const hue = (number * 137.508 + 205) % 360;
  const [s, l] = dark ? [0.42, 0.48] : [0.5, 0.62];
  const a = s * Math.min(l, 1 - l);
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** Between two events of a track nothing is known to happen: the colour of the last one, pale. */
export function paleOf(state: StateNames, number: number): Rgb {
  const to = isDark() ? 34 : 246;
  return groundOf(state, number).map((channel) => Math.round(channel * 0.22 + to * 0.78)) as Rgb;
}

/** The colour of the lines over the ground. */
export function lineOf(pattern: Pattern): Rgb {
  const dark = isDark();
  if (pattern === "doubt" || pattern === "unknown") return dark ? [120, 128, 142] : [164, 170, 182];
  return dark ? [206, 170, 255] : [122, 63, 196];
}

export function css(rgb: Rgb): string {
  return `rgb(${rgb[0]} ${rgb[1]} ${rgb[2]})`;
}

/** Whether black or white can be read on it. */
export function inkOn(rgb: Rgb): string {
  return rgb[0] * 0.299 + rgb[1] * 0.587 + rgb[2] * 0.114 > 140 ? "rgb(16 20 28)" : "rgb(255 255 255)";
}

/** A little picture of a state, for the legend: CSS background. */
export function swatch(state: StateNames, number: number): string {
  const ground = css(groundOf(state, number));
  const pattern = patternOf(state);
  if (pattern === "plain") return ground;
  const line = css(lineOf(pattern));
  if (pattern === "unknown") return `radial-gradient(circle, ${line} 1px, ${ground} 1.4px) 0 0 / 6px 6px`;
  const angle = pattern === "doubt" ? "135deg" : "45deg";
  return `repeating-linear-gradient(${angle}, ${line} 0 1.5px, ${ground} 1.5px 5.5px)`;
}
