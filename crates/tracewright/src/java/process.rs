//! Running virtual machines, seen from outside and without touching them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::status::Status;

/// One virtual machine.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) status: Status,
    /// What it runs: the main class or the archive, from its command line.
    pub(crate) main: String,
    /// Whether its files are those that we see: else it has a root or a mount namespace of its own.
    pub(crate) shares_files: bool,
}

impl Process {
    /// The virtual machine with this number; `None` if it is none, or gone.
    pub(crate) fn of(pid: u32) -> Option<Process> {
        let proc = PathBuf::from(format!("/proc/{pid}"));
        let status = Status::parse(&fs::read_to_string(proc.join("status")).ok()?)?;
        if status.has_ended {
            return None;
        }
        // Of other users' processes only root sees which program they run, and everybody what they call themselves.
        let program = fs::read_link(proc.join("exe")).ok();
        let is_java = match &program {
            Some(program) => program.file_name().is_some_and(|name| name == "java"),
            None => fs::read_to_string(proc.join("comm")).is_ok_and(|name| name.trim_end() == "java"),
        };
        let has_machine = || {
            let maps = fs::read_to_string(proc.join("maps")).unwrap_or_default();
            maps.lines().any(|line| line.ends_with("/libjvm.so"))
        };
        if !is_java && !has_machine() {
            return None;
        }
        let command = fs::read(proc.join("cmdline")).unwrap_or_default();
        Some(Process { pid, status, main: main_of(&command), shares_files: shares_files(pid) })
    }

    /// All that we can see.
    pub(crate) fn all() -> Vec<Process> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut all: Vec<Process> = pids.filter_map(Process::of).collect();
        all.sort_by_key(|process| process.pid);
        all
    }

    /// Its user.
    pub(crate) fn user(&self) -> u32 {
        self.status.user
    }

    /// Whether it is of the user whose command this is.
    pub(crate) fn is_of_our_user(&self) -> bool {
        rustix::process::geteuid().as_raw() == self.status.user
    }

    /// Whether a path means the same to it as to us, and it may do the same with what lies there.
    pub(crate) fn is_as_we_are(&self) -> bool {
        self.is_of_our_user() && self.shares_files
    }

    /// Why nothing can be done with it, if that is so: only root reaches other users' programs.
    pub(crate) fn refusal(&self) -> Option<&'static str> {
        if !self.is_of_our_user() && !rustix::process::geteuid().is_root() {
            return Some("it is another user's");
        }
        (!self.status.has_one_user).then_some("it runs with the rights of more than one user")
    }
}

/// Whether the root and the mounts of a process are ours. Where that cannot be seen nothing is done with it anyway.
fn shares_files(pid: u32) -> bool {
    let root = |process: &str| fs::metadata(format!("/proc/{process}/root")).ok();
    let mounts = |process: &str| fs::read_link(format!("/proc/{process}/ns/mnt")).ok();
    let pid = pid.to_string();
    let is_same_root = match (root(&pid), root("self")) {
        (Some(its), Some(ours)) => (its.dev(), its.ino()) == (ours.dev(), ours.ino()),
        _ => true,
    };
    is_same_root && mounts(&pid).is_none_or(|its| Some(its) == mounts("self"))
}

/// What a command line runs: the name behind the options of java.
fn main_of(command: &[u8]) -> String {
    let words: Vec<_> = command.split(|&byte| byte == 0).map(String::from_utf8_lossy).collect();
    let with_value = [
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "--add-modules",
        "--add-opens",
        "--add-exports",
        "--add-reads",
        "--limit-modules",
        "--upgrade-module-path",
        "--patch-module",
    ];
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        if matches!(word.as_ref(), "-jar" | "-m" | "--module") {
            return words.next().map(|name| name.to_string()).unwrap_or_default();
        }
        if with_value.contains(&word.as_ref()) {
            words.next();
        } else if !word.starts_with('-') && !word.starts_with('@') {
            return word.to_string();
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_class_is_behind_the_options() {
        for (line, expected) in [
            ("java -Xmx1g shop.Main 3", "shop.Main"),
            ("java -cp a.jar:b.jar shop.Main", "shop.Main"),
            ("/usr/bin/java -jar shop.jar x", "shop.jar"),
            ("java -p mods -m shop/shop.Main", "shop/shop.Main"),
            ("java @options shop.Main", "shop.Main"),
            ("java", ""),
            ("", ""),
        ] {
            assert_eq!(main_of(line.replace(' ', "\0").as_bytes()), expected, "{line}");
        }
    }
}
