//! Classes and methods as they are written: piece by piece, by whoever has them in whatever form.
//!
//! A recorder holds up the program while it writes this, so it need not put strings and lists together
//! first. What stands where is drawn in `class.rs` and `method.rs`.

use model::code::{CallKind, CallSite, EdgeKind, Ending};

use crate::frame::{Packed, PackedBytes, kind};
use source::bytes::{put_bytes, put_number, put_signed, put_text};

use super::Encoding;

pub(super) const HANDLER: u8 = 16;

/// A class with its methods, which were written by [`MethodWriter`].
#[derive(Debug, Clone, Copy)]
pub struct ClassParts<'c> {
    /// See [`ClassRecord`](super::ClassRecord).
    pub name: &'c str,
    /// See there.
    pub source_file: Option<&'c str>,
    /// See there.
    pub digest: [u8; 32],
    /// See there.
    pub class_bytes: &'c [u8],
    /// How many methods.
    pub methods: usize,
    /// Their bytes, one behind the other, their ids counted from the class's first.
    pub method_bytes: &'c [u8],
    /// See there.
    pub skipped: &'c [(String, String, String)],
    /// See there.
    pub source_map: &'c str,
}

impl ClassParts<'_> {
    /// What is the same in every process: see [`put_class`].
    pub fn pack(&self) -> Packed {
        let mut body = Vec::with_capacity(self.class_bytes.len() + self.method_bytes.len() + 256);
        put_text(&mut body, self.name);
        put_text(&mut body, self.source_file.unwrap_or_default());
        body.extend_from_slice(&self.digest);
        put_bytes(&mut body, self.class_bytes);
        put_number(&mut body, self.methods as u64);
        body.extend_from_slice(self.method_bytes);
        put_number(&mut body, self.skipped.len() as u64);
        for (name, descriptor, reason) in self.skipped {
            [name, descriptor, reason].into_iter().for_each(|text| put_text(&mut body, text));
        }
        if !self.source_map.is_empty() {
            put_text(&mut body, self.source_map);
        }
        Packed::of(body)
    }
}

/// Appends the frame of a class. `first`: what the ids of its methods are counted from; `loader`: see
/// [`ClassRecord`](super::ClassRecord).
pub fn put_class(out: &mut Vec<u8>, first: u32, loader: u32, class: PackedBytes<'_>) {
    let mut head = [0; 8];
    head[..4].copy_from_slice(&first.to_le_bytes());
    head[4..].copy_from_slice(&loader.to_le_bytes());
    class.put(out, kind::CLASS, &head);
}

/// Appends the frame of a class file, which [`pack_class_file`] made. `class_at`: where in `code` the frame
/// of its class begins.
pub fn put_class_file(out: &mut Vec<u8>, class_at: u64, file: PackedBytes<'_>) {
    file.put(out, kind::CLASS_FILE, &class_at.to_le_bytes());
}

/// A class file as the recorder was given it, with its fingerprint.
pub fn pack_class_file(digest: [u8; 32], bytes: &[u8]) -> Packed {
    let mut body = Vec::with_capacity(bytes.len() + 64);
    body.extend_from_slice(&digest);
    put_bytes(&mut body, bytes);
    Packed::of(body)
}

/// What stands before the blocks of a method.
#[derive(Debug, Clone, Copy)]
pub struct MethodHead<'m> {
    /// Its name, in UTF-8.
    pub name: &'m [u8],
    /// Its descriptor, in UTF-8.
    pub descriptor: &'m [u8],
    /// The access flags of the class file.
    pub access_flags: u16,
    /// See [`MethodRecord`](super::MethodRecord).
    pub first: u32,
    /// See there.
    pub owned: u32,
    /// See there.
    pub encoding: Encoding,
    /// See there.
    pub numbering: &'m [u8],
    /// How many blocks follow.
    pub blocks: usize,
}

/// One block.
#[derive(Debug, Clone, Copy)]
pub struct BlockParts<'b> {
    /// First pc.
    pub start: u32,
    /// First pc behind it.
    pub end: u32,
    /// See [`MethodRecord`](super::MethodRecord).
    pub flags: u8,
    /// Whether an exception can lead here.
    pub is_handler: bool,
    /// How it ends.
    pub ending: Ending<CallParts<'b>>,
    /// Its source lines.
    pub lines: &'b [u16],
}

/// [`CallSite`], its texts borrowed, in UTF-8.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // they are those of the model
pub struct CallParts<'b> {
    pub class: &'b [u8],
    /// The class is written with slashes, as in a class file. It comes to be written with dots.
    pub has_slashes: bool,
    pub name: &'b [u8],
    pub descriptor: &'b [u8],
    pub kind: CallKind,
}

