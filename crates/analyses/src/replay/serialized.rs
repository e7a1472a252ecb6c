//! A replay as bytes, so that opening a large recording again needs no second reading.
//!
//! ```text
//! "TWREPLAY" version u32
//! nodes u64   for each: kind u8, method u32, detail u32, items u32
//! items u64   for each: what and times, u32 each
//! threads u32 for each: serial u32, root u32, unfit u64, moments u64 with (u64, i64) each,
//!             marks and values u64 with (u64, u32) each
//! ```
//!
//! Little-endian. The bytes may be damaged: what is read is checked, so that afterwards a node's
//! children have smaller numbers and everything that is pointed at is there.

use model::code::MethodId;
use model::flow::{Entered, Left};

use super::store::{Item, Kind, NodeId, Replay, Row, Thread, What};

const MAGIC: &[u8; 8] = b"TWREPLAY";
const VERSION: u32 = 3;
const NONE: u32 = u32::MAX;

/// The bytes of a replay.
pub fn to_bytes(replay: &Replay) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + replay.rows.len() * 13 + replay.items.len() * 8);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&(replay.rows.len() as u64).to_le_bytes());
    for row in &replay.rows {
        let (tag, method, detail) = match row.kind {
            Kind::Root => (0u8, NONE, 0),
            Kind::Frame { method, entered, left } => {
                (1, method.0, entered_number(entered) << 8 | left_number(left))
            }
            Kind::Loop { method, index } => (2, method.0, index.unwrap_or(NONE)),
            Kind::Iteration { method } => (3, method.0, 0),
            Kind::Again { method } => (4, method.0, 0),
        };
        out.push(tag);
        for number in [method, detail, row.len as u32] {
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
    out.extend_from_slice(&(replay.items.len() as u64).to_le_bytes());
    for item in &replay.items {
        let (what, times) = item.parts();
        out.extend_from_slice(&what.to_le_bytes());
        out.extend_from_slice(&times.to_le_bytes());
    }
    out.extend_from_slice(&(replay.threads.len() as u32).to_le_bytes());
    for thread in &replay.threads {
        out.extend_from_slice(&thread.serial.to_le_bytes());
        out.extend_from_slice(&thread.root.0.to_le_bytes());
        out.extend_from_slice(&thread.inconsistent.to_le_bytes());
        out.extend_from_slice(&(thread.moments.len() as u64).to_le_bytes());
        for (position, time) in &thread.moments {
            out.extend_from_slice(&position.to_le_bytes());
            out.extend_from_slice(&time.to_le_bytes());
        }
        for numbered in [&thread.marks, &thread.values] {
            out.extend_from_slice(&(numbered.len() as u64).to_le_bytes());
            for (position, index) in numbered {
                out.extend_from_slice(&position.to_le_bytes());
                out.extend_from_slice(&index.to_le_bytes());
            }
        }
    }
    out
}

/// The replay of these bytes; `None` if they are of another version, cut or damaged.
pub fn from_bytes(bytes: &[u8]) -> Option<Replay> {
    let mut read = Reader(bytes);
    if read.take(8)? != MAGIC || read.u32()? != VERSION {
        return None;
    }
    let mut replay = Replay::default();
    let nodes = read.count(13)?;
    replay.rows.reserve_exact(nodes);
    let mut first = 0usize;
    for _ in 0..nodes {
        let (tag, method, detail) = (read.take(1)?.first().copied()?, read.u32()?, read.u32()?);
        let (len, method) = (read.u32()? as usize, MethodId(method));
        let kind = match tag {
            0 => Kind::Root,
            1 => Kind::Frame { method, entered: entered(detail >> 8)?, left: left(detail & 255)? },
            2 => Kind::Loop { method, index: (detail != NONE).then_some(detail) },
            3 => Kind::Iteration { method },
            4 => Kind::Again { method },
            _ => return None,
        };
        replay.rows.push(Row { kind, first, len });
        first = first.checked_add(len)?;
    }
    let items = read.count(8)?;
    if items != first {
        return None;
    }
    replay.items.reserve_exact(items);
    for _ in 0..items {
        replay.items.push(Item::from_parts(read.u32()?, read.u32()?)?);
    }
    // A child that is not older than its parent could lead round in a circle.
    for (row, id) in replay.rows.iter().zip(0u32..) {
        let items = replay.items.get(row.first..row.first + row.len)?;
        if items.iter().any(|item| matches!(item.what(), What::Node(node) if node.0 >= id)) {
            return None;
        }
    }
    for _ in 0..read.u32()? {
        let (serial, root, inconsistent) = (read.u32()?, NodeId(read.u32()?), read.u64()?);
        if replay.kind(root) != Kind::Root || root.0 as usize >= replay.rows.len() {
            return None;
        }
        let count = read.count(16)?;
        let mut moments = Vec::with_capacity(count);
        for _ in 0..count {
            moments.push((read.u64()?, i64::from_le_bytes(read.take(8)?.try_into().ok()?)));
        }
        let [marks, values] = [numbered(&mut read)?, numbered(&mut read)?];
        replay.threads.push(Thread { serial, root, moments, marks, values, inconsistent });
    }
    Some(replay)
}

/// Positions with an index each.
fn numbered(read: &mut Reader<'_>) -> Option<Vec<(u64, u32)>> {
    let count = read.count(12)?;
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        all.push((read.u64()?, read.u32()?));
    }
    Some(all)
}

fn entered_number(entered: Entered) -> u32 {
    match entered {
        Entered::Call => 0,
        Entered::Library => 1,
        Entered::Outermost => 2,
        Entered::Unseen => 3,
    }
}

fn entered(number: u32) -> Option<Entered> {
    [Entered::Call, Entered::Library, Entered::Outermost, Entered::Unseen].get(number as usize).copied()
}

fn left_number(left: Left) -> u32 {
    match left {
        Left::Returned => 0,
        Left::Threw => 1,
        Left::Unseen => 2,
        Left::Open => 3,
    }
}

fn left(number: u32) -> Option<Left> {
    [Left::Returned, Left::Threw, Left::Unseen, Left::Open].get(number as usize).copied()
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A number of things of `size` bytes each, which must be there.
    fn count(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(self.u64()?).ok()?;
        (count.checked_mul(size)? <= self.0.len()).then_some(count)
    }
}
