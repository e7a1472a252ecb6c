//! Looking at a run from time to time, and trying to prove that it never ends.

use super::closure::{Closure, Found, Lens, Scale, close};
use super::periodic::{self, Moment};
use super::{Certificate, Claim, Hang, Kind};
use crate::Grid;
use crate::blocks::{Block, BlockId, Graph};
use crate::run::Tape;

/// A program in the middle of its run.
pub(crate) struct Run<'a> {
    /// The program.
    pub(crate) grid: &'a Grid,
    /// Its blocks, as far as they have run.
    pub(crate) block: &'a dyn Fn(BlockId) -> Block,
    /// The last blocks that ran.
    pub(crate) recent: &'a [BlockId],
    /// How many ran before.
    pub(crate) earlier: u64,
    /// The block due.
    pub(crate) due: BlockId,
    /// The tape now.
    pub(crate) tape: &'a Tape,
}

/// Blocks after which a run is first looked at; then whenever it has doubled. Most programs that
/// repeat themselves do so after a few blocks.
pub(crate) const FIRST_CHECK: usize = 16;

/// What to try once a run has this many blocks: reach, exact, modulus; most views; and for a few of them also
/// with positions: reach, exact, modulus, period.
struct Stage {
    blocks: usize,
    most: usize,
    lenses: &'static [(u32, i8, i8)],
    positions: &'static [(u32, i8, i8, u8)],
}

/// Found by trying many on the recorded programs: the cheap ones close nearly all, and no single
/// one closes everything.
const STAGES: &[Stage] = &[
    Stage { blocks: 512, most: 1_000, lenses: &[(1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 2, 1)], positions: &[] },
    Stage {
        blocks: 2_048,
        most: 5_000,
        lenses: &[(2, 4, 1), (3, 3, 1), (4, 2, 1), (1, 2, 2), (2, 3, 2)],
        positions: &[(1, 1, 1, 2), (3, 1, 1, 2)],
    },
    Stage {
        blocks: 8_192,
        most: 30_000,
        lenses: &[(2, 1, 1), (4, 4, 1), (5, 3, 1), (6, 2, 1), (3, 8, 1), (3, 3, 2), (3, 4, 3)],
        positions: &[(1, 1, 1, 3), (3, 2, 1, 3), (2, 2, 1, 4), (3, 2, 1, 6)],
    },
    Stage {
        blocks: 65_536,
        most: 300_000,
        lenses: &[(4, 4, 1), (6, 4, 1), (8, 3, 1), (8, 6, 1), (5, 4, 2), (12, 4, 1), (5, 4, 3), (5, 5, 4)],
        positions: &[(3, 2, 1, 5), (5, 4, 1, 2), (5, 4, 1, 6), (3, 2, 1, 12)],
    },
];

/// The attempts at a proof during one run.
#[derive(Debug, Default)]
pub(crate) struct Proof {
    stage: usize,
}

/// A proof that was found. What it looks like and its certificate take time to derive, so they are
/// derived when asked for.
#[derive(Debug)]
pub(crate) enum Reason {
    Repeats { period: usize },
    Closed(Box<Closure>),
}

impl Proof {
    /// Checks a run that has doubled since the last check.
    pub(crate) fn check(&mut self, run: &Run<'_>) -> Option<Reason> {
        run.repeats().or_else(|| self.closes(run))
    }

    /// Tries to close over all that may be seen, if the run is long enough for another attempt.
    pub(crate) fn closes(&mut self, run: &Run<'_>) -> Option<Reason> {
        let stage = STAGES.get(self.stage).filter(|stage| stage.blocks <= run.recent.len())?;
        self.stage += 1;
        let graph = Graph::of(run.grid);
        let plain = stage.lenses.iter().map(|&(reach, exact, modulus)| (reach, exact, modulus, 1));
        for (reach, exact, modulus, period) in plain.chain(stage.positions.iter().copied()) {
            let lens = Lens { scale: Scale { exact, modulus }, reach, period, most: stage.most };
            if let Found::Closed(closure) = close(&graph, run.due, run.tape, lens) {
                return Some(Reason::Closed(closure));
            }
        }
        None
    }
}

impl Reason {
    /// What the hang looks like.
    pub(crate) fn kind(&self, run: &Run<'_>) -> Kind {
        match self {
            Reason::Repeats { period } => super::shape::of_period(run.last(*period)),
            Reason::Closed(_) => super::shape::of_run(&Graph::of(run.grid)),
        }
    }

    /// The hang with its certificate.
    pub(crate) fn hang(&self, run: &Run<'_>) -> Hang {
        let now = run.earlier + run.recent.len() as u64;
        let (after, claim) = match self {
            Reason::Repeats { period } => (now - *period as u64, Claim::Repeats { period: *period as u64 }),
            Reason::Closed(closure) => (now, closure.claim()),
        };
        let certificate = Certificate::new(run.grid.to_string(), after, claim);
        Hang { kind: self.kind(run), certificate }
    }
}

impl Run<'_> {
    /// Whether the last blocks are repeated for ever.
    pub(crate) fn repeats(&self) -> Option<Reason> {
        let moment = Moment { recent: self.recent, due: self.due, tape: self.tape };
        periodic::period(moment, self.block).map(|period| Reason::Repeats { period })
    }

    fn last(&self, blocks: usize) -> &[BlockId] {
        self.recent.get(self.recent.len() - blocks..).unwrap_or_default()
    }
}
