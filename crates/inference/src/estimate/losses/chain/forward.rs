//! The sum forward: from the states that are possible before an item to those after it.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::layer::{DONE, Edge, Layer, State};
use super::{IDLE, Item, MOST, OTHER, Problem, Runner};

impl Problem {
    /// The states after an item, in one of its rounds, without the most improbable ones if there are too many.
    pub(super) fn step(
        &self,
        last: &Layer,
        item: &Item,
        number: usize,
        round: usize,
        rounds: usize,
    ) -> Layer {
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
            if let Some(index) = layer.forward.get_mut(edge.to as usize) {
                *index += weight;
            }
        }
        layer.prune();
        layer.normalise(last.scale);
        layer
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

    /// Who comes after one who leaves, and how probably.
    pub(in super::super) fn choose(
        &self,
        leaves: Runner,
        ready: u32,
        here: u32,
        found: &mut dyn FnMut(Runner, f64),
    ) {
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
}
