//! Tracks: whose step is this event, and may steps of the same track be missing before it?
//!
//! The caller shows every item of a source to a [`Tracker`], in order, and gets a step for each
//! event. One pass, nothing is buffered: memory is that of the tracks, the CPUs and the streams.
//!
//! **Whose.** By stream and by CPU that is plain. By thread there are three ways:
//! * The event says it itself: the context fields `vtid`, `tid` or `pthread_id` (or, in formats that
//!   know no context, fields of these names).
//! * In a kernel trace the thread that runs on a CPU follows `sched_switch`. The switch itself is
//!   the last step of the thread that leaves. Before the first switch the thread is unknown; when
//!   that switch names it, the steps up to there become its own, unless something was lost or it
//!   was seen elsewhere. After a loss on the CPU the thread is unknown until the next switch,
//!   because a switch may be among what was lost: these steps stay on `unknown thread on cpu N`.
//! * Else the track is the stream.
//!
//! **Missing.** A loss window reaches from the last event of a stream before a loss to its first
//! event after it. A step is *broken* off from the step before it if a window of its stream or CPU
//! lies between them; for a thread, if a window of any stream of the trace lies between them, for
//! it may have run there; except that a thread which a kernel trace shows running on one CPU all
//! the while, or which is the idle thread of a CPU, is not touched by what other CPUs lost.
//!
//! This does not decide what a loop is, and does not merge threads that share a number.

mod kernel;
mod own_thread;
#[cfg(test)]
mod tests;
mod tracker;
mod windows;

pub use tracker::{Assigned, Tracker};

/// What becomes a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrackBy {
    /// Each thread; where the trace does not distinguish threads, each stream.
    #[default]
    Thread,
    /// Each CPU; where the trace names none, each stream.
    Cpu,
    /// Each stream.
    Stream,
}
