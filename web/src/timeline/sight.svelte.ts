// Where the events that the search finds are, in the part of the trace that is shown and in all of it: counts for columns
// of the picture, so that it does not matter how many they are.
import { failed, Newest } from "../lib/api";
import type { EventHits } from "../lib/api.generated";
import type { Range } from "../lib/range";

/** How long is waited before asking again while there may be more, in milliseconds. */
const AGAIN = 300;

class Sight {
  /** Nothing where nothing is searched for, or where it is not known yet. */
  hits: EventHits | undefined = $state.raw();
  /** The range and the number of columns that they are of. */
  of: { range: Range; width: number } | undefined = $state.raw();
  trouble = $state("");
  private newest = new Newest();
  private timer = 0;
  private query = "";

  /** Asks for other ones, and again while the search goes on. */
  see(query: string, range: Range, width: number): void {
    clearTimeout(this.timer);
    if (query !== this.query) this.forget();
    this.query = query;
    if (query) void this.ask(range, width);
  }

  /** Asks nothing more, and knows nothing. */
  forget(): void {
    clearTimeout(this.timer);
    this.query = this.trouble = "";
    this.hits = this.of = undefined;
  }

  private async ask(range: Range, width: number): Promise<void> {
    const query = this.query;
    try {
      const { from, to } = { from: Math.floor(range.from), to: Math.ceil(range.to) };
      const found = await this.newest.ask("timeline/hits", { query, from, to, width });
      if (!found || query !== this.query) return;
      this.hits = found;
      this.of = { range: { from, to }, width };
      this.trouble = "";
      if (!found.is_over) this.timer = window.setTimeout(() => void this.ask(range, width), AGAIN);
    } catch (error) {
      // What is in sight is not known: those of another range would be wrong.
      if (query !== this.query) return;
      this.hits = this.of = undefined;
      this.trouble = failed(error);
    }
  }
}

export const sight = new Sight();
/** In the strip with all of the trace. */
export const everywhere = new Sight();
