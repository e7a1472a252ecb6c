//! A running `Server`, talked to through its input and through the recorder's socket.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::jdk::{Program, kill, wait_for};

/// The program and its pipes.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a command that runs `Server` and waits until it is ready.
    pub(crate) fn start(mut command: Command) -> Server {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Server { child, input, output };
        assert_eq!(server.line(), "ready");
        server
    }

    /// The option that lets it see its own classes.
    pub(crate) fn own_agent(program: &Program) -> String {
        let manifest = program.folder.join("manifest");
        fs::write(&manifest, "Premain-Class: Server\nCan-Retransform-Classes: true\n").unwrap();
        let made = program.tool("jar").args(["cfm", "own.jar", "manifest"]).output().unwrap();
        assert!(made.status.success());
        "-javaagent:own.jar".to_owned()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// One line in, one line out.
    pub(crate) fn ask(&mut self, line: &str) -> String {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        self.line()
    }

    pub(crate) fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Ends it; it must end well.
    pub(crate) fn quit(mut self) {
        self.input = None;
        assert_eq!(self.line(), "bye");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }

    /// How many threads and open files it has, and how many pages of memory are its own.
    pub(crate) fn resources(&self) -> (usize, usize, u64) {
        let count = |name: &str| fs::read_dir(format!("/proc/{}/{name}", self.child.id())).unwrap().count();
        let memory = fs::read_to_string(format!("/proc/{}/statm", self.child.id())).unwrap();
        let mut numbers = memory.split(' ').map(|number| number.parse::<u64>().unwrap());
        let (resident, shared) = (numbers.nth(1).unwrap(), numbers.next().unwrap());
        (count("task"), count("fd"), resident - shared)
    }

    /// A connection to the recorder in it.
    pub(crate) fn control(&self) -> UnixStream {
        let user = fs::metadata("/proc/self").unwrap().uid();
        let path = PathBuf::from(format!("/tmp/tracewright-{user}/{}.sock", self.child.id()));
        wait_for("the recorder's socket", || path.exists());
        UnixStream::connect(path).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

/// Sends a line to the recorder and reads its answer.
pub(crate) fn send(stream: &mut UnixStream, line: &str) -> String {
    writeln!(stream, "{line}").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    answer.trim_end().to_owned()
}
