//! Keeps the preload out of the programs of a script that cannot lead to a `java`.
//!
//! A shell carries the library through to the `java` that it starts, and with it `cat`, `grep` and `uname`. This
//! `execve` is found before the system's one. It reads the program that is to run: an ELF file that names no function
//! which starts or loads another program, and needs no library that does, gets the environment that it would have
//! had. Everything else (scripts, shells, `env`, what cannot be read) keeps the preload, for it may run a `java`.
//!
//! A shell may call this in a child that shares its memory (`vfork`): what is allocated here is freed again before
//! the other program runs, and the new environment lies on the stack.
#![allow(unsafe_code)] // stands in for a function of another library

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::panic::catch_unwind;
use std::path::Path;
use std::ptr::null;

use super::preload::{VARIABLE, without};

type Execve = unsafe extern "C" fn(*const c_char, *const *const c_char, *const *const c_char) -> c_int;

const PRELOAD: &str = "LD_PRELOAD";

/// Larger programs are not read; a `cat` has 40 KB.
const LARGEST_PROGRAM: u64 = 1 << 20;
/// What has more variables, or a longer list of libraries, keeps the preload.
const MOST_VARIABLES: usize = 1 << 12;
const LONGEST_PRELOAD: usize = 1 << 12;

/// Functions by which a program starts another, or loads one that may. A name in a table of symbols may be the end
/// of a longer one.
const STARTS_PROGRAMS: [&[u8]; 17] = [
    b"execl",
    b"execle",
    b"execlp",
    b"execv",
    b"execve",
    b"execveat",
    b"execvp",
    b"execvpe",
    b"fexecve",
    b"posix_spawn",
    b"posix_spawnp",
    b"system",
    b"popen",
    b"wordexp",
    b"syscall",
    b"dlopen",
    b"dlmopen",
];
/// Libraries that start no program unless they are asked to by one of the names above (libselinux restarts a daemon
/// by `execve` when that itself asks).
const HARMLESS_LIBRARIES: [&[u8]; 11] = [
    b"libc.so",
    b"libm.so",
    b"libpthread.so",
    b"librt.so",
    b"libselinux.so",
    b"libpcre2-8.so",
    b"libacl.so",
    b"libattr.so",
    b"libgmp.so",
    b"libtinfo.so",
    b"ld-linux",
];

/// # Safety
/// As `execve` of the C library: a path and two lists that end with null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn execve(
    path: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
) -> c_int {
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"execve".as_ptr()) };
    if next.is_null() {
        unsafe { *libc::__errno_location() = libc::ENOSYS };
        return -1;
    }
    let next: Execve = unsafe { std::mem::transmute(next) };
    let mut variables = [null(); MOST_VARIABLES];
    let mut preload = [0_u8; LONGEST_PRELOAD];
    let clean = catch_unwind(std::panic::AssertUnwindSafe(|| unsafe {
        // First what costs nothing: in a recorded JVM there is nothing of ours left in the environment.
        environment_without(environment, &mut variables, &mut preload) && leads_to_no_java(path)
    }));
    let environment = if clean.unwrap_or(false) { variables.as_ptr() } else { environment };
    unsafe { next(path, arguments, environment) }
}

unsafe fn leads_to_no_java(path: *const c_char) -> bool {
    if path.is_null() {
        return false;
    }
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    // What is no regular file might keep us waiting.
    let is_small = path.metadata().is_ok_and(|file| file.is_file() && file.len() <= LARGEST_PROGRAM);
    is_small && std::fs::read(path).is_ok_and(|program| starts_no_program(&program))
}

