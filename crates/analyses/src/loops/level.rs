//! One level above the lowest: its units are the runs of the level below, by their numbers
//! (founding text 1, "Meta-run summaries" and "Identifying larger loops"; the spec's 3.5 and 3.6).
//!
//! Eager detection collapses a loop at once, and a larger one around it may be missed:
//!
//! ```text
//! units            A B C D A B C D A E  A B C D A B C D A E  A B C D ...
//! eager runs       P*2.1             Q  P*2.1             Q  P*2.1       P = ABCD, Q = E
//! over-arching     R*2.0                                     R           R = ABCDABCDAE
//! ```
//!
//! So each level watches its own runs with a private level above. When that one finds a loop, and
//! every iteration has exactly the same lengths, the runs are replaced by the one loop around them.
//!
//! Such a rewrite replaces units of the level above, which then has to return to the state before
//! it read them ([`Level::rewind`]). What a rewrite replaced is kept for that, so returning costs
//! what is taken back and never a second reading from the start.

use super::runs::{Change, Replaced, RunStart, Runs};

/// A level whose units are runs.
#[derive(Debug, Clone)]
pub(super) struct Level {
    pub(super) runs: Runs,
    /// Watches the runs of this level for a loop around them; fed when a loop was left.
    outer: Option<Box<Level>>,
    /// How many runs the watch had been fed after each time that it was. Ascending.
    fed: Vec<usize>,
    /// The rewrites that the runs have gone through, oldest first.
    rewrites: Vec<Rewrite>,
}

/// What it takes to undo a rewrite.
#[derive(Debug, Clone)]
struct Rewrite {
    /// How many units had been read when it was made.
    at: u64,
    replaced: Replaced,
    /// The entries of [`Level::fed`] that it removed.
    fed: Vec<usize>,
}

impl Default for Level {
    fn default() -> Self {
        Level { runs: Runs::that_rewind(), outer: None, fed: Vec::new(), rewrites: Vec::new() }
    }
}

/// What a call of [`Level::process`] did to the runs of the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Processed {
    /// A loop was found, so runs were added.
    pub(super) found: bool,
    /// Runs from this index on were replaced by one.
    pub(super) replaced_from: Option<usize>,
}

impl Level {
    /// Forgets everything but the words.
    pub(super) fn restart(&mut self) {
        self.runs.restart();
        self.outer = None;
        self.fed.clear();
        self.rewrites.clear();
    }

    /// How many rewrites the runs have gone through.
    pub(super) fn rewrites(&self) -> u64 {
        self.rewrites.len() as u64
    }

    /// The units from number `count` on are not what they were: returns to the state before any of
    /// them was read. `units` has at least the first `count`. Gives how many runs are still what
    /// they were. The time is proportional to the work that is taken back.
    pub(super) fn rewind(&mut self, count: usize, units: &[RunStart]) -> usize {
        let mut same = self.runs.list().len();
        while let Some(rewrite) = self.rewrites.pop_if(|rewrite| rewrite.at > count as u64) {
            let first = rewrite.replaced.first();
            same = same.min(first);
            self.fed.truncate(self.fed.partition_point(|&fed| fed <= first));
            self.fed.extend(rewrite.fed);
            self.runs.undo_replace(rewrite.replaced);
        }
        if count as u64 >= self.runs.processed() {
            return same;
        }
        self.runs.rewind(count as u64, |index| units[index as usize].id.0);
        let list = self.runs.list();
        same = same.min(list.len());
        if let Some(outer) = &mut self.outer {
            // In a loop, the runs before it were fed to the watch when the loop before was left.
            let mut fed = self.runs.finished().len();
            if self.runs.in_loop() && fed > 0 && list[fed - 1].period == 0 {
                fed -= 1;
            }
            self.fed.truncate(self.fed.partition_point(|&earlier| earlier < fed));
            if fed > 0 {
                self.fed.push(fed);
            }
            // What an undone rewrite had replaced is fed again, in the same portions as before.
            let again = self.fed.partition_point(|&portion| portion <= same);
            let known = if again == 0 { 0 } else { self.fed[again - 1] };
            outer.rewind(known, list);
            for &portion in &self.fed[again..] {
                outer.process(&list[..portion]);
            }
        }
        same
    }

