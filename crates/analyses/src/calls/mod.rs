//! Calls: what a thread ran, reported short. The tree of [`crate::replay`] with all that is alike put together.
//!
//! ```text
//! tree     main ── 0 (loop: iteration A, iteration B, iteration A', ...) 3      A and A' run the same blocks and call the
//!                                                                same methods, which did different things
//! report   main
//!            loop x 1,204
//!              x 1,203    A, and below it what the calls of all iterations like A did
//!                bake       x 1,000  x 203
//!              x 1        B
//! ```
//!
//! The same rule on every level: things are alike when their blocks and the methods that they call
//! are the same in the same order ([`shapes`]); how often a loop inside turned, and what callees did,
//! may differ, and hangs below as variants. So a report speaks of groups of nodes, each with how
//! often it occurred ([`groups`]), and every count in it is exact.
//!
//! - An iteration that only found that the loop is to be left is not counted as one.
//! - Calls of a method within itself that are alike are counted and reported once, where the first of
//!   them was made ([`recursion`]); a chain in which none is like another, or each leads on by other methods
//!   ([`chain`]), is reported as it ran.
//! - A call that did exactly what another did before is reported once.
//! - Nothing is unfolded on the way: the work follows the size of the tree, not of the run. It is
//!   bounded, and where the bound is reached the report says that it is cut.
//!
//! Who unfolds the report by hand keeps what is [`inside`] an entry until somebody asks for it; [`first()`] says where
//! in a thread it ran first. [`graph`] says of each method who called it, [`figures`] how much folding saves. The
//! caller gives a finished `Replay`.

mod chain;
mod entry;
mod figures;
mod first;
mod graph;
mod groups;
mod inside;
mod iterations;
mod recursion;
mod report;
mod searched;
mod shapes;
#[cfg(test)]
pub(crate) mod tests;

pub use entry::{Entry, Visitor, What};
pub use figures::Figures;
pub use first::first;
pub use graph::{CallGraph, Link, Work};
pub use inside::Inside;
pub use report::{ComesRound, Options, Report};
pub use searched::Search;
pub use shapes::Lines;
pub(crate) use shapes::Shapes;
