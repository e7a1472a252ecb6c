// Waiting for answers that take long. The server counts those that are there; one question for the next one is held for all
// that wait, because a browser has only six connections for all pages of a server.

/** How long is waited where the question itself fails, in milliseconds: then the answer is asked for, and that says why. */
const AGAIN = 500;

export class Waiting {
  /** How many answers the server is known to have finished. */
  private count = 0;
  private waiters = 0;
  private held: { question: Promise<void>; control: AbortController } | undefined;

  /** `ask`: the number of finished answers once it is above `after`, or after a while. */
  constructor(private readonly ask: (after: number, signal: AbortSignal) => Promise<number>) {}

  /** Until more answers than `count` may be there. */
  async after(count: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.count = Math.max(this.count, count);
    if (count < this.count) return;
    this.held ??= this.hold();
    const { question } = this.held;
    this.waiters++;
    try {
      await (signal ? Promise.race([question, abortion(signal)]) : question);
    } finally {
      this.waiters--;
      // Nobody waits any more: the connection is free for others.
      if (this.waiters === 0) {
        this.held?.control.abort();
        this.held = undefined;
      }
    }
  }

  private hold(): { question: Promise<void>; control: AbortController } {
    const control = new AbortController();
    const question = this.ask(this.count, control.signal)
      .then((count) => {
        this.count = Math.max(this.count, count);
      })
      .catch(() => new Promise<void>((later) => setTimeout(later, control.signal.aborted ? 0 : AGAIN)))
      .finally(() => {
        if (this.held?.control === control) this.held = undefined;
      });
    return { question, control };
  }
}

/** Fails when the signal is given. */
function abortion(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason), { once: true }));
}
