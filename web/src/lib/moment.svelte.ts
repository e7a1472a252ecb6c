// What a view of a capture shows now: a position in a thread, on which a note can be written from any view.

export interface Moment {
  /** The serial of the thread, and its name. */
  thread: number;
  name: string;
  /** The position, in blocks of the thread. */
  at: number;
  /** What runs there. */
  title: string;
}

class ShownMoment {
  current: Moment | undefined = $state.raw();

  /** Shows a moment until the returned function is called. */
  show(one: Moment | undefined): () => void {
    this.current = one;
    return () => {
      if (this.current === one) this.current = undefined;
    };
  }
}

export const moment = new ShownMoment();
