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
//! `hooks` is told of classes and instruments them by `transform`, which needs no virtual machine, or takes
//! them from the `shelf`, where an earlier run left them;
//! `recorder_class` is what the inserted code calls; `recorder` answers when a thread needs room;
//! `session` starts and stops. What the program must never notice: no panic leaves this library, no
//! lock is held while Java code runs, no failure of a file is more than the end of a recording.
//! Off means off: nothing is inserted into any class while nothing is recorded.

mod behind;
mod bus_error;
mod client;
mod combining;
mod control;
mod describe;
mod entry;
mod ffi;
mod files;
mod flush;
mod handed;
mod hooks;
mod ids;
mod java_agents;
mod looks;
mod notes;
mod options;
mod pool;
mod preload;
mod recorder;
mod recorder_class;
mod recording;
mod retransform;
#[cfg(test)]
mod round_trip;
mod running;
mod sampler;
mod session;
mod shelf;
mod slots;
mod socket;
mod steps;
mod sum;
mod sys;
mod tail;
#[cfg(test)]
mod temporary;
mod terminal;
mod thread;
mod threads;
mod transform;
mod wake;
mod writing;

use capture::class_cache::prepared;

/// Memory of our own, straight from the kernel. The virtual machine sorts the methods of a class by where the
/// allocator of the process has put their names, and programs see that order by reflection. What we would leave
/// there in holes would change it, differently in each run. So nothing of ours lies there.
#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;
