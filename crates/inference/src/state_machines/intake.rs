//! What the engine needs of each event, taken from a reader ahead of the engine: so one processor can
//! read while another one thinks. Nothing in here knows of processors.
//!
//! The caller makes an [`Intake`] of the pattern of the engine, fills batches with it from the first
//! item of a reader on, and gives all of them to [`Joint::take`](crate::Joint::take), in their order.
//! What comes out is what [`Joint::feed`](crate::Joint::feed) would say. An engine whose model asks for
//! attributes needs whole events and takes no batches.
//!
//! ```text
//! reader ── Intake::fill ──> Batch: heads   symbol, time, CPU, how many values
//!                                   values  (number of a field, value)
//!                                   news    names of events and fields, before their first event
//! ```

use model::machine::Pattern;
use model::{Alphabet, EventSource, Gap, Item, Symbol};

use crate::state_machines::arrival::NO_CPU;
use crate::state_machines::facts::Facts;
use crate::state_machines::rules::Rules;
use crate::value::{Texts, Value};

/// Takes from events what the machines of a pattern ask for.
#[derive(Debug)]
pub struct Intake {
    pattern: std::sync::Arc<Pattern>,
    facts: Facts,
    texts: Texts,
    stems: Alphabet,
    rules: Vec<Rules>,
    known: Vec<bool>,
    /// Fields whose names were declared, and by symbol how many fields of its order were.
    reported: usize,
    orders: Vec<usize>,
    last_time: i64,
}

/// Some items of a reader, as far as the engine needs them.
#[derive(Debug, Default)]
pub struct Batch {
    pub(crate) heads: Vec<Head>,
    pub(crate) values: Vec<(u32, Taken)>,
    pub(crate) texts: Vec<u8>,
    pub(crate) declarations: Vec<Declaration>,
}

/// The head of an event, or a position at which something is declared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    /// [`IS_DECLARATION`]: no event, but the next of the news.
    pub(crate) symbol: u32,
    pub(crate) cpu: u32,
    pub(crate) time: i64,
    pub(crate) values: u32,
}

pub(crate) const IS_DECLARATION: u32 = u32::MAX;

/// What is declared between events.
#[derive(Debug)]
pub(crate) enum Declaration {
    /// A name of an event.
    Event(Symbol, String),
    /// The name of the next field.
    Field(String),
    /// All fields of an event, in their order.
    Order(Symbol, Vec<u32>),
    Gap(Gap, Option<u32>),
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Taken {
    Number(i64),
    Float(f64),
    Null,
    /// A text that tests or keys ask for, and one that is only reported again: their range.
    Asked(u32, u32),
    Owned(u32, u32),
}

/// A batch has so many items, or bytes of texts: enough that handing it over costs nothing, and little
/// enough that all batches on their way stay near the processor.
const FULL: usize = 2_048;
const FULL_OF_TEXT: usize = 1 << 18;

impl Batch {
    /// Whether it is time to hand it over.
    #[inline]
    fn is_full(&self) -> bool {
        self.heads.len() >= FULL || self.texts.len() >= FULL_OF_TEXT
    }

    /// Forgets what is in it and keeps the memory.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.values.clear();
        self.texts.clear();
        self.declarations.clear();
    }

    pub(crate) fn text(&self, start: u32, end: u32) -> &[u8] {
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    fn put(&mut self, kind: fn(u32, u32) -> Taken, bytes: &[u8]) -> Taken {
        let start = self.texts.len() as u32;
        self.texts.extend_from_slice(bytes);
        kind(start, self.texts.len() as u32)
    }

    fn add(&mut self, declaration: Declaration) {
        self.heads.push(Head { symbol: IS_DECLARATION, cpu: NO_CPU, time: 0, values: 0 });
        self.declarations.push(declaration);
    }
}

impl Intake {
    /// An intake for engines of `pattern` that has seen nothing.
    pub fn new(pattern: &Pattern) -> Intake {
        let (mut facts, mut texts) = (Facts::default(), Texts::default());
        let started = pattern.started.iter();
        let rules = started.filter_map(|&index| Rules::new(pattern, index, &mut facts, &mut texts)).collect();
        Intake {
            pattern: std::sync::Arc::new(pattern.clone()),
            facts,
            texts,
            stems: Alphabet::default(),
            rules,
            known: Vec::new(),
            reported: 0,
            orders: Vec::new(),
            last_time: 0,
        }
    }

