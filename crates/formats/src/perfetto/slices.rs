//! What is on tracks, as slices.
//!
//! ```text
//! TrackEvent   9 kind (1 begin, 2 end, 3 instant)   10 name's number or 23 name   11 track
//!              1 us since the packet before or 16 us, in older traces
//!              6 the same as Chrome's JSON has it: 2 letter, 1 name's number, 3 us, 18 process, 19 thread
//!              4 annotations, of which only our own matter: how a call came to be, how it ended
//! ```

use std::collections::{BTreeMap, HashMap};

use model::flow::{Entered, Left};
use model::{Diagnostic, Location, Severity};

use super::clocks::Clocks;
use super::proto::{Message, Wire, text};
use super::sequence::{Head, Sequence};
use super::tracks::Tracks;
use crate::limits;
use crate::slices::{Entry, Slices, What};

/// A track by its number, or a thread of which no track was described.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Where {
    Track(u64),
    Thread(u64, u64),
}

/// Collects slices packet by packet.
#[derive(Debug)]
pub(super) struct Building {
    sequences: HashMap<u32, Sequence>,
    clocks: Clocks,
    tracks: Tracks,
    slices: Slices,
    entries: BTreeMap<Where, Vec<Entry>>,
    /// Names that may still be learned.
    names: usize,
    left_out: BTreeMap<&'static str, u64>,
    /// Parts of the trace itself that were overwritten, in all its buffers.
    overwritten: u64,
    newest: i64,
}

impl Default for Building {
    fn default() -> Building {
        Building {
            sequences: HashMap::new(),
            clocks: Clocks::default(),
            tracks: Tracks::default(),
            slices: Slices::default(),
            entries: BTreeMap::new(),
            names: limits::PERFETTO_NAMES,
            left_out: BTreeMap::new(),
            overwritten: 0,
            newest: 0,
        }
    }
}

/// What one event says.
#[derive(Debug, Default)]
struct Stated<'a> {
    kind: u64,
    name: Option<&'a [u8]>,
    name_number: Option<u64>,
    track: Option<u64>,
    delta_us: Option<i64>,
    absolute_us: Option<i64>,
    legacy: Option<&'a [u8]>,
    called: Option<&'a [u8]>,
    left: Option<&'a [u8]>,
}

impl Building {
    /// Takes a packet; whether all of it makes sense.
    pub(super) fn take(&mut self, packet: &[u8]) -> bool {
        let (head, is_whole) = Head::parse(packet);
        let is_new = !self.sequences.contains_key(&head.sequence);
        // Of further sequences nothing can be kept apart.
        let number =
            if is_new && self.sequences.len() >= limits::PERFETTO_SEQUENCES { 0 } else { head.sequence };
        let sequence = self.sequences.entry(number).or_default();
        let clock = head.clock.or(sequence.clock);
        let time = head.time.map(|time| match clock {
            Some(clock) => self.clocks.time(clock, number, time),
            None => time.try_into().unwrap_or(i64::MAX),
        });
        let time = time.unwrap_or(self.newest);
        self.newest = self.newest.max(time);
        let is_understood = sequence.begin(&head, time);
        if is_understood {
            sequence.learn(packet, &mut self.names);
        }
        for field in Message::new(packet) {
            match field {
                (60, Wire::Bytes(track)) => self.tracks.descriptor(track),
                (44, Wire::Bytes(thread)) => drop(self.tracks.thread(thread)),
                (2, Wire::Bytes(tree)) => self.tracks.tree(tree),
                (6, Wire::Bytes(snapshot)) => self.clocks.snapshot(snapshot, number),
                (35, Wire::Bytes(stats)) => self.statistics(stats),
                (11, Wire::Bytes(_)) if !is_understood => {
                    *self.left_out.entry("not understood without packets that were dropped").or_default() +=
                        1;
                }
                (11, Wire::Bytes(event)) => self.event(event, number, time),
                _ => {}
            }
        }
        is_whole
    }

