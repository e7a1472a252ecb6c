//! A lost event before it is reported: what it was, of whom, when, how probably, and what else it may have been.

use crate::estimate::instances::instance::Ix;
use crate::model::Hypotheses;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// This one comes; whoever runs leaves.
    Switch(Ix),
    /// Something happens to who runs: a way of the rules, and what it opens or closes.
    Own { arc: usize, stem: u32 },
}

/// A lost event of who runs, leaves or comes.
pub(crate) struct Lost {
    pub(crate) what: What,
    /// Who ran before it.
    pub(crate) subject: Ix,
    pub(crate) cpu: u32,
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) probability: f64,
    pub(crate) is_sure: bool,
    pub(crate) incoherence: Option<usize>,
    pub(crate) window: Option<usize>,
    pub(crate) reason: String,
    /// What else it may have been.
    pub(crate) candidates: Candidates,
    /// What is explained together with it.
    pub(crate) together: Option<usize>,
}

/// Somebody who may have left or come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) who: Ix,
    pub(crate) probability: f64,
    pub(crate) hypotheses: Hypotheses,
}

/// Who and what a lost event may have been beside what it most probably was.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidates {
    pub(crate) prev: Vec<Candidate>,
    pub(crate) next: Vec<Candidate>,
    /// Other events in its place.
    pub(crate) events: Vec<(What, f64)>,
    /// By how much more it is probable that the same one left or came than that the event is right, and in
    /// which explanations it did.
    pub(crate) left: (f64, Hypotheses),
    pub(crate) came: (f64, Hypotheses),
}

impl Default for Candidates {
    fn default() -> Candidates {
        let alone = (0.0, Hypotheses::ALL);
        Candidates { prev: Vec::new(), next: Vec::new(), events: Vec::new(), left: alone, came: alone }
    }
}

impl Candidates {
    /// How probable it is that the same one left for somebody else, or came for somebody else, whichever is more.
    pub(crate) fn some(&self) -> f64 {
        let all = |(own, _): (f64, Hypotheses), candidates: &[Candidate]| {
            own + candidates.iter().map(|candidate| candidate.probability).sum::<f64>()
        };
        all(self.left, &self.prev).max(all(self.came, &self.next))
    }
}
