//! Endings as text.
//!
//! ```text
//! main stays in shop.Till.wait (Till.java:31-33), no record for 4.2 s (9 samples, since 2026-03-01 10:00:07.250)
//! 1 of 2 tracks ends in a loop
//!
//! symbols: ends in a loop
//!   level 1  [Q R] since step 1: 3 whole iterations, 14 steps, 93.3 % of the track
//!            Q = [A] iterates 2 times, then 1 more each iteration: 4 in the last whole one
//!            R = B
//!   level 0  [A] since step 13: 2 whole iterations, 2 steps, 13.3 % of the track; elsewhere at most 4
//! ```
//!
//! The caller sets the bounds; omissions are reported.

use std::collections::BTreeSet;
use std::fmt::Write;

use analyses::hangs::kernel::Doing;
use analyses::hangs::{Counts, EndLoop, InnerLoop};
use model::{RunId, Symbol};

use super::flow::Flow;
use super::loops_names::symbols_of;
use super::loops_names::{RunNames, SymbolNames};
use super::{hangs_answer, open_frames, thread_states};
use crate::escape::plain;
use crate::hangs::open_frames::OpenFrames;
use crate::hangs::thread_states::ThreadStates;
use crate::moment;
use crate::numbers::{counted, duration, grouped, share};
use crate::paint::{Ink, Paint};
use crate::results::Found;
use crate::results::{Ends, Since, TrackEnd};

/// Units of an iteration that are shown.
const ITERATION: usize = 30;

pub(crate) fn render(found: &Found, all: &Ends<'_>, most: usize, paint: Paint) -> String {
    let ends = &all.tracks;
    let looping = ends.iter().filter(|end| !end.ending.loops.is_empty()).count();
    let tracks = match ends.len() {
        1 => "1 track ends".to_owned(),
        count => format!("{} end", counted(count as u64, "track")),
    };
    // Parts of a recording show the ends of few.
    let is_whole = ends.iter().all(|end| end.track.sampled.is_none());
    let mut out = if is_whole {
        format!("{} of {tracks} in a loop\n\n", grouped(looping as u64))
    } else {
        "\n".to_owned()
    };
    let accused = hangs_answer::accused(found, all, |_| true);
    if !accused.is_empty() {
        out = accused + if looping > 0 { &out } else { "\n" };
    } else if let Some(harmless) = hangs_answer::harmless(found, all) {
        out = harmless + if looping > 0 { &out } else { "\n" };
    } else if ends.is_empty() && !found.unrecorded.is_empty() {
        out = "No step was recorded. What is known of threads that were running before:\n\n".to_owned();
    }
    for end in ends.iter().take(most) {
        out += &track(found, end, all.states.as_ref(), paint);
        out.push('\n');
    }
    if ends.len() > most {
        let left = counted((ends.len() - most) as u64, "track");
        _ = writeln!(out, "... and {left} more (--tracks N, --all)\n");
    }
    for open in found
        .open
        .iter()
        .filter(|open| open.is_stuck())
        .chain(found.open.iter().filter(|open| !open.is_stuck()))
        .take(most)
    {
        let title = paint.dip(Ink::Title, &plain(&open.thread));
        // Parts of a recording say nothing of those who did not run at the end.
        let nothing = if is_whole { "nothing recorded; " } else { "" };
        _ = writeln!(out, "{title}: {nothing}{}", open_at_end(open, paint));
    }
    if found.open.len() > most {
        let left = counted((found.open.len() - most) as u64, "thread");
        _ = writeln!(out, "... and {left} more that had not ended (--tracks N, --all)\n");
    }
    for (name, sentence) in found.unrecorded.iter().take(most) {
        let title = paint.dip(Ink::Title, &plain(name));
        let sentence = paint.dip(Ink::Quiet, &plain(sentence));
        _ = writeln!(out, "{title}: nothing recorded\n  {sentence}\n");
    }
    if found.unrecorded.len() > most {
        let left = counted((found.unrecorded.len() - most) as u64, "thread");
        _ = writeln!(out, "... and {left} more of which nothing was recorded (--tracks N, --all)\n");
    }
    for pending in found.pending.iter().take(most) {
        let title = paint.dip(Ink::Title, &plain(&pending.thread));
        let tasks = counted(pending.tasks, "task");
        let waited = duration(pending.end.since(pending.since).max(0));
        let first = if pending.tasks > 1 { "the first " } else { "" };
        _ = writeln!(
            out,
            "{title}: handed over {tasks} that had not begun, {first}{waited} before the end\n"
        );
    }
    out += "Observed, not proved: a history shows what was, not that it goes on for ever.\n";
    out
}

