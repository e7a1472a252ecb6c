//! Scope: whether a file has all that its CPUs did, or only what some threads did themselves.
//!
//! perf sets `attr.inherit` in both cases, so that says nothing. What does, the surest first:
//!
//! ```text
//!                                            all (-a, -C)     threads (a command, -p, -t)
//! ID_INDEX      thread of each buffer        -1               the thread
//! attributes    enabled by the exec          never            of a command that perf started
//! samples       of thread 0, which idles     wherever idle    never
//! CMDLINE       options of `perf record`     -a, -C           -p, -t, -u, or none of them
//! ```

/// What a file says of its scope.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scope {
    /// A buffer belongs to a thread.
    pub(super) of_thread: bool,
    /// A buffer belongs to a CPU, whoever runs there.
    pub(super) of_cpu: bool,
    /// A sample is of the idle thread of a CPU.
    pub(super) has_idle: bool,
}

impl Scope {
    /// Takes the thread of an entry of ID_INDEX; -1 is none.
    pub(super) fn index(&mut self, tid: i32) {
        *if tid == -1 { &mut self.of_cpu } else { &mut self.of_thread } = true;
    }

    /// Whether what other threads did is not there. `starts_at_exec`: all events were enabled when the command
    /// began; `is_inherited`: all are of threads and their children, or of CPUs; `command`: what was typed.
    pub(super) fn is_own_threads(
        &self,
        starts_at_exec: bool,
        is_inherited: bool,
        command: &[String],
    ) -> bool {
        match (self.of_cpu, self.of_thread) {
            (true, _) => false,
            (false, true) => true,
            _ if starts_at_exec => true,
            _ if self.has_idle => false,
            _ => !asks_for_cpus(command).unwrap_or(!is_inherited),
        }
    }
}

/// Whether the options of `perf record` ask for all that CPUs do; `None` if this is no such command.
fn asks_for_cpus(command: &[String]) -> Option<bool> {
    // Short options that stand alone, so others may follow in the same word.
    const ALONE: &str = "aRgvqnNBbdsTPWi";
    // Those whose value is the next word.
    const WITH_VALUE: &str = "eFcompturCDkGjM";
    let position = command.iter().position(|word| word == "record")?;
    let mut words = command.iter().skip(position + 1).map(String::as_str);
    let of_scheduler = position.checked_sub(1).and_then(|before| command.get(before));
    if of_scheduler.is_some_and(|word| matches!(&**word, "sched" | "lock" | "kmem" | "timechart")) {
        return Some(true);
    }
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            None | Some("-") => return Some(false),
            Some(long) if long.starts_with('-') => match long.trim_start_matches('-') {
                "all-cpus" | "cpu" => return Some(true),
                option if option.starts_with("cpu=") => return Some(true),
                "event" | "output" | "count" | "freq" | "pid" | "tid" | "uid" | "mmap-pages" | "clockid"
                | "call-graph" | "delay" | "filter" => drop(words.next()),
                _ => {}
            },
            Some(short) => {
                let flags = short.chars().take_while(|letter| ALONE.contains(*letter)).collect::<String>();
                let next = short.chars().nth(flags.len());
                if flags.contains('a') || next == Some('C') {
                    return Some(true);
                }
                let ends_there = short.chars().count() == flags.len() + 1;
                if ends_there && next.is_some_and(|letter| WITH_VALUE.contains(letter)) {
                    words.next();
                }
            }
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(scope: Scope, starts_at_exec: bool, command: &str) -> bool {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        scope.is_own_threads(starts_at_exec, true, &words)
    }

    #[test]
    fn the_index_is_believed_first() {
        let mut scope = Scope::default();
        scope.index(7);
        assert!(own(scope, false, "perf record -a true"));
        scope.index(-1);
        assert!(!own(scope, true, "perf record true"));
    }

    #[test]
    fn without_an_index_the_rest_is_asked_in_iteration() {
        let idle = Scope { has_idle: true, ..Scope::default() };
        assert!(own(idle, true, "perf record -a true"));
        assert!(!own(idle, false, "perf record -p 3"));
        assert!(own(Scope::default(), false, ""));
        assert!(!Scope::default().is_own_threads(false, false, &[]));
    }

    #[test]
    fn options_are_told_from_their_values_and_from_the_command() {
        for (command, expected) in [
            ("perf record -a -e sched:* -- sleep 1", true),
            ("/usr/bin/perf record -e sched:* -ga -o x", true),
            ("perf record -C 0,1 true", true),
            ("perf record -C0 true", true),
            ("perf record --cpu=3 true", true),
            ("perf record --all-cpus", true),
            ("perf sched record true", true),
            ("perf record -e sched:* sh -a", false),
            ("perf record -o -a ls", false),
            ("perf record --output -a ls", false),
            ("perf record -e x -- ls -a", false),
            ("perf record -p 17", false),
        ] {
            assert_eq!(!own(Scope::default(), false, command), expected, "{command}");
        }
        assert_eq!(asks_for_cpus(&["perf".to_owned()]), None);
    }
}
