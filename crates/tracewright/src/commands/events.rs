//! `tracewright events`: the events that were asked for, as text or as event lines.

use analyses::tracks::{Assigned, Tracker};
use formats::event_lines;
use model::{Event, EventSource, Gap, Item, Symbol, Timestamp};

use crate::cli;
use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::losses::Losses;
use crate::open::open;
use crate::output::Output;
use crate::pattern::Patterns;
use crate::progress::Progress;
use crate::views::event_text;
use crate::warn::warn;

pub(crate) fn run(options: &cli::Events) -> Result<Outcome> {
    let mut source = open(&options.trace.input)?;
    let mut filter = Filter::new(options)?;
    let mut writer = if options.json { Writer::Json(event_lines::Writer::default()) } else { Writer::text() };
    let mut output = Output::default();
    let mut losses = Losses::default();
    let mut progress = Progress::new(true);
    let mut left = options.limit.unwrap_or(u64::MAX);
    while left > 0 {
        match source.next_item() {
            None => break,
            Some(Item::Event(event)) => {
                if let Some(is_broken) = filter.event(&event) {
                    writer.event(&event, is_broken, &mut output.buffer);
                    left -= 1;
                }
            }
            Some(Item::Gap(gap)) => {
                losses.add(&gap);
                let is_wanted = filter.gap(&gap, source.as_ref());
                if is_wanted && (options.gaps || !options.json) {
                    writer.gap(&gap, source.as_ref(), &mut output.buffer);
                }
            }
        }
        output.pass()?;
        progress.step(source.as_ref());
    }
    output.flush()?;
    progress.finish();
    let is_incomplete = warn(&options.trace.input, losses.total, source.as_ref());
    Ok(Outcome::new(is_incomplete, options.trace.allow_loss))
}

/// Which events are wanted.
struct Filter<'a> {
    options: &'a cli::Events,
    names: Patterns,
    /// By symbol: whether its name is wanted.
    symbols: Vec<bool>,
    start: Option<Timestamp>,
    tracks: Option<Tracks>,
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
        Ok(Filter { options, names, symbols: vec![], start: None, tracks })
    }

    /// Whether an event is wanted, and then whether steps of its track may be missing before it.
    fn event(&mut self, event: &Event<'_>) -> Option<bool> {
        let alphabet = event.origin.alphabet;
        for number in self.symbols.len()..alphabet.len() {
            self.symbols.push(self.names.allow(alphabet.name(Symbol(number as u32))));
        }
        self.start = self.start.or(event.time);
        let is_named = self.symbols.get(event.symbol.0 as usize).copied().unwrap_or(false);
        let may_pass = is_named && self.in_time(event.time, event.time);
        let (on_track, is_broken) = self.tracks.as_mut().map_or((true, false), |tracks| tracks.assign(event));
        (may_pass && on_track).then_some(is_broken)
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

    fn assign(&mut self, event: &Event<'_>) -> (bool, bool) {
        let Assigned { step, broken } = self.tracker.assign(event);
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

    fn event(&mut self, event: &Event<'_>, is_broken: bool, out: &mut Vec<u8>) {
        match self {
            Writer::Json(writer) => writer.event(event, out),
            Writer::Text(writer) => writer.event(event, is_broken, out),
        }
    }

    fn gap(&mut self, gap: &Gap, source: &dyn EventSource, out: &mut Vec<u8>) {
        match self {
            Writer::Json(writer) => writer.gap(gap, source.streams(), out),
            Writer::Text(writer) => writer.gap(gap, source, out),
        }
    }
}
