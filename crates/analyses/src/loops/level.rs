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
//! every turn has exactly the same lengths, the runs are replaced by the one loop around them.

use super::runs::{Change, RunStart, Runs};

/// A level whose units are runs.
#[derive(Debug, Clone)]
pub(super) struct Level {
    pub(super) runs: Runs,
    /// Watches the runs of this level for a loop around them; fed when a loop was left.
    watch: Option<Box<Level>>,
    pub(super) rewrites: u64,
    /// How many units had been read at the last rewrite: what was before it is gone.
    rewritten_at: u64,
}

impl Default for Level {
    fn default() -> Self {
        Level { runs: Runs::that_rewind(), watch: None, rewrites: 0, rewritten_at: 0 }
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
        self.watch = None;
        (self.rewrites, self.rewritten_at) = (0, 0);
    }

    /// The units from number `count` on are not what they were: forgets what they did. `units` has
    /// at least the first `count`. Gives how many runs are still what they were.
    pub(super) fn rewind(&mut self, count: usize, units: &[RunStart]) -> usize {
        if count as u64 >= self.runs.processed() {
            return self.runs.list().len();
        }
        if (count as u64) < self.rewritten_at {
            self.restart();
            return 0;
        }
        self.runs.rewind(count as u64, |index| units[index as usize].id.0);
        if let Some(watch) = &mut self.watch {
            // In a loop, the runs before it were shown to the watch when the loop before was left.
            let list = self.runs.list();
            let mut shown = self.runs.finished().len();
            if self.runs.in_loop() && shown > 0 && list[shown - 1].period == 0 {
                shown -= 1;
            }
            watch.rewind(shown, list);
        }
        self.runs.list().len()
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
        let watch = self.watch.get_or_insert_default();
        let seen = watch.process(self.runs.finished());
        if !seen.found && seen.replaced_from.is_none() {
            return None;
        }
        let around = *watch.runs.list().last()?;
        let (first, turn) = (around.start as usize, around.period as usize);
        let list = self.runs.list();
        let exact = (first..first + turn).all(|index| {
            list[index].period == 0 || self.runs.len_of(index) == self.runs.len_of(index + turn)
        });
        if !exact {
            return None;
        }
        let covered = list[first].start as usize..list[first + turn].start as usize;
        let word: Vec<u32> = units[covered].iter().map(|unit| unit.id.0).collect();
        self.rewritten_at = self.runs.processed();
        self.rewrites += 1;
        watch.rewind(first, self.runs.list());
        self.runs.replace_from(first, &word);
        Some(first)
    }
}
