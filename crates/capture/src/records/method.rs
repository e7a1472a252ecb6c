//! One method within the body of its class.
//!
//! ```text
//! method  name, descriptor, access flags, first id (from the class's first on), owned ids, encoding u8, numbering bytes,
//!         count of blocks, count of edges (from, to, kind u8), of exception edges (from, to), of loops
//! block   bytes before it that no block has, bytes, flags u8, bits u8 (low 4 the ending, 16 handler),
//!         with a call (class, name, descriptor, kind u8), count of lines (signed difference to the one before)
//! loop    head, parent + 1 or 0, count of (block: difference to the one before)
//! ```

use model::code::{Block, CallKind, CallSite, Edge, EdgeKind, Ending, Loop, Method};
use model::{BlockId, ClassId};

use source::bytes::Cursor;

use super::Encoding;
use super::parts::{BlockParts, CallParts, HANDLER, MethodHead, MethodWriter, call_byte, edge_byte};

/// A method that is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodRecord {
    /// What it is. Its class is not written: it is the one that it stands in.
    pub method: Method,
    /// The first of its words' ids.
    pub first: u32,
    /// How many ids it owns; for [`Encoding::Blocks`] [`words::owned`](crate::words::owned).
    pub owned: u32,
    /// How its words are to be read.
    pub encoding: Encoding,
    /// For each block, bits of [`words::block_flags`](crate::words::block_flags); blocks
    /// beyond its length have none.
    pub block_flags: Vec<u8>,
    /// What another encoding than [`Encoding::Blocks`] needs to read the words; the encoding's own.
    pub numbering: Vec<u8>,
}

impl MethodRecord {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let method = &self.method;
        let head = MethodHead {
            name: method.name.as_bytes(),
            descriptor: method.descriptor.as_bytes(),
            access_flags: method.access_flags,
            first: self.first,
            owned: self.owned,
            encoding: self.encoding,
            numbering: &self.numbering,
            blocks: method.blocks.len(),
        };
        let mut writer = MethodWriter::new(out, head);
        for (index, block) in method.blocks.iter().enumerate() {
            writer.block(BlockParts {
                start: block.start,
                end: block.end,
                flags: self.block_flags.get(index).copied().unwrap_or(0),
                is_handler: block.is_handler,
                ending: block.ending.map_call(CallParts::from),
                lines: &block.lines,
            });
        }
        writer.edges(method.edges.iter().map(|edge| (edge.from, edge.to, edge.kind)));
        writer.exception_edges(&method.exception_edges);
        writer.loops(method.loops.len());
        method.loops.iter().for_each(|found| writer.one_loop(found.head, found.parent, &found.blocks));
    }

    /// Reads what [`MethodWriter`] wrote; `None` for bytes that make no sense.
    pub fn from_bytes(bytes: &[u8]) -> Option<MethodRecord> {
        MethodRecord::read(&mut Cursor::new(bytes), 0)
    }

    /// `base`: what the first id is counted from.
    pub(super) fn read(cursor: &mut Cursor<'_>, base: u32) -> Option<MethodRecord> {
        let (name, descriptor) = (cursor.text()?, cursor.text()?);
        let access_flags = u16::try_from(cursor.number()?).ok()?;
        let (first, owned) = (base.checked_add(cursor.number32()?)?, cursor.number32()?);
        let encoding = Encoding::from_byte(cursor.byte()?)?;
        let numbering = cursor.bytes()?.to_vec();
        let count = cursor.count()?;
        let (mut blocks, mut block_flags, mut end) = (vec![], vec![], 0);
        for _ in 0..count {
            let (block, flags) = read_block(cursor, end)?;
            end = block.end;
            blocks.push(block);
            block_flags.push(flags);
        }
        let known = |block: u32| ((block as usize) < count).then_some(block);
        let edges = cursor.count()?;
        let mut edge = || {
            let (from, to) = (known(cursor.number32()?)?, known(cursor.number32()?)?);
            Some(Edge { from, to, kind: edge_of(cursor.byte()?)? })
        };
        let edges = (0..edges).map(|_| edge()).collect::<Option<_>>()?;
        let pairs = cursor.count()?;
        let mut pair = || Some((known(cursor.number32()?)?, known(cursor.number32()?)?));
        let exception_edges = (0..pairs).map(|_| pair()).collect::<Option<_>>()?;
        let count_of_loops = cursor.count()?;
        let mut loops = vec![];
        for index in 0..count_of_loops {
            loops.push(read_loop(cursor, index, count)?);
        }
        let class = ClassId(0);
        let method = Method { class, name, descriptor, access_flags, blocks, edges, exception_edges, loops };
        let sound = !method.blocks.is_empty()
            && first > 0
            && first.checked_add(owned)? <= super::super::words::RESERVED;
        sound.then_some(MethodRecord { method, first, owned, encoding, block_flags, numbering })
    }
}

fn read_block(cursor: &mut Cursor<'_>, end_before: u32) -> Option<(Block, u8)> {
    let start = u32::try_from(i64::from(end_before).checked_add(cursor.signed()?)?).ok()?;
    let end = start.checked_add(cursor.number32()?)?;
    let (flags, bits) = (cursor.byte()?, cursor.byte()?);
    let ending = match bits & 15 {
        0 => Ending::FallThrough,
        1 => {
            let (class, name, descriptor) = (cursor.text()?, cursor.text()?, cursor.text()?);
            Ending::Call(CallSite { class, name, descriptor, kind: call_of(cursor.byte()?)? })
        }
        2 => Ending::Jump,
        3 => Ending::Branch,
        4 => Ending::Switch,
        5 => Ending::Return,
        6 => Ending::Throw,
        7 => Ending::Subroutine,
        _ => return None,
    };
    let count = cursor.count()?;
    let mut line = 0i64;
    let mut next = || {
        line = line.checked_add(cursor.signed()?)?;
        u16::try_from(line).ok()
    };
    let lines = (0..count).map(|_| next()).collect::<Option<_>>()?;
    Some((Block { start, end, lines, ending, is_handler: bits & HANDLER != 0 }, flags))
}

/// Loop `index` of a method with so many blocks. Its parent stands before it, so no loop is in itself.
fn read_loop(cursor: &mut Cursor<'_>, index: usize, blocks: usize) -> Option<Loop> {
    let head = cursor.number32()?;
    let parent = cursor.number32()?.checked_sub(1);
    let count = cursor.count()?;
    let mut block: BlockId = 0;
    let mut next = || {
        block = block.checked_add(cursor.number32()?)?;
        ((block as usize) < blocks).then_some(block)
    };
    let inside = (0..count).map(|_| next()).collect::<Option<Vec<_>>>()?;
    let sound = (head as usize) < blocks && parent.is_none_or(|parent| (parent as usize) < index);
    sound.then_some(Loop { head, blocks: inside, parent })
}

fn call_of(byte: u8) -> Option<CallKind> {
    let all =
        [CallKind::Static, CallKind::Special, CallKind::Virtual, CallKind::Interface, CallKind::Dynamic];
    all.into_iter().find(|kind| call_byte(*kind) == byte)
}

fn edge_of(byte: u8) -> Option<EdgeKind> {
    [EdgeKind::Next, EdgeKind::Jump, EdgeKind::Switch].into_iter().find(|kind| edge_byte(*kind) == byte)
}
