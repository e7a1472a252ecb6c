//! Summaries as text, in the notation of the founding text.
//!
//! ```text
//! symbols: 28 steps of 3 kinds
//!   level 0  ABCB [AC]*2.0 BCB [AC]*3.0 BCB [AC]*4.0
//!            P = ABCB  Q = [AC]  R = BCB
//!            P Q*2.0 R Q*3.0 R Q*4.0
//!   level 1  P [Q R]*2.1
//!   nested   ABCB
//!            [Q R]*2.1
//!              [AC]*2.0..4.0
//!              BCB
//! ```
//!
//! What is too long for a line is shortened by rules, listed below the level: `{read+close} = ABBC  4 units in 40 places`.
//! The caller sets the bounds; omissions are reported. The text is the same in a pipe and on a terminal,
//! except for colours.

use std::collections::BTreeSet;

use model::{RunId, Symbol, Word};

use super::flow::Flow;
use super::loops_names::{RunNames, SymbolNames, symbols_of};
use super::loops_nest::{NestLine, Shape};
use super::loops_rules::LevelRules;
use crate::escape::plain;
use crate::numbers::{counted, grouped, share};
use crate::paint::{Ink, Paint};
use crate::results::{Found, FoundTrack};

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) tracks: usize,
    /// Runs of a level, and lines of the nest.
    pub(crate) runs: usize,
}

/// Characters of a word that are shown.
const WORD: usize = 40;
/// The same above the lowest level, where names are longer.
const UPPER_WORD: usize = 80;
/// Loops that are listed as the busiest.
pub(super) const BUSIEST: usize = 5;
/// Loops around loops that are shown with what lies in them, where the whole nest is too long.
const NESTS: usize = 3;

pub(crate) fn render(found: &Found, bounds: Bounds, paint: Paint) -> String {
    let shown = &found.tracks[..bounds.tracks.min(found.tracks.len())];
    let mut out = String::new();
    let total = found.tracks.iter().map(|track| track.steps).sum();
    if let Some(lost) = found.lost {
        out += &format!("{} on {}", counted(total, "event"), counted(found.tracks.len() as u64, "track"));
        if lost.gaps > 0 {
            out += &format!("; {}", paint.dip(Ink::Bad, &lost.sentence()));
        }
        out += "\n\n";
    }
    for track in shown {
        out += &track_text(track, found, total, bounds, paint);
        out.push('\n');
    }
    let left = &found.tracks[shown.len()..];
    if left.is_empty() {
        out.truncate(out.trim_end().len());
    } else {
        let steps = counted(left.iter().map(|track| track.steps).sum(), "step");
        let tracks = counted(left.len() as u64, "track");
        out += &format!("... and {tracks} more with {steps} (--tracks N, --all)");
    }
    out.push('\n');
    out
}

/// One track. What is above the levels is written last, when it is known which symbols are shown.
fn track_text(track: &FoundTrack, found: &Found, total: u64, bounds: Bounds, paint: Paint) -> String {
    let symbols = symbols_of(&track.summary);
    let names = SymbolNames::new(&found.alphabet);
    let runs = RunNames::new(&track.summary, &symbols, &names);
    let word = [WORD, UPPER_WORD].map(|word| if bounds.runs == usize::MAX { usize::MAX } else { word });
    let shape = Shape::new(&track.summary);
    let rules = track.summary.levels.iter().map(|_| None).collect();
    let mut view = TrackView { track, shape, names, runs, bounds, word, paint, out: String::new(), rules };
    // Letters follow the history, so the levels are written before the list that stands above them.
    for level in 0..track.summary.levels.len() {
        view.level(level);
    }
    let levels = std::mem::take(&mut view.out);
    view.busiest();
    view.out += &levels;
    if track.summary.levels.len() > 1 {
        view.nest();
    }
    let title = paint.dip(Ink::Title, &plain(&track.name));
    let mut head = format!("{title}: {}", counted(track.steps, "step"));
    if found.tracks.len() > 1 {
        head += &format!(" ({})", share(track.steps, total));
    }
    head += &format!(" of {}", counted(symbols.len() as u64, "kind"));
    if !track.summary.gaps.is_empty() {
        let gaps = counted(track.summary.gaps.len() as u64, "gap");
        head += &format!(", {}", paint.dip(Ink::Bad, &gaps));
    }
    head.push('\n');
    let entries = view.names.legend();
    if !entries.is_empty() {
        let mut legend = Flow::new();
        let unseen = symbols.len().saturating_sub(entries.len());
        for (letter, name) in entries {
            legend.push(Ink::Quiet, format!("{letter} = {name}"));
        }
        if unseen > 0 {
            legend.push(Ink::Quiet, format!("... and {} more further on", grouped(unseen as u64)));
        }
        legend.write(&mut head, "  symbols  ", "  ", paint);
    }
    head + &view.sizes() + &view.out
}