/// What a thread was in the middle of, from behind its name on.
fn open_at_end(open: &OpenFrames, paint: Paint) -> String {
    let ink = if open.is_stuck() { Ink::Loop } else { Ink::Plain };
    let mut out = paint.dip(ink, &plain(&open_frames::sentence(open))) + "\n";
    for line in open_frames::more(open) {
        _ = writeln!(out, "  {}", paint.dip(Ink::Quiet, &plain(&line)));
    }
    out
}

fn track(found: &Found, end: &TrackEnd<'_>, states: Option<&ThreadStates>, paint: Paint) -> String {
    let title = paint.dip(Ink::Title, &plain(&end.track.name));
    let steps = counted(end.track.steps, "step");
    let open = end.track.open.as_ref();
    let open_text = open.map_or(String::new(), |open| open_at_end(open, paint));
    let mut before = end
        .track
        .ran_before
        .as_ref()
        .map_or(String::new(), |sentence| format!("  {}\n", paint.dip(Ink::Quiet, &plain(sentence))));
    let state = states.and_then(|states| Some((states, states.of(end.track.id?)?)));
    if let Some((states, thread)) = state {
        let ink = if thread.doing == Doing::Stuck { Ink::Loop } else { Ink::Quiet };
        _ = writeln!(before, "  {}", paint.dip(ink, &plain(&thread_states::sentence(states, thread))));
    } else if let Some(pace) = end.silent() {
        let quiet = duration(pace.end.since(pace.last));
        let text = format!(
            "silent since {}, for {quiet} to the end of the trace; it never paused for more than {} before",
            moment::text(pace.last),
            duration(i128::from(pace.longest))
        );
        _ = writeln!(before, "  {}", paint.dip(Ink::Quiet, &text));
    }
    if let Some(records) = end.track.sampled {
        let records = counted(records, "record");
        let what = if end.ending.loops.is_empty() { "not the same loop" } else { "the same loop" };
        return format!("{title}: {records}; {what} wherever they were looked at\n  {open_text}{before}");
    }
    if end.ending.end_is_lost {
        return format!("{title}: {steps}; {}\n", paint.dip(Ink::Bad, "what came last is lost"));
    }
    if end.ending.loops.is_empty() {
        return match open {
            Some(open) if open.is_stuck() => format!("{title}: {steps}; {open_text}{before}"),
            Some(_) => format!("{title}: {steps}; ends in no loop\n  {open_text}{before}"),
            None => format!("{title}: {steps}; ends in no loop\n{before}"),
        };
    }
    let symbols = symbols_of(&end.track.summary);
    let names = SymbolNames::new(&found.alphabet);
    let runs = RunNames::new(&end.track.summary, &symbols, &names);
    let view = View { end, names, runs, paint };
    let mut levels = String::new();
    for (inner, since) in end.ending.loops.iter().zip(&end.since) {
        view.level(&mut levels, inner, *since);
    }
    let mut out = format!("{title}: {steps}; ends in a loop\n");
    let mut legend = Flow::new();
    for (letter, name) in view.names.legend() {
        legend.push(Ink::Quiet, format!("{letter} = {name}"));
    }
    if !view.names.legend().is_empty() {
        legend.write(&mut out, "  symbols  ", "  ", paint);
    }
    let open_text = if open_text.is_empty() { open_text } else { format!("  {open_text}") };
    out + &levels + &open_text + &before
}

struct View<'a> {
    end: &'a TrackEnd<'a>,
    names: SymbolNames<'a>,
    runs: RunNames,
    paint: Paint,
}

