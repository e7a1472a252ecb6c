// Drawing something about with the pointer: what was taken hold of, how far it is now, and whether it was a click.

export interface Drawn<T> {
  /** What was there when it was taken hold of. */
  of: T;
  /** Pixels since then. */
  dx: number;
  dy: number;
}

export class Drag<T> {
  private held: { x: number; y: number; of: T } | undefined;
  private isMoved = false;

  /** `slack`: pixels by which a hand may tremble. */
  constructor(private readonly slack = 4) {}

  get isHeld(): boolean {
    return this.held !== undefined;
  }

  /** Takes hold; the pointer belongs to the element until it is let go. */
  take(event: PointerEvent, of: T): void {
    if (event.button !== 0) return;
    this.held = { x: event.clientX, y: event.clientY, of };
    this.isMoved = false;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  }

  /** How far it was drawn; nothing while it is not held or has hardly moved. */
  drawn(event: PointerEvent): Drawn<T> | undefined {
    if (!this.held) return undefined;
    const [dx, dy] = [event.clientX - this.held.x, event.clientY - this.held.y];
    if (Math.abs(dx) + Math.abs(dy) > this.slack) this.isMoved = true;
    return this.isMoved ? { of: this.held.of, dx, dy } : undefined;
  }

  /** Lets go; true where it was a click. */
  drop(): boolean {
    const isClick = this.held !== undefined && !this.isMoved;
    this.held = undefined;
    return isClick;
  }
}
