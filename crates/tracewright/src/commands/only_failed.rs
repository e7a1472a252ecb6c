//! `record --only-failed`: a recording in which nothing failed is removed when its program has ended.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use analyses::sections::SectionKind;
use analyses::usage::Usages;
use model::flow::Left;
use model::{FlowSource, MethodId};

use crate::exit::Stop;
use crate::numbers::{counted, grouped};
use crate::{recordings, sections};

/// The folders that one command may record into: a folder of its own for each virtual machine, the first one named, the
/// others numbered from 2.
pub(crate) struct Folders {
    first: PathBuf,
    /// Those that were there before, of whatever content.
    taken: Vec<PathBuf>,
}

impl Folders {
    /// Before the command begins; `first` has been made for it.
    pub(crate) fn of(first: &Path) -> Folders {
        let taken = numbered(first).take_while(|path| path.symlink_metadata().is_ok()).collect();
        Folders { first: first.to_owned(), taken }
    }

    /// After it has ended: removes recordings in which nothing failed of these processes, and reports on standard error what
    /// became of each. All stay where the command itself failed, and so does what another command has recorded beside it.
    pub(crate) fn sift(self, status: ExitStatus, processes: &[u32]) {
        let others = numbered(&self.first)
            .skip_while(|path| self.taken.contains(path))
            .take_while(|path| path.symlink_metadata().is_ok());
        for path in std::iter::once(self.first.clone()).chain(others) {
            // No virtual machine recorded into it, and whoever made it removes it.
            if std::fs::read_dir(&path).is_ok_and(|mut all| all.next().is_none()) {
                continue;
            }
            let sentence = match failed_sections(&path, processes) {
                Ok(None) => continue,
                Ok(Some(found)) if found.is_without_failure() && status.success() => {
                    match std::fs::remove_dir_all(&path) {
                        Ok(()) => format!("{found}: {} was removed", path.display()),
                        Err(error) => format!("{found}; cannot remove {}: {error}", path.display()),
                    }
                }
                Ok(Some(found)) if found.is_without_failure() => {
                    format!("{found}, but the program failed ({status}): {} was kept", path.display())
                }
                Ok(Some(found)) if found.failed == 0 => format!("{found}: {} was kept", path.display()),
                Ok(Some(found)) => {
                    format!("{found}; tracewright sections --failed {} lists them", path.display())
                }
                Err(reason) => format!("{} was kept, as it cannot be read: {reason}", path.display()),
            };
            eprintln!("tracewright: {sentence}");
        }
    }
}

/// The names after the first: `name-2.capture` and so on.
fn numbered(first: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let first = first.to_owned();
    (2_u32..).map(move |number| {
        let mut name = first.file_stem().unwrap_or_default().to_os_string();
        name.push(format!("-{number}"));
        if let Some(extension) = first.extension() {
            name.push(".");
            name.push(extension);
        }
        first.with_file_name(name)
    })
}

/// What JUnit calls for each test that failed: also for one that did not begin, or that did not throw what it should.
const REPORTS: [&str; 4] = [
    "org.junit.runner.notification.RunNotifier.fireTestFailure",
    "org.junit.platform.engine.TestExecutionResult.failed",
    "junit.framework.TestResult.addFailure",
    "junit.framework.TestResult.addError",
];

/// How many failures JUnit reported, as far as it was recorded.
fn reported(recording: &dyn FlowSource) -> u64 {
    let ids = (0..recording.code().methods.len() as u32).map(MethodId);
    let mut reports =
        ids.filter(|id| REPORTS.contains(&recording.code().method_name(*id).as_str())).peekable();
    if reports.peek().is_none() {
        return 0;
    }
    let mut usages = Usages::new(reports);
    for thread in 0..recording.threads().len() {
        usages.add(thread, &mut *recording.flow(thread));
    }
    usages.finish().iter().map(|(_, usage)| usage.calls).sum()
}

/// How many tests, requests and tasks a recording has, and how many of them failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Found {
    all: u64,
    failed: u64,
    /// Failures that JUnit reported.
    reported: u64,
}

impl Found {
    fn is_without_failure(&self) -> bool {
        self.failed == 0 && self.reported == 0
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Found { all: 0, .. } => f.write_str("no test, request or task was recorded")?,
            Found { all, failed, .. } => {
                write!(f, "{}, {} failed", counted(all, "section"), grouped(failed))?
            }
        }
        match self.reported {
            0 => Ok(()),
            reported => write!(f, ", {} reported by JUnit", counted(reported, "failure")),
        }
    }
}

/// A section failed that an exception left, or that did not end; what nobody knows the end of counts as failed as well.
/// Tasks that had not ended are those of pools that wait for work. `None`: it is of none of these processes.
fn failed_sections(folder: &Path, processes: &[u32]) -> Result<Option<Found>, String> {
    let recording = recordings::open(folder).map_err(|stop| match stop {
        Stop::Failed(reason) => reason,
        Stop::Unread => "nobody reads the output".to_owned(),
    })?;
    if !recording.course().pid.is_some_and(|pid| processes.contains(&pid)) {
        return Ok(None);
    }
    let mut found = Found { reported: reported(recording.as_ref()), ..Found::default() };
    for one in &sections::of(recording.as_ref(), |_| true, false).sections {
        found.all += 1;
        let has_failed = match one.section.left {
            Left::Returned => false,
            Left::Open => one.section.kind != SectionKind::Task,
            _ => true,
        };
        found.failed += u64::from(has_failed);
    }
    Ok(Some(found))
}
