//! Proofs that a program hangs.
//!
//! ```text
//! a run  ->  observe: is it time to look?  ->  periodic | closure | no_exit   find a reason
//!                                          ->  certificate                   the reason, as data
//!            check                         <-  certificate                   is it one?
//! ```
//!
//! Diagnostic and checking are apart: [`check()`] shares the interpreter with the finders and nothing
//! else, so that a mistake in a finder makes programs undecided, not wrongly decided.

pub mod certificate;
pub mod check;
pub mod closure;
pub mod decide;
pub mod kind;
pub(crate) mod no_exit;
pub(crate) mod observe;
pub(crate) mod periodic;
pub(crate) mod shape;

pub use certificate::{Certificate, Claim, ReadError};
pub use check::{Refusal, check};
pub use decide::{Decision, Effort, Verdict, decide};
pub use kind::Kind;
pub(crate) use observe::Proof;

/// A program that hangs: why, and what it looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hang {
    /// What was observed.
    pub kind: Kind,
    /// What was proved.
    pub certificate: Certificate,
}
