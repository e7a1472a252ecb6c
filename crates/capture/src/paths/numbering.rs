//! The numbering of a method, written down and read.

use model::code::Method;
use model::{BlockId, EdgeRole, NumberedBlock, NumberedEdge, Numbering};

use source::bytes::{Cursor, put_number, put_signed};

/// A numbering with the edges that it speaks of.
#[derive(Debug)]
pub(crate) struct PathGraph {
    pub(crate) numbering: Numbering,
    /// Source and target, sorted by source.
    edges: Vec<(BlockId, BlockId)>,
}

impl PathGraph {
    /// `None` if they do not fit each other.
    pub(crate) fn read(numbering: &[u8], method: &Method) -> Option<PathGraph> {
        let numbering = read(numbering, method)?;
        let edges: Vec<_> = method.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        edges.is_sorted_by_key(|(from, _)| *from).then_some(PathGraph { numbering, edges })
    }

    /// The edges that leave a block: target and what is known of it.
    pub(super) fn out_of(&self, block: BlockId) -> impl Iterator<Item = (BlockId, NumberedEdge)> {
        let first = self.edges.partition_point(|(from, _)| *from < block);
        let edges = self.edges.get(first..).unwrap_or_default().iter();
        let edges = edges.take_while(move |(from, _)| *from == block).map(|(_, to)| *to);
        edges.zip(self.numbering.edges.get(first..).unwrap_or_default().iter().copied())
    }
}

/// The bytes for [`MethodRecord::numbering`](crate::MethodRecord::numbering).
pub fn put(numbering: &Numbering, out: &mut Vec<u8>) {
    put_number(out, u64::from(numbering.codes));
    put_number(out, numbering.entry.map_or(0, |entry| u64::from(entry) + 1));
    put_number(out, numbering.handlers.len() as u64);
    numbering.handlers.iter().for_each(|handler| put_number(out, u64::from(*handler)));
    for block in &numbering.blocks {
        let flags = [block.fresh, block.counted, block.in_counted_loop, block.site, block.stop];
        let flags = flags.into_iter().chain([block.start.is_some(), block.silent]).enumerate();
        out.push(flags.fold(0, |bits, (index, flag)| bits | u8::from(flag) << index));
        if let Some(start) = block.start {
            put_number(out, u64::from(start));
        }
    }
    for edge in &numbering.edges {
        out.push(match edge.role {
            EdgeRole::Through => 0,
            EdgeRole::Cut => 1,
            EdgeRole::Iteration => 2,
            EdgeRole::Silent => 3,
        });
        put_signed(out, i64::from(edge.value));
    }
}

/// Reads them for a method; `None` if they do not fit it.
pub fn read(bytes: &[u8], method: &Method) -> Option<Numbering> {
    let mut cursor = Cursor::new(bytes);
    let codes = cursor.number32()?;
    let entry = cursor.number32()?.checked_sub(1);
    let handler = |block: u32| ((block as usize) < method.blocks.len()).then_some(block);
    let count = cursor.count()?;
    let handlers = (0..count).map(|_| handler(cursor.number32()?)).collect::<Option<_>>()?;
    let mut block = || {
        let flags = cursor.byte()?;
        let flag = |bit: u8| flags & bit != 0;
        let start = if flag(32) { Some(cursor.number32()?) } else { None };
        Some(NumberedBlock {
            start,
            fresh: flag(1),
            counted: flag(2),
            in_counted_loop: flag(4),
            site: flag(8),
            stop: flag(16),
            silent: flag(64),
        })
    };
    let blocks = method.blocks.iter().map(|_| block()).collect::<Option<_>>()?;
    let mut edge = || {
        let role = [EdgeRole::Through, EdgeRole::Cut, EdgeRole::Iteration, EdgeRole::Silent];
        let role = *role.get(usize::from(cursor.byte()?))?;
        Some(NumberedEdge { role, value: i32::try_from(cursor.signed()?).ok()? })
    };
    let edges = method.edges.iter().map(|_| edge()).collect::<Option<_>>()?;
    Some(Numbering { blocks, edges, handlers, entry, codes })
}

