// The user's notes on the trace or capture, which the server saves beside it. Other pages and programs may write there, too.
import { failed, get, post } from "../lib/api";
import type { NewNote, Note, Notes } from "../lib/api.generated";

/** What a note is about. */
export type About = Omit<NewNote, "text">;

class NoteBook {
  answer: Notes | undefined = $state.raw();
  /** Why the last thing that was asked for was not done. */
  trouble = $state("");
  /** What is being written, and which note it is to change. */
  draft = $state("");
  edited: Note | undefined = $state.raw();

  get all(): Note[] {
    return this.answer?.notes ?? [];
  }

  /** Reads them now, and when somebody comes back to this page, until the returned function is called. */
  follow(): () => void {
    const seen = () => {
      if (document.visibilityState === "visible") void this.read();
    };
    void this.read();
    addEventListener("focus", seen);
    document.addEventListener("visibilitychange", seen);
    return () => {
      removeEventListener("focus", seen);
      document.removeEventListener("visibilitychange", seen);
    };
  }

  async read(): Promise<void> {
    await this.change(() => get("notes"));
  }

  /** Writes the draft; `false` where that failed, and it is still there. */
  async add(about: About): Promise<boolean> {
    const text = this.draft;
    return this.drafted(() => post("notes/add", { ...about, text }));
  }

  /** Gives the edited note the text of the draft. */
  async save(): Promise<boolean> {
    const [note, text] = [this.edited, this.draft];
    if (!note) return false;
    return this.drafted(() => post("notes/edit", { id: note.id, revision: note.revision, text }));
  }

  edit(note: Note | undefined): void {
    this.edited = note;
    this.draft = note?.text ?? "";
    this.trouble = "";
  }

  async remove(note: Note): Promise<boolean> {
    return this.change(() => post("notes/remove", { id: note.id, revision: note.revision }));
  }

  /** Writes again what was removed. */
  async restore({ from, to, row, text }: Note): Promise<boolean> {
    return this.change(() => post("notes/add", { from, to: to ?? undefined, row: row ?? undefined, text }));
  }

  private async drafted(ask: () => Promise<Notes>): Promise<boolean> {
    const isDone = await this.change(ask);
    if (isDone) this.edit(undefined);
    return isDone;
  }

  private async change(ask: () => Promise<Notes>): Promise<boolean> {
    try {
      this.answer = await ask();
      this.trouble = "";
      return true;
    } catch (error) {
      this.trouble = failed(error);
      return false;
    }
  }
}

export const notes = new NoteBook();
