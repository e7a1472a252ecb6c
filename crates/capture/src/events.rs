//! A capture as an [`EventSource`]: a stream for each thread, an event for each block that ran.
//!
//! An event is called `shop.Baker.bake:31`, method and first line of the block; where blocks of a
//! method begin on the same line, the block's number follows (`:31#4`). A capture knows the time only
//! at the ends of chunks, so events have none and the streams come one after the other. Blocks that a
//! recorder counted instead of listing them come one by one, as often as they ran.

use std::collections::HashMap;

use model::code::{Block, CodeMap};
use model::field::NoFields;
use model::{
    Alphabet, BlockId, Diagnostic, Edge, Event, EventSource, FlowStep, Gap, Item, Lost, MethodId, StreamId,
    StreamInfo, Symbol, Timestamp, TraceInfo,
};

use super::contents::{Capture, Thread};
use super::decode::Flow;

/// Hands out the blocks of all threads.
pub struct Events {
    capture: Capture,
    alphabet: Alphabet,
    traces: Vec<TraceInfo>,
    streams: Vec<StreamInfo>,
    symbols: Symbols,
    /// The thread that is read.
    at: usize,
    flow: Option<Flow>,
    frames: Vec<MethodId>,
    /// What the step that was taken last stands for, how much of it was handed out, and its turns from
    /// this one on; at least 1.
    blocks: Vec<Symbol>,
    next: usize,
    times: u64,
    /// Of the threads that are over, and of all.
    words: u64,
    all_words: u64,
}

/// What a thread did next, as it was recorded.
#[derive(Debug)]
pub enum Told<'a> {
    /// These blocks, one after the other, all of them so many times.
    Blocks(StreamId, &'a [Symbol], u64),
    /// Something is missing.
    Gap(Gap),
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").field("capture", &self.capture).finish_non_exhaustive()
    }
}

impl Events {
    /// All threads of a capture.
    pub fn new(capture: Capture) -> Events {
        let header = capture.header.as_ref();
        let about = |key: &str| header.and_then(|header| header.value(key)).map(str::to_owned);
        let trace = TraceInfo {
            name: String::new(),
            format: match header {
                Some(header) => format!("Tracewright capture {}, {}", header.version, header.encoding.name()),
                None => "Tracewright capture".to_owned(),
            },
            host: about("host"),
            tracer: about("recorder"),
            environment: environment(&capture),
            clocks: vec![],
        };
        let mut called: HashMap<String, u32> = HashMap::new();
        capture.threads.iter().for_each(|thread| *called.entry(thread.name()).or_default() += 1);
        let stream = |thread: &Thread| StreamInfo {
            name: match called.get(&thread.name()) {
                Some(2..) => format!("{} #{}", thread.name(), thread.serial),
                _ => thread.name(),
            },
            trace: 0,
            cpu: None,
            packets: thread.chunks.len() as u64,
            events: 0,
            first: thread.time().map(|(first, _)| Timestamp(first)),
            last: thread.time().map(|(_, last)| Timestamp(last)),
            recorded_until: None,
        };
        let streams = capture.threads.iter().map(stream).collect();
        Events {
            alphabet: Alphabet::default(),
            traces: vec![trace],
            streams,
            symbols: Symbols::default(),
            at: 0,
            flow: None,
            frames: vec![],
            blocks: vec![],
            next: 0,
            times: 1,
            words: 0,
            all_words: capture.threads.iter().map(Thread::words).fold(0, u64::saturating_add),
            capture,
        }
    }