    fn statistics(&mut self, stats: &[u8]) {
        let mut overwritten = 0u64;
        for field in Message::new(stats) {
            let (1, Wire::Bytes(buffer)) = field else { continue };
            for field in Message::new(buffer) {
                // Overwritten, and what did not come to be written.
                if let (3 | 19, Wire::Number(count)) = field {
                    overwritten = overwritten.saturating_add(count);
                }
            }
        }
        self.overwritten = self.overwritten.max(overwritten);
    }

    fn event(&mut self, event: &[u8], number: u32, time: i64) {
        let stated = Stated::parse(event);
        let Some(sequence) = self.sequences.get_mut(&number) else { return };
        let (mut pid_tid, mut duration, mut letter, mut name_number) =
            (sequence.thread, 0, None, stated.name_number);
        for field in stated.legacy.into_iter().flat_map(Message::new) {
            match field {
                (1, Wire::Number(number)) => name_number = name_number.or(Some(number)),
                (2, Wire::Number(phase)) => letter = u8::try_from(phase).ok(),
                (3, Wire::Number(us)) => duration = us.saturating_mul(1_000),
                (18, Wire::Number(pid)) => pid_tid = Some((pid, pid_tid.map_or(0, |(_, tid)| tid))),
                (19, Wire::Number(tid)) => pid_tid = Some((pid_tid.map_or(0, |(pid, _)| pid), tid)),
                _ => {}
            }
        }
        let time = match (stated.absolute_us, stated.delta_us) {
            (Some(us), _) => us.saturating_mul(1_000),
            (None, Some(delta)) => {
                sequence.reference = sequence.reference.saturating_add(delta);
                sequence.reference.saturating_mul(1_000)
            }
            (None, None) => time,
        };
        let name = match (stated.name, name_number) {
            (Some(name), _) => text(name.get(..limits::PERFETTO_NAME).unwrap_or(name)),
            (None, Some(number)) => sequence.name(number).unwrap_or("?").to_owned(),
            (None, None) => "?".to_owned(),
        };
        let track = match stated.track.or(sequence.track) {
            Some(track) => Where::Track(track),
            None => pid_tid.map_or(Where::Track(0), |(pid, tid)| Where::Thread(pid, tid)),
        };
        let what = match (stated.kind, letter) {
            (1, _) | (0, Some(b'B')) => What::Begin(self.slices.method(&name), stated.entered()),
            (2, _) | (0, Some(b'E')) => What::End(stated.left()),
            (3, _) if let Some(lost) = of_loss(&name) => What::Lost(lost),
            (3, _) | (0, Some(b'i' | b'I' | b'R')) => What::Instant(self.slices.method(&name)),
            (0, Some(b'X')) => What::Whole(self.slices.method(&name), duration),
            (4, _) | (0, Some(b'C')) => return *self.left_out.entry("counters").or_default() += 1,
            _ => return *self.left_out.entry("of other kinds").or_default() += 1,
        };
        if self.entries.len() >= limits::PERFETTO_TRACKS && !self.entries.contains_key(&track) {
            return *self.left_out.entry("on too many tracks").or_default() += 1;
        }
        let entries = self.entries.entry(track).or_default();
        let losses = sequence.losses;
        let reported = sequence.tracks.entry(track.key()).or_default();
        if *reported < losses {
            *reported = losses;
            entries.push(Entry { time: sequence.lost_at, what: What::Lost(None) });
        }
        entries.push(Entry { time, what });
    }

