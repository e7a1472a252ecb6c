//! A recording of control flow as an [`EventSource`]: a stream for each thread, an event for each block that ran.
//!
//! An event is called `shop.Baker.bake:31`, method and first line of the block; where blocks of a method begin on
//! the same line, the block's number follows (`:31#4`). Where the source knows no blocks, an event is a call and
//! has the name of the method. Steps carry no times of their own, so events have none and the streams come one
//! after the other. Blocks that a recorder counted instead of listing them come one by one, as often as they ran.

use std::collections::HashMap;

use crate::block_counts::BlockCounts;
use crate::code::{Block, CodeMap};
use crate::field::NoFields;
use crate::flow::ClockReading;
use crate::flow_source::{Flow, FlowSource, ThreadInfo};
use crate::{
    Alphabet, BlockId, Diagnostic, Edge, Event, EventSource, FlowStep, Gap, Item, Lost, MethodId, Origin,
    Readings, StreamId, StreamInfo, Symbol, TraceInfo,
};

/// Steps that are counted at once.
const STEPS: u32 = 1 << 16;

/// Hands out the blocks of all threads.
pub struct FlowEvents {
    source: Box<dyn FlowSource>,
    alphabet: Alphabet,
    traces: Vec<TraceInfo>,
    streams: Vec<StreamInfo>,
    symbols: Symbols,
    /// The thread that is read.
    at: usize,
    flow: Option<Box<dyn Flow>>,
    frames: Vec<MethodId>,
    /// What the step that was taken last stands for, how much of it was handed out, and its iterations from
    /// this one on; at least 1.
    blocks: Vec<Symbol>,
    next: usize,
    times: u64,
    /// By stream, where that was asked for.
    readings: Vec<Readings>,
    stores_readings: bool,
    /// Of the threads that are over, and of all.
    records: u64,
    all_records: u64,
}

/// What a thread did next, as it was recorded.
#[derive(Debug)]
pub enum FlowItem<'a> {
    /// These blocks, one after the other, all of them so many times.
    Blocks(StreamId, &'a [Symbol], u64),
    /// Something is missing.
    Gap(Gap),
}

impl std::fmt::Debug for FlowEvents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FlowEvents").field("traces", &self.traces).finish_non_exhaustive()
    }
}

impl FlowEvents {
    /// All threads of a recording.
    pub fn new(source: Box<dyn FlowSource>) -> FlowEvents {
        let mut called: HashMap<&str, u32> = HashMap::new();
        source.threads().iter().for_each(|thread| *called.entry(&thread.name).or_default() += 1);
        let stream = |thread: &ThreadInfo| StreamInfo {
            name: match called.get(&*thread.name) {
                Some(2..) => format!("{} #{}", thread.name, thread.serial),
                _ => thread.name.clone(),
            },
            trace: 0,
            cpu: None,
            packets: thread.chunks,
            events: 0,
            first: thread.time.map(|(first, _)| first),
            last: thread.time.map(|(_, last)| last),
            recorded_until: None,
            surely_recorded: None,
        };
        let streams = source.threads().iter().map(stream).collect();
        FlowEvents {
            alphabet: Alphabet::default(),
            traces: vec![source.trace().clone()],
            streams,
            symbols: Symbols::default(),
            at: 0,
            flow: None,
            frames: vec![],
            blocks: vec![],
            next: 0,
            times: 1,
            readings: vec![],
            stores_readings: false,
            records: 0,
            all_records: source.threads().iter().map(|thread| thread.records).fold(0, u64::saturating_add),
            source,
        }
    }

    /// What it reads.
    pub fn source(&self) -> &dyn FlowSource {
        self.source.as_ref()
    }

    /// From now on the readings of clocks are stored.
    pub fn store_readings(&mut self) {
        self.stores_readings = true;
    }

    /// When the steps of a thread were, as far as it was read and this was asked for.
    pub fn take_readings(&mut self, stream: StreamId) -> Readings {
        self.readings.get_mut(stream.0 as usize).map(std::mem::take).unwrap_or_default()
    }

    fn read_clock(&mut self, reading: ClockReading) {
        if self.stores_readings {
            if self.readings.len() <= self.at {
                self.readings.resize(self.at + 1, Readings::default());
            }
            let steps = self.streams.get(self.at).map_or(0, |about| about.events);
            self.readings.iter_mut().skip(self.at).take(1).for_each(|times| times.add(steps, reading));
        }
    }

    /// Goes on with this thread, from about its record with this number; whether that can be. See [`FlowSource::flow_from`].
    pub fn seek(&mut self, thread: usize, record: u64) -> bool {
        let Some(flow) = self.source.flow_from(thread, record) else { return false };
        (self.at, self.flow) = (thread, Some(flow));
        self.frames.clear();
        self.blocks.clear();
        (self.next, self.times) = (0, 1);
        true
    }