/// Whether an ELF file names neither a function that starts programs nor a library that is not known to be harmless.
/// One without a C library is linked statically, and names nothing.
fn starts_no_program(file: &[u8]) -> bool {
    if !file.starts_with(b"\x7fELF") {
        return false;
    }
    let mut needs_c_library = false;
    for name in file.split(|&byte| byte == 0) {
        let is_library = contains(name, b".so") && (name.starts_with(b"lib") || name.starts_with(b"ld-"));
        if is_library && !HARMLESS_LIBRARIES.iter().any(|harmless| name.starts_with(harmless)) {
            return false;
        }
        needs_c_library |= name.starts_with(b"libc.so");
        if STARTS_PROGRAMS.iter().any(|function| name.ends_with(function)) {
            return false;
        }
    }
    needs_c_library
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Fills `variables` with those of `environment` that a program would have had without the recorder. False if there
/// is nothing of the recorder's, or too much else.
unsafe fn environment_without(
    environment: *const *const c_char,
    variables: &mut [*const c_char; MOST_VARIABLES],
    preload: &mut [u8; LONGEST_PRELOAD],
) -> bool {
    if environment.is_null() {
        return false;
    }
    let length = (0..MOST_VARIABLES).find(|&at| unsafe { *environment.add(at) }.is_null());
    let Some(length) = length else { return false };
    let all = unsafe { std::slice::from_raw_parts(environment, length) };
    let value = |variable: *const c_char, name: &str| {
        let text = unsafe { CStr::from_ptr(variable) }.to_bytes();
        text.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="))
    };
    let Some(option) = all.iter().find_map(|&variable| value(variable, VARIABLE)) else { return false };
    let mut count = 0;
    for &variable in all {
        if value(variable, VARIABLE).is_some() {
            continue;
        }
        variables[count] = variable;
        if let Some(libraries) = value(variable, PRELOAD) {
            let others = without(libraries, option);
            if others.is_empty() {
                continue;
            }
            let end = PRELOAD.len() + 1 + others.len();
            // The last byte stays zero.
            let Some(text) = preload[..LONGEST_PRELOAD - 1].get_mut(..end) else { return false };
            text[..PRELOAD.len()].copy_from_slice(PRELOAD.as_bytes());
            text[PRELOAD.len()] = b'=';
            text[PRELOAD.len() + 1..].copy_from_slice(&others);
            variables[count] = preload.as_ptr().cast();
        }
        count += 1;
    }
    // There is an end: the recorder's variable is left out.
    variables[count] = null();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_can_start_another_keeps_the_preload() {
        for (file, expected) in [
            (&b"\x7fELF\0\0libc.so.6\0puts\0"[..], true),
            (b"\x7fELF\0libselinux.so.1\0libc.so.6\0getenv\0", true),
            (b"\x7fELF\0libc.so.6\0puts\0execvp\0", false),
            // The linker shares the ends of names.
            (b"\x7fELF\0libc.so.6\0__posix_spawn\0", false),
            (b"\x7fELF\0libc.so.6\0libpython3.so\0", false),
            (b"\x7fELF\0puts\0", false),
            (b"#!/bin/sh\nlibc.so.6", false),
            (b"", false),
        ] {
            assert_eq!(starts_no_program(file), expected, "{}", String::from_utf8_lossy(file));
        }
    }

    fn without_the_recorder(environment: &[&CStr]) -> Option<Vec<String>> {
        let list: Vec<*const c_char> =
            environment.iter().map(|text| text.as_ptr()).chain(std::iter::once(null())).collect();
        let mut variables = [null(); MOST_VARIABLES];
        let mut preload = [0; LONGEST_PRELOAD];
        let changed = unsafe { environment_without(list.as_ptr(), &mut variables, &mut preload) };
        let left = variables.iter().take_while(|variable| !variable.is_null());
        changed.then(|| {
            left.map(|&text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()).collect()
        })
    }

    #[test]
    fn the_rest_of_the_environment_stays_in_its_order() {
        let agent = c"TRACEWRIGHT_AGENT=-agentpath:/c/a.so=dir=/x";
        let left = without_the_recorder(&[c"A=1", c"LD_PRELOAD=/c/a.so", agent, c"B="]);
        assert_eq!(left.unwrap(), ["A=1", "B="]);
        let left = without_the_recorder(&[c"LD_PRELOAD=/c/a.so:libm.so.6", c"A=1", agent]);
        assert_eq!(left.unwrap(), ["LD_PRELOAD=libm.so.6", "A=1"]);
        assert_eq!(without_the_recorder(&[c"A=1", c"LD_PRELOAD=/c/a.so"]), None);
    }
}
