//! Runs the real program in a fresh folder and shows exit code, output and errors as one text.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder of its own for one test.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    _temporary: TempDir,
}

/// What one run of the program did.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A path from the root of the repository, in full.
pub(crate) fn below_root(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(name).canonicalize().unwrap().to_str().unwrap().to_owned()
}

pub(crate) fn folder() -> Folder {
    let temporary = tempfile::Builder::new().prefix("cli-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    Folder { path: temporary.path().to_owned(), _temporary: temporary }
}

impl Folder {
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Folder {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Arguments are split by spaces.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        self.run_with(arguments.split(' '), "")
    }

    pub(crate) fn run_with<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
        input: impl AsRef<[u8]>,
    ) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
        command.args(arguments);
        self.finish(command, input.as_ref())
    }

    /// A line of a shell in which the program can be called by its name.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let mut command = Command::new("sh");
        let program = PathBuf::from(env!("CARGO_BIN_EXE_tracewright"));
        let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
        command.arg("-c").arg(line).env("PATH", path);
        self.finish(command, b"")
    }

    fn finish(&self, mut command: Command, input: &[u8]) -> Ran {
        command.current_dir(&self.path).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.out)?;
        for line in self.err.lines() {
            writeln!(f, "! {line}")?;
        }
        writeln!(f, "exit {}", self.code)
    }
}

/// Four events on two streams, nothing missing.
pub(crate) const WHOLE: &str = r#"{"ts":1795245908000000000,"stream":"web","cpu":0,"name":"start","fields":{"pid":7}}
{"ts":1795245908100000000,"stream":"web","cpu":0,"name":"read","fields":{"bytes":12,"name":"a.txt"}}
{"ts":1795245908200000000,"stream":"db","cpu":1,"name":"query","fields":{"state":{"value":2,"label":"RUN"},"rows":[1,2.5,null],"in":{"a":true}}}
{"ts":1795245908300000000,"stream":"db","cpu":1,"name":"query","fields":{}}
"#;

/// Three events, a loss between the first two of them, and a line that is none.
pub(crate) const LOSSY: &str = r#"{"ts":100,"stream":"s","name":"a"}
{"stream":"s","lost":7,"from":100,"to":200}
{"stream":"s","lost":0,"edge":"end","from":100,"to":200}
{"ts":200,"stream":"s","name":"a"}
{"ts":300,"stream":"s","name":"b"
{"ts":400,"stream":"s","name":"b"}
"#;
