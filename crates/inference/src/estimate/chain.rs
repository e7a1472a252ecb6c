//! The chain of those who run on one CPU while events of it are lost: the exact sum over all its histories.
//!
//! A history says which of the lost events are switches, when each is, who leaves by it and whether he stays ready,
//! and who comes. Its weight is the product of what each of its steps weighs. The sum goes forward over the items of
//! the segment, and backward again, so the weight of all histories with a certain switch is known without listing
//! any. Nothing here knows a kernel, a trace or a model: who may run are numbers.
//!
//! ```text
//! state  (switches used in this gap, who runs, whether it did something yet, who is ready, who of those here)
//! items  slot: lost switches may be here · ready: one is seen to be made ready · taken: one is seen to come to
//!        another CPU · off: one is seen to leave another CPU · seen: what fits some better than others
//! ```
//!
//! It is exact as long as no more than [`MOST_STATES`] states are possible at once; beyond, the improbable are
//! dropped, and the result says so.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

/// Who runs: a candidate, or one of these two.
pub type Runner = usize;

/// Candidates, at most: they are bits.
pub const MOST: usize = 24;
/// Nobody runs.
pub const IDLE: Runner = MOST;
/// Somebody runs who is no candidate.
pub const OTHER: Runner = MOST + 1;
/// All that can run.
pub const RUNNERS: usize = MOST + 2;

/// States at once.
pub const MOST_STATES: usize = 4_096;
/// Steps in all.
const MOST_STEPS: usize = 3_000_000;
/// What weighs less beside the heaviest is dropped once there are too many.
const LIGHT: f64 = 1e-9;

/// Something that happens in the segment, in its order.
#[derive(Debug, Clone)]
pub enum Item {
    /// Lost switches of this gap may be here; `share` of its time is.
    Slot {
        /// The gap, an index.
        gap: usize,
        /// How much of its time.
        share: f64,
    },
    /// The gap is over.
    End {
        /// The gap, an index.
        gap: usize,
    },
    /// A candidate is seen to be made ready, here or for another CPU.
    Ready {
        /// Who.
        who: Runner,
        /// Whether it is sent to this CPU.
        is_here: bool,
    },
    /// A candidate is seen to come to another CPU.
    Taken {
        /// Who.
        who: Runner,
    },
    /// A candidate is seen to leave another CPU.
    Off {
        /// Who.
        who: Runner,
        /// Whether it stays ready.
        is_ready: bool,
    },
    /// Something is seen here that tells of who runs.
    Seen(Box<Sight>),
}

/// Something that is seen here.
#[derive(Debug, Clone)]
pub struct Sight {
    /// How probable it is if this one runs, and did nothing since it came.
    pub fresh: [f64; RUNNERS],
    /// How probable it is if who runs did what was seen before; `None`: the same, and it is nothing that one does.
    pub goes_on: Option<f64>,
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Problem {
    /// How many candidates there are.
    pub candidates: usize,
    /// Who runs at the start, and at the end.
    pub first: Runner,
    /// See `first`.
    pub last: Runner,
    /// Who is ready at the start, and who of those here: bits.
    pub ready: u32,
    /// See `ready`.
    pub here: u32,
    /// What happens.
    pub items: Vec<Item>,
    /// By gap: what it weighs that so many of its events are switches.
    pub gaps: Vec<Vec<f64>>,
    /// What is seen of candidates later: what it weighs if it is ready at the end, and if not.
    pub later: Vec<(Runner, f64, f64)>,
    /// How steps weigh.
    pub weights: Weights,
}

/// How steps weigh.
#[derive(Debug, Clone)]
pub struct Weights {
    /// By who leaves: how probably it stays ready.
    pub stays_ready: [f64; RUNNERS],
    /// How probably nobody comes where nobody is ready here, and where somebody is.
    pub idle: [f64; 2],
    /// Odds that one comes who is ready here, ready elsewhere, not known to be ready.
    pub classes: [f64; 3],
    /// By who leaves and who comes: how well they follow each other. What is left of 1 is that of others.
    pub follows: Vec<[f64; RUNNERS]>,
    /// What it weighs that one is made ready who runs, and who is ready.
    pub woken_running: f64,
    /// See `woken_running`.
    pub woken_ready: f64,
    /// What contradicts what is seen weighs so much: a mark may be missing, or the clock wrong.
    pub contradiction: f64,
}

/// A lost switch that some history has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Switch {
    /// The gap in which it is.
    pub gap: usize,
    /// Its number among the switches of the gap, from 0.
    pub number: usize,
    /// Who leaves.
    pub leaves: Runner,
    /// Who comes.
    pub comes: Runner,
    /// The share of the weight of all histories that have it.
    pub probability: f64,
    /// How probable it is that it has it and who leaves stays ready.
    pub stays_ready: f64,
    /// The first and last item at which it may be.
    pub items: (usize, usize),
}

