//! What happens in a segment, in its order: slots of its gaps, and what is seen in between.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::chain::{IDLE, Item, MOST, OTHER, RUNNERS, Runner, Sight};
use super::habits::NOTHING;
use super::marks::{Mark, NONE, What, Who};
use super::segment::{Context, Loss, Segment};

/// What one that did not run may have done last, as far as it is kept apart.
const DID: usize = 8;

/// What it weighs, by their number, that so many switches were lost where nobody declared a loss: one is the most
/// usual, and there is no end of more.
const UNDECLARED: [f64; 7] = [0.0, 0.9, 0.05, 0.02, 0.01, 0.01, 0.01];

/// The items of a segment, with their times and the weights of the numbers of switches in its gaps.
pub(super) struct Items<'a> {
    pub(super) items: Vec<Item>,
    /// By item: between which moments it is.
    pub(super) times: Vec<(i64, i64)>,
    pub(super) gaps: Vec<Vec<f64>>,
    context: &'a Context<'a>,
    who: &'a [Who],
    losses: &'a [Loss],
    /// By candidate: what it may have done last.
    did: Vec<Vec<u32>>,
    /// What was done last on this CPU.
    last: u32,
    runs: HashMap<u32, Who, FxBuildHasher>,
    /// The gap that lasts, and from when on no slot was made for it.
    open: Option<usize>,
    since: i64,
    /// How many gaps began.
    begun: usize,
    /// The last event of this CPU.
    before: Option<u32>,
}

