//! Two recordings of one program, and of programs that were changed in one place.
//!
//! A sample is tried every day. All of it: `DIFF_PROGRAMS=20 DIFF_CHANGES=200 cargo nextest run -p tracewright --test java
//! --run-ignored only diff --no-capture`; `DIFF_SEED` takes other programs and changes.

mod builds;
mod changed;
mod generated;
mod varying;

use std::fs;
use std::path::Path;
use std::process::Command;

use capture::Capture;
use model::flow::FlowStep;
use serde_json::Value;

use crate::jdk::{Program, program_of, shown};
use crate::show;
use changed::Made;
use fastrand::Rng;

/// A program of the seed: every second has threads.
fn generated_program(seed: u64, varies: bool) -> Option<Program> {
    let name = format!("Generated{seed}");
    let threads = if seed.is_multiple_of(2) { 0 } else { 1 + seed as usize % 8 };
    program_of(&name, &generated::program(&name, seed, threads, varies))
}

/// Records the program, at most for some seconds: what was changed may never end.
fn record(java: &Program, capture: &str) {
    record_with(java, capture, &[]);
}

/// The same with more options for the virtual machine.
fn record_with(java: &Program, capture: &str, options: &[&str]) {
    let _ = fs::remove_dir_all(java.folder.join(capture));
    let options = [&["-Xmx256m"], options].concat();
    let recorded = java.recorded(&["-o", capture, "--when-full", "wait"], &options, &[]);
    let mut command = Command::new("timeout");
    command.args(["-k", "1", "20"]).arg(recorded.get_program()).args(recorded.get_args());
    command.current_dir(&java.folder);
    for (name, value) in recorded.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.output().unwrap();
}

/// What the command says of two captures, and its exit code.
fn diff(java: &Program, arguments: &[&str]) -> (Value, i32) {
    let ran = java.tracewright(&[&["diff", "--json"], arguments].concat()).output().unwrap();
    let code = ran.status.code().unwrap();
    assert!(ran.stderr.is_empty(), "{}", shown(&ran));
    (serde_json::from_slice(&ran.stdout).unwrap(), code)
}

/// What threads did, line by line, whatever blocks there are; class initialisers run where they happen to.
fn events(capture: &Capture) -> Vec<String> {
    let mut all = vec![];
    for thread in &capture.threads {
        let mut flow = capture.flow(thread);
        let (mut text, mut stack, mut last) = (String::new(), vec![], None);
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { method, .. } => {
                    stack.push(method);
                    text += &format!("({} ", capture.code.method_name(method));
                    last = None;
                }
                FlowStep::Leave { how } => {
                    stack.pop();
                    text += &format!("{how:?}) ");
                    last = None;
                }
                FlowStep::Blocks { blocks, times } => {
                    let Some(about) = stack.last().and_then(|id| capture.code.method(*id)) else { continue };
                    for _ in 0..times.min(1000) {
                        for line in blocks.iter().flat_map(|block| &about.blocks[*block as usize].lines) {
                            if last != Some(*line) {
                                text += &format!("{line} ");
                            }
                            last = Some(*line);
                        }
                    }
                }
                FlowStep::Catch { block } => text += &format!("catch {block} "),
                _ => {}
            }
        }
        all.push(format!("{}: {text}", thread.name()));
    }
    all.sort();
    all
}

/// Whether an instruction of a recorded program ran.
fn ran(capture: &Capture) -> impl Fn(&str, &str, &str, u32) -> bool {
    let mut ranges = std::collections::HashSet::new();
    for thread in &capture.threads {
        let mut flow = capture.flow(thread);
        let mut stack = vec![];
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { method, .. } => stack.push(method),
                FlowStep::Leave { .. } => drop(stack.pop()),
                FlowStep::Blocks { blocks, .. } => {
                    ranges.extend(blocks.iter().filter_map(|block| Some((*stack.last()?, *block))));
                }
                _ => {}
            }
        }
    }
    let mut pcs = std::collections::HashMap::<_, Vec<_>>::new();
    for (id, block) in ranges {
        let method = capture.code.method(id).unwrap();
        let class = capture.code.class(method.class).unwrap();
        let key = (class.name.clone(), method.name.clone(), method.descriptor.clone());
        let block = &method.blocks[block as usize];
        pcs.entry(key).or_default().push(block.start..block.end);
    }
    move |class, method, descriptor, pc| {
        let key = (class.to_owned(), method.to_owned(), descriptor.to_owned());
        pcs.get(&key).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&pc)))
    }
}

/// What became of changes.
#[derive(Debug, Default)]
struct Tally {
    made: usize,
    same: usize,
    changed: usize,
    reported: usize,
    method_first: usize,
    method_second: usize,
    line_in_ten: usize,
    /// By the flow alone: the method is the innermost or its caller where a thread parts.
    at_the_parting: usize,
    wrong: Vec<String>,
}

