//! From the engine's state to a [`Summary`]: segments between gaps are joined, runs are numbered
//! by first appearance, and levels without a loop are left out.

use super::level::Level;
use super::runs::Runs;
use super::words::Words;
use model::{Run, RunId, Summary, Word};

/// The runs of all levels between two gaps; every level that has runs covers the whole segment.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    steps: u64,
    levels: Vec<Closed>,
}

#[derive(Debug, Clone)]
struct Closed {
    runs: Vec<Run>,
    rewrites: u64,
}

impl Segment {
    /// What was closed just now.
    pub(super) fn of(lowest: &Runs, levels: &[Level]) -> Self {
        let lowest_runs = Closed { runs: lowest.shown().collect(), rewrites: 0 };
        let above = levels.iter().take_while(|level| !level.runs.list().is_empty());
        let above =
            above.map(|level| Closed { runs: level.runs.shown().collect(), rewrites: level.rewrites() });
        Segment { steps: lowest.processed(), levels: std::iter::once(lowest_runs).chain(above).collect() }
    }
}

/// Joins the closed segments and the open one.
pub(super) fn summary(lowest: &Runs, levels: &[Level], closed: &[Segment]) -> Summary {
    let open = levels.iter().take_while(|level| !level.runs.list().is_empty()).count() + 1;
    let height = closed.iter().map(|segment| segment.levels.len()).fold(open, usize::max);
    let mut summary = Summary { levels: Vec::with_capacity(height), gaps: gaps(closed) };
    // For each segment (the open one last), the numbers of its units on the level in work.
    let mut units: Vec<Vec<u32>> = Vec::new();
    for index in 0..height {
        let level = (index > 0).then(|| levels.get(index - 1)).flatten();
        let runs = if index == 0 { Some(lowest) } else { level.map(|level| &level.runs) };
        let mut join = Join::new(runs.map(|runs| &runs.words));
        let mut next_units = Vec::new();
        for (segment, inner) in closed.iter().enumerate() {
            let below = units.get(segment).map(Vec::as_slice);
            let len = below.map_or(inner.steps, |below| below.len() as u64);
            next_units.push(match inner.levels.get(index) {
                Some(closed) => {
                    join.level.rewrites += closed.rewrites;
                    join.append(closed.runs.iter().copied(), below)
                }
                None => join.append_whole(below.unwrap_or(&[])),
            });
            join.base += len;
        }
        let below = units.last().map(Vec::as_slice);
        match runs.filter(|_| index < open) {
            Some(runs) => {
                join.level.rewrites += level.map_or(0, Level::rewrites);
                next_units.push(join.append(runs.shown(), below));
                join.level.in_loop = runs.in_loop();
                join.level.pending = match below {
                    None => runs.pending().to_vec(),
                    Some(below) => below[runs.end() as usize..].to_vec(),
                };
            }
            None => {
                next_units.push(Vec::new());
                join.level.pending = below.unwrap_or(&[]).to_vec();
            }
        }
        units = next_units;
        summary.levels.push(join.level);
    }
    summary
}

/// The steps at which a later segment begins.
fn gaps(closed: &[Segment]) -> Vec<u64> {
    closed
        .iter()
        .scan(0, |step, segment| {
            *step += segment.steps;
            Some(*step)
        })
        .collect()
}

/// One level of the summary in the making.
struct Join<'a> {
    level: model::Level,
    /// Units of this level in the segments before.
    base: u64,
    /// Words by their final numbers.
    shown: Words,
    /// Words by the numbers that the engine gave them.
    words: Option<&'a Words>,
    /// From the engine's numbers to the final ones.
    renumbered: Vec<Option<RunId>>,
}

impl<'a> Join<'a> {
    fn new(words: Option<&'a Words>) -> Self {
        Join {
            level: model::Level::default(),
            base: 0,
            shown: Words::default(),
            words,
            renumbered: Vec::new(),
        }
    }

    /// Appends runs of one segment. `below`: the final numbers of the segment's units; `None` on
    /// the lowest level, where units are what was fed. Gives the final numbers of the runs.
    fn append(&mut self, runs: impl Iterator<Item = Run>, below: Option<&[u32]>) -> Vec<u32> {
        let mut numbers = Vec::new();
        for run in runs {
            let id = self.renumber(&run, below);
            numbers.push(id.0);
            self.level.runs.push(Run { id, start: run.start + self.base, ..run });
        }
        numbers
    }

    /// Appends one transition over all units of a segment that has no loop on this level.
    fn append_whole(&mut self, below: &[u32]) -> Vec<u32> {
        let id = self.intern(below, false);
        self.level.runs.push(Run { id, start: self.base, len: below.len() as u64, period: 0 });
        vec![id.0]
    }

    fn renumber(&mut self, run: &Run, below: Option<&[u32]>) -> RunId {
        let index = run.id.0 as usize;
        if let Some(Some(known)) = self.renumbered.get(index) {
            return *known;
        }
        let id = match (below, self.words) {
            // The first run of its kind stands in this segment: its units are the word.
            (Some(below), _) => {
                let start = run.start as usize;
                let len = if run.is_loop() { run.period as usize } else { run.len as usize };
                self.intern(&below[start..start + len], run.is_loop())
            }
            (None, Some(words)) => self.intern(words.units(run.id), run.is_loop()),
            (None, None) => self.intern(&[], run.is_loop()),
        };
        if self.renumbered.len() <= index {
            self.renumbered.resize(index + 1, None);
        }
        self.renumbered[index] = Some(id);
        id
    }

    fn intern(&mut self, units: &[u32], is_loop: bool) -> RunId {
        let id = self.shown.intern(units, is_loop);
        if id.0 as usize == self.level.words.len() {
            self.level.words.push(Word { units: units.to_vec(), is_loop });
        }
        id
    }
}
