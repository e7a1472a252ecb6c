//! A JDK, programs compiled by it, runs of them with and without the recorder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A folder with a compiled program, deleted with the value.
pub(crate) struct Program {
    pub(crate) folder: PathBuf,
    _temporary: TempDir,
    pub(crate) main: String,
    home: PathBuf,
    java: PathBuf,
}

/// Compiles `programs/MAIN.java`. `None` where there is no JDK.
pub(crate) fn program(main: &str) -> Option<Program> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/java/programs/{main}.java"));
    compiled(main, |_| source)
}

/// The same for a program whose text is given.
pub(crate) fn program_of(main: &str, text: &str) -> Option<Program> {
    compiled(main, |folder| {
        let source = folder.join(format!("{main}.java"));
        fs::write(&source, text).unwrap();
        source
    })
}

fn compiled(main: &str, source: impl FnOnce(&Path) -> PathBuf) -> Option<Program> {
    let home = testing::jdk()?;
    let is_retained = std::env::var_os("KEEP_TEST_FOLDERS").is_some();
    let mut builder = tempfile::Builder::new();
    let temporary =
        builder.prefix("java-").disable_cleanup(is_retained).tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = temporary.path().to_owned();
    let source = source(&folder);
    // What it imports may lie below the folder that it is in.
    let mut javac = Command::new(home.join("bin/javac"));
    javac.args(["-g", "-d"]).arg(&folder).arg("-sourcepath").arg(source.parent().unwrap()).arg(&source);
    let compiled = javac.output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    // Another runtime than the compiler's, for trying by hand.
    let java = std::env::var_os("TEST_JAVA").map_or_else(|| home.join("bin/java"), PathBuf::from);
    let main = main.rsplit('/').next().unwrap_or(main).to_owned();
    Some(Program { folder, _temporary: temporary, main, home, java })
}

impl Program {
    /// The same on a runtime that has virtual threads: this one, or another that Debian installs. `None` where there is
    /// none.
    pub(crate) fn with_virtual_threads(mut self) -> Option<Program> {
        let others = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
        let mut all = others.map(|home| home.path().join("bin/java")).collect::<Vec<_>>();
        all.sort();
        all.insert(0, self.java.clone());
        let has = |java: &PathBuf| {
            let home = java.parent().and_then(Path::parent);
            let release =
                home.and_then(|home| fs::read_to_string(home.join("release")).ok()).unwrap_or_default();
            let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""));
            let major = version.and_then(|version| version.split(['.', '"']).next()?.parse::<u32>().ok());
            major.is_some_and(|major| major >= 21)
        };
        let Some(java) = all.into_iter().find(has) else {
            testing::skip("no JDK 21 or later");
            return None;
        };
        self.java = java;
        Some(self)
    }

    /// Our own command, in the program's folder, with a cache and a place for sockets of its own.
    pub(crate) fn tracewright(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
        command.args(arguments).current_dir(&self.folder);
        self.positions(&mut command);
        command
    }

    /// Another tool of the JDK, in the program's folder.
    pub(crate) fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.home.join("bin").join(name));
        command.current_dir(&self.folder);
        command
    }

    fn positions(&self, command: &mut Command) {
        // A socket's path has at most 108 bytes, so it cannot lie in the folder of the test.
        command.env("XDG_CACHE_HOME", self.folder.join("cache")).env_remove("XDG_RUNTIME_DIR");
    }

    /// `java` with these options and the program behind them.
    pub(crate) fn java(&self, options: &[&str], arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.java);
        command.args(options).arg("-cp").arg(&self.folder).arg(&self.main).args(arguments);
        command.current_dir(&self.folder);
        self.positions(&mut command);
        command
    }

    /// The same below `tracewright record OPTIONS --`.
    pub(crate) fn recorded(&self, record: &[&str], options: &[&str], arguments: &[&str]) -> Command {
        let java = self.java(options, arguments);
        let mut command = self.tracewright(&["record"]);
        command.args(record).arg("--").arg(java.get_program()).args(java.get_args());
        command
    }
}

/// Output and exit code in one text, for comparing.
pub(crate) fn shown(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}-- stderr\n{err}-- {}", output.status)
}

/// Ends a program with SIGKILL.
pub(crate) fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
    // HotSpot's own socket stays behind, in the way of the program of another user that gets this number.
    let _ = std::fs::remove_file(format!("/tmp/.java_pid{}", child.id()));
}

/// Waits until something is true.
pub(crate) fn wait_for(what: &str, mut is_true: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what} did not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}