impl<'a> Items<'a> {
    pub(super) fn of(
        segment: &Segment,
        context: &'a Context<'a>,
        who: &'a [Who],
        losses: &'a [Loss],
    ) -> Option<Items<'a>> {
        let (start, end) = (context.marks.get(segment.start)?, context.marks.get(segment.end)?);
        let (first, ..) = segment.ends(context.marks)?;
        let known = |one: &Who| vec![context.known.did.get(one).copied().unwrap_or(NOTHING)];
        let mut items = Items {
            items: Vec::new(),
            times: Vec::new(),
            gaps: Vec::new(),
            context,
            who,
            losses,
            did: who.iter().map(known).collect(),
            last: context.known.did.get(&first).copied().unwrap_or(NOTHING),
            runs: context.known.runs.clone(),
            open: None,
            since: start.time,
            begun: 0,
            before: Some(start.symbol),
        };
        // What nobody declared may have been lost anywhere between the two switches.
        if segment.is_silent() {
            (items.open, items.begun) = (Some(0), 1);
        }
        for (_, mark) in segment.inner(context.marks) {
            match mark.cpu == segment.cpu {
                true => items.here(mark, first),
                false => items.elsewhere(mark, segment.cpu),
            }
        }
        items.close(end.time, Some(end.symbol));
        while items.gaps.len() < items.losses.len() {
            let kinds = items.kinds(items.gaps.len(), None, None);
            items.gaps.push(kinds);
        }
        Some(items)
    }

    fn index(&self, one: Who) -> Runner {
        match one {
            NONE => IDLE,
            one => self.who.iter().position(|known| *known == one).unwrap_or(OTHER),
        }
    }

    /// A mark of this CPU.
    fn here(&mut self, mark: &Mark, first: Who) {
        match mark.what {
            What::Gap { .. } => {
                // Two losses with nothing between them.
                if self.open.is_some() {
                    self.close(mark.time, None);
                    self.before = None;
                }
                self.open = Some(self.begun);
                self.since = self.losses.get(self.begun).map_or(mark.time, |loss| loss.from);
                self.begun += 1;
                return;
            }
            What::Ready { who, .. } => {
                // Its event was seen before it.
                let one = self.index(who);
                if one < MOST {
                    self.push(Item::Ready { who: one, is_here: true }, mark.time);
                }
                return;
            }
            _ => {}
        }
        if self.is_declared() {
            self.close(mark.time, Some(mark.symbol));
        }
        self.before = Some(mark.symbol);
        match mark.what {
            What::Here { who } if self.begun > 0 => {
                let mut fresh = [1e-6; RUNNERS];
                if let Some(position) = fresh.get_mut(self.index(who)) {
                    *position = 1.0;
                }
                self.push(Item::Seen(Box::new(Sight { fresh, goes_on: None })), mark.time);
            }
            What::Own if self.begun > 0 => {
                let sight = self.sight(mark.symbol);
                self.push(Item::Seen(Box::new(sight)), mark.time);
                for did in self.did.iter_mut().filter(|did| did.len() < DID) {
                    if !did.contains(&mark.symbol) {
                        did.push(mark.symbol);
                    }
                }
                self.last = mark.symbol;
            }
            What::Own => {
                // Nothing is lost yet: it is who came first.
                if let Some(did) = self.did.get_mut(0).filter(|_| self.who.first() == Some(&first)) {
                    *did = vec![mark.symbol];
                }
                self.last = mark.symbol;
            }
            _ => {}
        }
    }

    /// A mark of another CPU.
    fn elsewhere(&mut self, mark: &Mark, cpu: u32) {
        match mark.what {
            What::Ready { who, target } => {
                let one = self.index(who);
                if one < MOST {
                    self.push(Item::Ready { who: one, is_here: target == cpu }, mark.time);
                }
            }
            What::Switch { prev, next, stays_ready } => {
                let (leaves, comes) = (self.index(prev), self.index(next));
                if leaves < MOST {
                    self.push(Item::Off { who: leaves, is_ready: stays_ready == Some(true) }, mark.time);
                }
                if comes < MOST {
                    self.push(Item::Taken { who: comes }, mark.time);
                }
                self.runs.insert(mark.cpu, next);
            }
            What::Own => {
                let one = self.runs.get(&mark.cpu).map_or(OTHER, |one| self.index(*one));
                if let Some(did) = self.did.get_mut(one) {
                    *did = vec![mark.symbol];
                }
            }
            _ => {}
        }
    }

    /// Whether the losses were declared: then each lies between two recorded events.
    fn is_declared(&self) -> bool {
        self.losses.iter().all(|loss| loss.lost.is_some())
    }

    /// Adds what is seen, behind what the open gap may have had before it.
    fn push(&mut self, item: Item, time: i64) {
        if let Some(gap) = self.open {
            self.slot(gap, time);
            self.since = time;
        }
        self.items.push(item);
        self.times.push((time, time));
    }

    fn slot(&mut self, gap: usize, now: i64) {
        let Some(loss) = self.losses.get(gap) else { return };
        let from = self.since.max(loss.from);
        let to = now.min(loss.to).max(from);
        let all = loss.to.saturating_sub(loss.from).max(1) as f64;
        let share = (to.saturating_sub(from) as f64 / all).clamp(1e-6, 1.0);
        self.items.push(Item::Slot { gap, share });
        self.times.push((from, to));
    }

    /// The open gap ends before an event called so.
    fn close(&mut self, time: i64, after: Option<u32>) {
        let Some(gap) = self.open.take() else { return };
        self.slot(gap, time);
        self.items.push(Item::End { gap });
        self.times.push((time, time));
        let kinds = self.kinds(gap, self.before, after);
        self.gaps.push(kinds);
    }

    /// What it weighs that so many of the lost events are switches.
    fn kinds(&self, gap: usize, before: Option<u32>, after: Option<u32>) -> Vec<f64> {
        let Some(lost) = self.losses.get(gap).and_then(|loss| loss.lost) else { return UNDECLARED.to_vec() };
        let lost = lost as usize;
        self.context.habits.kinds(before, lost, after, lost)
    }

    /// How well what is done here fits each of those that may run.
    fn sight(&self, symbol: u32) -> Sight {
        let habits = self.context.habits;
        let mut fresh = [0.0; RUNNERS];
        for (position, did) in fresh.iter_mut().zip(&self.did) {
            let sum: f64 = did.iter().map(|before| habits.does(*before, symbol)).sum();
            *position = (sum / did.len().max(1) as f64).max(1e-4);
        }
        // One that nobody knows does what is usual; nobody does nothing.
        if let Some(position) = fresh.get_mut(OTHER) {
            *position = habits.does(NOTHING, symbol).max(1e-3);
        }
        if let Some(position) = fresh.get_mut(IDLE) {
            *position = 1e-6;
        }
        Sight { fresh, goes_on: Some(habits.does(self.last, symbol).max(1e-4)) }
    }
}
