// Numbers and moments as people read them.

/** `1,234,567` */
export function grouped(number: number): string {
  return Math.round(number).toLocaleString("en");
}

/** `3 events` */
export function counted(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** At most four letters: `12`, `1.2k`, `340M`. */
export function short(count: number): string {
  for (const [unit, size] of [
    ["G", 1e9],
    ["M", 1e6],
    ["k", 1e3],
  ] as const) {
    if (count >= size) return `${count / size < 10 ? (count / size).toFixed(1) : Math.round(count / size)}${unit}`;
  }
  return String(count);
}

/** How probable, as the command line says it: `0.250`. */
export function share(probability: number): string {
  return probability < 0.0005 ? "under 0.001" : probability.toFixed(3);
}

/** A length of time: `1.24 ms`. */
export function duration(ns: number): string {
  const size = Math.abs(ns);
  for (const [unit, length] of [
    ["h", 3600e9],
    ["min", 60e9],
    ["s", 1e9],
    ["ms", 1e6],
    ["µs", 1e3],
  ] as const) {
    if (size >= length) return `${trim(ns / length)} ${unit}`;
  }
  return `${Math.round(ns)} ns`;
}

function trim(number: number): string {
  return Number(number.toPrecision(4)).toString();
}

/** The moment `offset` nanoseconds after `start` (nanoseconds since 1970, as text). */
function moment(start: string, offset: number): { second: number; rest: number } {
  const time = BigInt(start) + BigInt(Math.round(offset));
  let rest = time % 1_000_000_000n;
  if (rest < 0n) rest += 1_000_000_000n;
  return { second: Number((time - rest) / 1_000_000_000n), rest: Number(rest) };
}

/** A trace that begins earlier has a clock that counts from when its machine started, or from nothing in particular. */
const DATED = 365n * 86_400n * 1_000_000_000n;

/** Whether the clock of a trace that begins at `start` tells the date. */
export function isDated(start: string): boolean {
  return BigInt(start) >= DATED && !Number.isNaN(new Date(moment(start, 0).second * 1000).getTime());
}

/** `17:24:26.543 921 899`; with fewer digits where `step` says that they do not matter. Without a date hours go on. */
export function clock(start: string, offset: number, step = 1): string {
  const { second, rest } = moment(start, offset);
  const date = new Date(second * 1000);
  if (Number.isNaN(date.getTime())) return `${BigInt(start) + BigInt(Math.round(offset))} ns`;
  const isLong = second >= 86_400 && !isDated(start);
  const day = isLong
    ? `${Math.floor(second / 3600)}:${date.toISOString().slice(14, 19)}`
    : date.toISOString().slice(11, 19);
  if (step >= 1e9) return day;
  const digits = rest.toString().padStart(9, "0");
  if (step >= 1e6) return `${day}.${digits.slice(0, 3)}`;
  if (step >= 1e3) return `${day}.${digits.slice(0, 3)} ${digits.slice(3, 6)}`;
  return `${day}.${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`;
}

/** `2026-11-21`; nothing where the clock does not tell the date. */
export function day(start: string, offset: number): string {
  return isDated(start) ? new Date(moment(start, offset).second * 1000).toISOString().slice(0, 10) : "";
}

/** `2026-11-21 UTC`, or `2026-11-21 to 2026-11-23 UTC`: the days of a range, and the zone of its times. */
export function days(start: string, range: { from: number; to: number }): string {
  const [first, last] = [day(start, range.from), day(start, range.to)];
  if (!first) return "";
  return first === last || !last ? `${first} UTC` : `${first} to ${last} UTC`;
}

/** `2026-11-21 17:24:26.543 921 899 UTC`; without a date only the time. */
export function dated(start: string, offset: number): string {
  const date = day(start, offset);
  return date ? `${date} ${clock(start, offset)} UTC` : clock(start, offset);
}