/// Changes the program so many times; its recording is `a`. Each change is handed on while its class file is in place.
fn changes(java: &Program, seed: u64, count: usize, mut judge: impl FnMut(&Made)) {
    let original = show::open(&java.folder.join("a"));
    let ran = ran(&original);
    let mut classes: Vec<_> =
        fs::read_dir(&java.folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    classes.retain(|path| path.extension().is_some_and(|end| end == "class"));
    classes.sort();
    let mut rng = Rng::with_seed(seed);
    let mut done = 0;
    for _ in 0..20 * count {
        if done == count {
            break;
        }
        let path = &classes[rng.usize(..classes.len())];
        let bytes = fs::read(path).unwrap();
        let Some(made) = changed::change(&bytes, &mut rng, &ran) else { continue };
        fs::write(path, &made.bytes).unwrap();
        judge(&made);
        fs::write(path, bytes).unwrap();
        done += 1;
    }
}

/// Records the changed program and holds it against its recording `a`, of which `baselines` are others.
fn judge(java: &Program, was: &[String], baselines: &[&str], made: &Made, tally: &mut Tally) {
    record(java, "b");
    tally.made += 1;
    if !Path::new(&java.folder.join("b/code")).is_file() {
        tally.same += 1;
        return;
    }
    let is_changed = events(&show::open(&java.folder.join("b"))) != was;
    let arguments = match baselines {
        [] => vec!["a", "b"],
        baselines => [&["b", "--baseline", "a"], baselines].concat(),
    };
    let (report, code) = diff(java, &arguments);
    if !is_changed {
        tally.same += 1;
        return;
    }
    tally.changed += 1;
    let methods = report["methods"].as_array().unwrap();
    let location = methods.iter().position(|method| method["method"] == made.method.as_str());
    tally.reported += usize::from(code == 1);
    tally.method_first += usize::from(location == Some(0));
    tally.method_second += usize::from(location == Some(1));
    let has_line =
        lines(methods).iter().take(10).any(|(name, line)| (name, *line) == (&made.method, made.line));
    tally.line_in_ten += usize::from(has_line);
    let partings =
        report["threads"].as_array().unwrap().iter().filter_map(|thread| thread["parts"]["stack"].as_array());
    let is_near =
        |stack: &Vec<Value>| stack.iter().take(2).any(|frame| frame["method"] == made.method.as_str());
    tally.at_the_parting += usize::from(partings.into_iter().any(is_near));
    if code != 1 || !matches!(location, Some(0 | 1)) || !has_line {
        let Made { kind, method, line, .. } = &made;
        tally
            .wrong
            .push(format!("{}: {kind} in {method}:{line}: exit {code}, place {location:?}", java.main));
    }
}

/// The lines that a report names, in its order, each with its method.
fn lines(methods: &[Value]) -> Vec<(String, u16)> {
    let mut all: Vec<(String, u16)> = vec![];
    for method in methods {
        let name = method["method"].as_str().unwrap();
        let mut add = |value: &Value| {
            collect(value, &mut |line| {
                let one = (name.to_owned(), line);
                if !all.contains(&one) {
                    all.push(one);
                }
            })
        };
        add(&method["code_changed"]);
        add(&method["only_lines"]);
        for change in method["changes"].as_array().unwrap() {
            for key in ["after", "next", "line", "lines"] {
                add(&change[key]);
            }
        }
    }
    all
}

fn collect(value: &Value, take: &mut dyn FnMut(u16)) {
    match value {
        Value::Number(number) => take(number.as_u64().unwrap() as u16),
        Value::Array(all) => all.iter().for_each(|value| collect(value, take)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, take)),
        _ => {}
    }
}

#[test]
fn equal_runs_are_equal_and_one_change_is_found() {
    let mut tally = Tally::default();
    for seed in [3, 4] {
        let Some(java) = generated_program(seed, false) else { return };
        record(&java, "a");
        record(&java, "again");
        let (report, code) = diff(&java, &["a", "again"]);
        assert_eq!((code, report["verdict"].as_str()), (0, Some("equal")), "{seed}: {report}");
        let was = events(&show::open(&java.folder.join("a")));
        changes(&java, seed, 4, |made| judge(&java, &was, &[], made, &mut tally));
    }
    assert!(tally.changed > 2, "{tally:?}");
    assert_eq!(tally.wrong, Vec::<String>::new(), "{tally:?}");
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
#[ignore = "takes minutes"]
fn all_programs_and_changes() {
    let (programs, count, first) =
        (number("DIFF_PROGRAMS", 20), number("DIFF_CHANGES", 200), number("DIFF_SEED", 100));
    // Whether the changed ones are held against three recordings.
    let baselines = number("DIFF_BASELINES", 0);
    let (mut tally, mut equal) = (Tally::default(), 0);
    for seed in first..first + programs {
        let Some(java) = generated_program(seed, false) else { return };
        record(&java, "a");
        record(&java, "again");
        let (report, code) = diff(&java, &["a", "again"]);
        equal += u64::from(code == 0);
        if code != 0 {
            eprintln!("{seed}: {report}");
        }
        let was = events(&show::open(&java.folder.join("a")));
        let baselines: &[&str] = if baselines > 0 { &["again", "again"] } else { &[] };
        changes(&java, seed, (count / programs) as usize, |made| {
            judge(&java, &was, baselines, made, &mut tally);
        });
        eprintln!("{seed}: {equal} equal, {tally:?}");
    }
    assert_eq!(equal, programs);
    assert!(tally.wrong.len() * 50 <= tally.changed, "{tally:#?}");
}
