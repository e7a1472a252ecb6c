//! Entry for fuzzing: a whole segment file, read as the recorder reads it.

use super::instrumented::Ready;
use super::segment::{Extent, TAIL, Tail, rows};

/// Reads everything that the bytes of a file hold. Checksums are not looked at, or nothing behind them would be tried.
/// Gives back a number that depends on all that was read.
///
/// # Panics
/// When a class that was read is not written as it stood there.
pub fn fuzz_segment(bytes: &[u8]) -> u64 {
    let at = |extent: Extent| {
        let start = usize::try_from(extent.offset).ok()?;
        bytes.get(start..)?.get(..usize::try_from(extent.length).ok()?)
    };
    let mut read = instrumented(bytes);
    let Some(tail) = bytes.last_chunk::<TAIL>().and_then(|tail| Tail::read(tail, bytes.len() as u64)) else {
        return read;
    };
    let index = usize::try_from(tail.start).ok().and_then(|start| bytes.get(start..)?.get(..tail.length));
    for (key, entry) in rows(index.unwrap_or_default()) {
        read ^= key[0] ^ entry.length();
        let class = at(entry.class).and_then(|bytes| bytes.split_first_chunk::<4>());
        read ^= class.map_or(0, |(_, class)| instrumented(class));
        read ^= at(entry.file).map_or(0, |file| file.len() as u64);
    }
    read
}

/// A class alone.
fn instrumented(bytes: &[u8]) -> u64 {
    let Some(ready) = Ready::read(bytes) else { return 0 };
    let (mut class, mut out, mut record) = (ready.class.to_vec(), vec![], vec![]);
    ready.number_from(&mut class, 7);
    ready.put(&mut record, 7, 1);
    ready.write(&mut out);
    assert!(Ready::read(&out) == Some(ready), "a class was not written as it was read");
    (class.len() + record.len()) as u64
}
