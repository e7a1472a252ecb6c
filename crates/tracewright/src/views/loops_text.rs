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
//! The caller bounds it; what is left out is said. The text is the same in a pipe and on a terminal,
//! but for colours.

use std::collections::BTreeSet;

use model::{RunId, Symbol, Word};

use super::flow::Flow;
use super::loops_json::symbols_of;
use super::loops_names::{RunNames, SymbolNames};
use super::loops_nest::Shape;
use crate::commands::loops::{Found, FoundTrack};
use crate::escape::plain;
use crate::numbers::{counted, grouped, share};
use crate::paint::{Ink, Paint};

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) tracks: usize,
    /// Runs of a level, and lines of the nest.
    pub(crate) runs: usize,
}

/// Units of a word that are shown.
const WORD: usize = 32;
/// Loops that are listed as the busiest.
const BUSIEST: usize = 5;

pub(crate) fn render(found: &Found, bounds: Bounds, paint: Paint) -> String {
    let shown = &found.tracks[..bounds.tracks.min(found.tracks.len())];
    let symbols: Vec<Vec<Symbol>> = shown.iter().map(|track| symbols_of(&track.summary)).collect();
    let names = SymbolNames::new(symbols.iter().flatten().copied(), &found.alphabet);
    let mut out = String::new();
    if let Some(lost) = found.lost {
        let steps = found.tracks.iter().map(|track| track.steps).sum();
        out += &format!("{} on {}", counted(steps, "event"), counted(found.tracks.len() as u64, "track"));
        if lost.gaps > 0 {
            out += &format!("; {}", paint.dip(Ink::Bad, &lost.sentence()));
        }
        out += "\n\n";
    }
    for (track, symbols) in shown.iter().zip(&symbols) {
        let runs = RunNames::new(&track.summary, symbols, &names);
        let shape = Shape::new(&track.summary);
        let word = if bounds.runs == usize::MAX { usize::MAX } else { WORD };
        let mut view = TrackView { track, shape, names: &names, runs, bounds, word, paint, out: &mut out };
        view.write(symbols, found);
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

struct TrackView<'a> {
    track: &'a FoundTrack,
    shape: Shape<'a>,
    names: &'a SymbolNames,
    runs: RunNames,
    bounds: Bounds,
    /// The most units of a word.
    word: usize,
    paint: Paint,
    out: &'a mut String,
}

impl TrackView<'_> {
    fn write(&mut self, symbols: &[Symbol], found: &Found) {
        let summary = &self.track.summary;
        let title = self.paint.dip(Ink::Title, &plain(&self.track.name));
        let kinds = counted(symbols.len() as u64, "kind");
        *self.out += &format!("{title}: {} of {kinds}", counted(self.track.steps, "step"));
        if !summary.gaps.is_empty() {
            let gaps = counted(summary.gaps.len() as u64, "gap");
            *self.out += &format!(", {}", self.paint.dip(Ink::Bad, &gaps));
        }
        self.out.push('\n');
        if !self.names.are_typed {
            let mut legend = Flow::new();
            for symbol in symbols {
                let name = plain(found.alphabet.name(*symbol)).into_owned();
                legend.push(Ink::Quiet, format!("{} = {name}", self.names.of(symbol.0)));
            }
            legend.write(self.out, "  symbols  ", "  ", self.paint);
        }
        self.busiest();
        for level in 0..summary.levels.len() {
            self.level(level);
        }
        if summary.levels.len() > 1 {
            self.nest();
        }
    }

    /// The loops that most steps were spent in: in a long history the first thing to know.
    fn busiest(&mut self) {
        let summary = &self.track.summary;
        let total: usize = summary.levels.iter().map(|level| level.runs.len()).sum();
        if total <= 2 * BUSIEST {
            return;
        }
        let mut loops: Vec<(u64, u64, u64, usize, RunId)> = vec![];
        for (number, level) in summary.levels.iter().enumerate() {
            let mut sums = vec![(0, 0, 0); level.words.len()];
            for run in level.runs.iter().filter(|run| run.is_loop()) {
                if let Some((steps, places, turns)) = sums.get_mut(run.id.0 as usize) {
                    *steps += self.shape.steps(number, run);
                    *places += 1;
                    *turns += run.turns().0;
                }
            }
            let sums = sums.into_iter().enumerate().filter(|(_, (steps, _, _))| *steps > 0);
            loops.extend(
                sums.map(|(id, (steps, places, turns))| (steps, places, turns, number, RunId(id as u32))),
            );
        }
        loops.sort_by_key(|&(steps, _, _, level, id)| (std::cmp::Reverse(steps), level, id));
        for (place, &(steps, places, turns, level, id)) in loops.iter().take(BUSIEST).enumerate() {
            let mut line = Flow::new();
            line.push(Ink::Plain, format!("{:>6} of steps", share(steps, self.track.steps)));
            line.push(Ink::Loop, format!("{} = {}", self.runs.of(level, id), self.word_of(level, id)));
            let (turns, places) = (counted(turns, "turn"), counted(places, "place"));
            line.push(Ink::Quiet, format!("{turns} in {places}"));
            line.write(self.out, if place == 0 { "  busiest  " } else { "           " }, "  ", self.paint);
        }
    }

    fn level(&mut self, number: usize) {
        let summary = &self.track.summary;
        let level = &summary.levels[number];
        let mut line = Flow::new();
        for run in level.runs.iter().take(self.bounds.runs) {
            self.gap(&mut line, number, run.start);
            let ink = if run.is_loop() { Ink::Loop } else { Ink::Plain };
            line.push(ink, self.word_of(number, run.id) + &turns(run.is_loop().then(|| run.turns())));
        }
        if level.runs.len() <= self.bounds.runs {
            self.pending(&mut line, number);
        } else {
            let more = (level.runs.len() - self.bounds.runs) as u64;
            line.push(Ink::Quiet, format!("... and {} more (--runs N, --all)", counted(more, "run")));
        }
        let label = format!("  level {number}  ");
        line.write(self.out, &label, " ", self.paint);
        let ids: BTreeSet<RunId> = level.runs.iter().take(self.bounds.runs).map(|run| run.id).collect();
        let repeats = ids.len() < level.runs.len().min(self.bounds.runs);
        if repeats || number + 1 < summary.levels.len() {
            self.identifiers(number, &ids);
        }
    }

    /// The same line again, each run by its name, and what the names stand for.
    fn identifiers(&mut self, number: usize, ids: &BTreeSet<RunId>) {
        let level = &self.track.summary.levels[number];
        let mut words = Flow::new();
        for &id in ids {
            words.push(Ink::Quiet, format!("{} = {}", self.runs.of(number, id), self.word_of(number, id)));
        }
        words.write(self.out, "           ", "  ", self.paint);
        let mut line = Flow::new();
        for run in level.runs.iter().take(self.bounds.runs) {
            self.gap(&mut line, number, run.start);
            let ink = if run.is_loop() { Ink::Loop } else { Ink::Plain };
            line.push(ink, self.runs.of(number, run.id) + &turns(run.is_loop().then(|| run.turns())));
        }
        if level.runs.len() > self.bounds.runs {
            line.push(Ink::Quiet, "...");
        }
        line.write(self.out, "           ", " ", self.paint);
    }

    /// What is behind the last run: not decided yet.
    fn pending(&mut self, line: &mut Flow, number: usize) {
        let level = &self.track.summary.levels[number];
        let start = level.len() - level.pending.len() as u64;
        let mut piece: Vec<u32> = vec![];
        let mut shown = 0;
        for (place, &unit) in level.pending.iter().enumerate() {
            let is_after_gap = self.shape.is_after_gap(number, start + place as u64);
            if is_after_gap || piece.len() >= self.word {
                self.open(line, number, &mut piece);
                shown += 1;
            }
            if shown >= self.bounds.runs {
                let more = counted((level.pending.len() - place) as u64, "unit");
                line.push(Ink::Quiet, format!("... and {more} more (--runs N, --all)"));
                return;
            }
            if is_after_gap {
                line.push(Ink::Bad, "<gap>");
            }
            piece.push(unit);
        }
        self.open(line, number, &mut piece);
        // A loss that nothing followed.
        if number == 0 && self.track.summary.gaps.last() == Some(&self.track.steps) {
            line.push(Ink::Bad, "<gap>");
        }
        if level.is_empty() {
            line.push(Ink::Quiet, "(nothing)");
        }
    }

    fn open(&self, line: &mut Flow, number: usize, piece: &mut Vec<u32>) {
        if !piece.is_empty() {
            line.push(Ink::Open, format!("{}?", self.units(number, piece)));
            piece.clear();
        }
    }

    fn gap(&self, line: &mut Flow, level: usize, unit: u64) {
        if self.shape.is_after_gap(level, unit) {
            line.push(Ink::Bad, "<gap>");
        }
    }

    fn nest(&mut self) {
        let (lines, is_all) = self.shape.nest(self.bounds.runs);
        for (place, nested) in lines.iter().enumerate() {
            let label = if place == 0 { "  nested   " } else { "           " };
            let mut line = Flow::new();
            if nested.after_gap {
                line.push(Ink::Bad, "<gap>");
            }
            let range = match nested.turns {
                Some((fewest, most)) if fewest != most => {
                    format!("{}..{}.{}", turns(Some(fewest)), most.0, most.1)
                }
                other => turns(other.map(|(fewest, _)| fewest)),
            };
            let ink = if nested.turns.is_some() { Ink::Loop } else { Ink::Plain };
            line.push(ink, self.word_of(nested.level, nested.run.id) + &range);
            line.write(self.out, &format!("{label}{}", "  ".repeat(nested.depth)), " ", self.paint);
        }
        if !is_all {
            *self.out += "           ... and more (--runs N, --all)\n";
        }
    }

    /// The word of a run, in brackets if it is a loop.
    fn word_of(&self, level: usize, id: RunId) -> String {
        let words = &self.track.summary.levels[level].words;
        match words.get(id.0 as usize) {
            None => "?".into(),
            Some(Word { units, is_loop: true }) => format!("[{}]", self.units(level, units)),
            Some(Word { units, is_loop: false }) => self.units(level, units),
        }
    }

    /// Units side by side: letters touch, longer names stand apart.
    fn units(&self, level: usize, units: &[u32]) -> String {
        let name = |&unit: &u32| match level.checked_sub(1) {
            None => self.names.of(unit).to_owned(),
            Some(below) => self.runs.of(below, RunId(unit)),
        };
        let names: Vec<String> = units.iter().take(self.word).map(name).collect();
        let touch = level == 0 && names.iter().all(|name| name.chars().count() == 1);
        let mut text = names.join(if touch { "" } else { " " });
        if units.len() > names.len() {
            text += &format!("..(+{})", grouped((units.len() - names.len()) as u64));
        }
        text
    }
}

/// `*4.0`; nothing for a transition.
fn turns(turns: Option<(u64, u64)>) -> String {
    turns.map_or(String::new(), |(whole, rest)| format!("*{whole}.{rest}"))
}