pub(super) struct TrackView<'a> {
    pub(super) track: &'a FoundTrack,
    pub(super) shape: Shape<'a>,
    names: SymbolNames<'a>,
    pub(super) runs: RunNames,
    pub(super) bounds: Bounds,
    /// The most characters of a word on the lowest level, and above it.
    word: [usize; 2],
    pub(super) paint: Paint,
    pub(super) out: String,
    /// The rules of each level that needed them so far.
    pub(super) rules: Vec<Option<LevelRules>>,
}

/// One kind of loop, over all the places where it is turned.
struct LoopSum {
    steps: u64,
    places: u64,
    iterations: u64,
    level: usize,
    id: RunId,
}

impl<'a> TrackView<'a> {
    /// All loops, the one with most steps first.
    fn loops(&self) -> Vec<LoopSum> {
        let mut loops = vec![];
        for (level, content) in self.track.summary.levels.iter().enumerate() {
            let empty =
                |id: usize| LoopSum { steps: 0, places: 0, iterations: 0, level, id: RunId(id as u32) };
            let mut sums: Vec<LoopSum> = (0..content.words.len()).map(empty).collect();
            for run in content.runs.iter().filter(|run| run.is_loop()) {
                if let Some(sum) = sums.get_mut(run.id.0 as usize) {
                    sum.steps += self.shape.steps(level, run);
                    sum.places += 1;
                    sum.iterations += run.iterations().0;
                }
            }
            loops.extend(sums.into_iter().filter(|sum| sum.places > 0));
        }
        loops.sort_by_key(|sum| (std::cmp::Reverse(sum.steps), sum.level, sum.id));
        loops
    }

    /// `P = [AB]`, and how often.
    fn loop_line(&self, line: &mut Flow, sum: &LoopSum) {
        line.push(
            Ink::Loop,
            format!("{} = {}", self.runs.of(sum.level, sum.id), self.word_of(sum.level, sum.id)),
        );
        let (iterations, places) = (counted(sum.iterations, "iteration"), counted(sum.places, "place"));
        line.push(Ink::Quiet, format!("{iterations} in {places}"));
    }

    /// The loops that most steps were spent in: in a long history the first thing to know.
    fn busiest(&mut self) {
        let total: usize = self.track.summary.levels.iter().map(|level| level.runs.len()).sum();
        if total <= 2 * BUSIEST {
            return;
        }
        for (index, sum) in self.loops().iter().take(BUSIEST).enumerate() {
            let mut line = Flow::new();
            line.push(Ink::Plain, format!("{:>7} of steps", share(sum.steps, self.track.steps)));
            self.loop_line(&mut line, sum);
            line.write(
                &mut self.out,
                if index == 0 { "  busiest  " } else { "           " },
                "  ",
                self.paint,
            );
        }
    }

