//! `tracewright events`: the events that were asked for, as text or as event lines.

use analyses::tracks::{Placed, Tracker};
use formats::event_lines;
use model::{Event, EventSource, Gap, Item, Symbol, Timestamp};

use super::warn::warn;
use crate::cli;
use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::losses::Losses;
use crate::open::open;
use crate::output::Output;
use crate::pattern::Patterns;
use crate::progress::Progress;
use crate::views::event_text;

pub(crate) fn run(options: &cli::Events) -> Result<Outcome> {
    let mut source = open(&options.trace.input)?;
    let mut filter = Filter::new(options)?;
    let mut writer = if options.json { Writer::Json(event_lines::Writer::default()) } else { Writer::text() };
    let mut output = Output::default();
    let mut losses = Losses::default();
    let mut progress = Progress::new(true);
    let mut left = options.limit.unwrap_or(u64::MAX);
    while left > 0 {
        filter.learn(source.as_ref());
        let lost = match source.next_item() {
            None => break,
            Some(Item::Gap(gap)) => Some(gap),
            Some(Item::Event(event)) => {
                if filter.take(&event) {
                    writer.take(&event);
                }
                None
            }
        };
        let source = source.as_ref();
        match lost {
            Some(gap) => {
                losses.add(&gap);
                let is_wanted = filter.gap(&gap, source);
                if is_wanted && (options.gaps || !options.json) {
                    writer.gap(&gap, source, &mut output.buffer);
                }
            }
            None => {
                let (is_wanted, is_broken) = filter.place(source);
                if is_wanted {
                    writer.line(is_broken, source, &mut output.buffer);
                    left -= 1;
                }
            }
        }
        output.pass()?;
        progress.step(source);
    }
    output.flush()?;
    progress.finish();
    let is_incomplete = warn(&options.trace.input, losses.total, source.as_ref());
    Ok(Outcome::new(is_incomplete, options.trace.allow_loss))
}

/// Which events are wanted. An event is asked about twice, because its name can only be looked up
/// when it is gone: [`Filter::take`] says whether it may be wanted, [`Filter::place`] decides.
struct Filter<'a> {
    options: &'a cli::Events,
    names: Patterns,
    /// By symbol: whether its name is wanted.
    symbols: Vec<bool>,
    start: Option<Timestamp>,
    tracks: Option<Tracks>,
    symbol: Symbol,
    may_pass: bool,
}

struct Tracks {
    tracker: Tracker,
    patterns: Patterns,
    /// By track, from a first reading of the whole trace. A thread is called by its newest name,
    /// so which tracks match is only known at the end. Standard input cannot be read twice: there
    /// the names as known so far decide.
    wanted: Option<Vec<bool>>,
}

