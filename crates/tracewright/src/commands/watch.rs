//! `tracewright watch`: looks at running programs from outside, and records the one that seems to hang.
//!
//! ```text
//! every few seconds    a thread dump of each program; nothing is loaded into it
//! a suspect            recorded for a moment, and judged as `hangs` does
//!   guilty             one paragraph, the capture, the user's command; the program is watched no longer
//!   cleared            the capture is deleted, and the thread is given twice the time
//! ```
//!
//! Each program is watched by a thread of our own, so one that does not answer keeps nobody else waiting.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use analyses::loops::Options;

use super::{attach, start};
use crate::cli::java::{Choices, Mode, Port, Watch, WhenFull};
use crate::cli::{History, TrackBy};
use crate::exit::{Outcome, Result, Stop};
use crate::hangs::ends::ends;
use crate::hangs::open_loops::{ARITHMETIC, lines_move_on};
use crate::hangs::windows;
use crate::histories::reading::Reading;
use crate::java::control::{Control, Found, probe};
use crate::java::dump::Dump;
use crate::java::folder::{self, Folder};
use crate::java::process::Process;
use crate::java::progress::{DEEPEST, Progress, Suspicion};
use crate::java::threads;
use crate::libraries::is_of_jdk;
use crate::numbers::duration;
use crate::recordings;
use crate::views::hangs_answer;

/// The longest and the shortest time between two looks.
const RARELY: Duration = Duration::from_secs(3);
const OFTEN: Duration = Duration::from_millis(200);
/// How many looks there are in the time that a thread is given.
const SAMPLES: u32 = 8;
/// A look takes at most this part of the time.
const SHARE: u32 = 100;
/// How long the program is recorded at first. That clears most of those that only seem to hang, at little cost.
const GLANCE: Duration = Duration::from_millis(300);
/// All of a recording is read if that takes no longer, else windows of it.
const PATIENCE: Duration = Duration::from_secs(3);
/// The size of a capture at which it ends.
const SIZE: u64 = 2 << 20;
/// The longest file of a class that is read.
const CLASS: u64 = 16 << 20;
/// Where a thread was seen in more classes, all are recorded.
const CLASSES: usize = 200;
/// Held while the recorder is loaded into a program: its library is written to the same place for all.
static ATTACHING: Mutex<()> = Mutex::new(());
/// The least time without a thread dump before that is reported.
const MUTE: Duration = Duration::from_secs(10);

pub(crate) fn run(options: &Watch) -> Result<Outcome> {
    let results: Vec<Result<Outcome>> = std::thread::scope(|scope| {
        let pids: BTreeSet<u32> = options.pids.iter().copied().collect();
        let one = |pid| scope.spawn(move || watch(pid, options));
        let all: Vec<_> = pids.into_iter().map(one).collect();
        let failed = |_| Stop::failed("the command failed");
        all.into_iter().map(|one| one.join().unwrap_or_else(failed)).collect()
    });
    let mut outcome = Outcome::Complete;
    for result in results {
        if result? == Outcome::Incomplete {
            outcome = Outcome::Incomplete;
        }
    }
    Ok(outcome)
}

/// Watches one program until it ends or hangs, or the time is over. If there are other programs, a failure is printed
/// at once, and those are watched on.
fn watch(pid: u32, options: &Watch) -> Result<Outcome> {
    match watch_one(pid, options) {
        Err(Stop::Failed(sentence)) if options.pids.len() > 1 => {
            eprintln!("tracewright: {}", crate::escape::plain(&sentence));
            Ok(Outcome::Incomplete)
        }
        result => result,
    }
}

fn watch_one(pid: u32, options: &Watch) -> Result<Outcome> {
    let process = start::process(pid)?;
    let cannot = |reason: &str| Stop::Failed(format!("cannot watch process {pid}: {reason}"));
    if let Some(reason) = process.refusal() {
        return Err(cannot(reason));
    }
    if let Found::Nothing(can) = probe(&process).map_err(|error| cannot(&error))? {
        can.map_err(|error| cannot(&error))?;
    }
    let stalled = Duration::from_secs_f64(options.stalled);
    let mut watched = Watched {
        process,
        progress: Progress::new(stalled),
        folders: None,
        mute: None,
        cost: Duration::MAX,
        options,
    };
    let begin = Instant::now();
    let is_over = || options.time.is_some_and(|time| begin.elapsed().as_secs_f64() >= time);
    loop {
        match watched.probe()? {
            State::Hangs => return Ok(Outcome::Incomplete),
            State::Ended => return start::print(&format!("process {pid} has ended")),
            State::GoesOn if is_over() => {
                let is_stopped = Process::of(pid).is_some_and(|now| now.status.is_stopped);
                let is = if is_stopped { "is stopped" } else { "is not seen to hang" };
                return start::print(&format!("process {pid} {is}"));
            }
            State::GoesOn => {}
        }
        let pause = (stalled / SAMPLES)
            .clamp(OFTEN, RARELY)
            .max(watched.cost.saturating_mul(SHARE))
            .min(stalled.max(OFTEN));
        let left = options.time.map(|time| Duration::from_secs_f64(time).saturating_sub(begin.elapsed()));
        std::thread::sleep(left.unwrap_or(pause).min(pause));
    }
}

