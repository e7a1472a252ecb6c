//! Getting into a `java` that a script starts, without a line of output.
//!
//! The library is preloaded into all that the script runs. Every `java` launcher calls `JLI_Launch` of
//! its own library; this one is found first, adds the agent's option and those for larger stacks, and calls the
//! other. (What files of arguments hold, the launcher has put in their place before.) It acts only in programs
//! named `java`, and takes itself out of the environment first, so that the program sees the environment that it
//! would have had and its children are not recorded.
#![allow(unsafe_code)] // stands in for a function of another library

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_uchar};
use std::os::unix::ffi::OsStrExt;
use std::panic::catch_unwind;
use std::ptr::null_mut;

use formats::java_launcher::{Environment, with_larger_stacks};

/// Holds the option; see the command `record`.
pub(super) const VARIABLE: &str = "TRACEWRIGHT_AGENT";

type Launch = unsafe extern "C" fn(
    c_int,
    *mut *mut c_char,
    c_int,
    *const *const c_char,
    c_int,
    *const *const c_char,
    *const c_char,
    *const c_char,
    *const c_char,
    *const c_char,
    c_uchar,
    c_uchar,
    c_uchar,
    c_int,
) -> c_int;

/// The launcher's entry into its library, with the agent's option put in behind the program's name.
///
/// # Safety
/// Called by the launcher with its arguments.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn JLI_Launch(
    argc: c_int,
    argv: *mut *mut c_char,
    java_argc: c_int,
    java_argv: *const *const c_char,
    class_path_count: c_int,
    class_path: *const *const c_char,
    full_version: *const c_char,
    dot_version: *const c_char,
    program: *const c_char,
    launcher: *const c_char,
    java_args: c_uchar,
    wildcards: c_uchar,
    windowed: c_uchar,
    ergonomics: c_int,
) -> c_int {
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"JLI_Launch".as_ptr()) };
    if next.is_null() {
        return 1;
    }
    let next: Launch = unsafe { std::mem::transmute(next) };
    let (argc, argv) = match catch_unwind(option) {
        Ok(Some(option)) => unsafe { with(argc, argv, option) },
        _ => (argc, argv),
    };
    unsafe {
        next(
            argc,
            argv,
            java_argc,
            java_argv,
            class_path_count,
            class_path,
            full_version,
            dot_version,
            program,
            launcher,
            java_args,
            wildcards,
            windowed,
            ergonomics,
        )
    }
}

/// The option, if this is a program to be recorded. The environment is as it was before, then.
fn option() -> Option<CString> {
    let program = std::env::current_exe().ok()?;
    if program.file_name() != Some(OsStr::new("java")) {
        return None;
    }
    let option = std::env::var_os(VARIABLE)?;
    let preload = std::env::var_os("LD_PRELOAD")?;
    let before = without(preload.as_bytes(), option.as_bytes());
    // There is one thread: the launcher's `main` has just begun.
    unsafe {
        std::env::remove_var(VARIABLE);
        if before.is_empty() {
            std::env::remove_var("LD_PRELOAD");
        } else {
            std::env::set_var("LD_PRELOAD", OsStr::from_bytes(&before));
        }
    }
    CString::new(option.as_bytes()).ok()
}

/// `LD_PRELOAD` without the library that the option loads; a script may have put others before it or behind it.
pub(super) fn without(preload: &[u8], option: &[u8]) -> Vec<u8> {
    let is_ours = |entry: &[u8]| {
        let path = option.strip_prefix(b"-agentpath:").and_then(|rest| rest.strip_prefix(entry));
        !entry.is_empty() && path.is_some_and(|rest| rest.starts_with(b"="))
    };
    let mut others: Vec<u8> = Vec::new();
    let mut separator: &[u8] = b"";
    // Each entry with the separator behind it.
    for part in preload.split_inclusive(|byte| b": ".contains(byte)) {
        let (entry, after) = match part.split_last() {
            Some((last, entry)) if b": ".contains(last) => (entry, &part[entry.len()..]),
            _ => (part, &b""[..]),
        };
        if is_ours(entry) {
            continue;
        }
        others.extend_from_slice(separator);
        others.extend_from_slice(entry);
        separator = after;
    }
    if preload.ends_with(separator) && !others.is_empty() {
        others.extend_from_slice(separator);
    }
    others
}

/// The arguments with one more behind the first, and larger stacks. They live as long as the process.
unsafe fn with(argc: c_int, argv: *mut *mut c_char, option: CString) -> (c_int, *mut *mut c_char) {
    let count = usize::try_from(argc).unwrap_or(0);
    let old = if argv.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(argv, count) } };
    let Some((first, rest)) = old.split_first() else { return (argc, argv) };
    let rest: Vec<Vec<u8>> =
        rest.iter().map(|&text| unsafe { CStr::from_ptr(text) }.to_bytes().to_vec()).collect();
    let tool_options = std::env::var_os("JAVA_TOOL_OPTIONS").unwrap_or_default();
    let environment = Environment { tool_options: tool_options.as_bytes(), launcher_options: b"" };
    let mut new = vec![*first, option.into_raw()];
    // None has a zero inside, since it comes from what ends with one.
    let rest = with_larger_stacks(&rest, environment, |_| None).into_iter();
    new.extend(rest.filter_map(|argument| CString::new(argument).ok()).map(CString::into_raw));
    let count = c_int::try_from(new.len()).unwrap_or(argc);
    new.push(null_mut());
    (count, new.leak().as_mut_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_entry_goes() {
        let option = b"-agentpath:/c/agent-1.so=dir=/x:/y,mode=paths";
        for (preload, expected) in [
            ("/c/agent-1.so", ""),
            ("/c/agent-1.so:/a.so", "/a.so"),
            ("/own.so:/c/agent-1.so", "/own.so"),
            ("/own.so:/c/agent-1.so:/a.so", "/own.so:/a.so"),
            ("/own.so /c/agent-1.so /a.so", "/own.so /a.so"),
            ("/own.so:/c/agent-1.so:", "/own.so:"),
            ("/own.so:/c/agent-1.so2:/c/agent", "/own.so:/c/agent-1.so2:/c/agent"),
            ("/own.so:/a.so:", "/own.so:/a.so:"),
            ("", ""),
        ] {
            let left = without(preload.as_bytes(), option);
            assert_eq!(String::from_utf8(left).unwrap(), expected, "{preload}");
        }
    }
}