    fn level(&mut self, number: usize) {
        self.prepare(number);
        let summary = &self.track.summary;
        let level = &summary.levels[number];
        let mut line = Flow::new();
        for run in level.runs.iter().take(self.bounds.runs) {
            self.gap(&mut line, number, run.start);
            let ink = if run.is_loop() { Ink::Loop } else { Ink::Plain };
            line.push(
                ink,
                self.word_of(number, run.id) + &iterations(run.is_loop().then(|| run.iterations())),
            );
        }
        if level.runs.len() <= self.bounds.runs {
            self.pending(&mut line, number);
        } else {
            let more = (level.runs.len() - self.bounds.runs) as u64;
            line.push(Ink::Quiet, format!("... and {} more (--runs N, --all)", counted(more, "run")));
        }
        let label = format!("  level {number}  ");
        line.write(&mut self.out, &label, " ", self.paint);
        let ids: BTreeSet<RunId> = level.runs.iter().take(self.bounds.runs).map(|run| run.id).collect();
        let repeats = ids.len() < level.runs.len().min(self.bounds.runs);
        if repeats || number + 1 < summary.levels.len() {
            self.identifiers(number, &ids);
        }
        self.rule_lines(number);
    }

    /// The same line again, each run by its name, and what the names stand for.
    fn identifiers(&mut self, number: usize, ids: &BTreeSet<RunId>) {
        let level = &self.track.summary.levels[number];
        let mut words = Flow::new();
        for &id in ids {
            words.push(Ink::Quiet, format!("{} = {}", self.runs.of(number, id), self.word_of(number, id)));
        }
        words.write(&mut self.out, "           ", "  ", self.paint);
        let mut line = Flow::new();
        for run in level.runs.iter().take(self.bounds.runs) {
            self.gap(&mut line, number, run.start);
            let ink = if run.is_loop() { Ink::Loop } else { Ink::Plain };
            line.push(
                ink,
                self.runs.of(number, run.id) + &iterations(run.is_loop().then(|| run.iterations())),
            );
        }
        if level.runs.len() > self.bounds.runs {
            line.push(Ink::Quiet, "...");
        }
        line.write(&mut self.out, "           ", " ", self.paint);
    }

    /// The units after the last run: not decided yet.
    fn pending(&mut self, line: &mut Flow, number: usize) {
        let level = &self.track.summary.levels[number];
        let start = level.len() - level.pending.len() as u64;
        if self.rules[number].is_some() && self.is_long(number, &level.pending) {
            if self.shape.is_after_gap(number, start) {
                line.push(Ink::Bad, "<gap>");
            }
            self.pending_in_rules(line, number, start);
            if number == 0 && self.track.summary.gaps.last() == Some(&self.track.steps) {
                line.push(Ink::Bad, "<gap>");
            }
            return;
        }
        let mut part: Vec<u32> = vec![];
        let mut shown = 0;
        for (index, &unit) in level.pending.iter().enumerate() {
            let is_after_gap = self.shape.is_after_gap(number, start + index as u64);
            if is_after_gap || part.len() >= self.most(number) {
                self.open(line, number, &mut part);
                shown += 1;
            }
            if shown >= self.bounds.runs {
                let more = counted((level.pending.len() - index) as u64, "unit");
                line.push(Ink::Quiet, format!("... and {more} more (--runs N, --all)"));
                return;
            }
            if is_after_gap {
                line.push(Ink::Bad, "<gap>");
            }
            part.push(unit);
        }
        self.open(line, number, &mut part);
        // A loss that nothing followed.
        if number == 0 && self.track.summary.gaps.last() == Some(&self.track.steps) {
            line.push(Ink::Bad, "<gap>");
        }
        if level.is_empty() {
            line.push(Ink::Quiet, "(nothing)");
        }
    }

    fn open(&self, line: &mut Flow, number: usize, part: &mut Vec<u32>) {
        if !part.is_empty() {
            line.push(Ink::Open, format!("{}?", self.units(number, part)));
            part.clear();
        }
    }

    fn gap(&self, line: &mut Flow, level: usize, unit: u64) {
        if self.shape.is_after_gap(level, unit) {
            line.push(Ink::Bad, "<gap>");
        }
    }