    /// The same as [`EventSource::next_item`] for whoever needs no more than the symbols: what is left of
    /// a run at once, or all its turns.
    pub fn next_told(&mut self) -> Option<Told<'_>> {
        if let Some(lost) = self.next_run()? {
            return Some(Told::Gap(self.gap(lost)));
        }
        let (from, times) = (self.next, if self.next == 0 { self.times } else { 1 });
        (self.times, self.next) = (self.times - (times - 1), self.blocks.len());
        let blocks = self.blocks.get(from..)?;
        let about = self.streams.get_mut(self.at)?;
        about.events = about.events.saturating_add(times.saturating_mul(blocks.len() as u64));
        Some(Told::Blocks(StreamId(self.at as u32), blocks, times))
    }

    /// Makes sure that there is a block to hand out, or tells of a gap; `None`: nothing is left.
    fn next_run(&mut self) -> Option<Option<Lost>> {
        if self.next < self.blocks.len() {
            return Some(None);
        }
        if self.times > 1 {
            (self.times, self.next) = (self.times - 1, 0);
            return Some(None);
        }
        self.advance()
    }

    fn gap(&self, lost: Lost) -> Gap {
        let before_event = self.streams.get(self.at).map_or(0, |about| about.events);
        let stream = StreamId(self.at as u32);
        Gap { stream, before_event, from: None, to: None, lost, edge: Edge::Start }
    }

    /// Takes steps until there is a block or a gap, or no thread is left.
    fn advance(&mut self) -> Option<Option<Lost>> {
        loop {
            let thread = self.capture.threads.get(self.at)?;
            let flow = self.flow.get_or_insert_with(|| self.capture.flow(thread));
            let Some(step) = flow.next_step() else {
                self.words += thread.words();
                (self.flow, self.at) = (None, self.at + 1);
                self.frames.clear();
                continue;
            };
            self.blocks.clear();
            (self.next, self.times) = (0, 1);
            match step {
                FlowStep::Enter { method, .. } => self.frames.push(method),
                FlowStep::Leave { .. } => {
                    self.frames.pop();
                }
                FlowStep::Moment(_) => {}
                FlowStep::Gap { lost } => return Some(Some(lost)),
                FlowStep::Blocks { blocks, times } => {
                    let Some(&method) = self.frames.last() else { continue };
                    self.times = times.max(1);
                    for &block in blocks {
                        let symbol = self.symbols.of(method, block, &self.capture.code, &mut self.alphabet);
                        self.blocks.push(symbol);
                    }
                    return Some(None);
                }
                FlowStep::Catch { block } => {
                    let Some(&method) = self.frames.last() else { continue };
                    let symbol = self.symbols.of(method, block, &self.capture.code, &mut self.alphabet);
                    self.blocks.push(symbol);
                    return Some(None);
                }
            }
        }
    }
}

/// So many skipped classes are named.
const SKIPPED: usize = 20;

fn environment(capture: &Capture) -> Vec<(String, String)> {
    let told = capture.header.iter().flat_map(|header| &header.about);
    let mut all: Vec<(String, String)> =
        told.filter(|(key, _)| key != "host" && key != "recorder").cloned().collect();
    let mut add = |key: &str, value: String| all.push((key.to_owned(), value));
    if let Some(header) = &capture.header {
        add("pid", header.pid.to_string());
    }
    let prepared = match capture.end.as_ref().map_or(0, |end| end.prepared) {
        0 => String::new(),
        count => format!(" ({count} prepared by an earlier run)"),
    };
    add("classes", format!("{}{prepared}", capture.code.classes.len()));
    add("methods", capture.code.methods.len().to_string());
    let methods: usize = capture.classes.iter().map(|class| class.left_alone.len()).sum();
    if methods + capture.left_alone.len() > 0 {
        add("left alone", format!("{} classes, {methods} methods", capture.left_alone.len()));
    }
    for skipped in capture.left_alone.iter().take(SKIPPED) {
        add("skipped", format!("{}: {}", skipped.class, skipped.reason));
    }
    if let Some(more) = capture.left_alone.len().checked_sub(SKIPPED + 1) {
        add("skipped", format!("and {} more classes", more + 1));
    }
    for mark in &capture.marks {
        add("mark", mark.text.clone());
    }
    add("ended", capture.end.as_ref().map_or("no".to_owned(), |end| end.reason.clone()));
    all
}

/// The symbols of blocks that have run: by method, then by block.
#[derive(Debug, Default)]
struct Symbols(Vec<Vec<Option<Symbol>>>);

