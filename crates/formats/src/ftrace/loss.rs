//! Lines that report a loss, or the beginning of a buffer.

use super::head::number;

/// What such a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note<'l> {
    /// Events of a CPU were lost before its next line; `None`: they were not counted. In front, the instance.
    Lost(&'l str, u32, Option<u64>),
    /// In the header: what was written and is not in the file any more, and the number of CPUs.
    Overwritten(u64, u32),
    /// The first line of a CPU whose beginning was overwritten follows.
    Started(u32),
}

/// `CPU:1 [LOST 84 EVENTS]`, as trace-cmd says it `CPU:1 [84 EVENTS DROPPED]`, and the others.
pub(super) fn parse(line: &str) -> Option<Note<'_>> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("# entries-in-buffer/entries-written: ") {
        let mut words = rest.split_ascii_whitespace();
        let (stored, written) = words.next()?.split_once('/')?;
        let cpus = words.next().and_then(|word| word.strip_prefix("#P:")).and_then(number).unwrap_or(1);
        let lost = written.parse::<u64>().ok()?.saturating_sub(stored.parse().ok()?);
        return Some(Note::Overwritten(lost, u32::try_from(cpus).ok()?));
    }
    if let Some(rest) = line.strip_prefix("##### CPU ") {
        let cpu = number(rest.strip_suffix(" buffer started ####")?)?;
        return Some(Note::Started(u32::try_from(cpu).ok()?));
    }
    let (instance, rest) = match line.split_once(": ") {
        Some((instance, rest)) if !instance.contains(' ') => (instance, rest),
        _ => ("", line),
    };
    let (cpu, what) = rest.strip_prefix("CPU:")?.split_once(" [")?;
    let cpu = u32::try_from(number(cpu)?).ok()?;
    let what = what.strip_suffix(']')?;
    let count = match what {
        "LOST EVENTS" | "EVENTS DROPPED" => None,
        _ => {
            let count = what.strip_prefix("LOST ").and_then(|rest| rest.strip_suffix(" EVENTS"));
            Some(count.or_else(|| what.strip_suffix(" EVENTS DROPPED"))?.parse().ok()?)
        }
    };
    Some(Note::Lost(instance, cpu, count))
}
