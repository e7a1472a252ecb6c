//! What `info --json` prints.
//!
//! ```text
//! {"input":"trace","traces":[{"name":"","format":"CTF 1.8","host":"h","tracer":"lttng-modules 2.8.0",
//!    "environment":{"domain":"kernel"},"clocks":[{"name":"monotonic","frequency":1000000000,"offset_s":5,"offset":0}]}],
//!  "from":NS,"to":NS,"events":120,"lost":{"events":7,"packets":0,"gaps":1},"names":[{"name":"a","events":100},...],
//!  "streams":[{"name":"channel0_0","trace":0,"cpu":0,"packets":2,"events":120,"from":NS,"to":NS,"lost":{...}}],
//!  "gaps":[{"stream":"channel0_0","before_event":60,"from":NS,"to":NS,"lost":7,"unit":"events"}],
//!  "diagnostics":[{"code":"...","severity":"note","file":"channel0_0","offset":12,"sentence":"..."}]}
//! ```
//!
//! A name of the environment that has several values has a list of them. A trace whose times were brought to the clock of another host has `host_clock`. `open` lists the threads of a
//! capture that were in the middle of something.

use model::{
    ClockInfo, Diagnostic, EventSource, Gap, HostClock, Location, Severity, StreamInfo, Symbol, TraceInfo,
};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::losses::amount;
use super::{LostTotal, NamedOpen};
use crate::hangs::open_frames::OpenFrames;
use crate::results::Counts;

/// The answer of `info`.
#[derive(Debug, Serialize)]
pub(crate) struct InfoReport<'a> {
    input: &'a str,
    traces: Vec<Trace<'a>>,
    from: Option<i64>,
    to: Option<i64>,
    events: u64,
    lost: LostTotal,
    /// The most frequent first.
    names: Vec<Name<'a>>,
    streams: Vec<Stream<'a>>,
    gaps: Vec<OneGap<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<NamedOpen<'a>>,
    diagnostics: Vec<OneDiagnostic<'a>>,
}

#[derive(Debug, Serialize)]
struct Trace<'a> {
    name: &'a str,
    format: &'a str,
    host: Option<&'a str>,
    tracer: Option<&'a str>,
    #[serde(serialize_with = "in_order")]
    environment: &'a [(String, String)],
    #[serde(skip_serializing_if = "Option::is_none")]
    host_clock: Option<OnHost<'a>>,
    clocks: Vec<Clock<'a>>,
}

#[derive(Debug, Serialize)]
struct Clock<'a> {
    name: &'a str,
    frequency: u64,
    offset_s: i64,
    offset: i64,
}

/// [`HostClock`], with its units.
#[derive(Debug, Serialize)]
struct OnHost<'a> {
    reference: &'a str,
    from_ns: i64,
    ahead_ns: f64,
    least_ahead_ns: f64,
    most_ahead_ns: f64,
    drift: f64,
    least_drift: f64,
    most_drift: f64,
    messages: u64,
}

#[derive(Debug, Serialize)]
struct Name<'a> {
    name: &'a str,
    events: u64,
}

#[derive(Debug, Serialize)]
struct Stream<'a> {
    name: &'a str,
    /// An index into `traces`.
    trace: usize,
    cpu: Option<u32>,
    packets: u64,
    events: u64,
    from: Option<i64>,
    to: Option<i64>,
    lost: LostTotal,
}

#[derive(Debug, Serialize)]
struct OneGap<'a> {
    stream: &'a str,
    before_event: u64,
    from: Option<i64>,
    to: Option<i64>,
    /// Null where nobody counted.
    lost: Option<u64>,
    unit: &'static str,
}

