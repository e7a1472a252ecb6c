//! What is believed of an instance, and what an event makes of it.

use crate::state_set::StateSet;

/// Something may be open, and nobody knows what.
pub(crate) const ANY: u32 = u32::MAX;
/// Nothing is open.
pub(crate) const NOTHING: u32 = u32::MAX - 1;

/// Where an instance may be, and what is open in it (see `model::machine::Transition`): a number of
/// a text, [`ANY`] or [`NOTHING`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct StateEstimate {
    pub(crate) set: StateSet,
    pub(crate) open: u32,
}

impl StateEstimate {
    pub(crate) fn of(set: StateSet) -> StateEstimate {
        StateEstimate { set, open: ANY }
    }
}

/// A transition that fits an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Target {
    /// Where it leads.
    pub(crate) set: StateSet,
    pub(crate) opens: Option<u32>,
    pub(crate) closes: Option<u32>,
    /// What is open is that of the instance of this number of the event's.
    pub(crate) is_like: bool,
    /// Its index among the transitions of its state.
    pub(crate) transition: u32,
    /// Its state, for what is done when it is taken.
    pub(crate) state: u32,
}

/// What the events of one name with the same answers to all tests do.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) symbol: u32,
    /// By state: the transitions that fit; the first whose `closes` fits is taken.
    fits: Vec<(u32, u32)>,
    targets: Vec<Target>,
    /// States with any.
    pub(crate) accepts: StateSet,
    /// States that it leaves as they are, whatever is open.
    steady: StateSet,
}

/// What a step comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// The states that took it.
    pub(crate) from: StateSet,
    pub(crate) after: StateEstimate,
    /// The transition, if it is the only one.
    pub(crate) taken: Option<Target>,
}

impl Row {
    pub(crate) fn new(symbol: u32, states: &[Vec<Target>]) -> Row {
        let mut row = Row { symbol, ..Row::default() };
        for (state, targets) in states.iter().enumerate() {
            let first = row.targets.len() as u32;
            for target in targets {
                row.targets.push(*target);
                row.accepts = row.accepts.or(StateSet::one(state));
                if target.closes.is_none() {
                    break;
                }
            }
            row.fits.push((first, row.targets.len() as u32));
            let only = row.targets.get(first as usize..).filter(|targets| targets.len() == 1);
            if let Some([target]) = only
                && target.set == StateSet::one(state)
                && (target.opens, target.closes, target.is_like) == (None, None, false)
            {
                row.steady = row.steady.or(target.set);
            }
        }
        row
    }

    /// Whether nothing changes in an instance of this estimate, which is certain.
    #[inline]
    pub(crate) fn keeps(&self, estimate: StateEstimate) -> bool {
        !estimate.set.is_empty()
            && estimate.set.and(self.steady) == estimate.set
            && estimate.set.only().is_some()
    }

    /// The transition that one state takes, given what is open.
    #[inline]
    pub(crate) fn target(&self, state: usize, open: u32) -> Option<&Target> {
        let &(first, end) = self.fits.get(state)?;
        let targets = self.targets.get(first as usize..end as usize)?;
        targets.iter().find(|target| target.closes.is_none_or(|stem| open == ANY || open == stem))
    }

    /// What is believed after it; `None`: no state of the set takes it. `like` is what is open in
    /// the instance that it is like.
    pub(crate) fn step(&self, estimate: StateEstimate, like: u32) -> Option<Step> {
        let mut step: Option<Step> = None;
        for state in estimate.set.iter() {
            let Some(target) = self.target(state, estimate.open) else { continue };
            let open = match (target.opens, target.closes) {
                (Some(stem), _) => stem,
                (None, Some(_)) => NOTHING,
                (None, None) if target.is_like => like,
                (None, None) => estimate.open,
            };
            let from = StateSet::one(state);
            step = Some(match step {
                None => Step { from, after: StateEstimate { set: target.set, open }, taken: Some(*target) },
                Some(before) => Step {
                    from: before.from.or(from),
                    after: StateEstimate {
                        set: before.after.set.or(target.set),
                        open: if before.after.open == open { open } else { ANY },
                    },
                    taken: None,
                },
            });
        }
        step
    }

    /// Whether it leads any of these states to another one.
    pub(crate) fn moves(&self, among: StateSet) -> bool {
        let from = self.accepts.and(among).iter();
        let mut targets = from.filter_map(|state| Some((state, self.target(state, ANY)?)));
        targets.any(|(state, target)| target.set.only() != Some(state))
    }

    /// What is believed after it if nothing was known before.
    pub(crate) fn anew(&self, among: StateSet) -> Option<Step> {
        self.step(StateEstimate::of(self.accepts.and(among)), ANY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(state: u32, to: usize, opens: Option<u32>, closes: Option<u32>) -> Target {
        Target { set: StateSet::one(to), opens, closes, is_like: false, transition: 0, state }
    }

    #[test]
    fn only_what_is_open_is_closed() {
        let enter = Row::new(0, &[vec![target(0, 1, Some(7), None)], vec![]]);
        let leave = |stem| Row::new(1, &[vec![], vec![target(1, 0, None, Some(stem))]]);
        let user = StateEstimate { set: StateSet::one(0), open: NOTHING };
        let inside = enter.step(user, ANY).unwrap().after;
        assert_eq!(inside, StateEstimate { set: StateSet::one(1), open: 7 });
        assert_eq!(leave(8).step(inside, ANY), None);
        assert_eq!(leave(7).step(inside, ANY).unwrap().after, user);
        // Who may be in both and does not know what is open takes either.
        let either = StateEstimate::of(StateSet::one(0).or(StateSet::one(1)));
        assert_eq!(leave(8).step(either, ANY).unwrap().from, StateSet::one(1));
        assert_eq!(enter.step(either, ANY).unwrap().after, inside);
    }
}
