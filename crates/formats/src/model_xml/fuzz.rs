//! Entry for fuzzing: bytes in, and nothing may go wrong but diagnostics.

/// Reads a pattern file and holds it against a few names. Gives back a number that depends on all
/// that was read.
pub fn fuzz_pattern(bytes: &[u8]) -> u64 {
    match super::read("fuzzed.xml", bytes) {
        Ok(file) => {
            let names = ["sched_switch", "syscall_entry_read", "a"];
            let checked = |pattern| super::check::against_trace("fuzzed.xml", pattern, names).len();
            let odd: usize = file.patterns.iter().map(checked).sum();
            (file.patterns.len() + odd + file.diagnostics.len()) as u64
        }
        Err(diagnostics) => diagnostics.len() as u64,
    }
}
