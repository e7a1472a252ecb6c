//! The innermost loop of each block of a method, worked out when the method is first met.

use model::code::{CodeMap, Loop, MethodId};
use rustc_hash::FxHashMap;

/// For a block in no loop.
pub(super) const NO_LOOP: u32 = u32::MAX;

/// By method and block: the innermost loop, and whether the block is its head.
#[derive(Debug, Default)]
pub(super) struct Innermost {
    methods: Vec<Vec<(u32, bool)>>,
    /// The same as numbers + 1 in `methods`, 0 for those that were not met; by method.
    known: Vec<u32>,
    /// Methods with numbers that no list has room for.
    far: FxHashMap<MethodId, u32>,
}

/// Method numbers below this are looked up in a list.
const NEAR: u32 = 1 << 24;

impl Innermost {
    /// Those of a method, and its loops.
    #[inline]
    pub(super) fn of<'c>(&mut self, method: MethodId, code: &'c CodeMap) -> (&[(u32, bool)], &'c [Loop]) {
        let about = code.method(method);
        let loops = about.map_or(&[][..], |about| &about.loops);
        let at = match self.known.get(method.0 as usize) {
            Some(&number) if number > 0 => number,
            _ => self.work_out(method, loops, about.map_or(0, |about| about.blocks.len())),
        };
        (self.methods.get(at as usize - 1).map_or(&[], Vec::as_slice), loops)
    }

    #[cold]
    fn work_out(&mut self, method: MethodId, loops: &[Loop], blocks: usize) -> u32 {
        if let Some(&known) = self.far.get(&method) {
            return known;
        }
        // Outer loops come first, so the last one that lists a block is its innermost.
        let mut found = vec![(NO_LOOP, false); blocks];
        for (index, one) in (0..).zip(loops) {
            for &block in &one.blocks {
                if let Some(step) = found.get_mut(block as usize) {
                    *step = (index, one.head == block);
                }
            }
        }
        self.methods.push(found);
        let number = self.methods.len() as u32;
        if method.0 < NEAR {
            if self.known.len() <= method.0 as usize {
                self.known.resize(method.0 as usize + 1, 0);
            }
            if let Some(known) = self.known.get_mut(method.0 as usize) {
                *known = number;
            }
        } else {
            self.far.insert(method, number);
        }
        number
    }
}

/// The loop around a loop.
pub(super) fn parent(all: &[Loop], index: u32) -> Option<u32> {
    // Outer loops come first, so a parent that does not is a damaged table, which must not iteration us round.
    all.get(index as usize).and_then(|found| found.parent).filter(|&outer| outer < index)
}