/// What the sum says.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// All switches that some history has.
    pub switches: Vec<Switch>,
    /// By item: who runs before it, with which probability.
    pub running: Vec<[f64; RUNNERS]>,
    /// By gap: how probable each number of switches is.
    pub counts: Vec<Vec<f64>>,
    /// Whether all histories were weighed.
    pub is_exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    used: u8,
    runner: u8,
    /// In a slot: whether more switches may come in it, and how many did.
    in_slot: u8,
    /// Whether who runs did nothing since it came.
    is_fresh: bool,
    ready: u32,
    here: u32,
}

/// Not in a slot, or no more switches in it.
const DONE: u8 = u8::MAX;

#[derive(Debug, Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    weight: f64,
    /// Who leaves and comes, and whether it stays ready; the same twice: no switch.
    leaves: u8,
    comes: u8,
    stays_ready: bool,
}

/// By gap, switches before it, who leaves and comes: how probable it is, and that it stays ready; first and last item.
type Found = HashMap<(usize, u8, u8, u8), (f64, f64, usize, usize), FxBuildHasher>;

/// States that are possible before an item or within a slot.
#[derive(Debug, Default)]
struct Layer {
    states: Vec<State>,
    forward: Vec<f64>,
    /// From the layer before.
    edges: Vec<Edge>,
    item: usize,
    /// Logarithm of what the weights were divided by.
    scale: f64,
}

impl Problem {
    /// The sum; `None`: no history fits, or there are too many to sum.
    pub fn solve(&self) -> Option<Answer> {
        let start = State {
            used: 0,
            runner: self.first as u8,
            in_slot: DONE,
            is_fresh: true,
            ready: self.ready,
            here: self.here,
        };
        let mut layers =
            vec![Layer { states: vec![start], forward: vec![1.0], edges: Vec::new(), item: 0, scale: 0.0 }];
        let (mut steps, mut is_exact) = (0usize, true);
        // By item, the layer before it.
        let mut before = Vec::with_capacity(self.items.len());
        for (number, item) in self.items.iter().enumerate() {
            before.push(layers.len() - 1);
            let rounds = match item {
                Item::Slot { gap, .. } => self.gaps.get(*gap).map_or(0, |kinds| kinds.len()),
                _ => 1,
            };
            for round in 0..rounds {
                let last = layers.last()?;
                let (layer, dropped) = self.step(last, item, number, round, rounds);
                steps += layer.edges.len();
                is_exact &= !dropped;
                if layer.states.is_empty() || steps > MOST_STEPS {
                    return None;
                }
                layers.push(layer);
            }
        }
        self.backward(&layers, &before, is_exact)
    }

