//! Second users, namespaces, small file systems, running JVMs, and commands that must end in time.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The longest that any command may take, whatever it meets.
pub(crate) const LIMIT: Duration = Duration::from_secs(5);

/// A user who owns nothing: `nobody`.
pub(crate) const NOBODY: u32 = 65534;

/// Another user; the number needs no account.
pub(crate) const STRANGER: u32 = 61_934;

pub(crate) use testing::skip;

/// A user that no other row and no program uses, so that nobody has folders of that name yet.
pub(crate) fn fresh_user() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = 100_000 + std::process::id() % 1_000_000 * 10;
    loop {
        let user = first + NEXT.fetch_add(1, Ordering::Relaxed);
        // A run that was ended may have left a folder of that user.
        if fs::symlink_metadata(format!("/tmp/tracewright-{user}")).is_err() {
            return user;
        }
    }
}

/// Whether this process may become another user; reports the row as skipped if not.
pub(crate) fn has_second_user() -> bool {
    let is_root = fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0);
    let works = is_root && as_user(NOBODY, "true").status().is_ok_and(|status| status.success());
    if !works {
        skip("becoming a second user needs root and setpriv");
    }
    works
}

/// Whether this process may make mount and PID namespaces; reports the row as skipped if not.
pub(crate) fn has_namespaces() -> bool {
    let works = unshared("true").status().is_ok_and(|status| status.success());
    if !works {
        skip("this machine does not allow mount and PID namespaces (unshare)");
    }
    works
}

/// A command run with this user's and group's rights, and no supplementary groups.
pub(crate) fn as_user(user: u32, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("setpriv");
    command.arg(format!("--reuid={user}")).arg(format!("--regid={user}")).arg("--clear-groups");
    command.arg("--").arg(program);
    command
}

/// A command run in mount and PID namespaces of its own.
pub(crate) fn unshared(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--kill-child", "--"]).arg(program);
    command
}

/// Shell commands that give a mount namespace a `/tmp` of its own, empty but for our own build where that lies in
/// `/tmp`: else neither our binary nor the program's classes would be found there.
pub(crate) fn own_tmp() -> String {
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().display();
    format!(
        "( cd '{build}' && mount -t tmpfs none /tmp && case '{build}' in /tmp/*) \
           mkdir -p '{build}' && mount --no-canonicalize --bind /proc/self/cwd '{build}';; esac )"
    )
}

/// A folder below the system's temporary one, which every user can reach. It goes with the value.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        let below = fs::canonicalize(std::env::temp_dir()).unwrap();
        let folder = tempfile::Builder::new().prefix("hostile-").tempdir_in(below).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        Folder(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// A folder in it that belongs to this user.
    pub(crate) fn of(&self, user: u32, name: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir(&path).unwrap();
        chown(&path, Some(user), Some(user)).unwrap();
        path
    }

    /// A file of the caller's that must stay as it is.
    pub(crate) fn secret(&self) -> Secret {
        let path = self.path().join("secret");
        fs::write(&path, "not for others\n").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        Secret { owner: fs::metadata(&path).unwrap().uid(), path }
    }

    /// Our own binary at a place where every user can run it.
    pub(crate) fn binary(&self) -> PathBuf {
        let (built, path) = (Path::new(env!("CARGO_BIN_EXE_tracewright")), self.path().join("tracewright"));
        if !path.exists() && fs::hard_link(built, &path).is_err() {
            fs::copy(built, &path).unwrap();
        }
        path
    }
}

/// Takes away what commands and programs have left for this user among the temporary files.
pub(crate) fn clean(user: u32) {
    for entry in fs::read_dir("/tmp").unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let is_its = name.strip_prefix(&format!("tracewright-{user}"));
        if is_its.is_some_and(|rest| rest.is_empty() || rest.starts_with('-')) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A file that nobody but its owner may change.
pub(crate) struct Secret {
    pub(crate) path: PathBuf,
    owner: u32,
}

impl Secret {
    /// Fails if its content, owner or mode is not what it was.
    pub(crate) fn check(&self) {
        let data = fs::metadata(&self.path).unwrap();
        assert_eq!((data.uid(), data.mode() & 0o7777), (self.owner, 0o600), "owner and mode have changed");
        assert_eq!(fs::read_to_string(&self.path).unwrap(), "not for others\n", "the content has changed");
    }
}

/// What a command did.
pub(crate) struct Ran {
    /// 128 and the signal's number if one ended it.
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.out)?;
        self.err.lines().try_for_each(|line| writeln!(f, "! {line}"))?;
        write!(f, "exit {}", self.code)
    }
}

