// The address: where Play stands, so that a copied address opens the same picture.

import type { Camera } from "./camera";

export interface Link {
  thread: number | undefined;
  at: number;
  /** Loops that are played iteration by iteration, by `method:loop`. */
  unfold: string[];
  /** Whether a recursion has one bubble. */
  recursion: boolean;
  /** Bubbles that stay, by context. */
  pinned: number[];
  /** Bubbles whose calls are put away, by context. */
  closed: number[];
  /** Undefined: the camera follows. */
  camera: Camera | undefined;
}

const MOST = 200;

function whole(text: string | undefined): number | undefined {
  const number = Number(text);
  return text && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function list(text: string | undefined): number[] {
  return (text ?? "")
    .split(".")
    .map(whole)
    .filter((number) => number !== undefined)
    .slice(0, MOST);
}

/** What an address says; what it says badly is left out. */
export function fromParams(params: Record<string, string>): Link {
  const camera = (params.camera ?? "").split(",").map(Number);
  const [x, y, zoom] = camera;
  const sound = camera.length === 3 && camera.every(Number.isFinite) && zoom !== undefined && zoom > 0.01 && zoom < 10;
  const unfold = params.unfold ?? "";
  return {
    thread: whole(params.thread),
    at: whole(params.at) ?? 0,
    unfold:
      unfold === "all"
        ? ["all"]
        : unfold
            .split(",")
            .filter((key) => /^\d+:(\d+|-)$/.test(key))
            .slice(0, MOST),
    recursion: params.recursion !== "open",
    pinned: list(params.pin),
    closed: list(params.shut),
    camera: sound ? { x: x ?? 0, y: y ?? 0, zoom } : undefined,
  };
}

/** The other way; an empty text takes a member out of the address. */
export function toParams(link: Link): Record<string, string> {
  const { camera } = link;
  return {
    thread: link.thread === undefined ? "" : String(link.thread),
    at: String(link.at),
    unfold: link.unfold.join(","),
    recursion: link.recursion ? "" : "open",
    pin: link.pinned.join("."),
    shut: link.closed.join("."),
    camera: camera ? `${camera.x.toFixed(2)},${camera.y.toFixed(2)},${camera.zoom.toFixed(5)}` : "",
  };
}
