//! Forecasts: what followed a loop the last time it was left.
//!
//! Which loop is found, and when, depends only on the units since the last loop was left. So when
//! the same units come after the same loop again, the answer is known: they are compared with what
//! came last time, one comparison a unit, and only where they differ does the search for squares
//! take over. Histories of loops in loops hardly ever search.
//!
//! It makes no difference to any result, only to the time; short loops, which depend on more than
//! the pending units, do without.

use model::RunId;

/// The longest stretch, up to the second iteration of the next loop, that is remembered.
pub(super) const LONGEST: usize = 32;

/// What followed one loop.
#[derive(Debug, Clone)]
pub(super) struct Forecast {
    units: [u32; LONGEST],
    len: usize,
    /// The transition that the units begin with, if they do not begin with the next loop.
    pub(super) transition: Option<RunId>,
    /// The loop whose first two iterations the units end with.
    pub(super) next: RunId,
    /// Units an iteration.
    pub(super) period: u32,
}

impl Forecast {
    /// The units from the exit of the loop to the end of the second iteration of the next one.
    pub(super) fn units(&self) -> &[u32] {
        &self.units[..self.len]
    }
}

/// The forecasts of one level, and how far the pending units have kept to one.
#[derive(Debug, Clone, Default)]
pub(super) struct Forecasts {
    list: Vec<Forecast>,
    /// By run id: 1 + index in the list, 0 for none.
    after: Vec<u32>,
    /// Index of the forecast that is followed, and how many units have come true.
    followed: Option<(usize, usize)>,
}

/// What a unit means for the forecast that is followed.
#[derive(Debug)]
pub(super) enum Continuation<'a> {
    /// No forecast is followed.
    Nothing,
    /// It came true so far.
    Right,
    /// It came true to its end.
    Complete(&'a Forecast),
    /// It did not; these units, which had come true, must be looked at anew.
    Wrong(&'a [u32]),
}

impl Forecasts {
    /// The loop `run` was left: follows what is known of it.
    #[inline]
    pub(super) fn left(&mut self, run: RunId) {
        let index = self.after.get(run.0 as usize).copied().unwrap_or(0);
        self.followed = index.checked_sub(1).map(|index| (index as usize, 0));
    }

    /// Follows no forecast.
    pub(super) fn drop(&mut self) {
        self.followed = None;
    }

    /// The next pending unit.
    #[inline]
    pub(super) fn follow(&mut self, unit: u32) -> Continuation<'_> {
        let Some((index, right)) = self.followed else { return Continuation::Nothing };
        let forecast = &self.list[index];
        if forecast.units[right] != unit {
            self.followed = None;
            return Continuation::Wrong(&forecast.units[..right]);
        }
        if right + 1 < forecast.len {
            self.followed = Some((index, right + 1));
            return Continuation::Right;
        }
        self.followed = None;
        Continuation::Complete(forecast)
    }

    /// The pending units that have come true, if a forecast is followed.
    pub(super) fn pending(&self) -> Option<&[u32]> {
        self.followed.map(|(index, right)| &self.list[index].units[..right])
    }

    /// Remembers what followed the loop `run`; `units` up to the second iteration of `next`.
    pub(super) fn learn(
        &mut self,
        run: RunId,
        units: &[u32],
        transition: Option<RunId>,
        (next, period): (RunId, u32),
    ) {
        if units.len() > LONGEST {
            return;
        }
        let id = run.0 as usize;
        if self.after.len() <= id {
            self.after.resize(id + 1, 0);
        }
        let index = match self.after[id].checked_sub(1) {
            Some(index) => index as usize,
            None => {
                self.list.push(Forecast { units: [0; LONGEST], len: 0, transition, next, period });
                self.after[id] = self.list.len() as u32;
                self.list.len() - 1
            }
        };
        let forecast = &mut self.list[index];
        forecast.units[..units.len()].copy_from_slice(units);
        forecast.len = units.len();
        (forecast.transition, forecast.next, forecast.period) = (transition, next, period);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_last_time_is_expected_again() {
        let mut forecasts = Forecasts::default();
        let (run, next) = (RunId(3), RunId(5));
        forecasts.left(run);
        assert!(matches!(forecasts.follow(7), Continuation::Nothing));
        forecasts.learn(run, &[7, 8, 8], Some(RunId(4)), (next, 1));
        forecasts.left(run);
        assert!(matches!(forecasts.follow(7), Continuation::Right));
        assert_eq!(forecasts.pending(), Some(&[7][..]));
        assert!(matches!(forecasts.follow(8), Continuation::Right));
        assert!(matches!(forecasts.follow(8), Continuation::Complete(forecast) if forecast.next == next));
        assert!(matches!(forecasts.follow(8), Continuation::Nothing));
        forecasts.left(run);
        assert!(matches!(forecasts.follow(7), Continuation::Right));
        assert!(matches!(forecasts.follow(9), Continuation::Wrong([7])));
        assert_eq!(forecasts.pending(), None);
    }
}
