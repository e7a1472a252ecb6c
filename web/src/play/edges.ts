// The lines between bubbles: out of the calling line into the head of the callee, and back.

import type { Event } from "./describe";
import { anchor, HEAD, type Box } from "./layout";

export interface Line {
  from: { x: number; y: number };
  to: { x: number; y: number };
}

/** The way of a call: from the line at the caller's right edge to the callee's head. */
export function callLine(caller: Box, row: number | null, scrolled: number, callee: Box): Line {
  return {
    from: { x: caller.x + caller.w, y: anchor(caller, row, scrolled) },
    to: { x: callee.x, y: callee.y + HEAD / 2 - 4 },
  };
}

/** The way of a call that goes back to a bubble further left, as mutual recursion does: from the line's left edge. */
export function againLine(caller: Box, row: number | null, scrolled: number, callee: Box): Line {
  return {
    from: { x: caller.x, y: anchor(caller, row, scrolled) },
    to: { x: callee.x + callee.w, y: callee.y + HEAD / 2 - 4 },
  };
}

/** The way back, a little below. */
export function returnLine(caller: Box, row: number | null, scrolled: number, callee: Box): Line {
  return {
    from: { x: callee.x, y: callee.y + HEAD / 2 + 8 },
    to: { x: caller.x + caller.w, y: anchor(caller, row, scrolled) + 6 },
  };
}

/** As an SVG path: level at both ends. */
export function path({ from, to }: Line): string {
  const bend = Math.max(28, Math.abs(to.x - from.x) / 2);
  const way = to.x >= from.x ? 1 : -1;
  return `M${from.x} ${from.y}C${from.x + way * bend} ${from.y} ${to.x - way * bend} ${to.y} ${to.x} ${to.y}`;
}

/** Which lines flash for what just happened. */
export function flashes(event: Event): "call" | "return" | "throw" | "none" {
  switch (event) {
    case "call":
    case "library":
      return "call";
    case "return":
      return "return";
    case "throw":
    case "catch":
      return "throw";
    default:
      return "none";
  }
}