impl<'a> Filter<'a> {
    fn new(options: &'a cli::Events) -> Result<Filter<'a>> {
        let names = Patterns::new(&options.name);
        let tracks = if options.track.is_empty() { None } else { Some(Tracks::new(options)?) };
        let (start, symbol, may_pass) = (None, Symbol(0), false);
        Ok(Filter { options, names, symbols: vec![], start, tracks, symbol, may_pass })
    }

    /// Keeps up with the names of the source.
    fn learn(&mut self, source: &dyn EventSource) {
        let alphabet = source.alphabet();
        for number in self.symbols.len()..alphabet.len() {
            self.symbols.push(self.names.allow(alphabet.name(Symbol(number as u32))));
        }
    }

    fn take(&mut self, event: &Event<'_>) -> bool {
        if let Some(tracks) = &mut self.tracks {
            tracks.tracker.take(event);
        }
        self.start = self.start.or(event.time);
        self.symbol = event.symbol;
        let named = self.symbols.get(event.symbol.0 as usize).copied().unwrap_or(true);
        self.may_pass = named && self.in_time(event.time, event.time);
        self.may_pass
    }

    /// Whether the event taken last is wanted, and whether its track may miss steps before it.
    fn place(&mut self, source: &dyn EventSource) -> (bool, bool) {
        let (on_track, is_broken) = self.tracks.as_mut().map_or((true, false), |tracks| tracks.place(source));
        if !on_track || !self.may_pass {
            return (false, false);
        }
        self.learn(source);
        (self.symbols.get(self.symbol.0 as usize).copied().unwrap_or(false), is_broken)
    }

    /// Whether a loss is worth a line: it overlaps the time that was asked for.
    fn gap(&mut self, gap: &Gap, source: &dyn EventSource) -> bool {
        if let Some(tracks) = &mut self.tracks {
            tracks.tracker.gap(gap, source);
        }
        let unknown = gap.from.is_none() && gap.to.is_none();
        unknown || self.in_time(gap.from.or(gap.to), gap.to.or(gap.from))
    }

    /// Whether something from `first` to `last` overlaps what was asked for.
    fn in_time(&self, first: Option<Timestamp>, last: Option<Timestamp>) -> bool {
        let (from, to) = (self.options.from, self.options.to);
        if from.is_none() && to.is_none() {
            return true;
        }
        let (Some(first), Some(last)) = (first, last) else { return false };
        let start = self.start.unwrap_or(first);
        from.is_none_or(|from| last >= from.resolve(start)) && to.is_none_or(|to| first <= to.resolve(start))
    }
}

impl Tracks {
    fn new(options: &cli::Events) -> Result<Tracks> {
        let by = options.track_by.into();
        let patterns = Patterns::new(&options.track);
        let input = &options.trace.input;
        if input.as_os_str() == "-" {
            return Ok(Tracks { tracker: Tracker::new(by), patterns, wanted: None });
        }
        let (mut source, mut tracker) = (open(input)?, Tracker::new(by));
        let mut progress = Progress::new(false);
        while tracker.next(source.as_mut(), |_| ()).is_some() {
            progress.step(source.as_ref());
        }
        progress.finish();
        let names = || tracker.tracks().iter().map(|track| track.name.as_str());
        let wanted: Vec<bool> = names().map(|name| patterns.allow(name)).collect();
        if !wanted.contains(&true) {
            let some: Vec<&str> = names().take(10).collect();
            let more = if names().count() > some.len() { ", ..." } else { "" };
            return Stop::failed(format!(
                "{} has no track called {}; its tracks are: {}{more} (`tracewright loops` lists them)",
                input.display(),
                options.track.join(" or "),
                plain(&some.join(", ")),
            ));
        }
        Ok(Tracks { tracker: Tracker::new(by), patterns, wanted: Some(wanted) })
    }

    fn place(&mut self, source: &dyn EventSource) -> (bool, bool) {
        let Placed { step, broken } = self.tracker.place(source);
        let track = step.track.0 as usize;
        let is_wanted = match &self.wanted {
            Some(wanted) => wanted.get(track).copied().unwrap_or(false),
            None => self.tracker.tracks().get(track).is_some_and(|track| self.patterns.allow(&track.name)),
        };
        (is_wanted, broken)
    }
}

/// How events are written.
enum Writer {
    Json(event_lines::Writer),
    Text(Box<event_text::Writer>),
}

impl Writer {
    fn text() -> Writer {
        Writer::Text(Box::default())
    }

    fn take(&mut self, event: &Event<'_>) {
        match self {
            Writer::Json(writer) => writer.take(event),
            Writer::Text(writer) => writer.take(event),
        }
    }

    fn line(&mut self, is_broken: bool, source: &dyn EventSource, out: &mut Vec<u8>) {
        match self {
            Writer::Json(writer) => writer.line(source.alphabet(), source.streams(), out),
            Writer::Text(writer) => writer.line(is_broken, source, out),
        }
    }

    fn gap(&mut self, gap: &Gap, source: &dyn EventSource, out: &mut Vec<u8>) {
        match self {
            Writer::Json(writer) => writer.gap(gap, source.streams(), out),
            Writer::Text(writer) => writer.gap(gap, source, out),
        }
    }
}
