//! Hangs: may this history go on like this for ever?
//!
//! ```text
//! history   R  A A B  A A A B  A A A A B  A A ...
//! level 0   R [A]*2 B [A]*3 B [A]*4 B [A]*2 ...          in a loop, since step 13
//! level 1   P [Q R]*3.1 ...                              in a loop, since step 1
//!             Q iterates 2, 3, 4 times: one more each iteration
//! ```
//!
//! A thread may also end in something that it had no time to record: [`standing`](mod@standing) finds where it was from
//! samples of its stack, and [`waiting`](mod@waiting) for which thread it waits. For a trace of the kernel's events
//! [`kernel`] does the same.
//!
//! What is reported is what was *observed*: in which loops the history ends, on which level, since
//! when, and how regular the counts in them are. It is never reported that a program hangs: a history
//! shows what was. Proof needs the program (for 2L programs: the crate `busybeaver`).
//!
//! Source: founding text 1: a program that is trapped in a loop on some level "may hang".

mod counts;
mod ending;
pub mod kernel;
mod standing;
mod waiting;

pub use counts::Counts;
pub use ending::{EndLoop, Ending, InnerLoop, ending};
pub use standing::{Standing, enclosing_loop, find, shared, standing};
pub use waiting::{
    Awaits, Doing, awaits, deadlocks, doing, is_at_pipe, is_idle, is_of_the_machine, is_spare, stands_still,
};

#[cfg(test)]
mod tests;
