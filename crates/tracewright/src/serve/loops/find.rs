//! Finding the loops of what was opened, and the first description of each track.

use analyses::hangs::{Counts, EndLoop, Ending, ending};
use analyses::loops::{Options, Summaries};
use analyses::timeline::DiagnosticLine;
use busybeaver::Grid;
use busybeaver::blocks::{BlockId, Graph};
use busybeaver::history::{History, block_name};
use model::{Alphabet, Level, RunId, Summary, Symbol};

use viewer::Progress;
use viewer::api::loops::{EndLoop as EndLoopAnswer, InnerLoop, LoopLevel, LoopTrack, Word};

use crate::cli;
use crate::exit::Result;
use crate::histories::found::find_watched;
use crate::views::diagnostic_line;
use crate::views::loops_names::symbols_of;
use crate::views::loops_names::{RunNames, SymbolNames};
use crate::views::loops_nest::Starts;

/// Units of a word that are listed.
const WORD: usize = 60;

/// The summaries of all tracks.
#[derive(Debug)]
pub(super) struct Loops {
    /// What the reader found wrong; nothing where they were cached.
    pub(super) diagnostics: Vec<DiagnosticLine>,
    pub(super) tracks: Vec<TrackLoops>,
}

/// One track.
#[derive(Debug)]
pub(in crate::serve) struct TrackLoops {
    pub(super) name: String,
    pub(in crate::serve) steps: u64,
    pub(in crate::serve) summary: Summary,
    /// For each level the first step of each of its runs, and the end of the last.
    pub(in crate::serve) starts: Starts,
    symbols: Vec<String>,
    names: RunNames,
    ending: Ending,
}

/// Looks for the loops of all tracks; also what the reader found wrong.
pub(super) fn find(
    history: &cli::History,
    options: Options,
    progress: &Progress,
) -> Result<(Summaries, Vec<DiagnosticLine>)> {
    let (mut items, mut diagnostics) = (0u32, Vec::new());
    let (found, _) = find_watched(history, options, &mut |source| {
        items = items.wrapping_add(1);
        if items.is_multiple_of(4096) {
            progress.set(source.progress());
        }
        let new = source.diagnostics().get(diagnostics.len()..).unwrap_or_default();
        diagnostics.extend(new.iter().map(|found| diagnostic_line(found, source.streams())));
    })?;
    let tracks = found.tracks.into_iter().map(|track| (track.name, track.summary));
    Ok((Summaries { alphabet: found.alphabet, tracks: tracks.collect() }, diagnostics))
}

/// The loops of a 2L program that is run for so many steps, where a step of the history is a program block.
pub(in crate::serve) fn of_program(grid: &Grid, steps: u64) -> (Alphabet, Summary) {
    let graph = Graph::of(grid);
    let mut alphabet = Alphabet::default();
    for number in 0..BlockId::COUNT as u32 {
        alphabet.intern(&block_name(&graph, number));
    }
    (alphabet, History::of_steps(grid, steps).summary)
}

impl Loops {
    /// Computes once what answers report of summaries.
    pub(super) fn of(summaries: Summaries, diagnostics: Vec<DiagnosticLine>) -> Loops {
        let alphabet = summaries.alphabet;
        let tracks = summaries.tracks.into_iter();
        let tracks = tracks.map(|(name, summary)| TrackLoops::of(name, summary, &alphabet));
        Loops { diagnostics, tracks: tracks.collect() }
    }
}

impl TrackLoops {
    pub(in crate::serve) fn of(name: String, summary: Summary, alphabet: &Alphabet) -> TrackLoops {
        let used = symbols_of(&summary);
        let names = RunNames::new(&summary, &used, &SymbolNames::new(alphabet));
        let mut symbols = vec![];
        for Symbol(symbol) in used {
            let index = symbol as usize;
            if symbols.len() <= index {
                symbols.resize(index + 1, String::new());
            }
            symbols[index] = alphabet.name(Symbol(symbol)).to_owned();
        }
        let ending = ending(&summary);
        let starts = Starts::new(&summary);
        TrackLoops { name, steps: ending.steps, summary, starts, symbols, names, ending }
    }

    /// What a unit of a level is called.
    pub(super) fn unit(&self, level: usize, unit: u32) -> String {
        match level.checked_sub(1) {
            None => self.symbols.get(unit as usize).cloned().unwrap_or_else(|| "?".into()),
            Some(below) => self.names.of(below, RunId(unit)),
        }
    }

