//! What a trace is, for people.

use std::cmp::Reverse;

use model::{EventSource, HostClock, Severity, StreamInfo, Symbol, TraceInfo};

use super::diagnostic_text;
use super::event_text::between;
use super::flow::Flow;
use super::open_frames;
use super::table::Table;
use crate::escape::plain;
use crate::hangs::open_frames::OpenFrames;
use crate::losses::{amount, short};
use crate::moment;
use crate::numbers::{counted, duration, grouped, share};
use crate::paint::{Ink, Paint};
use crate::results::Counts;

/// Rows of a list that may be long, unless `--all` is given.
pub(crate) const MOST: usize = 20;

pub(crate) fn render(
    input: &str,
    counts: &Counts,
    source: &dyn EventSource,
    open: &[OpenFrames],
    most: usize,
    paint: Paint,
) -> String {
    let mut page = Page { out: String::new(), paint, most };
    let total: u64 = counts.by_symbol.iter().sum();
    page.out += &format!("{}\n", paint.dip(Ink::Title, &plain(input)));
    for trace in source.traces() {
        page.trace(trace, source.traces().len() > 1);
    }
    page.range(source.streams());
    let streams = counted(source.streams().len() as u64, "stream");
    page.out += &format!("  events   {} in {streams}\n", grouped(total));
    let lost = counts.losses.total;
    let is_damaged = source.diagnostics().iter().any(|diagnostic| diagnostic.severity == Severity::Damage);
    let (ink, sentence) = match (lost.gaps, is_damaged) {
        (0, false) => (Ink::Plain, "nothing".to_owned()),
        (0, true) => (Ink::Bad, "nothing that is counted; see the diagnostics".to_owned()),
        _ => (Ink::Bad, lost.sentence()),
    };
    page.out += &format!("  lost     {}\n", paint.dip(ink, &sentence));
    page.streams(counts, source.streams());
    page.names(counts, source, total);
    page.open(open);
    page.gaps(counts, source.streams());
    page.diagnostics(source);
    page.out
}

struct Page {
    out: String,
    paint: Paint,
    most: usize,
}

impl Page {
    fn title(&mut self, title: &str, rest: &str) {
        self.out += &format!("\n{}{rest}\n", self.paint.dip(Ink::Title, title));
    }

    fn lines(&mut self, table: &Table) {
        for line in table.lines("  ") {
            self.out += &line;
            self.out.push('\n');
        }
    }

    /// Writes how many rows of a list are not shown.
    fn more(&mut self, all: usize) {
        if all > self.most {
            self.out += &format!("  ... and {} more (--all shows them)\n", grouped((all - self.most) as u64));
        }
    }

    fn trace(&mut self, trace: &TraceInfo, is_one_of_several: bool) {
        let mut table = Table::new("ll");
        if is_one_of_several {
            table.row(["trace", &plain(&trace.name)]);
        }
        table.row(["format ", &plain(&trace.format)]);
        for (label, value) in [("host", &trace.host), ("tracer", &trace.tracer)] {
            if let Some(value) = value {
                table.row([label, &plain(value)]);
            }
        }
        for clock in &trace.clocks {
            let ticks = grouped(clock.frequency);
            table.row(["clock", &format!("{}, {ticks} ticks a second", plain(&clock.name))]);
        }
        if let Some(clock) = &trace.host_clock {
            let [stated, bounds] = host_clock(clock);
            table.row(["times", &stated]);
            table.row(["", &bounds]);
        }
        self.lines(&table);
        let mut stated = Flow::new();
        for (name, value) in trace.environment.iter().take(self.most) {
            stated.push(Ink::Plain, plain(&format!("{name} = {value}")));
        }
        if !trace.environment.is_empty() {
            stated.write(&mut self.out, "  says     ", "  ", self.paint);
        }
    }

    fn range(&mut self, streams: &[StreamInfo]) {
        let first = streams.iter().filter_map(|stream| stream.first).min();
        let last = streams.iter().filter_map(|stream| stream.last).max();
        if let (Some(first), Some(last)) = (first, last) {
            let long = duration(last.since(first));
            let range = format!("{} to {} UTC", moment::text(first), moment::text_after(last, first));
            self.out += &format!("  time     {range} ({long})\n");
        }
    }

