//! The beginning of a line: who, where and when, up to the event.
//!
//! ```text
//!             bash-4174  ( 4170) [000] d..2. 13077.560896: sched_switch: ...
//! twf:        bash-4174          [000]       13077.560896: sched_switch: ...     trace-cmd, with the instance
//!  0)   1.234 us    |    rw_verify_area();                                       function_graph
//! ```

use std::ops::Range;

/// What stands there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Head {
    pub(super) instance: Range<usize>,
    pub(super) comm: Range<usize>,
    pub(super) tid: Option<i64>,
    /// The thread group: what programs call the process.
    pub(super) pid: Option<i64>,
    pub(super) cpu: u32,
    pub(super) time: Option<i64>,
    /// The event and its fields.
    pub(super) rest: Range<usize>,
}

/// Takes the beginning of a line apart; `None` if it is none.
pub(super) fn parse(line: &str) -> Option<Head> {
    // A thread may have brackets in its name: the first CPU that a time follows counts.
    let cpus = line.match_indices(" [").filter_map(|(at, _)| {
        let (cpu, following) = line.get(at + 2..)?.split_once(']')?;
        let cpu = number(cpu)?;
        let (time, rest) = time(following)?;
        Some((at, cpu, time, line.len() - rest.len()))
    });
    let (at, cpu, time, rest) = cpus.take(4).next()?;
    let cpu = u32::try_from(cpu).ok()?;
    let mut who = line.get(..at)?.trim_end();
    let mut pid = None;
    if let Some((before, group)) = who.strip_suffix(')').and_then(|who| who.rsplit_once('('))
        && (number(group.trim()).is_some() || group.trim_matches('-').trim().is_empty())
    {
        pid = number(group.trim());
        who = before.trim_end();
    }
    let (comm, tid) = who.rsplit_once('-')?;
    let tid = number(tid)?;
    let mut start = comm.len() - comm.trim_start().len();
    let mut instance = 0..0;
    // trace-cmd writes the instance before the thread, whose name it puts to the right.
    if start == 0
        && let Some((name, following)) = comm.split_once(": ")
        && !name.contains(' ')
    {
        instance = 0..name.len();
        start = comm.len() - following.trim_start().len();
    }
    Some(Head { instance, comm: start..comm.len(), tid: Some(tid), pid, cpu, time, rest: rest..line.len() })
}

/// A line of the tracer function_graph that begins a call.
pub(super) fn graph(line: &str) -> Option<Head> {
    let (left, call) = line.rsplit_once('|')?;
    let name = call.trim().trim_end_matches([';', '{', ' ']).strip_suffix("()")?;
    let cpu = left.split_once(')')?.0;
    let cpu = number(cpu.rsplit([' ', '|']).next()?)?;
    let start = line.len() - call.len() + (call.len() - call.trim_start().len());
    let rest = start..start + name.len();
    Some(Head { cpu: u32::try_from(cpu).ok()?, rest, ..Head::default() })
}

/// ` d..2. 13077.560896: rest`: flags or none, seconds and parts of them, or a count of a clock that has no seconds.
fn time(following: &str) -> Option<(Option<i64>, &str)> {
    let (words, rest) = following.split_once(": ").or_else(|| Some((following.strip_suffix(':')?, "")))?;
    let mut words = words.split_ascii_whitespace();
    let (first, second) = (words.next()?, words.next());
    if words.next().is_some() {
        return None;
    }
    let text = second.unwrap_or(first);
    let time = match text.split_once('.') {
        Some((seconds, parts)) => nanoseconds(number(seconds)?, parts)?,
        None => Some(number(text)?),
    };
    Some((time, rest.trim_start()))
}

/// `None` inside where 64 bits do not hold it.
fn nanoseconds(seconds: i64, parts: &str) -> Option<Option<i64>> {
    let digits = u32::try_from(parts.len()).ok().filter(|digits| matches!(digits, 1..=9))?;
    let parts = number(parts)?.checked_mul(10i64.checked_pow(9 - digits)?)?;
    Some(seconds.checked_mul(1_000_000_000).and_then(|whole| whole.checked_add(parts)))
}

/// Digits and nothing else.
pub(super) fn number(text: &str) -> Option<i64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}