impl CallParts<'_> {
    fn put(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.class);
        if self.has_slashes {
            let class = out.len() - self.class.len();
            let class = out.get_mut(class..).unwrap_or_default();
            class.iter_mut().for_each(|byte| *byte = if *byte == b'/' { b'.' } else { *byte });
        }
        put_bytes(out, self.name);
        put_bytes(out, self.descriptor);
        out.push(call_byte(self.kind));
    }
}

impl<'b> From<&'b CallSite> for CallParts<'b> {
    fn from(call: &'b CallSite) -> Self {
        Self {
            class: call.class.as_bytes(),
            has_slashes: false,
            name: call.name.as_bytes(),
            descriptor: call.descriptor.as_bytes(),
            kind: call.kind,
        }
    }
}

/// Appends a method: its head, each block, then once each in this order edges, exception edges, the
/// number of loops and the loops.
#[derive(Debug)]
pub struct MethodWriter<'o> {
    out: &'o mut Vec<u8>,
    /// Where the block before ended.
    end: u32,
}

impl<'o> MethodWriter<'o> {
    /// Appends the head.
    pub fn new(out: &'o mut Vec<u8>, head: MethodHead<'_>) -> Self {
        put_bytes(out, head.name);
        put_bytes(out, head.descriptor);
        put_number(out, u64::from(head.access_flags));
        put_number(out, u64::from(head.first));
        put_number(out, u64::from(head.owned));
        out.push(head.encoding.to_byte());
        put_bytes(out, head.numbering);
        put_number(out, head.blocks as u64);
        Self { out, end: 0 }
    }

    /// Appends the next block.
    pub fn block(&mut self, block: BlockParts<'_>) {
        let out = &mut *self.out;
        put_signed(out, i64::from(block.start) - i64::from(self.end));
        put_number(out, u64::from(block.end.saturating_sub(block.start)));
        self.end = block.end;
        out.push(block.flags);
        out.push(ending_bits(block.ending) | if block.is_handler { HANDLER } else { 0 });
        if let Ending::Call(call) = block.ending {
            call.put(out);
        }
        put_number(out, block.lines.len() as u64);
        let mut before = 0;
        for line in block.lines {
            put_signed(out, i64::from(*line) - before);
            before = i64::from(*line);
        }
    }

    /// Appends the edges.
    pub fn edges(&mut self, edges: impl ExactSizeIterator<Item = (u32, u32, EdgeKind)>) {
        put_number(self.out, edges.len() as u64);
        for (from, to, kind) in edges {
            put_number(self.out, u64::from(from));
            put_number(self.out, u64::from(to));
            self.out.push(edge_byte(kind));
        }
    }

    /// Appends the edges to handlers.
    pub fn exception_edges(&mut self, edges: &[(u32, u32)]) {
        put_number(self.out, edges.len() as u64);
        for (from, to) in edges {
            put_number(self.out, u64::from(*from));
            put_number(self.out, u64::from(*to));
        }
    }

    /// Appends how many loops follow.
    pub fn loops(&mut self, count: usize) {
        put_number(self.out, count as u64);
    }

    /// Appends the next loop: its head, its parent, its blocks.
    pub fn one_loop(&mut self, head: u32, parent: Option<u32>, blocks: &[u32]) {
        put_number(self.out, u64::from(head));
        put_number(self.out, parent.map_or(0, |parent| u64::from(parent) + 1));
        put_number(self.out, blocks.len() as u64);
        let mut before = 0;
        for block in blocks {
            put_number(self.out, u64::from(block.saturating_sub(before)));
            before = *block;
        }
    }
}

fn ending_bits(ending: Ending<CallParts<'_>>) -> u8 {
    match ending {
        Ending::FallThrough => 0,
        Ending::Call(_) => 1,
        Ending::Jump => 2,
        Ending::Branch => 3,
        Ending::Switch => 4,
        Ending::Return => 5,
        Ending::Throw => 6,
        Ending::Subroutine => 7,
    }
}

pub(super) fn call_byte(kind: CallKind) -> u8 {
    match kind {
        CallKind::Static => 0,
        CallKind::Special => 1,
        CallKind::Virtual => 2,
        CallKind::Interface => 3,
        CallKind::Dynamic => 4,
    }
}

pub(super) fn edge_byte(kind: EdgeKind) -> u8 {
    match kind {
        EdgeKind::Next => 0,
        EdgeKind::Jump => 1,
        EdgeKind::Switch => 2,
    }
}