    /// No further packet comes. `kernel`: how many events of the kernel there are beside the slices.
    pub(super) fn finish(
        mut self,
        file: &str,
        diagnostics: Vec<Diagnostic>,
        is_damaged: bool,
        kernel: u64,
    ) -> Slices {
        for sequence in self.sequences.values() {
            for (key, reported) in &sequence.tracks {
                let track = Where::of_key(*key, &self.entries);
                let Some(entries) = track.and_then(|track| self.entries.get_mut(&track)) else { continue };
                if *reported < sequence.losses {
                    entries.push(Entry { time: sequence.lost_at, what: What::Lost(None) });
                }
                if sequence.may_lack_beginning && self.overwritten > 0 {
                    let first = entries.iter().map(|entry| entry.time).min().unwrap_or(0);
                    entries.insert(0, Entry { time: first, what: What::Lost(None) });
                }
            }
        }
        let is_lost = |entry: &Entry| matches!(entry.what, What::Lost(None));
        let has_lost = self.entries.values().flatten().any(is_lost);
        let Building { tracks, mut slices, entries, left_out, overwritten, .. } = self;
        for (track, entries) in entries {
            let (name, tid) = match track {
                Where::Track(number) => tracks.name(number),
                Where::Thread(pid, tid) => (tracks.of_thread(pid, tid), Some(tid)),
            };
            slices.track(name, tid, entries);
        }
        slices.trace.format = "Perfetto".to_owned();
        (slices.course.program, slices.course.pid) = tracks.program();
        slices.course.ending = Some("the file ends".to_owned());
        slices.course.has_uncounted_damage = is_damaged || has_lost;
        slices.diagnostics = diagnostics;
        let mut note = |code, sentence| {
            let location = Location::File { file: file.to_owned(), offset: 0 };
            slices.diagnostics.push(Diagnostic { code, severity: Severity::Note, location, sentence });
        };
        if !left_out.is_empty() {
            let kinds: Vec<String> = left_out.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            note(
                "perfetto-left-out",
                format!("Events on tracks that are no slices are left out: {}.", kinds.join(", ")),
            );
        }
        if overwritten > 0 {
            note(
                "perfetto-overwritten",
                format!("{overwritten} parts of the trace were overwritten or not written."),
            );
        }
        if kernel > 0 {
            note(
                "perfetto-kernel",
                format!(
                    "{kernel} events of the kernel are in the file, too; `events`, `check` and `infer` read these."
                ),
            );
        }
        slices
    }
}

impl Where {
    /// A number for the list of tracks of a sequence.
    fn key(self) -> u64 {
        match self {
            Where::Track(number) => number,
            Where::Thread(pid, tid) => pid << 32 ^ tid,
        }
    }

    fn of_key<T>(key: u64, known: &BTreeMap<Where, T>) -> Option<Where> {
        let track = Where::Track(key);
        if known.contains_key(&track) {
            return Some(track);
        }
        let thread = Where::Thread(key >> 32, key & 0xffff_ffff);
        known.contains_key(&thread).then_some(thread)
    }
}

/// `12 records lost`, as we export it.
fn of_loss(name: &str) -> Option<Option<u64>> {
    let count = name.strip_suffix("records lost")?.trim_end();
    if count.is_empty() { Some(None) } else { count.parse().ok().map(Some) }
}

impl<'a> Stated<'a> {
    fn parse(event: &'a [u8]) -> Stated<'a> {
        let mut stated = Stated::default();
        for field in Message::new(event) {
            match field {
                (1, Wire::Number(us)) => stated.delta_us = Some(us.cast_signed()),
                (16, Wire::Number(us)) => stated.absolute_us = Some(us.cast_signed()),
                (4, Wire::Bytes(annotation)) => stated.annotation(annotation),
                (6, Wire::Bytes(legacy)) => stated.legacy = Some(legacy),
                (9, Wire::Number(kind)) => stated.kind = kind,
                (10, Wire::Number(number)) => stated.name_number = Some(number),
                (11, Wire::Number(track)) => stated.track = Some(track),
                (23, Wire::Bytes(name)) => stated.name = Some(name),
                _ => {}
            }
        }
        stated
    }

    fn annotation(&mut self, annotation: &'a [u8]) {
        let (mut name, mut value) = (None, None);
        for field in Message::new(annotation) {
            match field {
                (10, Wire::Bytes(bytes)) => name = Some(bytes),
                (6, Wire::Bytes(bytes)) => value = Some(bytes),
                _ => {}
            }
        }
        match name {
            Some(b"called") => self.called = value,
            Some(b"left") => self.left = value,
            _ => {}
        }
    }

    fn entered(&self) -> Entered {
        match self.called {
            Some(b"via library") => Entered::Library,
            Some(b"beginning not seen") => Entered::Unseen,
            _ => Entered::Call,
        }
    }

    fn left(&self) -> Left {
        match self.left {
            Some(b"threw") => Left::Threw,
            Some(b"end not seen") => Left::Unseen,
            Some(b"still open at the end") => Left::Open,
            _ => Left::Returned,
        }
    }
}
