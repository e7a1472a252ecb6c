//! Words: the units of a transition, or of one iteration of a loop, each kept once and numbered.
//!
//! Two runs are of the same kind exactly when their words are equal unit by unit and both are
//! loops or both are not (founding text 1, "Meta-run summaries"; the spec's part 3.2). A rotation
//! of a loop is another word.
//!
//! Long transitions of the levels above the lowest are not copied: rewriting takes them back and
//! makes them anew, a little longer, again and again. They are known by the hash that the square
//! finder has ready and by the position where they stood first.

use hashbrown::HashTable;
use model::RunId;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::ops::Range;

/// The words of one level.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    units: Vec<u32>,
    entries: Vec<Entry>,
    by_content: HashTable<u32>,
}

#[derive(Debug, Clone)]
struct Entry {
    range: Range<usize>,
    hash: u64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `range` is in `units`.
    Transition,
    /// `range` is in `units`.
    Iteration,
    /// A transition whose `range` is in the units of the level.
    InLevel,
}

impl Words {
    /// The number of `word`, which is added when it is new.
    pub(super) fn intern(&mut self, word: &[u32], is_loop: bool) -> RunId {
        let hash = prefix_hash(word, is_loop);
        if let Some(id) = self.find_hashed(word, is_loop, hash) {
            return id;
        }
        let start = self.units.len();
        self.units.extend_from_slice(word);
        let kind = if is_loop { Kind::Iteration } else { Kind::Transition };
        self.add(Entry { range: start..self.units.len(), hash, kind })
    }

    /// The number of the transition that stands at `span` among the units of its level. `same`
    /// says whether the units of an earlier span, of the same length, are equal to it *now*: the
    /// units there may have been replaced, and then it is another word.
    pub(super) fn intern_range(
        &mut self,
        span: Range<usize>,
        hash: u64,
        same: impl Fn(&Range<usize>) -> bool,
    ) -> RunId {
        let found = self.by_content.find(hash, |&id| {
            let Entry { range, kind, .. } = &self.entries[id as usize];
            *kind == Kind::InLevel && range.len() == span.len() && same(range)
        });
        match found {
            Some(&id) => RunId(id),
            None => self.add(Entry { range: span, hash, kind: Kind::InLevel }),
        }
    }

    fn add(&mut self, entry: Entry) -> RunId {
        let (id, hash) = (self.entries.len() as u32, entry.hash);
        self.entries.push(entry);
        let entries = &self.entries;
        self.by_content.insert_unique(hash, id, |&id| entries[id as usize].hash);
        RunId(id)
    }

    /// The units of the word with this number, which was not placed.
    #[inline]
    pub(super) fn units(&self, id: RunId) -> &[u32] {
        &self.units[self.entries[id.0 as usize].range.clone()]
    }

    /// The numbers of all beginnings of `word` (not empty, not the whole) that are transitions of
    /// their own, with their lengths, shortest first.
    pub(super) fn transitions_that_begin<'a>(
        &'a self,
        word: &'a [u32],
    ) -> impl Iterator<Item = (usize, RunId)> + 'a {
        let mut hasher = hasher(false);
        word.iter().enumerate().filter_map(move |(index, &unit)| {
            let length = index + 1;
            hasher.write_u32(unit);
            if length == word.len() {
                return None;
            }
            self.find_hashed(&word[..length], false, hasher.finish()).map(|id| (length, id))
        })
    }

    fn find_hashed(&self, word: &[u32], is_loop: bool, hash: u64) -> Option<RunId> {
        let kind = if is_loop { Kind::Iteration } else { Kind::Transition };
        let same = |&id: &u32| {
            let entry = &self.entries[id as usize];
            entry.kind == kind && self.units[entry.range.clone()] == *word
        };
        self.by_content.find(hash, same).map(|&id| RunId(id))
    }
}

fn hasher(is_loop: bool) -> FxHasher {
    let mut hasher = FxHasher::default();
    hasher.write_u32(u32::from(is_loop));
    hasher
}

fn prefix_hash(word: &[u32], is_loop: bool) -> u64 {
    let mut hasher = hasher(is_loop);
    word.iter().for_each(|&unit| hasher.write_u32(unit));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_one_number_and_kinds_are_kept_apart() {
        let mut words = Words::default();
        let transition = words.intern(&[1, 2, 3], false);
        let iteration = words.intern(&[1, 2, 3], true);
        assert_ne!(transition, iteration);
        assert_eq!(words.intern(&[1, 2, 3], false), transition);
        assert_eq!(words.units(iteration), [1, 2, 3]);
    }

    #[test]
    fn a_placed_word_is_compared_where_it_stands() {
        let mut words = Words::default();
        let mut units = vec![1, 2, 1, 2, 1, 3];
        let mut at = |units: &[u32], span: Range<usize>| {
            words.intern_range(span.clone(), 7, |other| units[other.clone()] == units[span.clone()])
        };
        let first = at(&units, 0..2);
        assert_eq!(at(&units, 2..4), first);
        assert_ne!(at(&units, 4..6), first);
        units[1] = 9;
        assert_ne!(at(&units, 2..4), first);
    }

    #[test]
    fn beginnings_are_found_shortest_first() {
        let mut words = Words::default();
        let short = words.intern(&[1], false);
        let long = words.intern(&[1, 2, 3], false);
        words.intern(&[1, 2], true);
        let found: Vec<_> = words.transitions_that_begin(&[1, 2, 3, 4]).collect();
        assert_eq!(found, [(1, short), (3, long)]);
        assert_eq!(words.transitions_that_begin(&[1, 2, 3]).count(), 1);
    }
}
