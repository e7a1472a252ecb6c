// The keyboard: each view says which keys it takes and what they do, and the help sheet lists them.

export interface Key {
  /** As `KeyboardEvent.key` calls it; several for the same; `Shift+` in front where it matters. */
  keys: string[];
  /** What it does, for the help sheet. */
  does: string;
  run: (event: KeyboardEvent) => void;
}

interface Sheet {
  title: string;
  keys: Key[];
}

class Keyboard {
  sheets: Sheet[] = $state([]);

  /** Takes keys until the returned function is called. */
  take(title: string, keys: Key[]): () => void {
    const sheet = { title, keys };
    this.sheets = [...this.sheets, sheet];
    return () => {
      this.sheets = this.sheets.filter((other) => other.title !== title);
    };
  }

  handle(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement | null;
    const writes = target?.closest(
      "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]",
    );
    if (writes) return;
    // A dialog has its own keys, and a button its own Enter and Space.
    if (document.querySelector("dialog[open]")) return;
    if (target?.closest("button, a, summary, [role=tab]") && (event.key === "Enter" || event.key === " ")) return;
    const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
    for (const sheet of [...this.sheets].reverse()) {
      const key = sheet.keys.find((key) => key.keys.includes(name));
      if (key) {
        event.preventDefault();
        key.run(event);
        return;
      }
    }
  }
}

export const keyboard = new Keyboard();

/** A key as it is printed on keyboards. */
export function shown(key: string): string {
  const names: Record<string, string> = {
    ArrowLeft: "←",
    ArrowRight: "→",
    ArrowUp: "↑",
    ArrowDown: "↓",
    " ": "Space",
    Escape: "Esc",
    PageUp: "PgUp",
    PageDown: "PgDn",
  };
  if (key === "+") return key;
  return key
    .split("+")
    .map((part) => names[part] ?? part)
    .join(" ");
}
