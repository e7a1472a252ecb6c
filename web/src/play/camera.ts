// The camera: which part of the stage is seen, and how it follows what runs.

import { type Box, GAP_X, HEAD } from "./layout";

/** A point of the stage at the upper left corner of the window, and how large a unit of it is. */
export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

export interface Size {
  w: number;
  h: number;
}

export const NEAREST = 2;
export const FARTHEST = 0.08;
/** From here the largest stage is seen as a whole. */
const ALL = 0.0005;
/** How small the text of what runs may become. */
const SMALLEST = 0.6;
const MARGIN = 44;

/** Zooms around a point of the window, which keeps its place. */
export function zoomed(camera: Camera, factor: number, px: number, py: number): Camera {
  const zoom = Math.min(NEAREST, Math.max(Math.min(FARTHEST, camera.zoom), camera.zoom * factor));
  return { zoom, x: camera.x + px / camera.zoom - px / zoom, y: camera.y + py / camera.zoom - py / zoom };
}

/** Moves by pixels of the window. */
export function panned(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x + dx / camera.zoom, y: camera.y + dy / camera.zoom };
}

/** All of these in sight. */
export function fitting(boxes: Box[], size: Size): Camera {
  if (boxes.length === 0) return { x: -MARGIN, y: -MARGIN, zoom: 1 };
  const left = Math.min(...boxes.map((box) => box.x));
  const top = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.w));
  const bottom = Math.max(...boxes.map((box) => box.y + box.h));
  const zoom = Math.min(
    1,
    Math.max(ALL, Math.min((size.w - 2 * MARGIN) / (right - left), (size.h - 2 * MARGIN) / (bottom - top))),
  );
  return {
    zoom,
    x: (left + right) / 2 - size.w / zoom / 2,
    y: (top + bottom) / 2 - size.h / zoom / 2,
  };
}

/**
 * The camera that shows the bubble in which something runs (`line` is the height of the line) and, if
 * it fits, its caller, or the place where that is drawn instead (`standIn`); it moves no more than that takes, so that
 * the eye is not led about.
 */
export function follow(camera: Camera, box: Box, caller: Box | undefined, line: number, size: Size): Camera {
  let { x, y } = camera;
  let zoom = Math.min(1.15, Math.max(SMALLEST, camera.zoom));
  const callerLeft = caller && (isBeside(caller, box, size) ? caller.x : box.x - GAP_X - caller.w);
  const both = callerLeft === undefined ? box.w : box.x + box.w - callerLeft;
  // Somewhat smaller, where that brings the caller in.
  if (both * zoom > size.w - 2 * MARGIN) zoom = Math.max(SMALLEST, Math.min(zoom, (size.w - 2 * MARGIN) / both));
  const fits = both * zoom <= size.w - 2 * MARGIN;
  if (zoom !== camera.zoom) {
    x += size.w / 2 / camera.zoom - size.w / 2 / zoom;
    y += size.h / 2 / camera.zoom - size.h / 2 / zoom;
  }
  const room = { w: size.w / zoom, h: size.h / zoom };
  const margin = MARGIN / zoom;
  const left = fits && callerLeft !== undefined ? callerLeft : box.x;
  const right = box.x + box.w;
  if (right + margin > x + room.w) x = right + margin - room.w;
  if (left - margin < x) x = left - margin;
  // The whole bubble where it fits, else the line with some rows around it.
  const whole = box.h + 2 * margin <= room.h;
  let top = whole ? box.y : Math.max(box.y, line - room.h / 3);
  let bottom = whole ? box.y + box.h : Math.min(box.y + box.h, line + room.h / 3);
  // The caller too, where there is room for both.
  if (fits && caller && caller.x === callerLeft) {
    const [highest, lowest] = [Math.min(top, caller.y), Math.max(bottom, caller.y + caller.h)];
    if (lowest - highest + 2 * margin <= room.h) [top, bottom] = [highest, lowest];
  }
  if (bottom + margin > y + room.h) y = bottom + margin - room.h;
  if (top - margin < y) y = top - margin;
  return { x, y, zoom };
}

/** Whether a window of this size can show a bubble and its caller to the left of it where they are. */
function isBeside(caller: Box, box: Box, size: Size): boolean {
  return caller.x < box.x && (box.x + box.w - caller.x) * SMALLEST <= size.w - 2 * MARGIN;
}

/**
 * Where the caller of a bubble is drawn if its own place is not in sight: to the left of the bubble, the line that calls
 * (`line` below the upper edge) level with the bubble's head, as far as the window has room for it.
 */
export function standIn(camera: Camera, size: Size, box: Box, caller: Box, line: number): Box | undefined {
  const window = { right: camera.x + size.w / camera.zoom, bottom: camera.y + size.h / camera.zoom };
  const isInSight =
    caller.x >= camera.x &&
    caller.y >= camera.y &&
    caller.x + caller.w <= window.right &&
    caller.y + caller.h <= window.bottom;
  if (isInSight) return undefined;
  const margin = MARGIN / 2 / camera.zoom;
  const lowest = window.bottom - margin - caller.h;
  const y = Math.max(camera.y + margin, Math.min(lowest, box.y + HEAD / 2 - line));
  return { ...caller, x: box.x - GAP_X - caller.w, y };
}

/** Whether two bubbles would cover each other. */
export function overlap(one: Box, other: Box): boolean {
  const isApart =
    one.x + one.w <= other.x || other.x + other.w <= one.x || one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !isApart;
}

/** Whether a bubble is in sight, or so near that a small move of the camera would show it. */
export function near(camera: Camera, size: Size, box: Box, margin = 0.6): boolean {
  const [w, h] = [size.w / camera.zoom, size.h / camera.zoom];
  const inX = box.x + box.w >= camera.x - w * margin && box.x <= camera.x + w * (1 + margin);
  return inX && box.y + box.h >= camera.y - h * margin && box.y <= camera.y + h * (1 + margin);
}
