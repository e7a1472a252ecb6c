//! What an engine says of a trace, in one form for all engines: what does not fit, what is not
//! certain, what is concluded to be missing, and which declared loss may be behind it.
//!
//! It is plain data that can leave the thread in which it was made. Lists of alternatives are cut:
//! a switch may have been to any of thousands of threads, and thousands of events may be missing.

use std::sync::Arc;

use inference::joint::{Called, Ways};

use model::{Gap, Lost};

use crate::losses::Losses;

/// Alternatives that are kept for a field; all of them are counted.
pub(crate) const ALTERNATIVES: usize = 16;

/// All that was found.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Which engine it was.
    pub(crate) engine: &'static str,
    pub(crate) model: String,
    pub(crate) events: u64,
    pub(crate) losses: Losses,
    /// Where the trace says that something was lost, in the order of reading.
    pub(crate) windows: Vec<Window>,
    /// In the order of finding.
    pub(crate) misfits: Vec<Misfit>,
    /// In the order of the machines and their scenarios.
    pub(crate) doubts: Vec<Doubt>,
    /// By time.
    pub(crate) inferred: Vec<Missing>,
}

/// A declared loss.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    pub(crate) stream: String,
    pub(crate) cpu: Option<u32>,
    pub(crate) lost: Lost,
    /// From when to when it may have been; several places where the trace leaves it open.
    pub(crate) places: Vec<(Option<i64>, Option<i64>)>,
    /// How many incoherences may come from it.
    pub(crate) misfits: u64,
}

/// An event that an instance did not expect.
#[derive(Debug, Clone)]
pub(crate) struct Misfit {
    pub(crate) fsm: Arc<str>,
    pub(crate) key: String,
    pub(crate) time: i64,
    pub(crate) event: Arc<str>,
    pub(crate) cpu: Option<u32>,
    /// The state in which the instance was.
    pub(crate) state: Arc<str>,
    /// The states that would have taken the event.
    pub(crate) possible: Vec<Arc<str>>,
    /// When the instance was given an event before.
    pub(crate) previous: Option<i64>,
    /// The declared loss that overlaps the time between, an index into the windows.
    pub(crate) loss: Option<usize>,
    /// What does not fit, in a sentence, where the engine has one.
    pub(crate) reason: Option<String>,
}

/// A time in which nobody knows the state of an instance for sure.
#[derive(Debug, Clone)]
pub(crate) struct Doubt {
    pub(crate) fsm: Arc<str>,
    pub(crate) key: String,
    pub(crate) from: i64,
    /// `None`: to the end.
    pub(crate) to: Option<i64>,
}

/// An event that is concluded to be missing.
#[derive(Debug, Clone)]
pub(crate) struct Missing {
    /// For drawing; what is known is the interval.
    pub(crate) time: i64,
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// Its place among those of the same instance and interval, from 1.
    pub(crate) rank: u32,
    pub(crate) name: String,
    /// Other names that it may have, the most probable first and no more than [`ALTERNATIVES`].
    pub(crate) names: Vec<(String, f64)>,
    pub(crate) cpu: Option<u32>,
    pub(crate) fsm: Arc<str>,
    pub(crate) key: String,
    pub(crate) fields: Vec<MissingField>,
    /// How probable it is; `None` where the engine does not weigh.
    pub(crate) probability: Option<f64>,
    /// Nothing else fits what was observed.
    pub(crate) is_only_way: bool,
    /// Why, in a sentence, where the engine has one.
    pub(crate) reason: Option<String>,
    /// Events of the same number are explained together.
    pub(crate) together: Option<usize>,
    /// What choices call it, where that is not what it is now.
    pub(crate) called: Option<Called>,
}