impl Symbols {
    fn of(&mut self, method: MethodId, block: BlockId, code: &CodeMap, alphabet: &mut Alphabet) -> Symbol {
        let (at, index) = (method.0 as usize, block as usize);
        if let Some(&Some(symbol)) = self.0.get(at).and_then(|blocks| blocks.get(index)) {
            return symbol;
        }
        let symbol = alphabet.intern(&name(code, method, block));
        // A number that no method or no block has is not kept, however large it is.
        let count = code.method(method).map_or(0, |method| method.blocks.len());
        if at >= self.0.len() && count > 0 {
            self.0.resize(at + 1, vec![]);
        }
        if let Some(blocks) = self.0.get_mut(at).filter(|_| index < count) {
            blocks.resize(count, None);
            blocks[index] = Some(symbol);
        }
        symbol
    }
}

fn name(code: &CodeMap, method: MethodId, block: BlockId) -> String {
    let about = code.method(method);
    let line = |block: &Block| block.lines.first().copied();
    let here = about.and_then(|about| about.blocks.get(block as usize)).and_then(line);
    let name = code.method_name(method);
    let same = about.map_or(0, |about| about.blocks.iter().filter(|other| line(other) == here).count());
    match here {
        Some(line) if same == 1 => format!("{name}:{line}"),
        Some(line) => format!("{name}:{line}#{block}"),
        None => format!("{name}#{block}"),
    }
}

impl EventSource for Events {
    fn next_item(&mut self) -> Option<Item<'_>> {
        if let Some(lost) = self.next_run()? {
            return Some(Item::Gap(self.gap(lost)));
        }
        let stream = StreamId(self.at as u32);
        let about = self.streams.get_mut(self.at)?;
        let symbol = *self.blocks.get(self.next)?;
        self.next += 1;
        let seq = about.events;
        about.events += 1;
        Some(Item::Event(Event { stream, seq, time: None, cpu: None, symbol, fields: &NoFields }))
    }

    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn traces(&self) -> &[TraceInfo] {
        &self.traces
    }

    fn streams(&self) -> &[StreamInfo] {
        &self.streams
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.capture.diagnostics
    }

    fn progress(&self) -> (u64, u64) {
        (self.words + self.flow.as_ref().map_or(0, Flow::taken), self.all_words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CODE, OPEN, STEPS, fuzz, maker};

    /// All that comes; which of the two ways is asked next is what `choose` says.
    fn taken(bytes: &[u8], mut choose: impl FnMut() -> bool) -> (Vec<String>, u64) {
        let [code, steps, open] = fuzz::split(bytes);
        let mut files = vec![(CODE, code), (STEPS, steps)];
        files.extend((!open.is_empty()).then_some((OPEN, open)));
        let Ok(capture) = Capture::open(maker::sources(&files)) else { return (vec![], 0) };
        let (mut source, mut out, mut repeated) = (Events::new(capture), vec![], 0);
        loop {
            if choose() {
                match source.next_told() {
                    None => return (out, repeated),
                    Some(Told::Gap(gap)) => out.push(format!("{gap:?}")),
                    Some(Told::Blocks(stream, blocks, times)) => {
                        repeated += u64::from(times > 1);
                        let iteration = blocks.iter().map(|symbol| format!("{stream:?} {symbol:?}"));
                        (0..times).for_each(|_| out.extend(iteration.clone()));
                    }
                }
            } else {
                match source.next_item() {
                    None => return (out, repeated),
                    Some(Item::Gap(gap)) => out.push(format!("{gap:?}")),
                    Some(Item::Event(event)) => out.push(format!("{:?} {:?}", event.stream, event.symbol)),
                }
            }
        }
    }

    #[test]
    fn many_at_a_time_are_the_same_blocks() {
        let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/capture");
        let (mut all, mut repeated) = (0, 0);
        for file in std::fs::read_dir(corpus).unwrap() {
            let path = file.unwrap().path();
            // Its loops make more iterations than fit into memory one by one.
            if path.ends_with("paths-3") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let (items, _) = taken(&bytes, || false);
            all += items.len();
            let (told, runs) = taken(&bytes, || true);
            repeated += runs;
            assert!(told == items, "{}", path.display());
            let mut dice = maker::Dice(all as u64 + 1);
            assert!(taken(&bytes, || dice.roll(2) == 0).0 == items, "{}, mixed", path.display());
        }
        assert!(all > 400 && repeated > 0, "{all} blocks, {repeated} runs of several iterations");
    }
}
