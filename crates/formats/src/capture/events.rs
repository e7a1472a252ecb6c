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
    Alphabet, BlockId, Edge, Event, EventSource, Finding, FlowStep, Gap, Item, Lost, MethodId, StreamId,
    StreamInfo, Symbol, Timestamp, TraceInfo,
};

use super::decode::Flow;
use super::open::{Capture, Thread};

/// Hands out the blocks of all threads.
pub struct Events {
    capture: Capture,
    alphabet: Alphabet,
    traces: Vec<TraceInfo>,
    streams: Vec<StreamInfo>,
    symbols: HashMap<(MethodId, BlockId), Symbol>,
    /// The thread that is read.
    at: usize,
    flow: Option<Flow>,
    frames: Vec<MethodId>,
    /// What the step that was taken last stands for, and how much of it was handed out.
    blocks: Vec<Symbol>,
    next: usize,
    times: u64,
    /// Of the threads that are over, and of all.
    words: u64,
    all_words: u64,
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
        };
        let streams = capture.threads.iter().map(stream).collect();
        Events {
            alphabet: Alphabet::default(),
            traces: vec![trace],
            streams,
            symbols: HashMap::new(),
            at: 0,
            flow: None,
            frames: vec![],
            blocks: vec![],
            next: 0,
            times: 0,
            words: 0,
            all_words: capture.threads.iter().map(Thread::words).fold(0, u64::saturating_add),
            capture,
        }
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
            self.next = 0;
            match step {
                FlowStep::Enter { method, .. } => self.frames.push(method),
                FlowStep::Leave { .. } => {
                    self.frames.pop();
                }
                FlowStep::Moment(_) => {}
                FlowStep::Gap { lost } => return Some(Some(lost)),
                FlowStep::Blocks { blocks, times } => {
                    let Some(&method) = self.frames.last() else { continue };
                    self.times = times;
                    for &block in blocks {
                        let symbol =
                            symbol(&mut self.symbols, &mut self.alphabet, &self.capture.code, method, block);
                        self.blocks.push(symbol);
                    }
                    return Some(None);
                }
                FlowStep::Catch { block } => {
                    let Some(&method) = self.frames.last() else { continue };
                    self.times = 1;
                    let symbol =
                        symbol(&mut self.symbols, &mut self.alphabet, &self.capture.code, method, block);
                    self.blocks.push(symbol);
                    return Some(None);
                }
            }
        }
    }
}

fn environment(capture: &Capture) -> Vec<(String, String)> {
    let told = capture.header.iter().flat_map(|header| &header.about);
    let mut all: Vec<(String, String)> =
        told.filter(|(key, _)| key != "host" && key != "recorder").cloned().collect();
    let mut add = |key: &str, value: String| all.push((key.to_owned(), value));
    if let Some(header) = &capture.header {
        add("pid", header.pid.to_string());
    }
    add("classes", capture.code.classes.len().to_string());
    add("methods", capture.code.methods.len().to_string());
    let methods: usize = capture.classes.iter().map(|class| class.left_alone.len()).sum();
    if methods + capture.left_alone.len() > 0 {
        add("left alone", format!("{} classes, {methods} methods", capture.left_alone.len()));
    }
    for mark in &capture.marks {
        add("mark", mark.text.clone());
    }
    add("ended", capture.end.as_ref().map_or("no".to_owned(), |end| end.reason.clone()));
    all
}

fn symbol(
    symbols: &mut HashMap<(MethodId, BlockId), Symbol>,
    alphabet: &mut Alphabet,
    code: &CodeMap,
    method: MethodId,
    block: BlockId,
) -> Symbol {
    *symbols.entry((method, block)).or_insert_with(|| {
        let about = code.method(method);
        let line = |block: &Block| block.lines.first().copied();
        let here = about.and_then(|about| about.blocks.get(block as usize)).and_then(line);
        let name = code.method_name(method);
        let same = about.map_or(0, |about| about.blocks.iter().filter(|other| line(other) == here).count());
        alphabet.intern(&match here {
            Some(line) if same == 1 => format!("{name}:{line}"),
            Some(line) => format!("{name}:{line}#{block}"),
            None => format!("{name}#{block}"),
        })
    })
}

impl EventSource for Events {
    fn next_item(&mut self) -> Option<Item<'_>> {
        if self.next >= self.blocks.len() && self.times > 1 {
            (self.times, self.next) = (self.times - 1, 0);
        }
        let gap = if self.next < self.blocks.len() { None } else { self.advance()? };
        let stream = StreamId(self.at as u32);
        let about = self.streams.get_mut(self.at)?;
        if let Some(lost) = gap {
            let before_event = about.events;
            return Some(Item::Gap(Gap {
                stream,
                before_event,
                from: None,
                to: None,
                lost,
                edge: Edge::Start,
            }));
        }
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

    fn findings(&self) -> &[Finding] {
        &self.capture.findings
    }

    fn progress(&self) -> (u64, u64) {
        (self.words + self.flow.as_ref().map_or(0, Flow::taken), self.all_words)
    }
}