    fn streams(&mut self, counts: &Counts, streams: &[StreamInfo]) {
        self.title("Streams", "");
        let mut table = Table::new("lrrrrll");
        table.row(["name", "cpu", "packets", "events", "lost", "gaps", "time"]);
        for (number, stream) in streams.iter().enumerate().take(self.most) {
            let lost = counts.losses.of_stream(number);
            let range = match (stream.first, stream.last) {
                (Some(first), Some(last)) => {
                    format!("{} to {}", moment::text(first), moment::text_after(last, first))
                }
                _ => String::new(),
            };
            table.row([
                plain(&stream.name).into_owned(),
                stream.cpu.map_or("-".into(), |cpu| cpu.to_string()),
                grouped(stream.packets),
                grouped(stream.events),
                short(&lost),
                if lost.gaps == 0 { "-".into() } else { grouped(lost.gaps) },
                range,
            ]);
        }
        self.lines(&table);
        self.more(streams.len());
    }

    fn names(&mut self, counts: &Counts, source: &dyn EventSource, total: u64) {
        let mut names: Vec<(u64, &str)> = counts
            .by_symbol
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(symbol, &count)| (count, source.alphabet().name(Symbol(symbol as u32))))
            .collect();
        names.sort_by_key(|&(count, name)| (Reverse(count), name));
        self.title("Events", &format!(" of {}", counted(names.len() as u64, "kind")));
        let mut table = Table::new("rrl");
        for &(count, name) in names.iter().take(self.most) {
            table.row([grouped(count), share(count, total), plain(name).into_owned()]);
        }
        self.lines(&table);
        self.more(names.len());
    }

    fn open(&mut self, open: &[OpenFrames]) {
        if open.is_empty() {
            return;
        }
        self.title("Open", &format!(" in {}: what had not ended", counted(open.len() as u64, "thread")));
        let stay = open.iter().filter(|open| open.stays);
        for open in stay.chain(open.iter().filter(|open| !open.stays)).take(self.most) {
            let text = plain(&format!("{} {}", open.thread, open_frames::sentence(open))).into_owned();
            self.out += &format!("  {text}\n");
        }
        self.more(open.len());
    }

    fn gaps(&mut self, counts: &Counts, streams: &[StreamInfo]) {
        let losses = &counts.losses;
        if losses.total.gaps == 0 {
            return;
        }
        self.title("Losses", &format!(": {}", losses.total.sentence()));
        let mut table = Table::new("lrl");
        for gap in losses.gaps.iter().take(self.most) {
            let stream = streams.get(gap.stream.0 as usize).map_or("?", |stream| &stream.name);
            table.row([plain(stream).into_owned(), amount(gap.lost), between(gap).trim().to_owned()]);
        }
        self.lines(&table);
        self.more(usize::try_from(losses.total.gaps).unwrap_or(usize::MAX));
    }

    fn diagnostics(&mut self, source: &dyn EventSource) {
        let diagnostics = source.diagnostics();
        if diagnostics.is_empty() {
            return;
        }
        self.title("Diagnostics", "");
        for diagnostic in diagnostics.iter().take(self.most) {
            self.out += &format!("  {}\n", diagnostic_text(diagnostic, source.streams()));
        }
        self.more(diagnostics.len());
    }
}

/// How times of a trace were brought to the clock of another host.
fn host_clock(clock: &HostClock) -> [String; 2] {
    let direction = |ahead: f64| if ahead < 0.0 { "behind" } else { "ahead" };
    let apart = |ahead: f64| format!("{} {}", duration(ahead.abs() as i128), direction(ahead));
    let (least, most) = clock.ahead_between;
    let (flattest, steepest) = clock.drift_between;
    let millionths = |drift: f64| format!("{:.2}", drift * 1e6);
    [
        format!(
            "on the clock of {}, which is {} and {} millionths faster, by {} messages",
            plain(&clock.reference),
            apart(clock.ahead),
            millionths(clock.drift),
            grouped(clock.messages)
        ),
        format!(
            "the messages allow {} to {}, and {} to {} millionths",
            apart(least),
            apart(most),
            millionths(flattest),
            millionths(steepest)
        ),
    ]
}
