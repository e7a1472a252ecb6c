//! `cargo xtask repeat-trace IN OUT N`: a CTF trace as LTTng writes it, N times one after the other.
//!
//! It makes long traces of real ones, to measure how cost grows. Packets are copied; what changes in a
//! copy are its times, its numbers and its counters of lost events:
//!
//! ```text
//! packet   magic u32 | uuid 16 | stream u32 | instance u64
//!          begin u64 | end u64 | content bits u64 | packet bits u64 | number u64 | discarded u64 | ...
//!          \__ + k * shift __/                                        + k * n     + k * all
//! event    id and the low bits of the time                    stays: the shift is a multiple of 2^32
//!          id, mark, whole time u64                           + k * shift
//! ```
//!
//! The reader reports which events carry their whole time: where one begins, and when it was. The
//! result is read again, and every event must be where it should be, so a trace of another layout is
//! refused and not damaged. An existing folder is never overwritten.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use formats::ctf::Reader;
use model::{EventSource, Item};
use source::{NamedSource, Source};

use crate::sh::{Outcome, Trouble};

const MAGIC: [u8; 4] = 0xC1FC_1FC1_u32.to_le_bytes();
/// Where things stand in a packet, in bytes.
const BEGIN: usize = 32;
const END: usize = 40;
const SIZE: usize = 56;
const NUMBER: usize = 64;
const DISCARDED: usize = 72;
/// Bytes in which the whole time of an event must begin, seen from its start.
const HEADER: usize = 16;

/// The command.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let [from, to, times] = arguments else {
        return Err(Trouble::CannotDo("expected: cargo xtask repeat-trace IN OUT N".into()));
    };
    let times = times.parse().ok().filter(|times| (1..=10_000).contains(times));
    let times = times.ok_or_else(|| Trouble::CannotDo("N is a number from 1 to 10000".into()))?;
    let events = repeat(Path::new(from), Path::new(to), times)?;
    println!("{to}: {events} events");
    Ok(())
}

/// Writes the trace of the folder `from`, `times` times over, into the new folder `to`. Returns how many
/// events that makes.
pub(crate) fn repeat(from: &Path, to: &Path, times: u64) -> Result<u64, Trouble> {
    let folder = trace_below(from)?;
    let original = Times::read(&folder)?;
    if to.exists() {
        return Err(Trouble::CannotDo(format!("{} is there already", to.display())));
    }
    let cannot = |error: std::io::Error| Trouble::CannotDo(format!("{}: {error}", to.display()));
    fs::create_dir_all(to).map_err(cannot)?;
    fs::copy(folder.join("metadata"), to.join("metadata")).map_err(cannot)?;
    let mut streams = Vec::new();
    for (name, events) in &original.streams {
        let bytes = fs::read(folder.join(name)).map_err(cannot)?;
        streams.push((name, Stream::new(bytes, events, original.epoch, name)?));
    }
    // The same for all streams, so that they stay beside each other.
    let longest = streams.iter().map(|(_, stream)| stream.last.saturating_sub(original.first_tick()));
    let shift = (longest.max().unwrap_or(0) >> 32).saturating_add(1) << 32;
    for (name, stream) in &mut streams {
        let mut file = File::create(to.join(name)).map_err(cannot)?;
        for _ in 0..times {
            file.write_all(&stream.bytes).map_err(cannot)?;
            stream.shift(shift);
        }
    }
    check(&original, to, times, shift)?;
    Ok(original.streams.iter().map(|(_, events)| events.len() as u64).sum::<u64>() * times)
}

/// The folder of the one trace in or below `folder`.
fn trace_below(folder: &Path) -> Result<PathBuf, Trouble> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        if folder.join("metadata").is_file() {
            return Ok(folder);
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        open.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    Err(Trouble::CannotDo(format!("{}: no file below it is called `metadata`", folder.display())))
}

/// Opens the one CTF trace in or below a folder.
pub(crate) fn open(folder: &Path) -> Result<Reader, Trouble> {
    let folder = &trace_below(folder)?;
    let cannot = |error: &dyn std::fmt::Display| Trouble::CannotDo(format!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| cannot(&error))?.flatten() {
        if entry.path().is_file() {
            let file = File::open(entry.path()).map_err(|error| cannot(&error))?;
            let size = file.metadata().map_err(|error| cannot(&error))?.len();
            let name = entry.file_name().to_string_lossy().into_owned();
            files.push(NamedSource { name, source: Box::new(OnDisk { file, size }) });
        }
    }
    Reader::open(files).map_err(|error| cannot(&error))
}

/// A file: what is written may be larger than memory.
struct OnDisk {
    file: File,
    size: u64,
}

impl Source for OnDisk {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut count = 0;
        while let Some(rest) = buffer.get_mut(count..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, offset + count as u64)? {
                0 => break,
                more => count += more,
            }
        }
        Ok(count)
    }
}

/// When each event of each stream was, and where it begins in its file, in bytes.
struct Times {
    streams: Vec<(String, Vec<(i64, u64)>)>,
    /// Nanoseconds since 1970 at tick 0.
    epoch: i64,
}