    /// Takes in the units that are new since the last call; `units` are all of them.
    pub(super) fn process(&mut self, units: &[RunStart]) -> Processed {
        let mut done = Processed::default();
        let mut left = false;
        for unit in &units[self.runs.processed() as usize..] {
            match self.runs.push(unit.id.0, units) {
                Change::None => {}
                Change::Left => left = true,
                Change::Found => done.found = true,
            }
        }
        if left {
            done.replaced_from = self.look_for_larger_loop(units);
        }
        done
    }

    /// Ends the current run behind the last of `units`, whatever it is.
    pub(super) fn close(&mut self, units: &[RunStart]) {
        // A rewrite leaves units to be read anew by the next call, which will not come.
        for unit in &units[self.runs.processed() as usize..] {
            self.runs.push(unit.id.0, units);
        }
        self.runs.close(units);
    }

    fn look_for_larger_loop(&mut self, units: &[RunStart]) -> Option<usize> {
        let outer = self.outer.get_or_insert_default();
        let list = self.runs.list();
        let seen = outer.process(self.runs.finished());
        self.fed.push(self.runs.finished().len());
        // A loop that the watch only widened, by a rewrite of its own, is none that it found.
        if !seen.found {
            return None;
        }
        let enclosing = *outer.runs.list().last()?;
        let (first, iteration) = (enclosing.start as usize, enclosing.period as usize);
        let exact = (first..first + iteration).all(|index| {
            list[index].period == 0 || self.runs.len_of(index) == self.runs.len_of(index + iteration)
        });
        if !exact {
            return None;
        }
        let covered = list[first].start as usize..list[first + iteration].start as usize;
        let word: Vec<u32> = units[covered].iter().map(|unit| unit.id.0).collect();
        let at = self.runs.processed();
        let fed = self.fed.split_off(self.fed.partition_point(|&fed| fed <= first));
        outer.rewind(self.fed.last().copied().unwrap_or(0), list);
        self.rewrites.push(Rewrite { at, replaced: self.runs.replace_from(first, &word), fed });
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use model::RunId;

    fn unit(index: usize, id: u32) -> RunStart {
        RunStart { start: index as u64, id: RunId(id), period: 0 }
    }

    /// Whatever was read, taken back and read differently: the level is that of somebody who read
    /// only what is there now, its rewrites included.
    #[test]
    fn rewinding_is_never_having_read() {
        let mut rng = Rng::with_seed(7);
        let mut undone = 0;
        for round in 0..300 {
            // Phases that each are a loop around loops, so that there is much to rewrite.
            let mut source = Vec::new();
            while source.len() < 300 {
                let first = 3 * rng.u64(..2 + round % 3) as u32;
                for _ in 0..1 + rng.u64(..3) {
                    for _ in 0..1 + rng.u64(..3) {
                        source.extend([first, first + 1].repeat(1 + rng.usize(..3)));
                    }
                    source.push(first + 2);
                }
            }
            let (mut level, mut units, mut next) = (Level::default(), Vec::new(), 0);
            while next < source.len() {
                if rng.u64(..20) == 0 && !units.is_empty() {
                    let count = units.len() - rng.usize(..=units.len().min(60));
                    units.truncate(count);
                    let before = level.rewrites();
                    level.rewind(count, &units);
                    undone += before - level.rewrites();
                }
                units.push(unit(units.len(), source[next]));
                next += 1;
                level.process(&units);
            }
            let mut fresh = Level::default();
            (1..=units.len()).for_each(|count| {
                fresh.process(&units[..count]);
            });
            let shown = |level: &Level| -> Vec<_> {
                let ids = |run: &model::Run| (run.start, run.len, run.period);
                level.runs.shown().map(|run| ids(&run)).collect()
            };
            assert_eq!(shown(&level), shown(&fresh), "round {round}");
            assert_eq!((level.rewrites(), &level.fed), (fresh.rewrites(), &fresh.fed), "round {round}");
        }
        assert!(undone > 100, "only {undone} rewrites were undone");
    }
}