#[derive(Debug, Serialize)]
struct OneDiagnostic<'a> {
    code: &'a str,
    severity: &'static str,
    #[serde(flatten)]
    place: OneLocation<'a>,
    sentence: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum OneLocation<'a> {
    Byte { file: &'a str, offset: u64 },
    Line { file: &'a str, line: u64 },
    Event { stream: &'a str, event: u64 },
    Steps { track: u32, from_step: u64, to_step: u64 },
}

impl<'a> InfoReport<'a> {
    pub(crate) fn of(
        input: &'a str,
        counts: &'a Counts,
        source: &'a dyn EventSource,
        open: &'a [OpenFrames],
    ) -> Self {
        let streams = source.streams();
        let stream_name =
            |number: u32| streams.get(number as usize).map_or("?", |stream| stream.name.as_str());
        let names = counts.by_symbol.iter().enumerate().filter(|(_, events)| **events > 0);
        let name = |symbol: usize| source.alphabet().name(Symbol(symbol as u32));
        let mut names: Vec<Name<'a>> =
            names.map(|(symbol, events)| Name { name: name(symbol), events: *events }).collect();
        names.sort_by_key(|one| (std::cmp::Reverse(one.events), one.name));
        let stream = |(number, stream): (usize, &'a StreamInfo)| Stream {
            name: &stream.name,
            trace: stream.trace,
            cpu: stream.cpu,
            packets: stream.packets,
            events: stream.events,
            from: stream.first.map(|time| time.0),
            to: stream.last.map(|time| time.0),
            lost: counts.losses.of_stream(number).into(),
        };
        let gap = |gap: &Gap| {
            let (lost, unit) = amount(gap.lost);
            let (from, to) = (gap.from.map(|time| time.0), gap.to.map(|time| time.0));
            OneGap { stream: stream_name(gap.stream.0), before_event: gap.before_event, from, to, lost, unit }
        };
        Self {
            input,
            traces: source.traces().iter().map(Trace::of).collect(),
            from: streams.iter().filter_map(|stream| stream.first).min().map(|time| time.0),
            to: streams.iter().filter_map(|stream| stream.last).max().map(|time| time.0),
            events: counts.by_symbol.iter().sum(),
            lost: counts.losses.total.into(),
            names,
            streams: streams.iter().enumerate().map(stream).collect(),
            gaps: counts.losses.gaps.iter().map(gap).collect(),
            open: open.iter().map(NamedOpen::of).collect(),
            diagnostics: source.diagnostics().iter().map(|found| diagnostic(found, &stream_name)).collect(),
        }
    }
}

impl<'a> Trace<'a> {
    fn of(trace: &'a TraceInfo) -> Self {
        let clock = |clock: &'a ClockInfo| Clock {
            name: &clock.name,
            frequency: clock.frequency,
            offset_s: clock.offset_s,
            offset: clock.offset,
        };
        let on_host = |clock: &'a HostClock| OnHost {
            reference: &clock.reference,
            from_ns: clock.from.0,
            ahead_ns: clock.ahead,
            least_ahead_ns: clock.ahead_between.0,
            most_ahead_ns: clock.ahead_between.1,
            drift: clock.drift,
            least_drift: clock.drift_between.0,
            most_drift: clock.drift_between.1,
            messages: clock.messages,
        };
        Self {
            name: &trace.name,
            format: &trace.format,
            host: trace.host.as_deref(),
            tracer: trace.tracer.as_deref(),
            environment: &trace.environment,
            host_clock: trace.host_clock.as_ref().map(on_host),
            clocks: trace.clocks.iter().map(clock).collect(),
        }
    }
}

fn diagnostic<'a>(found: &'a Diagnostic, stream_name: &impl Fn(u32) -> &'a str) -> OneDiagnostic<'a> {
    let severity = match found.severity {
        Severity::Note => "note",
        Severity::Damage => "damage",
    };
    let place = match &found.location {
        Location::File { file, offset } => OneLocation::Byte { file, offset: *offset },
        Location::Line { file, line } => OneLocation::Line { file, line: *line },
        Location::Event(stream, number) => {
            OneLocation::Event { stream: stream_name(stream.0), event: *number }
        }
        Location::Steps(track, steps) => {
            OneLocation::Steps { track: track.0, from_step: steps.start, to_step: steps.end }
        }
    };
    OneDiagnostic { code: found.code, severity, place, sentence: &found.sentence }
}

/// Each name once, in the order in which they come first: its value, or the list of them where it has several.
fn in_order<S: Serializer>(pairs: &&[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (index, (name, value)) in pairs.iter().enumerate() {
        let all: Vec<&str> =
            pairs.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str()).collect();
        let is_first = pairs.iter().take(index).all(|(other, _)| other != name);
        match &*all {
            _ if !is_first => {}
            [_] => map.serialize_entry(name, value)?,
            _ => map.serialize_entry(name, &all)?,
        }
    }
    map.end()
}
