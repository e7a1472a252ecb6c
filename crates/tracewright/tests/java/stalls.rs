//! Programs that hang, each in another way, and programs that do not: by `record`, by `attach` and by `watch` each of the former
//! is named with method and line, and none of the latter is accused.
//!
//! `programs/Stall.java`, `Standstill.java`, `Unseen.java`, `Paced.java`, `Queues.java`, `Asleep.java`, `Wait.java` and `Hang.java` have them, and mark the lines.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::hangs::{lines_of, numbers, start, without_times};
use crate::jdk::{Program, kill, program, shown};

/// The class, its argument, and the method that is to be named.
const HANGS: [(&str, &str, &str); 60] = [
    ("Hang", "plain", "Hang.plain"),
    ("Hang", "calls", "Hang.calls"),
    ("Hang", "nested", "Hang.nested"),
    ("Hang", "onVolatile", "Hang.onVolatile"),
    ("Hang", "pattern", "Hang.pattern"),
    ("Stall", "circularList", "Stall.circularList"),
    ("Stall", "livelock", "Stall.polite"),
    ("Stall", "tryLocks", "tryLocks"),
    ("Stall", "growth", "Stall.growth"),
    ("Stall", "longer", "Stall.longer"),
    ("Stall", "caughtRecursion", "Stall.endless"),
    ("Stall", "iterator", "Stall.iterator"),
    ("Stall", "search", "Stall.search"),
    ("Stall", "states", "Stall.st"),
    ("Stall", "overflow", "Stall.overflow"),
    ("Stall", "pipe", "Stall.pipe"),
    ("Stall", "barrier", "Stall.barrier"),
    ("Wait", "twoMonitors", "Wait.both"),
    ("Wait", "threeMonitors", "Wait.slowly"),
    ("Wait", "initialisers", "Wait$Left.<clinit>"),
    ("Wait", "superclass", "Wait.soon"),
    ("Wait", "upgrade", "Wait.lambda$"),
    ("Wait", "lostWakeUp", "Wait.main"),
    ("Wait", "starved", "Wait.lambda$"),
    ("Wait", "socket", "Wait.main"),
    ("Standstill", "casSpin", "Standstill.casSpin"),
    ("Standstill", "casUndo", "casUndo"),
    ("Standstill", "tryLockLivelock", "Standstill.takeBoth"),
    ("Standstill", "stampedSpin", "Standstill.stampedSpin"),
    ("Standstill", "optimistic", "Standstill.optimistic"),
    ("Standstill", "boxedCas", "Standstill.boxedCas"),
    ("Standstill", "spinLock", "Standstill$SpinLock.lock"),
    ("Standstill", "spinDone", "Standstill.spinDone"),
    ("Standstill", "phaser", "Standstill.phaser"),
    ("Standstill", "exchanger", "Standstill.exchanger"),
    ("Standstill", "joinCircle", "joinCircle"),
    ("Standstill", "nestedSubmit", "nestedSubmit"),
    ("Standstill", "streamLock", "streamLock"),
    ("Standstill", "upgrade", "Standstill.upgrade"),
    ("Standstill", "alternatives", "Standstill.alternatives"),
    ("Standstill", "calendar", "Standstill.calendar"),
    ("Unseen", "parentCycle", "Unseen.root"),
    ("Unseen", "swaps", "Unseen.wants"),
    ("Unseen", "fullTable", "Unseen.place"),
    ("Unseen", "oscillates", "Unseen.turn"),
    ("Unseen", "retries", "Unseen"),
    ("Paced", "mutual", "Paced$Side.run"),
    ("Paced", "forgotten", "Paced.forgotten"),
    ("Queues", "consumerDied", "Queues.lambda$"),
    ("Queues", "scheduledBeside", "Queues.scheduledBeside"),
    ("Queues", "heldMeanwhile", "Queues.lambda$"),
    ("Queues", "lastStageDied", "Queues.lambda$"),
    ("Asleep", "latch", "Asleep$Latch.run"),
    ("Asleep", "permits", "Asleep$Permits.serve"),
    ("Asleep", "parties", "Asleep$Parties.lambda$"),
    ("Asleep", "conditions", "Asleep$Conditions.lambda$"),
    ("Asleep", "stamps", "Asleep$Stamps.lambda$"),
    ("Asleep", "ends", "Asleep$Ends.leave"),
    ("Asleep", "pipe", "Asleep$Pipe.run"),
    ("Asleep", "printer", "Asleep$Printer.print"),
];

