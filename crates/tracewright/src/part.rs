//! A part of one input, which is read by itself: the third of eight, say. Parts one after the other are the input.
//!
//! ```text
//! CTF      cut in time, by packets and their times (`crates/formats/src/ctf/parts.rs`)
//! others   cut by how much of the input was read; each part is read from the beginning
//! ```

use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use formats::ctf;
use model::{Adapter, EventSource, Item, Timestamp};

use crate::exit::Result;
use crate::open::{Opened, open_any};
use crate::process;

/// Parts that an input may have.
const MOST: u32 = 1_000_000;

/// Which part of how many, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    number: u32,
    of: u32,
    /// How many events each stream has before it, where somebody counted them: see [`events_by_stream`].
    before: Option<Vec<u64>>,
}

impl Part {
    /// Part `number` of `of`.
    ///
    /// # Errors
    /// When there is no such part.
    pub fn new(number: u32, of: u32) -> std::result::Result<Part, String> {
        match 1 <= number && number <= of && of <= MOST {
            true => Ok(Part { number, of, before: None }),
            false => Err(format!(
                "there is no part {number} of {of}; 3/8 is the third of eight, of at most {MOST}"
            )),
        }
    }

    /// The same, with what is known of how many events each stream has before it.
    #[must_use]
    pub fn after(self, before: Option<Vec<u64>>) -> Part {
        Part { before, ..self }
    }

    pub(crate) fn is_first(&self) -> bool {
        self.number == 1
    }

    /// The same, once the events before it are counted, by so many threads at a time: packets with these need not be stepped over
    /// by whoever reads the part. Where they cannot be counted so, they are stepped over.
    pub(crate) fn counted(self, input: &Path, threads: usize) -> Part {
        let parts = self.number - 1;
        if parts == 0 || threads < 2 || !input.is_dir() {
            return self;
        }
        let (next, sum) = (AtomicU32::new(1), Mutex::new(Some(vec![])));
        let work = &|| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number > parts {
                    return;
                }
                let counts = events_by_stream(input, &Part { number, of: self.of, before: None });
                let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                *sum = sum.take().zip(counts.ok().flatten()).map(|(sum, counts)| added(sum, &counts));
                if sum.is_none() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads.min(parts as usize) {
                let guest = process::guest();
                scope.spawn(|| process::within(guest, work));
            }
        });
        let before = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.after(before)
    }

    /// From and up to when.
    fn range(&self, reader: &mut ctf::Reader) -> (Option<Timestamp>, Option<Timestamp>) {
        let cuts = reader.cuts(self.of);
        let cut = |number: u32| cuts.get(number.checked_sub(1)? as usize).copied();
        (cut(self.number - 1), cut(self.number))
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Part, String> {
        let numbers =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let (number, of) = numbers.ok_or("not of the form I/N: 3/8 is the third of eight parts")?;
        Part::new(number, of)
    }
}

/// Opens what is in a part of `input`.
pub(crate) fn open_part(input: &Path, part: &Part) -> Result<Box<dyn EventSource>> {
    let source: Box<dyn EventSource> = match open_any(input)? {
        Opened::Ctf(mut reader) => {
            let (from, to) = part.range(&mut reader);
            reader.restrict_to(&ctf::Part { from, to, before: part.before.clone() });
            reader
        }
        Opened::Other(source) => {
            Box::new(ByLength { source, number: part.number - 1, of: part.of, come_to: 0 })
        }
    };
    Ok(process::ending(source))
}

/// How many events each stream of `input` has in a part; whoever adds up those of all parts before one knows what
/// [`Part::after`] wants. `None`: they cannot be counted without a look at all that is before.
pub(crate) fn events_by_stream(input: &Path, part: &Part) -> Result<Option<Vec<u64>>> {
    Ok(match open_any(input)? {
        Opened::Ctf(mut reader) => {
            let (from, to) = part.range(&mut reader);
            reader.events_between(from, to)
        }
        Opened::Other(_) => None,
    })
}

/// Two lists added number by number; a list that has ended goes on with 0.
fn added(mut sum: Vec<u64>, counts: &[u64]) -> Vec<u64> {
    sum.resize(sum.len().max(counts.len()), 0);
    sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    sum
}

/// What is handed out while a share of a source is read.
struct ByLength {
    source: Box<dyn EventSource>,
    /// From 0.
    number: u32,
    of: u32,
    /// The part that was come to.
    come_to: u32,
}

impl ByLength {
    /// The part that the next item belongs to; the first one where nobody knows how long the input is.
    fn next_part(&mut self) -> u32 {
        let (read, all) = self.source.progress();
        let part = u128::from(read) * u128::from(self.of) / u128::from(all.max(1));
        let part = if all == 0 { 0 } else { u32::try_from(part).unwrap_or(u32::MAX).min(self.of - 1) };
        self.come_to = self.come_to.max(part);
        self.come_to
    }
}

impl Adapter for ByLength {
    fn inner(&self) -> &dyn EventSource {
        self.source.as_ref()
    }

    fn next_adapted(&mut self) -> Option<Item<'_>> {
        while self.next_part() < self.number {
            self.source.next_item()?;
        }
        if self.next_part() > self.number { None } else { self.source.next_item() }
    }
}
