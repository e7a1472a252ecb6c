//! SIGBUS: what the kernel answers a store into mapped memory with whose file was truncated or whose disk is full.
//!
//! The memory for words is a mapping of the file `open`, so that a kill loses nothing. Whoever may write to that
//! file may truncate it, and on a file system that shares pages, or a full tmpfs, a page may be missing although
//! its space was taken before. That ends the recording and must not end the program: the handler puts
//! anonymous memory into the place of the whole mapping, records that, and the store is done again.
//!
//! ```text
//!  SIGBUS --> in our mapping, by a store of this process?  yes: anonymous memory there, the recording fails
//!                                                          no:  the handler that was there before, as it was
//! ```
//!
//! The virtual machine has a handler of its own, which would make an `InternalError` of the program's of such a
//! fault, or end the process. Ours stands before it from the first recording on, with the same flags and the same
//! mask; it is never taken away, since a thread may have met its fault and not its handler yet. With `-Xcheck:jni` the virtual machine looks whether its handlers are there and prints a warning of
//! each that is not, and with libjsig a handler that comes later is called last: there no file is mapped
//! (see `Pool::attach`).
#![allow(unsafe_code)] // a signal handler

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::{transmute, zeroed};
use std::os::fd::RawFd;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicUsize, Ordering};

/// What lies in the range: nothing of a file, pages of one, anonymous memory since a fault, pages that could not
/// be exchanged.
const ANONYMOUS: u32 = 0;
const MAPPED: u32 = 1;
const LOST: u32 = 2;
const STUCK: u32 = 3;

static STATE: AtomicU32 = AtomicU32::new(ANONYMOUS);
static BASE: AtomicUsize = AtomicUsize::new(0);
static LENGTH: AtomicUsize = AtomicUsize::new(0);
/// A byte to this file wakes whoever has to end the recording.
static WAKES: AtomicI32 = AtomicI32::new(-1);
static IS_INSTALLED: AtomicBool = AtomicBool::new(false);
/// The handler that was there before, and its flags.
static BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static BEFORE_FLAGS: AtomicI32 = AtomicI32::new(0);

/// Catches faults in this range, where a file is mapped from now on.
pub(crate) fn catch(base: *mut u8, length: usize, wakes: RawFd) -> io::Result<()> {
    WAKES.store(wakes, Ordering::SeqCst);
    BASE.store(base.addr(), Ordering::SeqCst);
    LENGTH.store(length, Ordering::SeqCst);
    STATE.store(MAPPED, Ordering::SeqCst);
    // Once: over a handler that came after ours and calls it, a second one of ours would be called by itself.
    if IS_INSTALLED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    let before = current()?;
    BEFORE.store(before.sa_sigaction, Ordering::SeqCst);
    BEFORE_FLAGS.store(before.sa_flags, Ordering::SeqCst);
    set(&libc::sigaction { sa_sigaction: handler(), sa_flags: before.sa_flags | libc::SA_SIGINFO, ..before })
}

/// No file is mapped there any more. The handler stays: a store that met its fault before is done again.
pub(crate) fn catch_no_more() {
    STATE.store(ANONYMOUS, Ordering::SeqCst);
}

/// Whether what was written to the range may be gone.
pub(crate) fn is_lost() -> bool {
    matches!(STATE.load(Ordering::SeqCst), LOST | STUCK)
}

/// Puts anonymous memory into the place of the mapping, if that was not done yet; `false` if it cannot be. Makes
/// system calls and stores to atomic numbers and nothing else, as a handler may.
pub(crate) fn replace() -> bool {
    match STATE.compare_exchange(MAPPED, LOST, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let (base, length) = (BASE.load(Ordering::SeqCst), LENGTH.load(Ordering::SeqCst));
            // The kernel's own call: whatever stands in for that of the C library may take locks.
            let there =
                unsafe { libc::syscall(libc::SYS_mmap, base, length, protection, flags, -1_i64, 0_i64) };
            if there == -1 {
                STATE.store(STUCK, Ordering::SeqCst);
            }
            let byte = 1_u8;
            // One that is full has woken it already.
            unsafe { libc::write(WAKES.load(Ordering::SeqCst), (&raw const byte).cast(), 1) };
            there != -1
        }
        // Somebody else does it just now, or has done it: the store is tried again.
        Err(state) => state != STUCK,
    }
}

fn handler() -> libc::sighandler_t {
    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = caught;
    handler as libc::sighandler_t
}

fn current() -> io::Result<libc::sigaction> {
    let mut now = unsafe { zeroed() };
    match unsafe { libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut now) } {
        0 => Ok(now),
        _ => Err(io::Error::last_os_error()),
    }
}

fn set(action: &libc::sigaction) -> io::Result<()> {
    match unsafe { libc::sigaction(libc::SIGBUS, action, null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

extern "C" fn caught(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // What is interrupted may be between a call and a look at its error.
    let error = unsafe { *libc::__errno_location() };
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
    let inside = address.wrapping_sub(BASE.load(Ordering::SeqCst)) < LENGTH.load(Ordering::SeqCst);
    // No page for it; memory that is broken is another matter.
    let is_ours = code == libc::BUS_ADRERR && inside;
    if !(is_ours && replace()) {
        unsafe { pass_on(signal, info, context) };
    }
    unsafe { *libc::__errno_location() = error };
}

/// # Safety
/// With what a handler was called with.
unsafe fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let before = BEFORE.load(Ordering::SeqCst);
    let is_fault = unsafe { (*info).si_code } > 0;
    match before {
        // The kernel ignores no fault.
        libc::SIG_IGN if !is_fault => {}
        libc::SIG_DFL | libc::SIG_IGN => {
            let default = libc::sigaction { sa_sigaction: libc::SIG_DFL, ..unsafe { zeroed() } };
            let _ = set(&default);
            // A fault comes again by itself.
            if !is_fault {
                unsafe { libc::raise(signal) };
            }
        }
        _ if BEFORE_FLAGS.load(Ordering::SeqCst) & libc::SA_SIGINFO != 0 => {
            let before: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                unsafe { transmute(before) };
            before(signal, info, context);
        }
        _ => {
            let before: extern "C" fn(c_int) = unsafe { transmute(before) };
            before(signal);
        }
    }
}
