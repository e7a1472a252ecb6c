//! Java programs that take commands line by line: started with or without a recorder in them.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::jacoco;
use crate::program::{self, Profile};
use crate::sh::{self, Outcome, Trouble};

/// What is in the program besides itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mode {
    /// Nothing.
    None,
    /// The recorder of the paper, inserted into its classes beforehand.
    Paper,
    /// JaCoCo's agent, which records less.
    Jacoco,
    /// Ours, with this `--mode`.
    Ours(&'static str),
}

pub(super) const PATHS: Mode = Mode::Ours("paths");
pub(super) const BLOCKS: Mode = Mode::Ours("blocks");
pub(super) const CALLS: Mode = Mode::Ours("calls");

impl Mode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Mode::None => "none",
            Mode::Paper => "paper",
            Mode::Jacoco => "jacoco",
            Mode::Ours(mode) => mode,
        }
    }
}

/// The program that is measured.
pub(super) fn tracewright() -> PathBuf {
    program::path(Profile::Release)
}

/// Where everything is put that belongs to these measurements.
pub(super) fn folder() -> PathBuf {
    sh::target_dir().join("bench/jvm")
}

/// A Java program: class path, main class and arguments.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) class_path: String,
    /// The same with the paper's recorder inserted.
    pub(super) paper_class_path: String,
    pub(super) arguments: Vec<String>,
}

impl Program {
    /// The command that runs it. `options`: what `tracewright record` is given besides.
    pub(super) fn command(&self, mode: Mode, capture: &Path, options: &[&str]) -> Command {
        let mut command = match mode {
            Mode::None | Mode::Paper | Mode::Jacoco => Command::new("java"),
            Mode::Ours(mode) => {
                // What an earlier measurement left there.
                let _ = std::fs::remove_dir_all(capture);
                let mut command = Command::new(tracewright());
                command.args(["record", "--mode", mode]).args(options).arg("-o").arg(capture);
                command.args(["--", "java"]);
                command
            }
        };
        if mode == Mode::Paper {
            command.arg(format!("-Dpaper.file={}", folder().join("paper.etr").display()));
        }
        if mode == Mode::Jacoco {
            command.arg(jacoco::option());
        }
        let class_path = if mode == Mode::Paper { &self.paper_class_path } else { &self.class_path };
        command.args(["-cp", class_path]).args(&self.arguments);
        command
    }
}

/// One that runs.
pub(super) struct Jvm {
    pub(super) mode: Mode,
    child: Child,
    lines: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Jvm {
    /// Starts it. `options` as in [`Program::command`].
    pub(super) fn start(program: &Program, mode: Mode, options: &[&str]) -> Result<Jvm, Trouble> {
        Self::start_as(program, mode, options, mode.name())
    }

    /// The same beside another one in this mode. `name`: of its capture.
    pub(super) fn start_as(
        program: &Program,
        mode: Mode,
        options: &[&str],
        name: &str,
    ) -> Result<Jvm, Trouble> {
        let mut command = program.command(mode, &folder().join(format!("{name}.capture")), options);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let cannot = |error| Trouble::CannotDo(format!("java could not be started: {error}"));
        let mut child = command.spawn().map_err(cannot)?;
        let (lines, answers) = (child.stdin.take(), child.stdout.take());
        let (Some(lines), Some(answers)) = (lines, answers) else {
            return Err(Trouble::CannotDo("java could not be spoken to".to_owned()));
        };
        Ok(Jvm { mode, child, lines, answers: BufReader::new(answers) })
    }

    /// One line of its output.
    pub(super) fn line(&mut self) -> Result<String, Trouble> {
        let mut answer = String::new();
        match self.answers.read_line(&mut answer) {
            Ok(count) if count > 0 => Ok(answer.trim().to_owned()),
            _ => Err(Trouble::Wrong(format!("the program with `{}` in it broke off", self.mode.name()))),
        }
    }

    /// Sends it a command and returns the answer.
    pub(super) fn ask(&mut self, line: &str) -> Result<String, Trouble> {
        let answer = self.lines.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.lines.flush());
        answer.map_err(|error| Trouble::Wrong(format!("`{line}`: {error}")))?;
        self.line()
    }

    /// Runs a kernel so many times: what each run took, ms.
    pub(super) fn run(&mut self, kernel: &str, times: usize) -> Result<Vec<f64>, Trouble> {
        let answer = self.ask(&format!("run {kernel} {times}"))?;
        Ok(answer.split(' ').filter_map(|number| number.parse().ok()).collect())
    }

    /// Starts, stops: what `tracewright` does to a running program.
    pub(super) fn control(&self, verb: &str) -> Outcome {
        let mut command = Command::new(tracewright());
        command.arg(verb);
        if let (Mode::Ours(mode), "start") = (self.mode, verb) {
            command.args(["--mode", mode]);
        }
        command.arg(self.child.id().to_string()).stdin(Stdio::null()).stdout(Stdio::null());
        match command.stderr(Stdio::null()).status() {
            // A capture from which something was dropped ends with 1.
            Ok(status) if matches!(status.code(), Some(0 | 1)) => Ok(()),
            other => Err(Trouble::Wrong(format!("`tracewright {verb}` ended with {other:?}"))),
        }
    }

    /// Leaves it one processor, which all its threads share.
    pub(super) fn pin(&self) -> Outcome {
        let mut taskset = Command::new("taskset");
        taskset.args(["--all-tasks", "--cpu-list", "--pid", "0", &self.child.id().to_string()]);
        match taskset.stdin(Stdio::null()).stdout(Stdio::null()).status() {
            Ok(status) if status.success() => Ok(()),
            other => Err(Trouble::CannotDo(format!("taskset ended with {other:?}"))),
        }
    }

    /// How many words the recording that goes on has kept so far, and how many it had to drop; none if none does.
    pub(super) fn records(&self) -> Result<(f64, f64), Trouble> {
        let asked = Command::new(tracewright()).args(["status", &self.child.id().to_string()]).output();
        let answer = asked.map_err(|error| Trouble::CannotDo(format!("tracewright status: {error}")))?;
        let answer = String::from_utf8_lossy(&answer.stdout).replace(',', "");
        let number = |marker: &str| -> Option<f64> {
            answer
                .split(marker)
                .next()
                .filter(|before| before.len() < answer.len())?
                .rsplit(' ')
                .next()?
                .parse()
                .ok()
        };
        if answer.starts_with("nothing") {
            return Ok((0.0, 0.0));
        }
        let records = number(" records of ");
        let records = records.ok_or_else(|| Trouble::Wrong(format!("`{answer}` tells of no records")))?;
        Ok((records, number(" records were dropped").unwrap_or(0.0)))
    }

    /// Waits until its recorder has written what was waiting: it would take processor time from the next one.
    pub(super) fn settle(&self) -> Outcome {
        let mut before = self.records()?;
        for _ in 0..100 {
            std::thread::sleep(std::time::Duration::from_millis(10));
            let now = self.records()?;
            if now == before {
                break;
            }
            before = now;
        }
        Ok(())
    }

    /// Ends it, and waits.
    pub(super) fn end(self) -> Outcome {
        let Jvm { mut child, lines, .. } = self;
        drop(lines);
        child.wait().map(|_| ()).map_err(|error| Trouble::Wrong(error.to_string()))
    }
}
