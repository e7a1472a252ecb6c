// Java source as coloured pieces of text. The pieces are put into the page as text and never as markup.

import { parser } from "@lezer/java";
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";

export interface Piece {
  text: string;
  /** A class of the style sheet; empty for plain text. */
  kind: string;
}

const kinds = tagHighlighter([
  { tag: tags.keyword, class: "hl-word" },
  { tag: [tags.string, tags.character], class: "hl-text" },
  { tag: [tags.number, tags.bool, tags.null], class: "hl-value" },
  { tag: [tags.lineComment, tags.blockComment, tags.comment], class: "hl-note" },
  { tag: [tags.typeName, tags.className, tags.standard(tags.typeName)], class: "hl-type" },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.function(tags.definition(tags.variableName)),
    ],
    class: "hl-name",
  },
  { tag: [tags.annotation, tags.modifier], class: "hl-word" },
]);

const known = new WeakMap<object, Piece[][]>();

/** The rows of a method in pieces, worked out once: bubbles come and go while the position is drawn about. */
export function piecesOf(method: { source: boolean; rows: { text: string }[] }): Piece[][] {
  let found = known.get(method);
  if (!found) {
    const lines = method.rows.map((row) => row.text);
    found = method.source
      ? pieces(lines)
      : lines.map((text) => [{ text, kind: text.startsWith("//") ? "hl-note" : "" }]);
    known.set(method, found);
  }
  return found;
}

/** The lines in pieces. A method alone is no whole file, so it is read as the inside of a class. */
export function pieces(lines: string[]): Piece[][] {
  const before = "class A {\n";
  const text = `${before}${lines.join("\n")}\n}`;
  const out: Piece[][] = lines.map(() => []);
  const starts: number[] = [];
  let at = before.length;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  let line = 0;
  let done = before.length;
  const put = (upto: number, kind: string) => {
    while (done < upto && line < lines.length) {
      const end = (starts[line] ?? 0) + (lines[line]?.length ?? 0);
      const stop = Math.min(upto, end);
      if (stop > done) out[line]?.push({ text: text.slice(done, stop), kind });
      done = Math.max(done, stop);
      if (upto > end) {
        line++;
        done = Math.max(done, end + 1);
      } else break;
    }
  };
  highlightTree(parser.parse(text), kinds, (from, to, kind) => {
    if (to <= before.length) return;
    put(Math.max(from, before.length), "");
    put(to, kind);
  });
  put(text.length - 2, "");
  return out;
}
