//! How long calls took: what is stated has to hold against what the program has measured of itself, however busy the machine is.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::Value;

use crate::jdk::{Program, kill, program, shown, wait_for};

/// Nanoseconds by which clocks of processor time may differ.
const APART: i64 = 1_000_000;

struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

/// What the program says of a call: its name, how long it took as it saw it and as its caller did, and its processor time.
type Measured = (String, i64, i64, i64);

impl Running {
    fn start(mut command: std::process::Command) -> Running {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut running = Running { child, output };
        while running.line() != "ready" {}
        running
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the program has ended");
        line.trim().to_owned()
    }

    /// Has it make its calls.
    fn run(&mut self) -> Vec<Measured> {
        self.child.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
        let mut measured = vec![];
        loop {
            let line = self.line();
            let words: Vec<&str> = line.split(' ').collect();
            let [name, inner, outer, used] = words[..] else {
                assert_eq!(line, "done");
                return measured;
            };
            let number = |text: &str| text.parse::<i64>().unwrap();
            measured.push((format!("Times.{name}"), number(inner), number(outer), number(used)));
        }
    }

    fn quit(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// The calls of the main thread whose length is known, in the order in which they ended.
fn timed(java: &Program, capture: &str) -> Vec<Value> {
    let ran = java.tracewright(&["calls", capture, "--json", "--allow-loss"]).output().unwrap();
    let answer: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{}", shown(&ran)));
    let main = answer["threads"].as_array().unwrap().iter().find(|thread| thread["name"] == "main");
    main.and_then(|main| main["timed_calls"].as_array()).cloned().unwrap_or_default()
}

/// Each of the calls is known, and what is stated of it holds.
fn check(calls: &[Value], measured: &[Measured]) {
    assert_eq!(measured.len(), 4);
    let mut calls = calls.iter();
    for (name, inner, outer, used) in measured {
        let call = calls.find(|call| call["method"] == name.as_str());
        let call = call.unwrap_or_else(|| panic!("{name} has no length"));
        let number = |key: &str| call[key].as_i64().unwrap_or_else(|| panic!("no {key}: {call}"));
        let (length, within) = (number("ns"), number("within_ns"));
        assert!(length - within <= *outer && *inner <= length + within, "{inner} to {outer}: {call}");
        let (waiting, within) = (number("waiting_ns"), number("waiting_within_ns"));
        let (least, most) = (inner - used - APART, outer - used + APART);
        assert!(waiting - within <= most && least <= waiting + within, "waits {least} to {most}: {call}");
        assert!(number("own_ns") <= length, "{call}");
        assert_eq!(call["open"], false);
    }
}

#[test]
fn what_is_stated_of_calls_holds_in_every_mode() {
    let Some(java) = program("Times") else { return };
    for mode in ["paths", "calls", "blocks"] {
        let folder = format!("{mode}.capture");
        let mut running = Running::start(java.recorded(&["--mode", mode, "-o", &folder], &[], &[]));
        let measured = running.run();
        running.quit();
        let calls = timed(&java, &folder);
        check(&calls, &measured);
        // What is within a call is not its own.
        let enclosing = calls.iter().find(|call| call["method"] == "Times.inside").unwrap();
        let (length, own) = (enclosing["ns"].as_i64().unwrap(), enclosing["own_ns"].as_i64().unwrap());
        assert!(own < length, "{enclosing}");

        let run = |arguments: &[&str]| {
            let ran = java.tracewright(arguments).output().unwrap();
            String::from_utf8_lossy(&ran.stdout).into_owned()
        };
        let text = run(&["calls", &folder, "--thread", "main"]);
        let line = text.lines().find(|line| line.contains(" Times.sleeps")).unwrap_or_default();
        assert!(line.contains(" ms") || line.contains(" s"), "{text}");
        assert!(line.contains(" of it waiting"), "{text}");
        let off = run(&["calls", &folder, "--times", "off"]);
        assert!(!off.contains(" of it waiting"), "{off}");
        let longer = run(&["calls", &folder, "--times", "1000s"]);
        assert_eq!(off, longer);
        let summary = run(&["calls", &folder, "--summary", "--sort", "waiting"]);
        assert!(summary.contains("Calls whose length is known"), "{summary}");
    }
}

#[test]
fn calls_of_a_recording_that_was_attached_have_times() {
    let Some(java) = program("Times") else { return };
    let mut running = Running::start(java.java(&[], &[]));
    let pid = running.child.id().to_string();
    let run = |arguments: &[&str]| {
        let ran = java.tracewright(arguments).output().unwrap();
        assert!(ran.status.success(), "{}", shown(&ran));
    };
    run(&["attach", &pid, "-o", "one.capture"]);
    let one = running.run();
    run(&["stop", &pid]);
    running.run();
    run(&["start", &pid, "-o", "two.capture"]);
    let two = running.run();
    run(&["stop", &pid]);
    running.quit();
    check(&timed(&java, "one.capture"), &one);
    check(&timed(&java, "two.capture"), &two);
}

#[test]
fn a_kill_leaves_the_times_that_were_known_by_then() {
    let Some(java) = program("Times") else { return };
    let options = format!("{}/kill.capture", java.folder.display());
    let mut running = Running::start(java.recorded(&["-o", &options], &[], &[]));
    let measured = running.run();
    let are_there = || timed(&java, "kill.capture").iter().any(|call| call["method"] == "Times.sleeps");
    wait_for("the times of the last call", are_there);
    kill(&mut running.child);
    check(&timed(&java, "kill.capture"), &measured);
}
