//! How often the blocks of a recording ran.

use std::collections::BTreeMap;

use crate::code::{BlockId, CodeMap, MethodId};

/// How often blocks ran: by method, then by block.
#[derive(Debug, Default)]
pub struct BlockCounts {
    by_method: Vec<Vec<u64>>,
    /// Of methods and blocks that are not described: their numbers may be of any size.
    others: BTreeMap<(MethodId, BlockId), u64>,
}

impl BlockCounts {
    /// These blocks ran so many times; how many that makes together.
    #[inline]
    pub(crate) fn add(&mut self, code: &CodeMap, method: MethodId, blocks: &[BlockId], times: u64) -> u64 {
        for &block in blocks {
            let of_method = self.by_method.get_mut(method.0 as usize);
            match of_method.and_then(|counts| counts.get_mut(block as usize)) {
                Some(count) => *count = count.saturating_add(times),
                None => self.add_first(code, method, block, times),
            }
        }
        times.saturating_mul(blocks.len() as u64)
    }

    #[cold]
    fn add_first(&mut self, code: &CodeMap, method: MethodId, block: BlockId, times: u64) {
        let known = code.method(method).map_or(0, |method| method.blocks.len());
        if block as usize >= known {
            let count = self.others.entry((method, block)).or_default();
            *count = count.saturating_add(times);
            return;
        }
        let (at, index) = (method.0 as usize, block as usize);
        if at >= self.by_method.len() {
            self.by_method.resize(at + 1, vec![]);
        }
        if let Some(counts) = self.by_method.get_mut(at) {
            counts.resize(known, 0);
            counts[index] = times;
        }
    }

    /// Those that ran.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (MethodId, BlockId, u64)> {
        let of_methods = (0..).zip(&self.by_method).flat_map(|(method, counts)| {
            (0..).zip(counts).map(move |(block, times)| (MethodId(method), block, *times))
        });
        let others = self.others.iter().map(|((method, block), times)| (*method, *block, *times));
        of_methods.filter(|(.., times)| *times > 0).chain(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{Block, ClassId, Method};

    #[test]
    fn blocks_are_counted_whether_they_are_described_or_not() {
        let method = Method {
            class: ClassId(0),
            name: "bake".into(),
            descriptor: "()V".into(),
            blocks: vec![Block::body(None), Block::body(None)],
            access_flags: 0,
            edges: vec![],
            exception_edges: vec![],
            loops: vec![],
        };
        let code = CodeMap { methods: vec![method], ..CodeMap::default() };
        let (first, unknown) = (MethodId(0), MethodId(u32::MAX));
        let mut ran = BlockCounts::default();
        assert_eq!(ran.add(&code, first, &[1, 0, 1], 2), 6);
        assert_eq!(ran.add(&code, first, &[1, 2], 1), 2);
        assert_eq!(ran.add(&code, unknown, &[u32::MAX], u64::MAX), u64::MAX);
        ran.add(&code, unknown, &[u32::MAX], 1);
        let all: Vec<_> = ran.iter().collect();
        assert_eq!(all, [(first, 0, 2), (first, 1, 5), (first, 2, 1), (unknown, u32::MAX, u64::MAX)]);
    }
}