    fn step(&self, last: &Layer, item: &Item, number: usize, round: usize, rounds: usize) -> (Layer, bool) {
        let mut layer = Layer { item: number, ..Layer::default() };
        let mut known: HashMap<State, u32, FxBuildHasher> = HashMap::default();
        let mut add = |from: usize, to: State, weight: f64, (leaves, comes, stays_ready): (u8, u8, bool)| {
            if weight <= 0.0 {
                return;
            }
            let target = *known.entry(to).or_insert_with(|| {
                layer.states.push(to);
                layer.states.len() as u32 - 1
            });
            layer.edges.push(Edge { from: from as u32, to: target, weight, leaves, comes, stays_ready });
        };
        for (from, &state) in last.states.iter().enumerate() {
            let none = (state.runner, state.runner, false);
            let bit = |who: Runner| 1u32.checked_shl(who as u32).unwrap_or(0);
            let runs = |who: Runner| usize::from(state.runner) == who;
            match item {
                Item::Slot { gap, share } => {
                    let so_far = if round == 0 { 0 } else { state.in_slot };
                    if so_far == DONE {
                        add(from, state, 1.0, none);
                        continue;
                    }
                    add(from, State { in_slot: DONE, ..state }, 1.0, none);
                    let most = self.gaps.get(*gap).map_or(0, Vec::len).saturating_sub(1);
                    if usize::from(state.used) >= most || round + 1 >= rounds {
                        continue;
                    }
                    // So many at random times: the orders of all, over those of the ones in this slot.
                    let at = share * f64::from(state.used + 1) / f64::from(so_far + 1);
                    self.leave(state, &mut |to, leaves, comes, stays_ready, weight| {
                        let to = State { in_slot: so_far + 1, ..to };
                        add(from, to, at * weight, (leaves, comes, stays_ready));
                    });
                }
                Item::End { gap } => {
                    let weight = self.gaps.get(*gap).and_then(|kinds| kinds.get(usize::from(state.used)));
                    add(from, State { used: 0, ..state }, weight.copied().unwrap_or(0.0), none);
                }
                Item::Ready { who, is_here } => {
                    let weight = match () {
                        () if runs(*who) => self.weights.woken_running,
                        () if state.ready & bit(*who) != 0 => self.weights.woken_ready,
                        () => 1.0,
                    };
                    let to = match runs(*who) {
                        true => state,
                        false => State {
                            ready: state.ready | bit(*who),
                            here: if *is_here { state.here | bit(*who) } else { state.here & !bit(*who) },
                            ..state
                        },
                    };
                    add(from, to, weight, none);
                }
                Item::Taken { who } => {
                    let is_ready = state.ready & bit(*who) != 0 && !runs(*who);
                    let weight = if is_ready { 1.0 } else { self.weights.contradiction };
                    let (ready, here) = (state.ready & !bit(*who), state.here & !bit(*who));
                    // Who seems to run here and is seen elsewhere left, and somebody else came whom nobody saw.
                    let runner = if runs(*who) { OTHER as u8 } else { state.runner };
                    let is_fresh = state.is_fresh || runs(*who);
                    add(from, State { ready, here, runner, is_fresh, ..state }, weight, none);
                }
                Item::Off { who, is_ready } => {
                    let weight = if runs(*who) { self.weights.contradiction } else { 1.0 };
                    let ready = if *is_ready { state.ready | bit(*who) } else { state.ready & !bit(*who) };
                    add(from, State { ready, here: state.here & !bit(*who), ..state }, weight, none);
                }
                Item::Seen(sight) => {
                    let fresh = sight.fresh.get(usize::from(state.runner)).copied().unwrap_or(0.0);
                    let weight = match sight.goes_on {
                        Some(goes_on) if !state.is_fresh => goes_on,
                        _ => fresh,
                    };
                    let is_fresh = state.is_fresh && sight.goes_on.is_none();
                    add(from, State { is_fresh, ..state }, weight, none);
                }
            }
        }
        layer.forward = vec![0.0; layer.states.len()];
        for edge in &layer.edges {
            let weight = last.forward.get(edge.from as usize).copied().unwrap_or(0.0) * edge.weight;
            if let Some(place) = layer.forward.get_mut(edge.to as usize) {
                *place += weight;
            }
        }
        let is_dropped = layer.prune();
        layer.normalise(last.scale);
        (layer, is_dropped)
    }

