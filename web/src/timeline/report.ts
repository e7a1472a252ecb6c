// What is seen, as one HTML file that needs nothing else: the picture, and in words what happened in its time.
import type { Marks, Note, RangeSummary, StateNames } from "../lib/api.generated";
import { counted, duration, grouped } from "../lib/format";
import { shareText, sharesOf } from "./shares";
import { lossText } from "./signs";

export interface Seen {
  /** What the trace is called. */
  name: string;
  /** The page that shows the same, without a server or a token. */
  place: string;
  summary: RangeSummary;
  marks: Marks;
  /** Those on moments and ranges that are seen. */
  notes: Note[];
  states: StateNames[];
  /** A PNG as `data:` address, and how wide it is on the screen. */
  picture: string;
  width: number;
  /** Rows that are shown but not described. */
  more: number;
  /** How a state looks, as a background of CSS. */
  look: (state: StateNames, number: number) => string;
  /** A moment in words. */
  at: (time: number) => string;
}

/** Marks of each kind that are described. */
const MOST = 100;

/** Text of a trace as text: neither markup, nor signs that turn the direction of what follows. */
export function escaped(text: string): string {
  const signs: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g, "\ufffd")
    .replace(/[&<>"']/g, (sign) => signs[sign] ?? sign);
}

const table = (caption: string, head: string[], rows: string[][]) =>
  `<table><caption>${caption}</caption><thead><tr>${head.map((one) => `<th scope="col">${one}</th>`).join("")}</tr></thead><tbody>${rows
    .map(([first, ...rest]) => `<tr><th scope="row">${first}</th>${rest.map((one) => `<td>${one}</td>`).join("")}</tr>`)
    .join("\n")}</tbody></table>`;

const more = (count: number, noun: string) => (count > 0 ? `<p>${counted(count, noun)}.</p>` : "");

const STYLE = `body{max-width:1200px;margin:24px auto;padding:0 16px;font:14px/1.5 system-ui,sans-serif;color:#1b2330;background:#fff}
img{max-width:100%;border:1px solid #dfe3e8}table{margin:16px 0;border-collapse:collapse}caption{font-weight:600;text-align:left}
th,td{padding:2px 14px 2px 0;text-align:left;vertical-align:top;font-weight:400}thead th{color:#515c69}
.swatch{display:inline-block;width:14px;height:10px;margin:0 5px 0 10px;border:1px solid #dfe3e8}p.lost{color:#c02436}`;

export function report(seen: Seen): string {
  const { summary, marks, notes, states, at, look } = seen;
  const length = summary.to - summary.from;
  const share = (row: RangeSummary["rows"][number]) =>
    sharesOf(row, states, length)
      .map((one) => {
        const state = one.state === undefined ? undefined : states[one.state];
        const mark = state
          ? `<span class="swatch" style="background:${escaped(look(state, one.state ?? 0))}"></span>`
          : "";
        return mark + escaped(shareText(one, row.is_count));
      })
      .join(" ");
  const losses = marks.losses.slice(0, MOST).map((loss) => {
    const [from, to] = loss.intervals[0] ?? [null, null];
    const when = `${from === null ? "the beginning" : at(from)} to ${to === null ? "the end" : at(to)}`;
    return [
      escaped(lossText(loss)),
      escaped(loss.stream),
      escaped(when),
      loss.intervals.length > 1 ? `or in one of ${loss.intervals.length - 1} more intervals` : "",
    ];
  });
  const misfits = marks.incoherences
    .slice(0, MOST)
    .map((one) => [escaped(at(one.time)), escaped(one.event), escaped(one.sentence)]);
  const names = summary.names.map((one) => [escaped(one.name), grouped(one.count)]);
  const title = `${escaped(seen.name)}: ${duration(length)}`;
  const parts = [
    `<h1>${title}</h1>`,
    `<p>${escaped(at(summary.from))} to ${escaped(at(summary.to))}: ${counted(summary.events, "event")}. ${summary.is_whole ? "" : "The trace was still being read when this was made. "}<code>${escaped(seen.place)}</code></p>`,
    `<p><img src="${seen.picture}" width="${seen.width}" alt="States of the shown rows over time; the table below has them in numbers"></p>`,
    notes.length
      ? table(
          "Notes",
          ["When", "Row", "Note"],
          notes.map((note) => [
            escaped(`${at(note.from)}${note.to === null ? "" : ` to ${at(note.to)}`}`),
            escaped(note.row_name ?? ""),
            escaped(note.text).replaceAll("\n", "<br>"),
          ]),
        )
      : "",
    table(
      "States of the shown rows",
      ["Row", "Share"],
      summary.rows.map((row) => [escaped(row.name), share(row)]),
    ),
    more(seen.more, "more row"),
    table("Events by name", ["Event", "Count"], names),
    more(summary.all_names - names.length, "more name"),
    summary.all_losses === 0
      ? "<p>No declared loss touches this time.</p>"
      : table("Losses that touch this time", ["Lost", "Stream", "Between", ""], losses),
    summary.all_losses > losses.length ? `<p>${grouped(summary.all_losses - losses.length)} more losses.</p>` : "",
    misfits.length ? table("Events that do not fit", ["Time", "Event", "Why"], misfits) : "",
    marks.all_incoherences > misfits.length
      ? `<p>${grouped(marks.all_incoherences - misfits.length)} more do not fit.</p>`
      : "",
    summary.inferred && summary.inferred.all > 0
      ? table(
          "Inferred events: concluded, not recorded",
          ["Event", "Count"],
          summary.inferred.names.map((one) => [escaped(one.name), grouped(one.count)]),
        )
      : "",
  ];
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"><title>${title}</title><style>${STYLE}</style></head><body>\n${parts.filter(Boolean).join("\n")}\n</body></html>\n`;
}