impl Times {
    fn read(folder: &Path) -> Result<Times, Trouble> {
        let mut reader = open(folder)?;
        let clock = match reader.traces() {
            [trace] => trace.clocks.first().filter(|clock| clock.frequency == 1_000_000_000),
            _ => None,
        };
        let clock = clock.ok_or_else(|| {
            Trouble::CannotDo("only one trace with a clock of nanoseconds can be repeated".into())
        })?;
        let epoch = clock.offset_s * 1_000_000_000 + clock.offset;
        let mut streams: Vec<(String, Vec<(i64, u64)>)> =
            reader.streams().iter().map(|stream| (stream.name.clone(), Vec::new())).collect();
        while let Some(item) = reader.next_item() {
            let Item::Event(event) = item else { continue };
            let (stream, time) = (event.stream.0 as usize, event.time);
            let position = reader.offset_of_event();
            let (Some((_, events)), Some(time), Some(position)) = (streams.get_mut(stream), time, position)
            else {
                return Err(Trouble::CannotDo("an event has no time".into()));
            };
            events.push((time.0, position));
        }
        Ok(Times { streams, epoch })
    }

    fn first_tick(&self) -> u64 {
        let first = self.streams.iter().filter_map(|(_, events)| events.first());
        first.map(|(time, _)| time - self.epoch).min().unwrap_or(0).max(0) as u64
    }
}

/// The bytes of a stream, and where in them what changes is.
struct Stream {
    bytes: Vec<u8>,
    times: Vec<usize>,
    numbers: Vec<usize>,
    counters: Vec<usize>,
    discarded: u64,
    /// The last moment, in ticks.
    last: u64,
}

impl Stream {
    fn new(bytes: Vec<u8>, events: &[(i64, u64)], epoch: i64, name: &str) -> Result<Stream, Trouble> {
        let strange =
            |what: &str| Trouble::CannotDo(format!("{name}: {what}; is it of LTTng, little-endian?"));
        let (times, numbers, counters) = (Vec::new(), Vec::new(), Vec::new());
        let mut stream = Stream { bytes, times, numbers, counters, discarded: 0, last: 0 };
        let mut start = 0;
        while start < stream.bytes.len() {
            let size = stream.number(start + SIZE).map(|bits| (bits / 8) as usize);
            let size = size.filter(|size| *size > DISCARDED + 8 && start + size <= stream.bytes.len());
            let Some(size) = size.filter(|_| stream.bytes.get(start..start + 4) == Some(&MAGIC[..])) else {
                return Err(strange(&format!("no packet at byte {start}")));
            };
            stream.times.extend([start + BEGIN, start + END]);
            stream.numbers.push(start + NUMBER);
            stream.counters.push(start + DISCARDED);
            stream.last = stream.last.max(stream.number(start + END).unwrap_or(0));
            stream.discarded = stream.number(start + DISCARDED).unwrap_or(0);
            start += size;
        }
        for &(time, position) in events {
            let tick = ((time - epoch) as u64).to_le_bytes();
            let position = position as usize;
            let header =
                stream.bytes.get(position..(position + HEADER + 8).min(stream.bytes.len())).unwrap_or(&[]);
            let found = header.windows(8).position(|bytes| bytes == tick);
            stream.times.extend(found.map(|found| position + found));
        }
        Ok(stream)
    }

    fn number(&self, at: usize) -> Option<u64> {
        self.bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
    }

    /// Makes the next copy of this one.
    fn shift(&mut self, shift: u64) {
        // Numbers that are missing are missing in each copy.
        let number = |at: Option<&usize>| at.and_then(|at| self.number(*at)).unwrap_or(0);
        let (first, last) = (number(self.numbers.first()), number(self.numbers.last()));
        let packets = last.saturating_sub(first) + 1;
        let all = [(&self.times, shift), (&self.numbers, packets), (&self.counters, self.discarded)];
        for (positions, more) in all {
            for &at in positions {
                let number = self.bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
                let number = u64::from_le_bytes(number.unwrap_or_default()).wrapping_add(more);
                if let Some(bytes) = self.bytes.get_mut(at..at + 8) {
                    bytes.copy_from_slice(&number.to_le_bytes());
                }
            }
        }
    }
}

/// Reads what was written: every event again and again, each time later.
fn check(original: &Times, folder: &Path, times: u64, shift: u64) -> Outcome {
    let mut reader = open(folder)?;
    let mut counts = vec![0_u64; original.streams.len()];
    let wrong = |what: String| Trouble::Wrong(format!("{}: {what}", folder.display()));
    while let Some(item) = reader.next_item() {
        let Item::Event(event) = item else { continue };
        let stream = event.stream.0 as usize;
        let (Some((name, events)), Some(count)) = (original.streams.get(stream), counts.get_mut(stream))
        else {
            return Err(wrong("it has another stream".into()));
        };
        let (iteration, position) = (*count / events.len() as u64, (*count % events.len() as u64) as usize);
        let expected = events.get(position).map(|(time, _)| time + (iteration * shift) as i64);
        if event.time.map(|time| time.0) != expected {
            return Err(wrong(format!("event {count} of {name} is at another time than it should")));
        }
        *count += 1;
    }
    let complete = counts
        .iter()
        .zip(&original.streams)
        .all(|(count, (_, events))| *count == events.len() as u64 * times);
    match reader.diagnostics().first() {
        _ if !complete => Err(wrong("events are missing".into())),
        Some(diagnostic) => Err(wrong(format!("it is odd: {}", diagnostic.sentence))),
        None => Ok(()),
    }
}
