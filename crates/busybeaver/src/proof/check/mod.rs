//! The checker: is this certificate a proof that its program hangs?
//!
//! It reads the program, runs it to the moment that the certificate speaks of, and verifies the
//! claim from there. It shares the interpreter (grid, blocks, tape) with the finders and nothing
//! else; it searches for nothing, and it is written to be read, not to be fast.
//!
//! - `turning`: the block due never ends.
//! - `repeats`: the same blocks for ever.
//! - `closed`: all that may be seen, without an end in it.
//!
//! Work is bounded, whatever a certificate says: in blocks before the moment ([`LONGEST`]) and in a
//! period ([`LONGEST_PERIOD`]), in cells of tape ([`MOST_CELLS`]) and in views ([`MOST_VIEWS`]), which
//! together are at most 300 MiB. Text of any kind gives a refusal, never a panic.

mod closed;
mod repeats;
mod turning;

use super::{Certificate, Claim};
use crate::Grid;
use crate::blocks::Graph;
use crate::run::Walk;

/// The most blocks that are run to get to the moment of a claim. Finders look at 2^20 at most.
pub const LONGEST: u64 = 10_000_000;

/// The longest period. Finders look for a quarter of it at most.
pub const LONGEST_PERIOD: u64 = 1 << 16;

/// The most cells that the tape may have, 64 MiB; 2^20 blocks of seven moves each stay within.
pub const MOST_CELLS: usize = 1 << 23;

/// The most views of a closure, and the most words of each side.
pub const MOST_VIEWS: usize = closed::MOST;

/// Why a certificate proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The program cannot be read.
    #[error("the program of the certificate cannot be read: {0}")]
    Program(#[from] crate::Error),
    /// The text of the program is not the one that names it.
    #[error("the program is written '{found}', its name is '{name}'")]
    Name {
        /// As found.
        found: String,
        /// As it should be.
        name: String,
    },
    /// The text was damaged.
    #[error("the digest is '{found}', but that of the rest is '{expected}'")]
    Digest {
        /// As found.
        found: String,
        /// As it should be.
        expected: String,
    },
    /// The moment is too far off.
    #[error("the claim is about the moment after {0} blocks; more than {LONGEST} are not run")]
    TooLate(u64),
    /// The tape takes too much memory.
    #[error("after {0} blocks its tape has more than {MOST_CELLS} cells, the most that are checked")]
    TooWide(u64),
    /// The program ends before the moment comes.
    #[error("the program ends after {found} blocks, the claim is about the moment after {claimed}")]
    Ends {
        /// Blocks run.
        found: u64,
        /// Blocks claimed.
        claimed: u64,
    },
    /// The block due works on.
    #[error("the block due at that moment does not turn for ever")]
    NotTurning,
    /// A period of no blocks, or of more than can be run.
    #[error("a period of {0} blocks is not possible; from 1 to {LONGEST_PERIOD} are checked")]
    Period(u64),
    /// A shorter period is repeated.
    #[error("a period of {found} blocks is claimed, but {shortest} are repeated already")]
    NotShortest {
        /// As claimed.
        found: u64,
        /// What divides it.
        shortest: u64,
    },
    /// The iteration does not end with the block it began with.
    #[error("after one iteration another block is due than before it")]
    OtherBlock,
    /// Some later iteration tests a value with another result.
    #[error("a value {offset} cells from where the iteration begins does not stay on its side of zero")]
    LeavesLoop {
        /// Where the value lies.
        offset: i64,
    },
    /// A travelling iteration does not find what it found before.
    #[error(
        "{offset} cells from where the iteration begins it finds another value than one iteration before"
    )]
    OtherValue {
        /// Where the value lies.
        offset: i64,
    },
    /// The numbers of a closure are out of range.
    #[error(
        "{reach} values on each side, up to {exact} exactly and modulo {modulus}, positions modulo {period}, cannot be described"
    )]
    Lens {
        /// Values in view.
        reach: u8,
        /// Values seen exactly.
        exact: u8,
        /// Remainders.
        modulus: u8,
        /// Remainders of positions.
        period: u8,
    },
    /// More can be seen than is gone through.
    #[error("more than {MOST_VIEWS} views or words can be seen, the most that are checked")]
    TooManyViews,
    /// An end is among the views.
    #[error("the program may end at block {0}")]
    MayEnd(u8),
}

/// Checks a certificate. `Ok` means: its program never halts.
pub fn check(certificate: &Certificate) -> Result<(), Refusal> {
    let grid: Grid = certificate.program.parse()?;
    let name = grid.to_string();
    if name != certificate.program {
        return Err(Refusal::Name { found: certificate.program.clone(), name });
    }
    let expected = certificate.expected_digest();
    if expected != certificate.digest {
        return Err(Refusal::Digest { found: certificate.digest.clone(), expected });
    }
    let claimed = certificate.after;
    if claimed > LONGEST {
        return Err(Refusal::TooLate(claimed));
    }
    let graph = Graph::of(&grid);
    let mut walk = Walk::new(&graph);
    while walk.blocks() < claimed {
        step(&mut walk, claimed)?;
    }
    match &certificate.claim {
        Claim::Turning => turning::check(&graph, &walk),
        Claim::Repeats { period } => repeats::check(walk, *period),
        Claim::Closed { reach, exact, modulus, period } => {
            closed::check(&graph, &walk, closed::Lens::new(*reach, *exact, *modulus, *period)?)
        }
    }
}

/// Runs one block on the way to `claimed` of them.
fn step(walk: &mut Walk<'_>, claimed: u64) -> Result<(), Refusal> {
    if walk.step().is_some() {
        return Err(Refusal::Ends { found: walk.blocks(), claimed });
    }
    if walk.tape().cells() > MOST_CELLS {
        return Err(Refusal::TooWide(walk.blocks()));
    }
    Ok(())
}
