// Drawing on a canvas: sharp on every screen, in the colours of the page.

const resolved = new Map<string, string>();
let probe: HTMLElement | undefined;

/** A colour of the theme, as a canvas understands it. */
export function ink(name: string): string {
  const known = resolved.get(name);
  if (known) return known;
  if (!probe) {
    probe = document.createElement("span");
    probe.hidden = true;
    // A canvas is painted in our colours also where the system forces its own: else all of them would be one.
    probe.style.setProperty("forced-color-adjust", "none");
    document.body.append(probe);
  }
  probe.style.color = `var(--${name})`;
  const colour = getComputedStyle(probe).color;
  resolved.set(name, colour);
  return colour;
}

/** Calls back when the colours of the theme change. */
export function onTheme(changed: () => void): () => void {
  const forget = () => {
    resolved.clear();
    patterns.clear();
    changed();
  };
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", forget);
  const watcher = new MutationObserver(forget);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => {
    media.removeEventListener("change", forget);
    watcher.disconnect();
  };
}

/** Calls back when the element got another size, and when the colours of the theme change, until it is called itself. */
export function watch(element: Element, sized: () => void, themed: () => void): () => void {
  const watcher = new ResizeObserver(sized);
  watcher.observe(element);
  const free = onTheme(themed);
  return () => {
    watcher.disconnect();
    free();
  };
}

/** Whether the dark theme is in force. */
export function isDark(): boolean {
  const said = document.documentElement.dataset.theme;
  return said ? said === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Gives the canvas as many pixels as the screen has for it; drawing is in CSS pixels. */
export function fit(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | undefined {
  const ratio = devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const pen = canvas.getContext("2d");
  if (!pen) return undefined;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}

const patterns = new Map<string, CanvasPattern | string>();

/** Slanted lines of `line` over `ground`: what is not certain, or not observed, is never shown by colour alone. */
export function hatch(
  pen: CanvasRenderingContext2D,
  ground: string,
  line: string,
  slant: "/" | "\\" = "/",
): CanvasPattern | string {
  const key = `${ground} ${line} ${slant}`;
  const known = patterns.get(key);
  if (known) return known;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const brush = tile.getContext("2d");
  if (!brush) return ground;
  brush.fillStyle = ground;
  brush.fillRect(0, 0, 8, 8);
  brush.strokeStyle = line;
  brush.lineWidth = 2;
  brush.beginPath();
  for (const shift of [-8, 0, 8]) {
    if (slant === "/") {
      brush.moveTo(shift - 1, 9);
      brush.lineTo(shift + 9, -1);
    } else {
      brush.moveTo(shift - 1, -1);
      brush.lineTo(shift + 9, 9);
    }
  }
  brush.stroke();
  const made = pen.createPattern(tile, "repeat") ?? ground;
  patterns.set(key, made);
  return made;
}

/** Colours for things that have no colour of their own: far apart, the same for the same number, and never red. */
export function kindColour(number: number, strength: "full" | "soft" = "full"): string {
  const hue = 40 + ((number * 0.618034 + 0.56) % 1) * 280;
  const dark = isDark();
  if (strength === "soft") return `hsl(${hue} 30% ${dark ? 24 : 91}%)`;
  return `hsl(${hue} ${dark ? 45 : 55}% ${dark ? 46 : 72}%)`;
}

const widths = new Map<string, number>();

/** The text as far as it fits, or nothing. */
export function fitting(pen: CanvasRenderingContext2D, text: string, room: number): string {
  if (room < 8) return "";
  const key = `${pen.font} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  if (width <= room) return text;
  const letters = Math.floor((room / width) * text.length) - 1;
  return letters >= 2 ? `${text.slice(0, letters)}…` : "";
}

/** Asks for one drawing before the next frame, however often it is called. */
export function onceAFrame(draw: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}