    /// Adds items of `source` until the batch is full; false at its end. `lost` is given each loss.
    pub fn fill(
        &mut self,
        source: &mut dyn EventSource,
        batch: &mut Batch,
        lost: &mut dyn FnMut(&Gap, &dyn EventSource),
    ) -> bool {
        while !batch.is_full() {
            match source.next_item() {
                None => return false,
                Some(Item::Gap(gap)) => {
                    let stream = source.streams().get(gap.stream.0 as usize);
                    batch.add(Declaration::Gap(gap, stream.and_then(|stream| stream.cpu)));
                    lost(&gap, source);
                }
                Some(Item::Event(event)) => {
                    if self.known.get(event.symbol.0 as usize) != Some(&true) {
                        self.prepare(event.symbol, event.name(), batch);
                    }
                    self.put(&event, batch);
                }
            }
        }
        true
    }

    fn prepare(&mut self, symbol: Symbol, name: &str, batch: &mut Batch) {
        let index = symbol.0 as usize;
        if self.known.len() <= index {
            self.known.resize(index + 1, false);
        }
        if let Some(position) = self.known.get_mut(index) {
            *position = true;
        }
        for rules in &mut self.rules {
            let Some(machine) = self.pattern.machines.get(rules.index) else { continue };
            rules.prepare(machine, (symbol.0, name), &mut self.facts, &mut self.texts, &mut self.stems);
        }
        batch.add(Declaration::Event(symbol, name.to_owned()));
    }

    #[inline]
    fn put(&mut self, event: &model::Event<'_>, batch: &mut Batch) {
        let Intake { facts, texts, .. } = self;
        let time = event.time.map_or(self.last_time, |time| time.0);
        self.last_time = time;
        let values = batch.values.len();
        if facts.asks(event.symbol.0) {
            facts.read(event, texts);
            self.reported = report_names(facts, event.symbol, self.reported, &mut self.orders, batch);
            for &slot in facts.taken() {
                let taken = match (facts.get(slot), facts.text(slot)) {
                    (Some(Value::Long(number)), _) => Taken::Number(number),
                    (Some(Value::Int(number)), _) => Taken::Number(i64::from(number)),
                    (Some(Value::Double(number)), _) => Taken::Float(number),
                    (Some(Value::Null), _) => Taken::Null,
                    (Some(Value::Text(text)), _) => batch.put(Taken::Asked, texts.get(text).as_bytes()),
                    (None, text) => batch.put(Taken::Owned, text.unwrap_or_default()),
                };
                batch.values.push((slot as u32, taken));
            }
        }
        let values = (batch.values.len() - values) as u32;
        let cpu = event.cpu.unwrap_or(NO_CPU);
        batch.heads.push(Head { symbol: event.symbol.0, cpu, time, values });
    }
}

/// Declares the names of new fields, and the order of those of an event when it is new; how many are declared.
fn report_names(
    facts: &Facts,
    symbol: Symbol,
    reported: usize,
    orders: &mut Vec<usize>,
    batch: &mut Batch,
) -> usize {
    for slot in reported..facts.slots() {
        batch.add(Declaration::Field(facts.name(slot).to_owned()));
    }
    let order = facts.order_of_all(symbol.0);
    if order > 0 {
        if orders.len() <= symbol.0 as usize {
            orders.resize(symbol.0 as usize + 1, 0);
        }
        if let Some(known) = orders.get_mut(symbol.0 as usize).filter(|known| **known != order) {
            *known = order;
            let slots = facts.order(symbol.0).filter_map(|(_, slot)| slot.map(|slot| slot as u32));
            batch.add(Declaration::Order(symbol, slots.collect()));
        }
    }
    facts.slots()
}