const PROGRESS: [(&str, &str); 55] = [
    ("Stall", "primes"),
    ("Stall", "collatzes"),
    ("Stall", "matrix"),
    ("Stall", "bodies"),
    ("Stall", "queens"),
    ("Stall", "sorting"),
    ("Stall", "fibonacci"),
    ("Stall", "batches"),
    ("Stall", "progressBar"),
    ("Stall", "pollsFile"),
    ("Stall", "scheduled"),
    ("Stall", "watches"),
    ("Stall", "serves"),
    ("Stall", "actors"),
    ("Stall", "chat"),
    ("Stall", "tasks"),
    ("Stall", "timer"),
    ("Stall", "phases"),
    ("Wait", "takes"),
    ("Wait", "keepAlive"),
    ("Hang", "slow"),
    ("Standstill", "rateLimiter"),
    ("Standstill", "eventLoop"),
    ("Standstill", "backoff"),
    ("Standstill", "deflates"),
    ("Standstill", "bigSort"),
    ("Standstill", "garbage"),
    ("Standstill", "idleSchedule"),
    ("Standstill", "prompt"),
    ("Standstill", "casCounter"),
    ("Standstill", "monteCarlo"),
    ("Standstill", "lru"),
    ("Standstill", "spinUntil"),
    ("Standstill", "rounds"),
    ("Unseen", "parks"),
    ("Unseen", "shelf"),
    ("Unseen", "words"),
    ("Unseen", "files"),
    ("Paced", "stages"),
    ("Paced", "frames"),
    ("Paced", "beats"),
    ("Queues", "slowConsumer"),
    ("Queues", "tickerDrains"),
    ("Queues", "scheduledDrains"),
    ("Queues", "served"),
    ("Queues", "handedOver"),
    ("Asleep", "hook"),
    ("Asleep", "alive"),
    ("Asleep", "once"),
    ("Asleep", "listening"),
    ("Asleep", "slow"),
    ("Asleep", "server"),
    ("Asleep", "external"),
    ("Asleep", "published"),
    ("Asleep", "flagged"),
];

#[derive(Clone, Copy, PartialEq)]
enum How {
    Recorded,
    Attached,
    Watched,
}

/// So many run at once.
const AT_ONCE: usize = 4;

struct Programs([Program; 8]);

impl Programs {
    fn new() -> Option<Programs> {
        Some(Programs([
            program("Hang")?,
            program("Stall")?,
            program("Wait")?,
            program("Standstill")?,
            program("Unseen")?,
            program("Paced")?,
            program("Queues")?,
            program("Asleep")?,
        ]))
    }

    fn of(&self, class: &str) -> &Program {
        self.0.iter().find(|program| program.main == class).unwrap()
    }

    /// Our own command, in a folder for all.
    fn tracewright(&self, arguments: &[&str]) -> Command {
        let mut command = self.0[0].tracewright(arguments);
        // Their locks, say, are told on standard error.
        command.stderr(Stdio::piped());
        command
    }

    /// Starts some of them at once.
    fn start(&self, programs: &[(&str, &str)], how: How) -> Vec<Child> {
        let one = |(class, argument): &(&str, &str)| {
            let java = self.of(class);
            let capture = self.0[0].folder.join(format!("{class}-{argument}.capture"));
            let options = ["-o", capture.to_str().unwrap(), "--size", "1M"];
            // Interpreted, they record no more than can be read in a moment.
            start(match how {
                How::Recorded => java.recorded(&options, &["-Xmx128m", "-Xint"], &[argument]),
                How::Attached => java.java(&["-Xmx128m", "-Xint"], &[argument]),
                How::Watched => java.java(&["-Xmx128m"], &[argument]),
            })
        };
        programs.iter().map(one).collect()
    }

    /// What `hangs` says of each.
    fn answers(&self, programs: &[(&str, &str)], how: How) -> Vec<String> {
        let mut children = self.start(programs, how);
        let run = |arguments: &[&str]| shown(&self.tracewright(arguments).output().unwrap());
        let names: Vec<String> =
            programs.iter().map(|(class, argument)| format!("{class}-{argument}.capture")).collect();
        let pids: Vec<String> = children.iter().map(|child| child.id().to_string()).collect();
        for (pid, name) in pids.iter().zip(&names).filter(|_| how == How::Attached) {
            let began = run(&["attach", pid, "-o", name, "--size", "1M"]);
            assert!(began.contains("exit status: 0"), "{name}: {began}");
        }
        std::thread::sleep(Duration::from_secs(2));
        // One that has recorded enough has stopped itself.
        pids.iter().for_each(|pid| drop(run(&["stop", pid])));
        kill_all(&mut children);
        let answers = names.iter().map(|name| {
            let answer = run(&["hangs", name]);
            std::fs::remove_dir_all(self.0[0].folder.join(name)).unwrap();
            answer
        });
        answers.collect()
    }
}

