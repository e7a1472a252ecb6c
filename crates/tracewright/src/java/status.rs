//! What the kernel reports of a process: `/proc/PID/status` and `/proc/PID/stat`.

/// From `/proc/PID/status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) user: u32,
    pub(crate) group: u32,
    /// Supplementary groups.
    pub(crate) groups: Vec<u32>,
    /// Whether its real, effective, saved and file system users are the same, and its groups too.
    pub(crate) has_one_user: bool,
    /// The number that it has itself, which differs inside a container.
    pub(crate) inner_pid: u32,
    /// Whether it handles SIGQUIT: else it would die of one.
    pub(crate) handles_quit: bool,
    /// Whether a signal or a debugger has stopped it.
    pub(crate) is_stopped: bool,
    /// Whether all of its threads have ended, and only whoever started it has not asked yet how.
    pub(crate) has_ended: bool,
}

impl Status {
    /// `None` if it has no such lines.
    pub(crate) fn parse(status: &str) -> Option<Status> {
        let line = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
        let numbers = |key: &str| -> Vec<u32> {
            let numbers = line(key).unwrap_or_default().split_whitespace();
            numbers.filter_map(|number| number.parse().ok()).collect()
        };
        let (users, own_groups) = (numbers("Uid:"), numbers("Gid:"));
        let [_, user, ..] = users[..] else { return None };
        let [_, group, ..] = own_groups[..] else { return None };
        let one = |all: &[u32], number| all.len() == 4 && all.iter().all(|&other| other == number);
        let caught = line("SigCgt:").and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or(0);
        let quit = 3;
        Some(Status {
            user,
            group,
            groups: numbers("Groups:"),
            has_one_user: one(&users, user) && one(&own_groups, group),
            inner_pid: numbers("NSpid:").last().or(numbers("Pid:").first()).copied()?,
            handles_quit: caught & (1 << (quit - 1)) != 0,
            is_stopped: line("State:").is_some_and(|state| state.starts_with(['T', 't'])),
            // Its first thread may have ended alone.
            has_ended: line("State:").is_some_and(|state| state.starts_with(['Z', 'X']))
                && numbers("Threads:").first().is_none_or(|&count| count <= 1),
        })
    }
}

/// From `/proc/PID/task/TID/stat`: whether the thread runs, or would if it got a processor.
pub(crate) fn wants_to_run(stat: &str) -> bool {
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('R'))
}

/// From `/proc/PID/stat`: whether it is stopped, and its processor time in ticks.
pub(crate) fn activity(stat: &str) -> Option<(bool, u64)> {
    // Its name may hold anything, and stands in parentheses.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let is_stopped = fields.next()?.starts_with(['T', 't']);
    let (user, system) = (fields.nth(10)?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?);
    Some((is_stopped, user.saturating_add(system)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_groups_and_numbers_are_read() {
        let text = "Name:\tjava\nState:\tT (stopped)\nPid:\t70\nUid:\t9\t9\t9\t9\nGid:\t8\t8\t8\t8\n\
                    Groups:\t4 8 \nNSpid:\t70\t2\nSigCgt:\t0000000000000004\n";
        let status = Status::parse(text).unwrap();
        let expected = Status {
            user: 9,
            group: 8,
            groups: vec![4, 8],
            has_one_user: true,
            inner_pid: 2,
            handles_quit: true,
            is_stopped: true,
            has_ended: false,
        };
        assert_eq!(status, expected);
        let zombie = text.replace("T (stopped)", "Z (zombie)");
        assert!(Status::parse(&format!("{zombie}Threads:\t1\n")).unwrap().has_ended);
        assert!(!Status::parse(&format!("{zombie}Threads:\t2\n")).unwrap().has_ended);
        let mixed = Status::parse(&text.replace("Uid:\t9\t9\t9", "Uid:\t7\t9\t9")).unwrap();
        assert!(mixed.user == 9 && !mixed.has_one_user);
        assert_eq!(Status::parse("Name:\tjava\n"), None);
    }

    #[test]
    fn who_wants_to_run_is_seen_whatever_its_name() {
        let wants = ["7 (a) S (b) R 1 2", "7 (x) S 1 2", "7 (R) D 1", "", "7 (x"].map(wants_to_run);
        assert_eq!(wants, [true, false, false, false, false]);
    }

    #[test]
    fn the_name_of_a_program_may_hold_anything() {
        let stat = "7 (a) T (b) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0";
        assert_eq!(activity(stat), Some((false, 42)));
        assert_eq!(activity("7 (x) t 1 2 3 4 5 6 7 8 9 10 1 1 0"), Some((true, 2)));
        assert_eq!(activity("7 (x) S 1"), None);
    }
}