/// A field of such an event.
#[derive(Debug, Clone)]
pub(crate) struct MissingField {
    pub(crate) name: String,
    /// What is taken.
    pub(crate) value: Known,
    /// All that is possible, the most probable first and no more than [`ALTERNATIVES`].
    pub(crate) alternatives: Vec<Known>,
    /// For each of them how probable it is; none where the engine does not weigh.
    pub(crate) odds: Vec<f64>,
    /// For each of them the explanations in which it holds; none where the value has nothing to do with which
    /// of several is right.
    pub(crate) ways: Vec<Ways>,
    /// How many are possible; 1: it is certain.
    pub(crate) possible: usize,
    /// The user said so.
    pub(crate) is_chosen: bool,
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Known {
    Number(i64),
    Text(String),
}

impl Missing {
    pub(crate) fn field(&self, name: &str) -> Option<&MissingField> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Window {
    pub(crate) fn new(gap: &Gap, stream: String, cpu: Option<u32>) -> Window {
        Window { stream, cpu, lost: gap.lost, places: vec![place(gap)], misfits: 0 }
    }

    /// Another place where it may be.
    pub(crate) fn may_be_at(&mut self, gap: &Gap) {
        if !self.places.contains(&place(gap)) {
            self.places.push(place(gap));
        }
    }
}

fn place(gap: &Gap) -> (Option<i64>, Option<i64>) {
    (gap.from.map(|time| time.0), gap.to.map(|time| time.0))
}

impl Answer {
    /// Notes for each incoherence which declared loss lies in the time before it.
    pub(crate) fn link(&mut self) {
        let mut places: Vec<(i64, i64, usize)> = Vec::new();
        for (number, window) in self.windows.iter().enumerate() {
            let ends = |&(from, to): &(Option<i64>, Option<i64>)| {
                (from.unwrap_or(i64::MIN), to.unwrap_or(i64::MAX), number)
            };
            places.extend(window.places.iter().map(ends));
        }
        places.sort_unstable();
        // How far anything reaches that begins no later: says when looking back is of no use.
        let mut reach: Vec<i64> = Vec::with_capacity(places.len());
        for &(_, to, _) in &places {
            reach.push(reach.last().map_or(to, |last| to.max(*last)));
        }
        for misfit in &mut self.misfits {
            let since = misfit.previous.unwrap_or(i64::MIN);
            let behind = places.partition_point(|&(from, _, _)| from <= misfit.time);
            let back = places.iter().zip(&reach).take(behind).rev();
            let near = back.take_while(|(_, reach)| **reach >= since);
            misfit.loss = near.map(|(place, _)| place).find(|(_, to, _)| *to >= since).map(|place| place.2);
        }
    }

    /// Counts for each declared loss the incoherences that may come from it.
    pub(crate) fn count(&mut self) {
        for misfit in &self.misfits {
            if let Some(window) = misfit.loss.and_then(|loss| self.windows.get_mut(loss)) {
                window.misfits += 1;
            }
        }
    }

    /// How many incoherences no declared loss explains.
    pub(crate) fn unexplained(&self) -> usize {
        self.misfits.iter().filter(|misfit| misfit.loss.is_none()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn misfit(previous: Option<i64>, time: i64) -> Misfit {
        let name: Arc<str> = "x".into();
        let (fsm, event, state) = (name.clone(), name.clone(), name);
        Misfit {
            fsm,
            key: "1".into(),
            time,
            event,
            cpu: None,
            state,
            possible: vec![],
            previous,
            loss: None,
            reason: None,
        }
    }

    #[test]
    fn an_incoherence_is_linked_to_the_last_loss_before_it() {
        let window = |places: &[(Option<i64>, Option<i64>)]| Window {
            stream: String::new(),
            cpu: None,
            lost: Lost::Unknown,
            places: places.to_vec(),
            misfits: 0,
        };
        let windows = vec![
            window(&[(Some(10), Some(90))]),
            window(&[(Some(20), Some(30)), (Some(50), Some(55))]),
            window(&[(Some(200), None)]),
        ];
        let cases = [
            (Some(56), 60, Some(0)),
            (Some(52), 60, Some(1)),
            (Some(22), 40, Some(1)),
            (Some(91), 120, None),
            (None, 5, None),
            (None, 15, Some(0)),
            (Some(900), 1000, Some(2)),
        ];
        let misfits = cases.iter().map(|&(previous, time, _)| misfit(previous, time)).collect();
        let mut answer = Answer { windows, misfits, ..Answer::default() };
        answer.link();
        let found: Vec<_> = answer.misfits.iter().map(|misfit| misfit.loss).collect();
        assert_eq!(found, cases.map(|case| case.2));
        assert_eq!(answer.unexplained(), 2);
    }
}