    /// The units of a kind of run as one text: `[A C]` for a loop, cut where it is long.
    pub(in crate::serve) fn text_of(&self, level: usize, id: RunId) -> String {
        const MOST_SHOWN: usize = 12;
        let word = self.summary.levels.get(level).and_then(|level| level.words.get(id.0 as usize));
        let Some(word) = word else { return "?".into() };
        let names: Vec<String> =
            word.units.iter().take(MOST_SHOWN).map(|&unit| self.unit(level, unit)).collect();
        let apart = if names.iter().any(|name| name.chars().count() > 1) { " " } else { "" };
        let more = if word.units.len() > MOST_SHOWN { "…" } else { "" };
        let text = format!("{}{more}", names.join(apart));
        if word.is_loop { format!("[{text}]") } else { text }
    }

    /// What the names in a kind of run stand for: `Q = [A C]`, each once.
    fn legend(&self, level: usize, id: RunId) -> Vec<String> {
        const MOST_SHOWN: usize = 8;
        let Some(below) = level.checked_sub(1) else { return vec![] };
        let word = self.summary.levels.get(level).and_then(|level| level.words.get(id.0 as usize));
        let mut units = word.map_or_else(Vec::new, |word| word.units.clone());
        units.sort_unstable();
        units.dedup();
        let text = |unit| format!("{} = {}", self.unit(level, unit), self.text_of(below, RunId(unit)));
        units.into_iter().take(MOST_SHOWN).map(text).collect()
    }

    /// A kind of run.
    pub(super) fn word(&self, level: usize, id: RunId) -> Word {
        let word = self.summary.levels.get(level).and_then(|level| level.words.get(id.0 as usize));
        let units = word.map_or(&[][..], |word| &word.units);
        Word {
            id: id.0,
            name: self.names.of(level, id),
            is_loop: word.is_some_and(|word| word.is_loop),
            units: units.iter().take(WORD).map(|&unit| self.unit(level, unit)).collect(),
            length: units.len(),
        }
    }

    /// The track as one of the list.
    pub(super) fn answer(&self) -> LoopTrack {
        LoopTrack {
            name: self.name.clone(),
            steps: self.steps,
            gaps: self.summary.gaps.len(),
            levels: self.levels(),
            end_is_lost: self.ending.end_is_lost,
            ends_in: self.ending.loops.iter().map(|end| self.end_loop(end)).collect(),
        }
    }

    /// Its levels, the lowest first.
    pub(in crate::serve) fn levels(&self) -> Vec<LoopLevel> {
        let level = |level: &Level| LoopLevel {
            runs: level.runs.len(),
            kinds: level.words.len(),
            loops: level.runs.iter().filter(|run| run.is_loop()).count(),
            pending: level.pending.len(),
            in_loop: level.in_loop,
        };
        self.summary.levels.iter().map(level).collect()
    }

    fn end_loop(&self, end: &EndLoop) -> EndLoopAnswer {
        let (iterations, rest) = end.run.iterations();
        let inner = end.inner.iter().map(|inner| InnerLoop {
            word: self.word(inner.level, inner.id),
            counts: sentence(inner.counts, u64::from(inner.period.max(1))),
        });
        EndLoopAnswer {
            level: end.level,
            word: self.word(end.level, end.run.id),
            says: self.legend(end.level, end.run.id),
            since: end.since,
            steps: end.steps,
            iterations,
            rest,
            most_before: end.most_before,
            inner: inner.collect(),
        }
    }
}

/// How regular the iterations of an inner loop are, in words.
fn sentence(counts: Counts, period: u64) -> String {
    let iterations = |length: u64| match length % period {
        0 => (length / period).to_string(),
        rest => format!("{}.{rest}", length / period),
    };
    match counts {
        Counts::Constant(length) => format!("iterates {} times in every iteration", iterations(length)),
        Counts::Linear { first, last, step } => {
            let (more, by) =
                if step < 0 { ("less", step.unsigned_abs()) } else { ("more", step.unsigned_abs()) };
            format!(
                "iterates {} times, then {} {more} each iteration, {} in the last",
                iterations(first),
                iterations(by),
                iterations(last)
            )
        }
        Counts::Other { least, most } => {
            format!("iterates between {} and {} times", iterations(least), iterations(most))
        }
    }
}
