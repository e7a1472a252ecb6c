//! Features: what perf says of the machine, the command and the clock.
//!
//! ```text
//! HOSTNAME, OSRELEASE, VERSION, ARCH   size u32 | text 0 ...
//! CMDLINE                              count u32 | count x text
//! EVENT_DESC                           count u32 | attribute size u32 |
//!                                      count x ( attribute | ids u32 | name | ids x u64 )
//! CLOCK_DATA                           version u32 | clock id u32 | ns since the epoch | ns of that clock
//! ```

use model::{ClockInfo, OWN_THREADS, TraceInfo};

use crate::limits;
use source::Source;

use super::bytes::Cursor;
use super::header::Header;
use crate::tracepoint::decode::until_zero;

pub(super) const TRACING_DATA: u32 = 1;
const HOSTNAME: u32 = 3;
const OSRELEASE: u32 = 4;
const VERSION: u32 = 5;
const ARCH: u32 = 6;
const CMDLINE: u32 = 11;
const EVENT_DESC: u32 = 12;
pub(super) const AUXTRACE: u32 = 18;
pub(super) const DIR_FORMAT: u32 = 24;
const CLOCK_DATA: u32 = 29;

/// What a file says about itself.
#[derive(Debug, Default)]
pub(super) struct About {
    host: Option<String>,
    kernel: Option<String>,
    perf: Option<String>,
    pub(super) machine: Option<String>,
    /// Its words.
    pub(super) command: Vec<String>,
    /// What other threads than those of the command did is not there.
    pub(super) sees_own_threads_only: bool,
    /// Of the events, in the order of the attributes; maybe fewer.
    pub(super) event_names: Vec<String>,
    clock: Option<Clock>,
}

/// The clock of the times, where perf was asked for a certain one (`-k`).
#[derive(Debug)]
struct Clock {
    id: u32,
    /// Nanoseconds to add to get those since the epoch.
    offset: i128,
}

impl About {
    pub(super) fn read(header: &Header, source: &dyn Source) -> About {
        let bytes = |feature| {
            let section = header.feature(feature)?;
            section.read(source, limits::PERF_SECTION).ok().filter(|bytes| !bytes.is_empty())
        };
        let text = |feature| text(&mut Cursor::new(&bytes(feature)?));
        About {
            host: text(HOSTNAME),
            kernel: text(OSRELEASE),
            perf: text(VERSION),
            machine: text(ARCH),
            command: bytes(CMDLINE).map(|bytes| command(&bytes)).unwrap_or_default(),
            sees_own_threads_only: false,
            event_names: bytes(EVENT_DESC).map(|bytes| event_names(&bytes)).unwrap_or_default(),
            clock: bytes(CLOCK_DATA).and_then(|bytes| clock(&bytes)),
        }
    }

    /// Nanoseconds to add to a time of the file.
    pub(super) fn clock_offset(&self) -> i128 {
        self.clock.as_ref().map_or(0, |clock| clock.offset)
    }

    pub(super) fn trace_info(&self) -> TraceInfo {
        let entry = |name: &str, value: &Option<String>| Some((name.to_owned(), value.clone()?));
        let second = 1_000_000_000;
        let (name, offset) = match &self.clock {
            None => ("perf, since the machine started".to_owned(), 0),
            Some(clock) => (clock_name(clock.id), clock.offset),
        };
        let clock = ClockInfo {
            name,
            frequency: second as u64,
            offset_s: i64::try_from(offset.div_euclid(second)).unwrap_or(0),
            offset: i64::try_from(offset.rem_euclid(second)).unwrap_or(0),
        };
        TraceInfo {
            name: String::new(),
            format: "perf.data".into(),
            host: self.host.clone(),
            tracer: self.perf.as_ref().map(|version| format!("perf {version}")),
            environment: [
                entry("command", &Some(self.command.join(" ")).filter(|command| !command.is_empty())),
                entry("kernel", &self.kernel),
                entry("machine", &self.machine),
                self.sees_own_threads_only.then(|| (OWN_THREADS.0.to_owned(), OWN_THREADS.1.to_owned())),
            ]
            .into_iter()
            .flatten()
            .collect(),
            clocks: vec![clock],
            host_clock: None,
        }
    }
}

/// Text behind its size; perf fills it up with zero bytes.
fn text(cursor: &mut Cursor<'_>) -> Option<String> {
    let size = usize::try_from(cursor.u32()?).ok()?;
    Some(String::from_utf8_lossy(until_zero(cursor.take(size)?)).into_owned())
}

fn command(bytes: &[u8]) -> Vec<String> {
    let mut cursor = Cursor::new(bytes);
    let count = cursor.u32().unwrap_or(0);
    (0..count).map_while(|_| text(&mut cursor)).collect()
}

fn event_names(bytes: &[u8]) -> Vec<String> {
    let mut cursor = Cursor::new(bytes);
    let (Some(count), Some(size)) = (cursor.u32(), cursor.u32()) else { return vec![] };
    let mut one = || {
        cursor.take(usize::try_from(size).ok()?)?;
        let ids = usize::try_from(cursor.u32()?).ok()?;
        let name = text(&mut cursor)?;
        cursor.take(ids.checked_mul(8)?)?;
        Some(name)
    };
    (0..count).map_while(|_| one()).take(limits::PERF_EVENTS).collect()
}

fn clock(bytes: &[u8]) -> Option<Clock> {
    let mut cursor = Cursor::new(bytes);
    let _version = cursor.u32()?;
    let id = cursor.u32()?;
    let (wall, own) = (cursor.u64()?, cursor.u64()?);
    Some(Clock { id, offset: i128::from(wall) - i128::from(own) })
}

/// As `clock_gettime` calls them.
fn clock_name(id: u32) -> String {
    let names = ["realtime", "monotonic", "process_cputime_id", "thread_cputime_id", "monotonic_raw"];
    let known = usize::try_from(id).ok().and_then(|id| names.get(id));
    match (known, id) {
        (Some(name), _) => (*name).into(),
        (_, 7) => "boottime".into(),
        (_, 11) => "tai".into(),
        _ => format!("clock {id}"),
    }
}