/// A program that is watched.
struct Watched<'a> {
    process: Process,
    progress: Progress,
    /// The folders with its classes, once they were asked for.
    folders: Option<Vec<PathBuf>>,
    /// Since when it gives no thread dump.
    mute: Option<Instant>,
    /// How long a thread dump takes at least: where others want the processors, too, it takes longer than it costs.
    cost: Duration,
    options: &'a Watch,
}

/// What a look at a program has shown.
enum State {
    GoesOn,
    Hangs,
    Ended,
}

/// A program that hangs.
struct Verdict {
    answer: String,
    capture: PathBuf,
}

impl Watched<'_> {
    fn probe(&mut self) -> Result<State> {
        match Process::of(self.process.pid) {
            None => return Ok(State::Ended),
            // It makes no progress, for a reason that its user knows.
            Some(now) if now.status.is_stopped => return Ok(State::GoesOn),
            Some(_) => {}
        }
        let before = Instant::now();
        let dump = match crate::java::attach::dump(&self.process) {
            Ok(text) => Dump::parse(&text),
            Err(error) => return self.no_dump(&error),
        };
        (self.mute, self.cost) = (None, self.cost.min(before.elapsed()));
        let pid = self.process.pid;
        let is_read = threads::is_standard_input_read(pid);
        let transfers = |native| threads::transfers(pid, native);
        let suspicion = self.progress.add(
            &dump,
            Instant::now(),
            |thread| thread.native.and_then(transfers).unwrap_or(0),
            is_read,
        );
        let Some(suspicion) = suspicion else { return Ok(State::GoesOn) };
        if suspicion.is_busy && self.is_meant_to_end(&suspicion) {
            self.progress.renew(&suspicion, Instant::now());
            return Ok(State::GoesOn);
        }
        match self.judge(&suspicion) {
            Ok(Some(verdict)) => {
                self.report(suspicion.long, &verdict.answer, Some(&verdict.capture))?;
                Ok(State::Hangs)
            }
            Ok(None) => {
                self.progress.clear(&suspicion, Instant::now());
                Ok(State::GoesOn)
            }
            Err(Stop::Failed(_)) if Process::of(pid).is_none() => Ok(State::Ended),
            Err(error) => Err(error),
        }
    }

    /// Whether each loop that the suspects have never left counts to a bound, or reads, writes or pauses. Then nothing need be loaded
    /// into the program, which runs the frames that it is in more slowly once their classes are recorded.
    fn is_meant_to_end(&mut self, suspicion: &Suspicion) -> bool {
        if !self.process.is_as_we_are() {
            return false;
        }
        let process = &self.process;
        let folders = self.folders.get_or_insert_with(|| crate::java::attach::class_folders(process));
        let moves_on = |method: &str, lines: &BTreeSet<u16>| {
            let (class, name) = method.rsplit_once('.')?;
            let file = format!("{}.class", class.replace('.', "/"));
            let mut files = folders.iter().map(|folder| folder.join(&file));
            let bytes = std::fs::read(files.find(|file| is_small_file(file))?).ok()?;
            lines_move_on(&bytes, name, &lines.iter().copied().collect::<Vec<_>>())
        };
        suspicion.frames.iter().all(|frames| {
            if frames.len() >= DEEPEST {
                return false;
            }
            let mut inward = frames
                .iter()
                .rev()
                .skip_while(|(method, _)| ARITHMETIC.iter().any(|package| method.starts_with(package)));
            let is_own = |method: &str| !is_of_jdk(method);
            inward.clone().next().is_some_and(|(method, _)| is_own(method))
                && inward.all(|(method, lines)| !is_own(method) || moves_on(method, lines).unwrap_or(false))
        })
    }

    /// A virtual machine answers only when all its threads can be stopped.
    fn no_dump(&mut self, error: &str) -> Result<State> {
        match Process::of(self.process.pid) {
            None => return Ok(State::Ended),
            Some(now) if now.status.is_stopped => return Ok(State::GoesOn),
            Some(_) => {}
        }
        let long = self.mute.get_or_insert_with(Instant::now).elapsed();
        if long < MUTE.max(Duration::from_secs_f64(self.options.stalled)) {
            return Ok(State::GoesOn);
        }
        self.report(long, &format!("it gives no thread dump ({error})."), None)?;
        Ok(State::Hangs)
    }

    /// One paragraph, and the user's command.
    fn report(&self, long: Duration, answer: &str, capture: Option<&Path>) -> Result<()> {
        let Process { pid, main, .. } = &self.process;
        let long = duration(i128::try_from(long.as_nanos()).unwrap_or(0));
        let capture = capture.map(|capture| capture.display().to_string());
        let capture_note =
            capture.as_ref().map_or(String::new(), |capture| format!(" Recorded into {capture}."));
        start::print(&format!(
            "process {pid} ({main}) has made no progress for {long}: {answer}{capture_note}"
        ))?;
        if let Some(command) = &self.options.on_hang {
            run_on_hang(command, *pid, &capture.unwrap_or_default(), answer);
        }
        Ok(())
    }

    /// Records for a moment, and for longer if that does not clear everybody; `None` if nobody hangs after all.
    fn judge(&self, suspicion: &Suspicion) -> Result<Option<Verdict>> {
        let mut control = {
            let _one = ATTACHING.lock();
            attach::recorder(&self.process, &Port { listen: None, token_file: None }, (false, false))?
        };
        let long = Duration::from_secs_f64(self.options.record);
        let status = control.ask("status")?;
        if status.get("state").is_some_and(|state| state == "recording") {
            let capture = PathBuf::from(status.get("dir").cloned().unwrap_or_default());
            std::thread::sleep(long);
            // Whoever asks makes it look at all threads once more.
            control.ask("status")?;
            return Ok(answer(&capture, suspicion)?.map(|answer| Verdict { answer, capture }));
        }
        let mut verdict = None;
        // What is recorded into a folder of another user is left there, so nothing is recorded that may be for nothing.
        let has_glance = suspicion.is_busy && long > GLANCE && self.process.is_of_our_user();
        for (long, is_last) in has_glance.then_some((GLANCE, false)).into_iter().chain([(long, true)]) {
            let dir = self.folder()?;
            self.record(&mut control, suspicion, &dir, long)?;
            verdict =
                answer(&dir.path, suspicion)?.map(|answer| Verdict { answer, capture: dir.path.clone() });
            if verdict.is_some() && is_last {
                break;
            }
            dir.remove_all();
            if verdict.is_none() {
                break;
            }
        }
        Ok(verdict)
    }

    /// A folder with a name of its own: others who watch make theirs at the same time.
    fn folder(&self) -> Result<Folder> {
        let pid = self.process.pid;
        let name = |number| match number {
            1 => format!("hang-{pid}.capture"),
            number => format!("hang-{pid}-{number}.capture"),
        };
        let is_free = |name: &String| std::fs::symlink_metadata(name).is_err();
        let name = (1_u32..).map(name).find(is_free).unwrap_or_default();
        folder::make_for(Some(Path::new(&name)), &self.process)
    }

    fn record(
        &self,
        control: &mut Control,
        suspicion: &Suspicion,
        dir: &Folder,
        long: Duration,
    ) -> Result<()> {
        let classes =
            Some(&suspicion.classes).filter(|classes| classes.len() <= CLASSES && !suspicion.is_about_others);
        let choices = Choices {
            include: classes.into_iter().flatten().cloned().collect(),
            values: vec![],
            inside: Vec::new(),
            one_in: None,
            budget: None,
            tasks: false,
            exclude: vec![],
            generated: true,
            mode: Mode::Paths,
            when_full: WhenFull::Drop,
            seconds: None,
            size: Some(SIZE),
        };
        start::begin_quietly(&self.process, control, &choices, Some(dir))?;
        std::thread::sleep(long);
        // It may have ended by its size.
        let _ = control.ask("stop");
        Ok(())
    }
}