    /// The block that a symbol stands for.
    pub fn block_of(&self, symbol: Symbol) -> Option<(MethodId, BlockId)> {
        (0..).zip(&self.symbols.0).find_map(|(method, blocks)| {
            let block = blocks.iter().position(|found| *found == Some(symbol))?;
            Some((MethodId(method), u32::try_from(block).ok()?))
        })
    }

    /// The same as [`EventSource::next_item`] for whoever needs no more than the symbols: what is left of
    /// a run at once, or all its iterations.
    pub fn next_flow_item(&mut self) -> Option<FlowItem<'_>> {
        if let Some(lost) = self.next_run()? {
            return Some(FlowItem::Gap(self.gap(lost)));
        }
        let (from, times) = (self.next, if self.next == 0 { self.times } else { 1 });
        (self.times, self.next) = (self.times - (times - 1), self.blocks.len());
        let blocks = self.blocks.get(from..)?;
        let about = self.streams.get_mut(self.at)?;
        about.events = about.events.saturating_add(times.saturating_mul(blocks.len() as u64));
        Some(FlowItem::Blocks(StreamId(self.at as u32), blocks, times))
    }

    /// Counts instead of handing out: reads up to a gap or for [`STEPS`] steps, whatever comes first, and adds what ran.
    /// `None`: nothing is left. Whoever counts a recording does so from its beginning and calls nothing else of this.
    pub fn count_next(&mut self, ran: &mut BlockCounts) -> Option<Option<Gap>> {
        let code = self.source.code();
        for _ in 0..STEPS {
            let thread = self.source.threads().get(self.at)?;
            let flow = self.flow.get_or_insert_with(|| self.source.flow(self.at));
            let blocks = match flow.next_step() {
                None => {
                    self.records += thread.records;
                    (self.flow, self.at) = (None, self.at + 1);
                    self.frames.clear();
                    continue;
                }
                Some(FlowStep::Enter { method, .. }) => {
                    self.frames.push(method);
                    continue;
                }
                Some(FlowStep::Leave { .. }) => {
                    self.frames.pop();
                    continue;
                }
                Some(FlowStep::Gap { lost }) => return Some(Some(self.gap(lost))),
                Some(FlowStep::Blocks { blocks, times }) => {
                    self.frames.last().map_or(0, |method| ran.add(code, *method, blocks, times.max(1)))
                }
                Some(FlowStep::Catch { block }) => {
                    self.frames.last().map_or(0, |method| ran.add(code, *method, &[block], 1))
                }
                Some(_) => continue,
            };
            if let Some(about) = self.streams.get_mut(self.at) {
                about.events = about.events.saturating_add(blocks);
            }
        }
        Some(None)
    }

    /// The events that were counted.
    pub fn counted(&mut self, ran: &BlockCounts) -> Vec<(Symbol, u64)> {
        let mut all = vec![];
        for (method, block, times) in ran.iter() {
            let symbol = self.symbols.of(method, block, self.source.code(), &mut self.alphabet);
            all.push((symbol, times));
        }
        all
    }

    /// Makes sure that there is a block to hand out, or reports a gap; `None`: nothing is left.
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
            let thread = self.source.threads().get(self.at)?;
            let flow = self.flow.get_or_insert_with(|| self.source.flow(self.at));
            let Some(step) = flow.next_step() else {
                self.records += thread.records;
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
                FlowStep::Clock(reading) => self.read_clock(reading),
                FlowStep::Inferred { .. }
                | FlowStep::Observed
                | FlowStep::Moment(_)
                | FlowStep::Mark(_)
                | FlowStep::Values(_)
                | FlowStep::Task(_) => {}
                FlowStep::Gap { lost } => return Some(Some(lost)),
                FlowStep::Blocks { blocks, times } => {
                    let Some(&method) = self.frames.last() else { continue };
                    self.times = times.max(1);
                    for &block in blocks {
                        let symbol = self.symbols.of(method, block, self.source.code(), &mut self.alphabet);
                        self.blocks.push(symbol);
                    }
                    return Some(None);
                }
                FlowStep::Catch { block } => {
                    let Some(&method) = self.frames.last() else { continue };
                    let symbol = self.symbols.of(method, block, self.source.code(), &mut self.alphabet);
                    self.blocks.push(symbol);
                    return Some(None);
                }
            }
        }
    }
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

impl EventSource for FlowEvents {
    fn next_item(&mut self) -> Option<Item<'_>> {
        if let Some(lost) = self.next_run()? {
            return Some(Item::Gap(self.gap(lost)));
        }
        let stream = StreamId(self.at as u32);
        let about = self.streams.get_mut(self.at)?;
        let symbol = *self.blocks.get(self.next)?;
        self.next += 1;
        let seq = about.count_event(None);
        let origin = Origin::of(self);
        Some(Item::Event(Event { stream, seq, time: None, cpu: None, symbol, fields: &NoFields, origin }))
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
        self.source.diagnostics()
    }

    fn progress(&self) -> (u64, u64) {
        (self.records + self.flow.as_ref().map_or(0, |flow| flow.taken()), self.all_records)
    }
}
