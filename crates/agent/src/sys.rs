//! The few system calls that the standard library does not have.
#![allow(unsafe_code)] // calls of the C library

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Takes disk space up to this length without changing the length of the file.
pub(crate) fn reserve_space(file: &File, length: u64) -> io::Result<()> {
    let length = libc::off_t::try_from(length).unwrap_or(libc::off_t::MAX);
    match unsafe { libc::fallocate(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, 0, length) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Begins to write this part of a file to the disk.
pub(crate) fn to_disk(file: &File, part: Range<u64>) -> io::Result<()> {
    let (from, length) = offsets(part);
    match unsafe { libc::sync_file_range(file.as_raw_fd(), from, length, libc::SYNC_FILE_RANGE_WRITE) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets go of the memory that holds this part of a file, as far as it stands on the disk.
pub(crate) fn out_of_memory(file: &File, part: Range<u64>) -> io::Result<()> {
    let (from, length) = offsets(part);
    match unsafe { libc::posix_fadvise(file.as_raw_fd(), from, length, libc::POSIX_FADV_DONTNEED) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

fn offsets(part: Range<u64>) -> (libc::off_t, libc::off_t) {
    let offset = |bytes: u64| libc::off_t::try_from(bytes).unwrap_or(libc::off_t::MAX);
    (offset(part.start), offset(part.end.saturating_sub(part.start)))
}

/// Whether a thread of this process waits for standard input.
pub(crate) fn is_standard_input_read() -> bool {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let mut calls = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("syscall")).ok());
    calls.any(|call| formats::proc_text::reads_standard_input(&call))
}

/// Whether a process that this one started goes on, or all of them only wait until their output is read. `None` if there is none, or
/// that is not known.
pub(crate) fn child_goes_on() -> Option<bool> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?.flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<String> =
        lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    let of =
        |pid: &str, file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let mut alive = children.iter().filter(|pid| !formats::proc_text::has_ended(&of(pid, "stat"))).peekable();
    alive.peek()?;
    Some(!alive.all(|pid| formats::proc_text::writes_output(&of(pid, "syscall"))))
}

/// The user whom this process acts as.
pub(crate) fn user() -> u32 {
    unsafe { libc::geteuid() }
}

/// Whether some library that the process has loaded has a function of this name.
pub(crate) fn has_function(name: &CStr) -> bool {
    !unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.is_null()
}

/// The user at the other end of a socket.
pub(crate) fn peer(stream: &UnixStream) -> io::Result<u32> {
    let mut who = libc::ucred { pid: 0, uid: u32::MAX, gid: u32::MAX };
    let mut length = libc::socklen_t::try_from(size_of_val(&who)).unwrap_or(0);
    let (level, option) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
    let to = (&raw mut who).cast();
    match unsafe { libc::getsockopt(stream.as_raw_fd(), level, option, to, &raw mut length) } {
        0 => Ok(who.uid),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether a library of this name is in memory.
pub(crate) fn is_loaded(name: &CStr) -> bool {
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if !handle.is_null() {
        // It was counted once more.
        unsafe { libc::dlclose(handle) };
    }
    !handle.is_null()
}

/// Keeps signals away from the current thread: they are the traced program's. A write beyond the
/// limit of file sizes then fails instead of raising one.
pub(crate) fn block_signals() {
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        // Faults of this thread's own must not be held back.
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
            libc::sigdelset(&raw mut all, fault);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
}

/// The current thread gets a processor after others that want one, if there are too few: next to nothing of one
/// that it would have to share. Threads that keep all processors busy are sooner done by a twentieth than with a
/// tenth of one for it, for otherwise one of them comes last; a thread that leaves another processor to it loses as
/// much, for it is not always woken there.
pub(crate) fn let_others_go_first() {
    // Whoever may not do that is only less polite.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 19) };
}

/// How often the current thread gave up its processor because it had to wait for something else.
pub(crate) fn times_blocked() -> i64 {
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    usage.ru_nvcsw
}

/// The system's number for the current thread.
pub(crate) fn task() -> u32 {
    u32::try_from(unsafe { libc::gettid() }).unwrap_or(0)
}

/// The processor time that a thread of this process has used, in ns; `None` for one that has ended.
pub(crate) fn used_by(task: u32) -> Option<u64> {
    // As the C library makes the number of a thread's clock, without asking whether the thread still is there.
    const THREADS_OWN_TIME: libc::clockid_t = 6;
    let clock = !libc::pid_t::try_from(task).ok()? << 3 | THREADS_OWN_TIME;
    clock_at(clock)
}

/// The processor time that the current thread has used, in ns.
pub(crate) fn used() -> u64 {
    clock_at(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0)
}

fn clock_at(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    match unsafe { libc::clock_gettime(clock, &raw mut time) } {
        0 => u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).ok(),
        _ => None,
    }
}

/// Whether a thread of this process runs or waits for a processor, and for nothing else.
pub(crate) fn wants_processor(task: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/self/task/{task}/stat"));
    // Behind the name, which may hold anything.
    state.is_ok_and(|state| state.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R')))
}

/// Whether a short write to this would not have to wait.
pub(crate) fn is_writable(file: i32) -> bool {
    let mut entry = libc::pollfd { fd: file, events: libc::POLLOUT, revents: 0 };
    unsafe { libc::poll(&raw mut entry, 1, 0) == 1 && entry.revents == libc::POLLOUT }
}

/// Waits until one of these can be read, at most so many milliseconds. Which can be.
pub(crate) fn wait_readable(files: &[i32], milliseconds: i32) -> Vec<bool> {
    let mut list: Vec<libc::pollfd> =
        files.iter().map(|&fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 }).collect();
    let count = libc::nfds_t::try_from(list.len()).unwrap_or(0);
    unsafe { libc::poll(list.as_mut_ptr(), count, milliseconds) };
    list.iter().map(|entry| entry.revents != 0).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_processor_time_of_a_thread_is_that_which_it_measures() {
        let before = used();
        let of_task = used_by(task()).unwrap();
        assert!((before..=used()).contains(&of_task));
        let ended = std::thread::spawn(task).join().unwrap();
        assert_ne!(ended, task());
        assert_eq!(used_by(u32::MAX), None);
    }

    #[test]
    fn advice_on_a_file_is_taken_and_changes_nothing_in_it() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.as_file_mut().write_all(&[7; 10_000]).unwrap();
        to_disk(file.as_file(), 0..8192).unwrap();
        out_of_memory(file.as_file(), 0..8192).unwrap();
        assert!(std::fs::read(file.path()).unwrap() == [7; 10_000]);
        let (_, pipe) = io::pipe().unwrap();
        let pipe = File::from(std::os::fd::OwnedFd::from(pipe));
        assert!(to_disk(&pipe, 0..8192).is_err() && out_of_memory(&pipe, 0..8192).is_err());
    }
}