/// Runs a command to its end; fails if that takes longer than [`LIMIT`].
pub(crate) fn run(mut command: Command) -> Ran {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let begin = Instant::now();
    let child = command.spawn().unwrap();
    let pid = child.id().to_string();
    let (ended, end) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let output = child.wait_with_output().unwrap();
        let _ = ended.send(());
        output
    });
    if end.recv_timeout(LIMIT).is_err() {
        let _ = Command::new("kill").args(["-9", &pid]).status();
        panic!("not ended after {:?}: {command:?}", begin.elapsed());
    }
    let output = waiter.join().unwrap();
    let code = output.status.code().or_else(|| output.status.signal().map(|signal| 128 + signal));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: code.unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// Our own command with these arguments, run to its end in this folder.
pub(crate) fn tracewright(folder: &Path, arguments: &[&str]) -> Ran {
    run(tracewright_command(folder, arguments))
}

/// Our own command with these arguments, to be run in this folder.
pub(crate) fn tracewright_command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
    command.args(arguments).current_dir(folder).env_remove("XDG_RUNTIME_DIR");
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

/// A compiled Java program that works a little until it is ended, and prints `ready` first. With the path of a
/// socket as its argument it listens there and never answers.
pub(crate) struct Program {
    /// The folder with the class; every user can read it.
    pub(crate) classes: PathBuf,
    pub(crate) java: PathBuf,
}

const SOURCE: &str = "
import java.net.*;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.*;
import java.nio.file.attribute.PosixFilePermissions;
public class Busy {
    static int steps;
    static void step() { steps++; }
    public static void main(String[] args) throws Exception {
        for (String folder : args) {
            Path path = Path.of(folder, ProcessHandle.current().pid() + \".sock\");
            ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(\"rw-------\"));
        }
        System.out.println(\"ready \" + ProcessHandle.current().pid());
        boolean spins = Boolean.getBoolean(\"spins\");
        while (true) { step(); if (!spins) Thread.sleep(5); }
    }
}
";

/// Compiles it; reports the row as skipped where there is no JDK.
pub(crate) fn program(folder: &Folder) -> Option<Program> {
    let named = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|bin| bin.join("javac")).find(|path| path.exists());
    let found = found.and_then(|javac| Some(fs::canonicalize(javac).ok()?.parent()?.parent()?.to_owned()));
    let Some(home) = named.or(found).filter(|home| home.join("bin/javac").exists()) else {
        skip("there is no JDK");
        return None;
    };
    let source = folder.path().join("Busy.java");
    fs::write(&source, SOURCE).unwrap();
    let classes = folder.path().join("classes");
    let mut javac = Command::new(home.join("bin/javac"));
    let made = javac.args(["-g", "-d"]).arg(&classes).arg(source).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some(Program { classes, java: home.join("bin/java") })
}

impl Program {
    /// Starts it below a command that ends with `java`, such as that of [`as_user`], with these options of the JVM,
    /// in this folder.
    pub(crate) fn start(&self, command: Command, options: &[&str], folder: &Path) -> Jvm {
        self.start_with(command, options, folder, &[])
    }

    /// The same with arguments.
    pub(crate) fn start_with(
        &self,
        mut command: Command,
        options: &[&str],
        folder: &Path,
        arguments: &[&str],
    ) -> Jvm {
        command.args(options).args(["-Xmx64m", "-XX:+UseSerialGC", "-cp"]).arg(&self.classes).arg("Busy");
        command.args(arguments);
        command.current_dir(folder).env_remove("XDG_RUNTIME_DIR").env("XDG_CACHE_HOME", folder.join("cache"));
        Jvm::of(command)
    }
}

/// A running JVM, killed with the value.
pub(crate) struct Jvm {
    child: Child,
    /// The number of the JVM itself, which may be a descendant of the child, seen from here.
    pub(crate) pid: String,
}

impl Jvm {
    /// Waits until it has begun.
    fn of(mut command: Command) -> Jvm {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("ready"), "{line:?} from {command:?}");
        let pid = java_below(child.id()).unwrap().to_string();
        // What is there now a killed one with the same number left, and one of another user cannot take it away.
        let _ = fs::remove_file(attach_socket(&pid));
        Jvm { child, pid }
    }

    /// Sends it a signal: `STOP`, `CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(&self.pid).status().unwrap();
        assert!(status.success());
        // Each thread stops when it runs next, and `kill` has returned by then.
        if name == "STOP" {
            let stops = (0..4000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                self.is_stopped()
            });
            assert!(stops, "it does not stop");
        }
    }

    fn is_stopped(&self) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap();
        status.lines().any(|line| line.starts_with("State:\tT"))
    }

    /// Whether it still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-9", &self.pid]).stderr(Stdio::null()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(attach_socket(&self.pid));
    }
}

/// HotSpot's own socket, which stays behind when it is killed.
fn attach_socket(pid: &str) -> String {
    format!("/tmp/.java_pid{pid}")
}

/// This process if it is a `java`, or the first one among its descendants.
fn java_below(pid: u32) -> Option<u32> {
    let comm = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    if comm.trim() == "java" {
        return Some(pid);
    }
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_whitespace().find_map(|child| java_below(child.parse().ok()?))
}