    /// All ways in which the one who runs leaves and another comes.
    fn leave(&self, state: State, found: &mut dyn FnMut(State, u8, u8, bool, f64)) {
        let runner = usize::from(state.runner);
        let own = if runner < MOST { 1u32 << runner } else { 0 };
        let stays = if own == 0 { 0.0 } else { self.weights.stays_ready.get(runner).copied().unwrap_or(0.5) };
        for (stays_ready, weight) in [(true, stays), (false, 1.0 - stays)] {
            if weight <= 0.0 {
                continue;
            }
            let (ready, here) = match stays_ready {
                true => (state.ready | own, state.here | own),
                false => (state.ready & !own, state.here & !own),
            };
            self.choose(runner, ready, here, &mut |comes, share| {
                let bit = if comes < MOST { 1u32 << comes } else { 0 };
                let to = State {
                    used: state.used + 1,
                    runner: comes as u8,
                    ready: ready & !bit,
                    here: here & !bit,
                    in_slot: 0,
                    is_fresh: true,
                };
                found(to, state.runner, comes as u8, stays_ready, weight * share);
            });
        }
    }

    /// Who comes behind one who leaves, and how probably.
    pub(super) fn choose(&self, leaves: Runner, ready: u32, here: u32, found: &mut dyn FnMut(Runner, f64)) {
        let weights = &self.weights;
        let [empty, some] = weights.idle;
        let own = if leaves < MOST { 1u32 << leaves } else { 0 };
        let idle = match () {
            () if leaves == IDLE => 0.0,
            () if here & ready == 0 => empty,
            () => some,
        };
        if idle > 0.0 {
            found(IDLE, idle);
        }
        let follows = |who: Runner| {
            let row = weights.follows.get(leaves);
            row.and_then(|row| row.get(who)).copied().unwrap_or(0.0)
        };
        let class = |who: Runner| match (ready >> who & 1, here >> who & 1) {
            (1, 1) => 0,
            (1, _) => 1,
            _ => 2,
        };
        let mut sums = [0.0f64; 2];
        let mut named = 0.0;
        for who in (0..self.candidates).filter(|who| own >> who & 1 == 0) {
            match sums.get_mut(class(who)) {
                Some(sum) => *sum += follows(who),
                None => named += follows(who),
            }
        }
        let [of_here, of_elsewhere, of_others] = weights.classes;
        let odds = [
            if sums[0] > 0.0 { of_here } else { 0.0 },
            if sums[1] > 0.0 { of_elsewhere } else { 0.0 },
            of_others,
        ];
        let all: f64 = odds.iter().sum();
        if all <= 0.0 {
            return;
        }
        let [of_here, of_elsewhere, of_others] = odds.map(|odds| odds / all * (1.0 - idle));
        for who in (0..self.candidates).filter(|who| own >> who & 1 == 0) {
            let share = match class(who) {
                0 => of_here * follows(who) / sums[0],
                1 => of_elsewhere * follows(who) / sums[1],
                _ => of_others * follows(who),
            };
            if share > 0.0 {
                found(who, share);
            }
        }
        found(OTHER, of_others * (1.0 - named).max(0.02));
    }

