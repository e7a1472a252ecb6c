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
        assert_eq!(transfers("rchar: 6976\nsyscr: 10\nsyscw: 4\nread_bytes: 0\n"), 14);
        assert_eq!(transfers("syscr: x\n"), 0);
    }
}