    /// The nest from the top; where it is too long, the busiest loops around loops and what each
    /// holds over all its places.
    fn nest(&mut self) {
        let (lines, is_all) = self.shape.nest(self.bounds.runs);
        if is_all {
            for (index, nested) in lines.iter().enumerate() {
                self.nest_line(if index == 0 { "  nested   " } else { "           " }, nested);
            }
            return;
        }
        let loops = self.loops();
        let mut nests: Vec<&LoopSum> = loops.iter().filter(|sum| sum.level > 0).collect();
        let more = nests.len().saturating_sub(NESTS);
        nests.truncate(NESTS);
        for (index, sum) in nests.into_iter().enumerate() {
            let mut line = Flow::new();
            self.loop_line(&mut line, sum);
            line.write(
                &mut self.out,
                if index == 0 { "  nested   " } else { "           " },
                "  ",
                self.paint,
            );
            let (lines, is_all) = self.shape.nest_of(sum.level, sum.id, self.bounds.runs);
            for nested in lines.iter().filter(|nested| nested.depth > 0) {
                self.nest_line("           ", nested);
            }
            if !is_all {
                self.out += "             ... and more (--runs N, --all)\n";
            }
        }
        if more > 0 {
            let more = counted(more as u64, "loop");
            self.out += &format!("           ... and {more} around loops more (--all)\n");
        }
    }

    fn nest_line(&mut self, label: &str, nested: &NestLine) {
        let mut line = Flow::new();
        if nested.after_gap {
            line.push(Ink::Bad, "<gap>");
        }
        let range = match nested.iterations {
            Some((fewest, most)) if fewest != most => {
                format!("{}..{}.{}", iterations(Some(fewest)), most.0, most.1)
            }
            other => iterations(other.map(|(fewest, _)| fewest)),
        };
        let ink = if nested.iterations.is_some() { Ink::Loop } else { Ink::Plain };
        line.push(ink, self.word_of(nested.level, nested.run.id) + &range);
        line.write(&mut self.out, &format!("{label}{}", "  ".repeat(nested.depth)), " ", self.paint);
    }

    /// The word of a run, in brackets if it is a loop.
    fn word_of(&self, level: usize, id: RunId) -> String {
        let content = &self.track.summary.levels[level];
        let Some(Word { units, is_loop }) = content.words.get(id.0 as usize) else { return "?".into() };
        let text = match self.is_long(level, units) {
            true => self.word_in_rules(level, units, id),
            false => self.units(level, units),
        };
        if *is_loop { format!("[{text}]") } else { text }
    }

    /// Whether units do not fit into one word as they are.
    pub(super) fn is_long(&self, level: usize, units: &[u32]) -> bool {
        let mut length = 0;
        units.iter().any(|&unit| {
            length += self.unit(level, unit).chars().count() + usize::from(level > 0);
            length > if level == 0 { WORD } else { UPPER_WORD }
        })
    }

    /// The most characters of a word of a level.
    pub(super) fn most(&self, level: usize) -> usize {
        self.word[level.min(1)]
    }

    pub(super) fn unit(&self, level: usize, unit: u32) -> String {
        match level.checked_sub(1) {
            None => self.names.of(Symbol(unit)),
            Some(below) => self.runs.of(below, RunId(unit)),
        }
    }

    /// Units side by side: letters touch, longer names stand apart.
    pub(super) fn units(&self, level: usize, units: &[u32]) -> String {
        let joined = units.iter().map(|&unit| (self.unit(level, unit), 1));
        self.joined(level, joined, units.len() as u64)
    }

    /// Names and how many units each stands for, `len` in all.
    pub(super) fn joined(
        &self,
        level: usize,
        joined: impl Iterator<Item = (String, u64)>,
        len: u64,
    ) -> String {
        let (mut text, mut shown) = (String::new(), 0);
        for (name, units) in joined {
            let is_letters = name.chars().all(char::is_alphanumeric) && name.chars().count() < 3;
            let after_name = text.ends_with(|c: char| c.is_ascii_digit() || c == '}');
            let touches = level == 0 && (name.chars().count() == 1 || is_letters) && !after_name;
            let name = if touches || shown == 0 { name } else { format!(" {name}") };
            if text.len() + name.len() > self.most(level) && shown > 0 {
                text += &format!("..(+{})", grouped(len - shown));
                break;
            }
            text += &name;
            shown += units;
        }
        text
    }
}

/// `*4.0`; nothing for a transition.
fn iterations(iterations: Option<(u64, u64)>) -> String {
    iterations.map_or(String::new(), |(whole, rest)| format!("*{whole}.{rest}"))
}
