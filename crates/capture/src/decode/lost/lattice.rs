//! All sequences of records, so many words long, that lead from what was open before a gap to what is read after it.
//!
//! ```text
//!   words   0        1        2        3 lost
//!           A --r1-- B --r2-- C --r4-- D   then the records after the gap fit
//!             \--r3-- C'--r5-- D'          they do not: D', C' and what leads only there go
//! ```
//!
//! What is open after the same number of words in the same way is one node, however it was reached. So all that may
//! have happened is there at once, and it is seen whether there is one way or more, without listing them.

use std::collections::HashMap;

use super::super::frames::Frames;
use super::frequencies::mix;
use super::next::Next;
use super::record::Record;

/// More nodes than this are not tried.
pub(super) const MAX_NODES: usize = 2_000;

/// More records than this are not tried.
pub(super) const TRIALS: usize = 40_000;

/// A node of the lattice: what is open after some of the words.
pub(super) struct LatticeNode {
    pub(super) frames: Frames,
    /// The words before it.
    pub(super) words: usize,
    pub(super) on: Vec<Branch>,
    /// How many records could come here.
    pub(super) choices: usize,
    /// The innermost frame and how far it is, as a number.
    pub(super) at: u64,
    /// Paths from here to the end; more than two are not counted.
    pub(super) branches: u32,
    /// Code that is not recorded may have called others on a path to here.
    pub(super) passes_open: bool,
}

/// A record that may come, and where it leads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    pub(super) record: Record,
    pub(super) to: usize,
    /// It stands for others that state another number.
    pub(super) stands_for_others: bool,
}

/// See the module's head.
#[derive(Default)]
pub(super) struct Lattice {
    pub(super) nodes: Vec<LatticeNode>,
    /// Some path goes where code that is not recorded may have called others: so many words were left then at most.
    pub(super) open_for: usize,
    /// Not all was looked at.
    pub(super) is_incomplete: bool,
}

impl Lattice {
    /// All that fits from these frames on, in so many words. `next` lists what may come; `take` returns what is open after
    /// a record, if it fits; `fits` whether what was read after the gap does. `stops`: with nothing, where not all can be
    /// examined.
    pub(super) fn of(
        begin: Frames,
        lost: usize,
        stops: bool,
        mut next: impl FnMut(&Frames) -> Next,
        mut take: impl FnMut(&Frames, &Record) -> Option<Frames>,
        mut fits: impl FnMut(&Frames) -> bool,
    ) -> Lattice {
        let mut lattice = Lattice::default();
        let mut layers: Vec<Vec<usize>> = vec![vec![]; lost + 1];
        let mut known: HashMap<(usize, Frames), usize> = HashMap::new();
        lattice.add(begin, 0, &mut layers, &mut known);
        let mut trials = 0;
        for words in 0..lost {
            let mut index = 0;
            while let Some(&from) = layers[words].get(index) {
                index += 1;
                let frames = lattice.nodes[from].frames.clone();
                let listed = next(&frames);
                lattice.is_incomplete |= listed.is_incomplete;
                if listed.is_open {
                    lattice.open_for = lattice.open_for.max(lost - words);
                    lattice.nodes[from].passes_open = true;
                }
                let passes_open = lattice.nodes[from].passes_open;
                lattice.nodes[from].choices = listed.records.len();
                for (record, stands_for_others) in listed.records {
                    let length = record.words().len();
                    if words + length > lost {
                        continue;
                    }
                    if lattice.is_incomplete && stops {
                        return lattice;
                    }
                    trials += 1;
                    if trials > TRIALS || lattice.nodes.len() > MAX_NODES {
                        lattice.is_incomplete = true;
                        break;
                    }
                    let Some(mut after) = take(&frames, &record) else { continue };
                    after.forget_credit();
                    let to = lattice.add(after, words + length, &mut layers, &mut known);
                    lattice.nodes[from].on.push(Branch { record, to, stands_for_others });
                    lattice.nodes[to].passes_open |= passes_open;
                }
            }
        }
        // A path leads to a node with more words, so this order is from the end.
        for words in (0..=lost).rev() {
            for &node in &layers[words] {
                let branches = match words == lost {
                    true => u32::from(fits(&lattice.nodes[node].frames)),
                    false => {
                        let on = std::mem::take(&mut lattice.nodes[node].on);
                        let on: Vec<Branch> =
                            on.into_iter().filter(|branch| lattice.nodes[branch.to].branches > 0).collect();
                        let branches = on.iter().map(|branch| lattice.nodes[branch.to].branches).sum::<u32>();
                        lattice.nodes[node].on = on;
                        branches
                    }
                };
                lattice.nodes[node].branches = branches.min(2);
            }
        }
        lattice
    }

    fn add(
        &mut self,
        frames: Frames,
        words: usize,
        layers: &mut [Vec<usize>],
        known: &mut HashMap<(usize, Frames), usize>,
    ) -> usize {
        *known.entry((words, frames)).or_insert_with_key(|(_, frames)| {
            self.nodes.push(LatticeNode {
                frames: frames.clone(),
                words,
                on: vec![],
                choices: 0,
                at: node(frames),
                branches: 0,
                passes_open: false,
            });
            layers[words].push(self.nodes.len() - 1);
            self.nodes.len() - 1
        })
    }

    /// Whether something may stand for others on the paths that are left.
    pub(super) fn stands_for_others(&self) -> bool {
        let left = self.nodes.iter().filter(|node| node.branches > 0);
        left.flat_map(|node| &node.on).any(|branch| branch.stands_for_others)
    }
}

/// The innermost frame and how far it is, as a number.
pub(super) fn node(frames: &Frames) -> u64 {
    frames.nth(0).map_or(1, |(frame, _)| {
        let far = u64::from(frame.last) << 32 | u64::from(frame.start) ^ u64::from(frame.emitted) << 20;
        mix(mix(u64::from(frame.method)) ^ far)
    })
}
