//! Running virtual machines, seen from outside and without touching them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// One virtual machine.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// Its user.
    pub(crate) user: u32,
    /// What it runs: the main class or the archive, from its command line.
    pub(crate) main: String,
    /// The number that it has itself, which differs inside a container.
    pub(crate) inner_pid: u32,
    /// Whether SIGQUIT is handled: else it would die of one.
    handles_quit: bool,
    /// What it says of itself: whether it can be attached to at all.
    can_attach: Option<bool>,
}

/// Whether a virtual machine can be recorded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Can {
    Yes,
    /// The recorder is in it already.
    HasRecorder,
    No(&'static str),
}

impl Process {
    /// The virtual machine with this number; `None` if it is none, or gone.
    pub(crate) fn of(pid: u32) -> Option<Process> {
        let proc = PathBuf::from(format!("/proc/{pid}"));
        let user = fs::metadata(&proc).ok()?.uid();
        let status = fs::read_to_string(proc.join("status")).ok()?;
        let line = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
        let maps = fs::read_to_string(proc.join("maps")).unwrap_or_default();
        let program = fs::read_link(proc.join("exe")).ok();
        let is_java =
            program.as_ref().is_some_and(|program| program.file_name().is_some_and(|name| name == "java"));
        if !is_java && !maps.lines().any(|line| line.ends_with("/libjvm.so")) {
            return None;
        }
        let inner_pid =
            line("NSpid:").and_then(|pids| pids.split_whitespace().last()?.parse().ok()).unwrap_or(pid);
        let caught = line("SigCgt:").and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or(0);
        let quit = 3;
        let command = fs::read(proc.join("cmdline")).unwrap_or_default();
        let mut process = Process {
            pid,
            user,
            main: main_of(&command),
            inner_pid,
            handles_quit: caught & (1 << (quit - 1)) != 0,
            can_attach: None,
        };
        process.can_attach = process.performance_data().and_then(|data| capability(&data));
        Some(process)
    }

    /// All that we can see.
    pub(crate) fn all() -> Vec<Process> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut all: Vec<Process> = pids.filter_map(Process::of).collect();
        all.sort_by_key(|process| process.pid);
        all
    }

    /// Its folder for temporary files, as seen from here.
    pub(crate) fn temporary(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root/tmp", self.pid))
    }

    /// The socket on which it listens to who attaches.
    pub(crate) fn attach_socket(&self) -> PathBuf {
        self.temporary().join(format!(".java_pid{}", self.inner_pid))
    }

    fn performance_data(&self) -> Option<Vec<u8>> {
        let folders = fs::read_dir(self.temporary()).ok()?.flatten();
        let folders = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with("hsperfdata_"));
        let file =
            folders.map(|entry| entry.path().join(self.inner_pid.to_string())).find(|path| path.exists())?;
        // 32 kB as a rule; a file of another kind is of no interest.
        fs::read(file).ok().filter(|data| data.len() < 1 << 20)
    }

    /// Where our recorder's socket is, if it is in there.
    pub(crate) fn control_socket(&self) -> Option<PathBuf> {
        let name = format!("{}.sock", self.inner_pid);
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let folders = [
            runtime.map(|runtime| runtime.join("tracewright")),
            Some(PathBuf::from(format!("/run/user/{}/tracewright", self.user))),
            Some(self.temporary().join(format!("tracewright-{}", self.user))),
        ];
        folders.into_iter().flatten().map(|folder| folder.join(&name)).find(|path| path.exists())
    }

    /// Whether it can be recorded; nothing is sent to it to find out.
    pub(crate) fn can(&self) -> Can {
        let ours = rustix::process::geteuid().as_raw();
        if ours != 0 && ours != self.user {
            return Can::No("it is another user's");
        }
        if self.control_socket().is_some_and(|path| std::os::unix::net::UnixStream::connect(path).is_ok()) {
            return Can::HasRecorder;
        }
        if self.can_attach == Some(false) {
            return Can::No("it was started with -XX:+DisableAttachMechanism");
        }
        if self.attach_socket().exists() || self.handles_quit {
            return Can::Yes;
        }
        Can::No("it does not listen (-Xrs, or it is just starting)")
    }
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

/// Finds `sun.rt.jvmCapabilities` in the performance data of HotSpot: its text begins with 1 if the
/// machine can be attached to.
fn capability(data: &[u8]) -> Option<bool> {
    let name = b"sun.rt.jvmCapabilities\0";
    let at = data.windows(name.len()).position(|window| window == name)? + name.len();
    // The value follows the name, aligned; zeros lie in between.
    let value = data.get(at..)?.iter().take(16).find(|byte| **byte != 0)?;
    match value {
        b'0' => Some(false),
        b'1' => Some(true),
        _ => None,
    }
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

    #[test]
    fn the_capability_is_the_first_letter_of_the_value() {
        let data = |value: &str| format!("xxsun.rt.jvmCapabilities\0\0\0{value}000").into_bytes();
        assert_eq!(capability(&data("1")), Some(true));
        assert_eq!(capability(&data("0")), Some(false));
        assert_eq!(capability(b"nothing"), None);
    }
}