fn is_small_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= CLASS)
}

/// The answer of `hangs` about the suspects; `None` if it accuses none of them.
fn answer(capture: &Path, suspicion: &Suspicion) -> Result<Option<String>> {
    let history = History {
        input: Some(capture.to_owned()),
        symbols: None,
        history: None,
        track_by: TrackBy::Thread,
        track: vec![],
        short_loops: false,
        allow_loss: true,
    };
    let recording = recordings::open(capture)?;
    let found = match Reading::begin(&history, Options::default()).within(PATIENCE) {
        Some(found) => Some(found?.0),
        None => windows::find_in_windows(recording),
    };
    let Some(found) = found else { return Ok(None) };
    let ends = ends(&found, &history)?;
    let accused = hangs_answer::accused(&found, &ends, |name| {
        suspicion.has_virtual || suspicion.threads.contains(name)
    });
    let sentences: Vec<String> = accused.lines().map(|line| format!("{line}.")).collect();
    Ok((!sentences.is_empty()).then(|| sentences.join(" ")))
}

/// Runs the user's command, which is not waited for longer than it takes.
fn run_on_hang(command: &str, pid: u32, capture: &str, answer: &str) {
    let ran = Command::new("sh")
        .args(["-c", command])
        .env("TRACEWRIGHT_PID", pid.to_string())
        .env("TRACEWRIGHT_CAPTURE", capture)
        .env("TRACEWRIGHT_ANSWER", answer)
        .status();
    match ran {
        Ok(status) if status.success() => {}
        Ok(status) => eprintln!("tracewright: the command of --on-hang failed ({status})"),
        Err(error) => eprintln!("tracewright: cannot run the command of --on-hang: {error}"),
    }
}