fn kill_all(children: &mut [Child]) {
    children.iter_mut().for_each(kill);
}

/// The sentences that accuse somebody.
fn accused(answer: &str) -> String {
    let first = answer.split("\n\n").next().unwrap_or_default();
    let harmless = |line: &&str| {
        line.starts_with("nothing is seen to hang")
            || line.ends_with("in a loop")
            || line.starts_with("No step was recorded")
    };
    first.lines().filter(|line| !harmless(line)).collect::<Vec<_>>().join("\n")
}

fn is_named(answer: &str, class: &str, argument: &str, method: &str) -> bool {
    let output: Vec<usize> = answer.lines().map(without_times).flat_map(numbers).collect();
    answer.contains(method) && lines_of(class, argument).iter().any(|line| output.contains(line))
}

/// Those of `Stall`, `Standstill`, `Unseen`, `Paced`, `Queues` and `Asleep`: the others are recorded and attached to in `hangs.rs` and `waits.rs`.
fn check(how: How) {
    let Some(programs) = Programs::new() else { return };
    let (mut wrong, mut count) = (vec![], 0);
    let is_asked =
        |class: &str| ["Stall", "Standstill", "Unseen", "Paced", "Queues", "Asleep"].contains(&class);
    let hangs: Vec<_> = HANGS.into_iter().filter(|(class, ..)| is_asked(class)).collect();
    let progress: Vec<_> = PROGRESS.into_iter().filter(|(class, _)| is_asked(class)).collect();
    for some in hangs.chunks(AT_ONCE) {
        let pairs: Vec<_> = some.iter().map(|&(class, argument, _)| (class, argument)).collect();
        for ((class, argument, method), answer) in some.iter().zip(programs.answers(&pairs, how)) {
            count += 1;
            if !is_named(&accused(&answer), class, argument, method) {
                wrong.push(format!("{class} {argument} is not named: {answer}"));
            }
        }
    }
    for some in progress.chunks(AT_ONCE) {
        for ((class, argument), answer) in some.iter().zip(programs.answers(some, how)) {
            count += 1;
            if !accused(&answer).is_empty() {
                wrong.push(format!("{class} {argument} is accused: {answer}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn recorded_programs_that_hang_are_named_and_others_are_not_accused() {
    check(How::Recorded);
}

#[test]
fn attached_programs_that_hang_are_named_and_others_are_not_accused() {
    check(How::Attached);
}

#[test]
fn watched_programs_that_hang_are_named_and_kept() {
    let Some(programs) = Programs::new() else { return };
    let mut wrong = vec![];
    for some in HANGS.chunks(AT_ONCE) {
        let pairs: Vec<_> = some.iter().map(|&(class, argument, _)| (class, argument)).collect();
        let mut children = programs.start(&pairs, How::Watched);
        let pids: Vec<String> = children.iter().map(|child| child.id().to_string()).collect();
        let output = programs.0[0].folder.join("told");
        let options = ["--stalled", "2s", "--record", "1s", "--for", "60s"];
        let command = "echo $TRACEWRIGHT_PID $TRACEWRIGHT_CAPTURE $TRACEWRIGHT_ANSWER >> told";
        let mut arguments = vec!["watch", "--on-hang", command];
        arguments.extend(options);
        arguments.extend(pids.iter().map(String::as_str));
        let watched = programs.tracewright(&arguments).output().unwrap();
        kill_all(&mut children);
        let (text, ran) = (String::from_utf8_lossy(&watched.stdout).into_owned(), shown(&watched));
        assert_eq!(watched.status.code(), Some(1), "{ran}");
        let output = std::fs::read_to_string(&output).unwrap();
        for ((class, argument, method), pid) in some.iter().zip(&pids) {
            let begin = format!("process {pid} ({class}) has made no progress for ");
            let answer = text.lines().find(|line| line.starts_with(&begin)).unwrap_or_default();
            if !is_named(answer, class, argument, method) {
                wrong.push(format!("{class} {argument} is not named: {ran}"));
                continue;
            }
            let capture = programs.0[0].folder.join(format!("hang-{pid}.capture"));
            assert!(answer.ends_with(&format!("Recorded into {}.", capture.display())), "{answer}");
            let ran = format!("{pid} {} ", capture.display());
            assert!(capture.is_dir() && output.lines().any(|line| line.starts_with(&ran)), "{output}");
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn watched_programs_that_make_progress_are_not_accused() {
    let Some(programs) = Programs::new() else { return };
    for some in PROGRESS.chunks(AT_ONCE + 3) {
        let mut children = programs.start(some, How::Watched);
        let pids: Vec<String> = children.iter().map(|child| child.id().to_string()).collect();
        let mut arguments = vec!["watch", "--stalled", "2s", "--for", "10s"];
        arguments.extend(pids.iter().map(String::as_str));
        let watched = programs.tracewright(&arguments).output().unwrap();
        kill_all(&mut children);
        let answer = |pid: &String| format!("process {pid} is not seen to hang\n");
        let (text, ran) = (String::from_utf8_lossy(&watched.stdout), shown(&watched));
        assert!(watched.status.success() && watched.stderr.is_empty(), "{some:?} {ran}");
        assert!(
            text.lines().count() == pids.len() && pids.iter().all(|pid| text.contains(&answer(pid))),
            "{some:?} {ran}"
        );
        let left = std::fs::read_dir(&programs.0[0].folder).unwrap().flatten();
        let left: Vec<_> =
            left.filter(|entry| entry.path().extension().is_some_and(|end| end == "capture")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn who_watches_waits_for_nothing_that_does_not_come() {
    let Some(programs) = Programs::new() else { return };
    let mut children = programs.start(&[("Wait", "sleeps"), ("Wait", "takes")], How::Watched);
    let pids: Vec<String> = children.iter().map(|child| child.id().to_string()).collect();
    let signal = |name: &str| {
        assert!(Command::new("kill").args([name, &pids[0]]).status().unwrap().success());
    };
    signal("-STOP");
    let stopped = shown(&programs.tracewright(&["watch", &pids[0]]).output().unwrap());
    let expected = format!("process {} is stopped (by SIGSTOP or a debugger) and does not answer", pids[0]);
    assert_eq!(stopped, format!("-- stderr\ntracewright: {expected}\n-- exit status: 2"));
    signal("-CONT");
    // One that is stopped later, another one that ends, and one that is none.
    let watching = programs
        .tracewright(&["watch", &pids[0], &pids[1], "999999999", "--stalled", "1s", "--for", "6s"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    signal("-STOP");
    kill(&mut children[1]);
    let watched = shown(&watching.wait_with_output().unwrap());
    signal("-CONT");
    kill_all(&mut children[..1]);
    let message = format!("process {} has ended\nprocess {} is stopped\n", pids[1], pids[0]);
    let none = "tracewright: process 999999999 is not a running Java program\n";
    assert_eq!(watched, format!("{message}-- stderr\n{none}-- exit status: 1"));
}

/// A program that is recorded already goes on being recorded.
#[test]
fn a_recorded_program_is_watched_by_its_own_capture() {
    let Some(programs) = Programs::new() else { return };
    let mut children = programs.start(&[("Stall", "circularList"), ("Stall", "primes")], How::Recorded);
    let pids: Vec<String> = children.iter().map(|child| child.id().to_string()).collect();
    let arguments = ["watch", &pids[0], &pids[1], "--stalled", "2s", "--for", "15s"];
    let watched = programs.tracewright(&arguments).output().unwrap();
    let status = shown(&programs.tracewright(&["status", &pids[0]]).output().unwrap());
    kill_all(&mut children);
    let (text, ran) = (String::from_utf8_lossy(&watched.stdout).into_owned(), shown(&watched));
    assert_eq!((watched.status.code(), text.lines().count()), (Some(1), 2), "{ran}");
    let cleared = format!("process {} is not seen to hang", pids[1]);
    assert!(text.lines().any(|line| line == cleared), "{ran}");
    assert!(is_named(&text, "Stall", "circularList", "Stall.circularList"), "{ran}");
    assert!(text.contains("Stall-circularList.capture.\n"), "{ran}");
    assert!(status.starts_with("recording for "), "{status}");
}