impl View<'_> {
    fn level(&self, out: &mut String, end: &EndLoop, since: Since) {
        let label = format!("  level {}  ", end.level);
        let mut line = Flow::new();
        line.push(Ink::Loop, self.word(end.level, end.run.id));
        let mut location = format!("since step {}", grouped(end.since));
        if let Some(text) = since_text(since) {
            _ = write!(location, " ({text})");
        }
        line.push(Ink::Plain, location + ":");
        let (iterations, rest) = end.run.iterations();
        let mut whole = counted(iterations, "whole iteration");
        if rest > 0 {
            _ = write!(whole, " and {} of the next", counted(rest, "unit"));
        }
        line.push(Ink::Plain, whole + ",");
        let part = share(end.steps, self.end.track.steps);
        let steps = counted(end.steps, "step");
        let more = if end.most_before.is_some() { ";" } else { "" };
        line.push(Ink::Plain, format!("{steps}, {} of the track{more}", part.trim_start()));
        if let Some(most) = end.most_before {
            line.push(Ink::Plain, format!("elsewhere at most {}", counted(most, "iteration")));
        }
        line.write(out, &label, " ", self.paint);
        self.transitions(out, end);
        for inner in &end.inner {
            let mut line = Flow::new();
            let name = self.runs.of(inner.level, inner.id);
            line.push(Ink::Quiet, format!("{name} = {} iterates", self.word(inner.level, inner.id)));
            line.push(Ink::Quiet, counts(inner));
            line.write(out, "           ", " ", self.paint);
        }
    }

    /// What the parts of the iteration stand for that are no loops.
    fn transitions(&self, out: &mut String, end: &EndLoop) {
        let levels = &self.end.track.summary.levels;
        let Some(below) = end.level.checked_sub(1) else { return };
        let word = levels.get(end.level).and_then(|level| level.words.get(end.run.id.0 as usize));
        let units: BTreeSet<u32> = word.map_or(&[][..], |word| &word.units).iter().copied().collect();
        let is_loop = |unit: u32| levels[below].words.get(unit as usize).is_some_and(|word| word.is_loop);
        if units.iter().all(|&unit| is_loop(unit)) {
            return;
        }
        let mut line = Flow::new();
        for unit in units.into_iter().filter(|&unit| !is_loop(unit)) {
            let (name, word) = (self.runs.of(below, RunId(unit)), self.word(below, RunId(unit)));
            line.push(Ink::Quiet, format!("{name} = {}", word.trim_matches(['[', ']'])));
        }
        line.write(out, "           ", "  ", self.paint);
    }

    fn word(&self, level: usize, id: RunId) -> String {
        let level_content = self.end.track.summary.levels.get(level);
        let word = level_content.and_then(|content| content.words.get(id.0 as usize));
        let units = word.map_or(&[][..], |word| &word.units);
        let name = |&unit: &u32| match level {
            0 => self.names.of(Symbol(unit)),
            _ => self.runs.of(level - 1, RunId(unit)),
        };
        let shown: Vec<String> = units.iter().take(ITERATION).map(name).collect();
        let gap = if level > 0 || shown.iter().any(|name| name.chars().count() > 1) { " " } else { "" };
        let more = units.len().saturating_sub(ITERATION);
        let rest = if more > 0 { format!("..(+{more})") } else { String::new() };
        format!("[{}{rest}]", shown.join(gap))
    }
}

/// When something began: `2026-03-01 10:00:07.250`, or between which moments; `None` where that is not known.
pub(super) fn since_text(since: Since) -> Option<String> {
    Some(match (since.from, since.to) {
        (Some(from), Some(to)) if from == to => moment::text(from),
        (Some(from), Some(to)) => {
            format!("{}, or up to {} later", moment::text(from), duration(to.since(from)))
        }
        (None, Some(to)) => format!("{} at the latest", moment::text(to)),
        (Some(from), None) => format!("{} at the earliest", moment::text(from)),
        (None, None) => return None,
    })
}

/// How often an inner loop iterates, in words.
fn counts(inner: &InnerLoop) -> String {
    let period = u64::from(inner.period.max(1));
    let iterations = |length: u64| match length % period {
        0 => grouped(length / period),
        rest => format!("{} and {rest}/{period}", grouped(length / period)),
    };
    match inner.counts {
        Counts::Constant(length) => format!("{} times each time", iterations(length)),
        Counts::Linear { first, last, step } => {
            let step_iterations = step.unsigned_abs();
            let by = match step_iterations % period {
                0 => iterations(step_iterations),
                _ => format!("{step_iterations}/{period}"),
            };
            let more = if step > 0 { "more" } else { "fewer" };
            format!(
                "{} times at first, {by} {more} each time, {} the last time",
                iterations(first),
                iterations(last)
            )
        }
        Counts::Other { least, most } => {
            format!("{} to {} times, without a rule", iterations(least), iterations(most))
        }
    }
}
