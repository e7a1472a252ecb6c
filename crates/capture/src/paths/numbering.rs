//! The numbering of a method, written down and read.

use model::BlockId;
use model::code::Method;

use source::bytes::{Cursor, put_number, put_signed};

/// What says which way a code stands for. Codes count from the method's first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbering {
    /// By block.
    pub blocks: Vec<NumberedBlock>,
    /// By edge, in the order of the method's edges.
    pub edges: Vec<NumberedEdge>,
    /// The handlers; number n has the code 1 + n.
    pub handlers: Vec<BlockId>,
    /// The code of the entry, where it has a record of its own.
    pub entry: Option<u32>,
    /// How many codes there are.
    pub codes: u32,
}

/// What is known of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NumberedBlock {
    /// The first code of the stretch that begins here, if one can.
    pub start: Option<u32>,
    /// The frame may be untold when it begins.
    pub fresh: bool,
    /// Iterations may be untold when it begins, or while it runs.
    pub counted: bool,
    /// It lies in a counted loop.
    pub in_counted_loop: bool,
    /// Recorded code may run inside.
    pub site: bool,
    /// It has a code of its own while it runs.
    pub stop: bool,
    /// It returns, and nothing is recorded there.
    pub silent: bool,
}

impl NumberedBlock {
    /// Whether a code tells that the frame begins, before the block's own.
    pub(super) fn told(self) -> bool {
        self.fresh && self.site
    }

    pub(super) fn fresh_behind(self) -> bool {
        self.fresh && !self.site
    }

    pub(super) fn counted_behind(self) -> bool {
        self.in_counted_loop || self.counted && !self.site
    }
}

/// What happens on an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeRole {
    /// It belongs to a way.
    Through,
    /// A way ends here, and the next one begins at the target.
    Cut,
    /// The same, with nothing recorded.
    Silent,
    /// It closes a counted loop.
    Iteration,
}

/// What is known of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedEdge {
    /// What happens on it.
    pub role: EdgeRole,
    /// What it adds to the way's number.
    pub value: i32,
}

/// A numbering with the edges that it speaks of.
#[derive(Debug)]
pub(crate) struct PathGraph {
    pub(super) numbering: Numbering,
    /// Source and target, sorted by source.
    edges: Vec<(BlockId, BlockId)>,
}

impl PathGraph {
    /// `None` if they do not fit each other.
    pub(crate) fn read(numbering: &[u8], method: &Method) -> Option<PathGraph> {
        let numbering = Numbering::read(numbering, method)?;
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

impl Numbering {
    /// The bytes for [`MethodRecord::numbering`](crate::MethodRecord::numbering).
    pub fn put(&self, out: &mut Vec<u8>) {
        put_number(out, u64::from(self.codes));
        put_number(out, self.entry.map_or(0, |entry| u64::from(entry) + 1));
        put_number(out, self.handlers.len() as u64);
        self.handlers.iter().for_each(|handler| put_number(out, u64::from(*handler)));
        for block in &self.blocks {
            let flags = [block.fresh, block.counted, block.in_counted_loop, block.site, block.stop];
            let flags = flags.into_iter().chain([block.start.is_some(), block.silent]).enumerate();
            out.push(flags.fold(0, |bits, (index, flag)| bits | u8::from(flag) << index));
            if let Some(start) = block.start {
                put_number(out, u64::from(start));
            }
        }
        for edge in &self.edges {
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
        numbering().put(&mut bytes);
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
        assert_eq!(Numbering::read(&bytes, &method()), Some(numbering()));
        for cut in 0..bytes.len() {
            assert_eq!(Numbering::read(&bytes[..cut], &method()), None, "cut at {cut}");
        }
        let without = Numbering { entry: None, ..numbering() };
        let mut bytes = vec![];
        without.put(&mut bytes);
        assert_eq!(Numbering::read(&bytes, &method()), Some(without));
    }

    #[test]
    fn what_does_not_fit_the_method_is_refused() {
        let read = |change: &dyn Fn(&mut Numbering)| {
            let (mut changed, mut bytes) = (numbering(), vec![]);
            change(&mut changed);
            changed.put(&mut bytes);
            Numbering::read(&bytes, &method())
        };
        assert!(read(&|_| ()).is_some());
        assert_eq!(read(&|numbering| numbering.handlers[1] = 3), None, "there is no block 3");
        assert_eq!(read(&|numbering| numbering.edges.truncate(2)), None, "it has three edges");
        let mut bytes = vec![];
        numbering().put(&mut bytes);
        *bytes.iter_mut().nth_back(1).unwrap() = 4;
        assert_eq!(Numbering::read(&bytes, &method()), None, "there is no such role");
    }

    #[test]
    fn edges_are_found_by_their_source() {
        let mut bytes = vec![];
        numbering().put(&mut bytes);
        let graph = PathGraph::read(&bytes, &method()).unwrap();
        let out_of = |block| graph.out_of(block).map(|(to, edge)| (to, edge.value)).collect::<Vec<_>>();
        assert_eq!(out_of(0), [(1, 5), (2, -1)]);
        assert_eq!(out_of(1), [(0, 0)]);
        assert_eq!(out_of(2), []);
        let mut unsorted = method();
        unsorted.edges.swap(0, 2);
        assert!(PathGraph::read(&bytes, &unsorted).is_none());
    }

    #[test]
    fn a_site_tells_of_its_frame_and_of_the_iterations_before() {
        let of = |fresh, site, counted, in_counted_loop| {
            let block = NumberedBlock { fresh, site, counted, in_counted_loop, ..NumberedBlock::default() };
            (block.told(), block.fresh_behind(), block.counted_behind())
        };
        assert_eq!(of(false, false, false, false), (false, false, false));
        assert_eq!(of(true, false, false, false), (false, true, false));
        assert_eq!(of(true, true, false, false), (true, false, false));
        assert_eq!(of(false, true, true, false), (false, false, false));
        assert_eq!(of(false, false, true, false), (false, false, true));
        assert_eq!(of(false, true, true, true), (false, false, true), "the loop goes on");
        assert_eq!(of(false, true, false, true), (false, false, true));
    }
}