    fn backward(&self, layers: &[Layer], before: &[usize], is_exact: bool) -> Option<Answer> {
        let end = layers.last()?;
        let mut behind: Vec<f64> = end.states.iter().map(|state| self.ends(*state)).collect();
        let total: f64 = end.forward.iter().zip(&behind).map(|(one, other)| one * other).sum();
        if total <= 0.0 || !total.is_finite() {
            return None;
        }
        behind.iter_mut().for_each(|weight| *weight /= total);
        let mut found: Found = HashMap::default();
        let mut running = vec![[0.0; RUNNERS]; layers.len()];
        let mut counts: Vec<Vec<f64>> = self.gaps.iter().map(|kinds| vec![0.0; kinds.len()]).collect();
        for (number, layer) in layers.iter().enumerate().rev() {
            for ((state, forward), behind) in layer.states.iter().zip(&layer.forward).zip(&behind) {
                if let Some(place) =
                    running.get_mut(number).and_then(|row| row.get_mut(usize::from(state.runner)))
                {
                    *place += forward * behind;
                }
            }
            let Some(last) = number.checked_sub(1).and_then(|last| layers.get(last)) else { break };
            let mut earlier = vec![0.0; last.states.len()];
            let scaled = (last.scale - layer.scale).exp();
            for edge in &layer.edges {
                let Some(after) = behind.get(edge.to as usize) else { continue };
                let weight = edge.weight * after * scaled;
                if let Some(place) = earlier.get_mut(edge.from as usize) {
                    *place += weight;
                }
                let share = last.forward.get(edge.from as usize).copied().unwrap_or(0.0) * weight;
                let used = last.states.get(edge.from as usize).map_or(0, |state| state.used);
                match self.items.get(layer.item) {
                    Some(Item::Slot { gap, .. }) if edge.leaves != edge.comes => {
                        let key = (*gap, used, edge.leaves, edge.comes);
                        let one = found.entry(key).or_insert((0.0, 0.0, layer.item, layer.item));
                        one.0 += share;
                        one.1 += if edge.stays_ready { share } else { 0.0 };
                        one.2 = one.2.min(layer.item);
                        one.3 = one.3.max(layer.item);
                    }
                    Some(Item::End { gap }) => {
                        let count = counts.get_mut(*gap).and_then(|of| of.get_mut(usize::from(used)));
                        count.into_iter().for_each(|count| *count += share);
                    }
                    _ => {}
                }
            }
            behind = earlier;
        }
        let mut switches: Vec<Switch> = found
            .into_iter()
            .filter(|(_, (probability, ..))| *probability > 0.0)
            .map(|((gap, number, leaves, comes), (probability, stays_ready, first, last))| Switch {
                gap,
                number: usize::from(number),
                leaves: usize::from(leaves),
                comes: usize::from(comes),
                probability: probability.min(1.0),
                stays_ready,
                items: (first, last),
            })
            .collect();
        switches.sort_by_key(|one| (one.gap, one.number, one.leaves, one.comes));
        let mut of_items = Vec::with_capacity(before.len() + 1);
        of_items.extend(before.iter().filter_map(|layer| running.get(*layer).copied()));
        of_items.extend(running.last().copied());
        Some(Answer { switches, running: of_items, counts, is_exact })
    }

    fn ends(&self, state: State) -> f64 {
        if usize::from(state.runner) != self.last {
            return 0.0;
        }
        let weight = |&(who, ready, not): &(Runner, f64, f64)| {
            if who >= MOST || state.ready >> who & 1 == 0 { not } else { ready }
        };
        self.later.iter().map(weight).product()
    }
}

impl Layer {
    /// Drops what is improbable where there are too many; whether it did.
    fn prune(&mut self) -> bool {
        if self.states.len() <= MOST_STATES {
            return false;
        }
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        let weight = |place: usize| self.forward.get(place).copied().unwrap_or(0.0);
        order.sort_by(|one, other| weight(*other).total_cmp(&weight(*one)));
        let most = order.first().map_or(0.0, |first| weight(*first));
        order.truncate(MOST_STATES);
        order.retain(|place| weight(*place) >= LIGHT * most);
        let mut moved = vec![u32::MAX; self.states.len()];
        for (to, from) in order.iter().enumerate() {
            if let Some(place) = moved.get_mut(*from) {
                *place = to as u32;
            }
        }
        self.states = order.iter().filter_map(|place| self.states.get(*place).copied()).collect();
        self.forward = order.iter().map(|place| weight(*place)).collect();
        self.edges.retain_mut(|edge| {
            edge.to = moved.get(edge.to as usize).copied().unwrap_or(u32::MAX);
            edge.to != u32::MAX
        });
        true
    }

    /// Keeps the weights away from 0.
    fn normalise(&mut self, before: f64) {
        let most = self.forward.iter().copied().fold(0.0, f64::max);
        self.scale = before;
        if most > 0.0 && !(1e-30..1e30).contains(&most) {
            self.forward.iter_mut().for_each(|weight| *weight /= most);
            self.scale += most.ln();
        }
    }
}
