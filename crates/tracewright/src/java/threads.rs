//! What the kernel reports of the threads of a process.

use std::fs;

use formats::proc_text;

/// How often a thread has read or written so far; `None` where that cannot be seen.
pub(crate) fn transfers(pid: u32, thread: u32) -> Option<u64> {
    let io = fs::read_to_string(format!("/proc/{pid}/task/{thread}/io")).ok()?;
    Some(proc_text::transfers(&io))
}

/// Whether a thread waits for standard input. `false` where that cannot be seen.
pub(crate) fn is_standard_input_read(pid: u32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut calls = tasks.filter_map(|task| fs::read_to_string(task.path().join("syscall")).ok());
    calls.any(|call| proc_text::reads_standard_input(&call))
}
