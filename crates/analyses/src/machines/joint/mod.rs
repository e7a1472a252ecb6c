//! Joint inference: one lost event is one event for all that it concerns.
//!
//! A switch belongs to a CPU, to the thread that leaves and to the thread that comes; a system
//! call to the thread that runs. [`Joint`] follows them together over a trace. Where an event does
//! not fit, it looks for the cheapest lost events that make all of them fit again, and tells each
//! with a probability, the times between which it lies, and the reason.
//!
//! ```text
//! let mut joint = Joint::new();
//! while joint.feed(&mut source) {}      // or learn(alphabet), observe(event), gap(gap)
//! joint.finish();
//! joint.incoherences(); joint.inferred(); joint.windows(); joint.unexplained();
//! ```
//!
//! The caller gives items in the order of time. The rules are those of the kernel model (threads,
//! CPUs, system calls), compiled in: other pattern files are not read here yet, interrupts are not
//! followed. What the surroundings of a loss do not imply is not invented. Memory follows the
//! threads seen and what is found; the search for one stretch is bounded and gives up.
//!
//! * `names`: what an event does; `thread`, `cpu`: what is believed of each
//! * `walk`: fits or does not; `solve`: which lost events explain a stretch; `mend`: tells them
//! * `costs`: how probable, learned from what fitted; `inferred`: what comes out
//!
//! Source: the founding text on lost events and our notes on inference.

mod costs;
mod cpu;
mod inferred;
mod mend;
mod names;
mod solve;
mod switch;
#[cfg(test)]
mod tests;
mod thread;
mod walk;

pub use inferred::{Field, Guess, Incoherence, Inferred, Window};
pub use walk::Joint;
