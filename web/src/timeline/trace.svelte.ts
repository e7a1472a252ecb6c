// What the views of a trace share: what is known of it, which rows there are, what was inferred.
import { failed, get, post } from "../lib/api";
import type { FieldValue, Inference, Row, Timeline } from "../lib/api.generated";
import { clock, day } from "../lib/format";

class Trace {
  about: Timeline | undefined = $state.raw();
  rows: Row[] = $state.raw([]);
  inference: Inference | undefined = $state.raw();
  trouble = $state("");
  private users = 0;
  private timer = 0;

  /** Keeps itself up to date until the returned function is called. */
  follow(): () => void {
    this.users += 1;
    if (this.users === 1) void this.ask();
    return () => {
      this.users -= 1;
      if (this.users === 0) clearTimeout(this.timer);
    };
  }

  get isReading(): boolean {
    return this.about === undefined || this.about.phase === "running" || this.about.phase === "idle";
  }

  /** A moment in words: with its date where the trace goes over more than one day. */
  at(time: number): string {
    const start = this.about?.start ?? "0";
    const date = day(start, time);
    const isLong = day(start, 0) !== day(start, this.about?.length ?? 0);
    return isLong ? `${date} ${clock(start, time)}` : clock(start, time);
  }

  /** Changes when the server knows more, or something else was chosen. */
  get version(): string {
    return `${this.about?.events ?? 0} ${this.about?.states.length ?? 0} ${this.inference?.repaired ?? -1}`;
  }

  private async ask(): Promise<void> {
    clearTimeout(this.timer);
    try {
      // What was inferred first: a repaired layer brings states that the timeline then tells.
      const inference = this.about?.is_kernel && this.about.phase === "done" ? await get("inference") : undefined;
      const about = await get("timeline");
      const more = about.events !== this.about?.events || about.phase !== this.about?.phase;
      if (more && about.events > 0) this.rows = (await get("timeline/rows")).rows;
      this.about = about;
      this.trouble = about.failure ?? "";
      if (inference) this.inference = inference;
    } catch (error) {
      this.trouble = failed(error);
    }
    const infers = this.inference;
    const waits =
      infers === undefined
        ? this.about?.is_kernel && this.about.phase === "done"
        : infers.is_there && infers.phase !== "failed" && !infers.repair_failure && infers.repaired !== infers.revision;
    if (this.users > 0 && !this.trouble && (this.isReading || waits)) {
      const isFirst = (this.about?.events ?? 0) === 0;
      this.timer = window.setTimeout(() => void this.ask(), isFirst ? 60 : waits ? 120 : 400);
    }
  }

  /** Chooses a value; what contradicts is thrown as a sentence. */
  async choose(event: number, field: string, value: FieldValue): Promise<void> {
    this.inference = await post("inference/choose", { event, field, value });
    void this.ask();
  }

  async undo(): Promise<void> {
    this.inference = await post("inference/undo", {});
    void this.ask();
  }
}

export const trace = new Trace();
