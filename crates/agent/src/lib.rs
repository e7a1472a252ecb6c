//! The recorder that is loaded into a Java virtual machine: a JVMTI agent.
//!
//! ```text
//!  the program's threads                               the agent's threads
//!  instrumented code -> TracewrightRecorder.rec        control: socket, time, start and stop
//!          |  a word into the thread's slot            writer:  full slots -> `steps`
//!          v  native only when the slot is full; where the writer is behind, to write it here
//!  pool: slots in a mapped file ---------------------->  capture folder
//!                                                      disk:    `steps` out of the system's memory
//! ```
//!
//! Five folders, each of which uses only those before it:
//!
//! ```text
//! jvm       the virtual machine's tables of functions, and names and handles of what lies behind them
//! buffers   the memory that threads write to, and whose it is
//! writer    from there to the files of a capture
//! classes   what is instrumented, and how the capture describes it
//! control   the agent as a whole, who starts and stops it, and samples of stacks
//! ```
//!
//! Above them stand `entry`, which the virtual machine finds by name, and `hooks`, which it calls; below them
//! `locks`, `sys` and `wake`. What the program must never notice: no panic leaves this library, no lock is held
//! while Java code runs, no failure of a file is more than the end of a recording.
//! Off means off: nothing is inserted into any class while nothing is recorded.

mod buffers;
mod classes;
mod control;
mod entry;
mod hooks;
mod jvm;
mod locks;
#[cfg(test)]
mod round_trip;
mod sys;
mod wake;
mod writer;

/// Memory of our own, straight from the kernel. The virtual machine sorts the methods of a class by where the
/// allocator of the process has put their names, and programs see that order by reflection. What we would leave
/// there in holes would change it, differently in each run. So nothing of ours lies there.
#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;