#[cfg(test)]
mod tests {
    use model::ClassId;
    use model::code::{Block, Edge, EdgeKind, Ending};

    use super::*;

    /// A method of three blocks: 0 leads to 1 and 2, and 1 leads back to 0.
    fn method() -> Method {
        let block = |start| Block {
            start,
            end: start + 1,
            lines: vec![],
            ending: Ending::FallThrough,
            is_handler: false,
        };
        let edge = |(from, to)| Edge { from, to, kind: EdgeKind::Next };
        Method {
            class: ClassId(0),
            name: "m".to_owned(),
            descriptor: "()V".to_owned(),
            access_flags: 0,
            blocks: [0, 1, 2].map(block).to_vec(),
            edges: [(0, 1), (0, 2), (1, 0)].map(edge).to_vec(),
            exception_edges: vec![],
            loops: vec![],
        }
    }

    /// Each flag is set somewhere, and no two blocks are alike.
    fn numbering() -> Numbering {
        let none = NumberedBlock::default();
        Numbering {
            blocks: vec![
                NumberedBlock { start: Some(2), fresh: true, in_counted_loop: true, stop: true, ..none },
                NumberedBlock { counted: true, site: true, ..none },
                NumberedBlock { start: Some(300), silent: true, ..none },
            ],
            edges: vec![
                NumberedEdge { role: EdgeRole::Through, value: 5 },
                NumberedEdge { role: EdgeRole::Silent, value: -1 },
                NumberedEdge { role: EdgeRole::Iteration, value: 0 },
            ],
            handlers: vec![2, 1],
            entry: Some(0),
            codes: 301,
        }
    }

    #[test]
    fn a_numbering_is_written_as_drawn_and_comes_back() {
        let mut bytes = vec![];
        put(&numbering(), &mut bytes);
        let (codes, start) = ([0xad, 2], [0xac, 2]); // 301 and 300, seven bits a byte
        let expected = [
            &codes[..],
            &[1, 2, 2, 1],
            &[1 + 4 + 16 + 32, 2],
            &[2 + 8],
            &[32 + 64],
            &start,
            &[0, 10, 3, 1, 2, 0],
        ];
        assert_eq!(bytes, expected.concat());
        assert_eq!(read(&bytes, &method()), Some(numbering()));
        for cut in 0..bytes.len() {
            assert_eq!(read(&bytes[..cut], &method()), None, "cut at {cut}");
        }
        let without = Numbering { entry: None, ..numbering() };
        let mut bytes = vec![];
        put(&without, &mut bytes);
        assert_eq!(read(&bytes, &method()), Some(without));
    }

    #[test]
    fn what_does_not_fit_the_method_is_refused() {
        let changed = |change: &dyn Fn(&mut Numbering)| {
            let (mut numbering, mut bytes) = (numbering(), vec![]);
            change(&mut numbering);
            put(&numbering, &mut bytes);
            read(&bytes, &method())
        };
        assert!(changed(&|_| ()).is_some());
        assert_eq!(changed(&|numbering| numbering.handlers[1] = 3), None, "there is no block 3");
        assert_eq!(changed(&|numbering| numbering.edges.truncate(2)), None, "it has three edges");
        let mut bytes = vec![];
        put(&numbering(), &mut bytes);
        *bytes.iter_mut().nth_back(1).unwrap() = 4;
        assert_eq!(read(&bytes, &method()), None, "there is no such role");
    }

    #[test]
    fn edges_are_found_by_their_source() {
        let mut bytes = vec![];
        put(&numbering(), &mut bytes);
        let graph = PathGraph::read(&bytes, &method()).unwrap();
        let out_of = |block| graph.out_of(block).map(|(to, edge)| (to, edge.value)).collect::<Vec<_>>();
        assert_eq!(out_of(0), [(1, 5), (2, -1)]);
        assert_eq!(out_of(1), [(0, 0)]);
        assert_eq!(out_of(2), []);
        let mut unsorted = method();
        unsorted.edges.swap(0, 2);
        assert!(PathGraph::read(&bytes, &unsorted).is_none());
    }
}
