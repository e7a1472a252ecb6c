//! What Linux says of a thread in `/proc/PID/task/TID`.
//!
//! ```text
//! syscall   0 0x0 0x7f0fbbbee000 0x2000 ...    the call that it is in and the arguments, or `running`
//! io        syscr: 10                          how often it has read, and `syscw`, written
//! ```

/// Whether this `syscall` is a read of standard input.
pub fn reads_standard_input(syscall: &str) -> bool {
    let read = if cfg!(target_arch = "x86_64") { "0" } else { "63" };
    let mut words = syscall.split_whitespace();
    words.next() == Some(read) && words.next() == Some("0x0")
}

/// Whether this `syscall` writes to standard output or standard error.
pub fn writes_output(syscall: &str) -> bool {
    let writes = if cfg!(target_arch = "x86_64") { ["1", "20"] } else { ["64", "66"] };
    let mut words = syscall.split_whitespace();
    words.next().is_some_and(|call| writes.contains(&call)) && matches!(words.next(), Some("0x1" | "0x2"))
}

/// Whether a process of this `stat` has ended, and waits for nothing but to be noticed.
pub fn has_ended(stat: &str) -> bool {
    // The name, in brackets, may hold anything.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().next());
    matches!(state, Some("Z" | "X"))
}

/// How often it has read or written so far, by its `io`.
pub fn transfers(io: &str) -> u64 {
    let number = |key| io.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<u64>().ok());
    ["syscr:", "syscw:"].into_iter().filter_map(number).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_counts_are_read() {
        let read = if cfg!(target_arch = "x86_64") { 0 } else { 63 };
        for (call, expected) in [
            (format!("{read} 0x0 0x7f0f 0x2000 0x7f"), true),
            (format!("{read} 0x3 0x7f0f 0x2000 0x7f"), false),
            ("202 0x0 0x80 0x0".to_owned(), false),
            ("running\n".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(reads_standard_input(&call), expected, "{call}");
        }
        let write = if cfg!(target_arch = "x86_64") { 1 } else { 64 };
        for (call, expected) in [
            (format!("{write} 0x1 0x55d0 0x100"), true),
            (format!("{write} 0x2 0x55d0 0x100"), true),
            (format!("{write} 0x4 0x55d0 0x100"), false),
            ("running\n".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(writes_output(&call), expected, "{call}");
        }
        let of_states = ["7 (sh) Z 1 7", "7 (a) b) Z) S 1 7", "7 (sh) S 1 7", ""].map(has_ended);
        assert_eq!(of_states, [true, false, false, false]);
        assert_eq!(transfers("rchar: 6976\nsyscr: 10\nsyscw: 4\nread_bytes: 0\n"), 14);
        assert_eq!(transfers("syscr: x\n"), 0);
    }
}
