// Requests that failed. A failed request says nothing about the trace, so whoever asked shows nothing of it, and the
// frame says above every view that it failed and why, until it is tried again.

export interface Failure {
  /** The part of the API that was asked. */
  path: string;
  /** Why there is no answer, as a sentence. */
  reason: string;
}

class Failures {
  all: Failure[] = $state.raw([]);
  /** Grows when everything is to be asked again. */
  tries = $state(0);

  /** The reasons, each once. */
  get reasons(): string[] {
    return [...new Set(this.all.map((one) => one.reason))];
  }

  note(path: string, reason: string): void {
    this.all = [...this.all.filter((one) => one.path !== path), { path, reason }];
  }

  /** It was answered after all. */
  forget(path: string): void {
    if (this.all.some((one) => one.path === path)) this.all = this.all.filter((one) => one.path !== path);
  }

  tryAgain(): void {
    this.all = [];
    this.tries++;
  }
}

export const failures = new Failures();
