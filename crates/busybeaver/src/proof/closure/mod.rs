//! Closures: a finite description of everything a program may ever see around its data pointer.
//!
//! A *view* is what is due (a block, or the rest of a shift), the value at the DP and the `reach`
//! values next to it on each side. Behind the views lie *words*: the `reach` values of any segment
//! farther out, one set for each side. Values count exactly up to `exact`, and beyond that only by
//! sign and remainder. When the DP moves, the value that comes into view is any that the words
//! of that side allow. If all views that can follow a view are views too, none of them is about
//! to leave the grid, and the run begins in one, then the program never halts.
//!
//! That covers sweeps of all sorts, gliders and counters alike, without knowing about any of them:
//! whether a loop grows by one or by a rule nobody sees does not matter as long as what lies
//! side by side on the tape is of finitely many kinds.
//!
//! With a reach of 0 nothing but the value itself is in view, and any value may come in.
//!
//! Source: closed position sets with n-grams, as the Busy Beaver community uses them on Turing
//! machines; the finite view of whole numbers, needed for 2L, is ours.

mod search;
mod value;

pub use search::{Closure, Found, Lens, close};
pub use value::Scale;
