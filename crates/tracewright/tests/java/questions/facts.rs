//! Facts about a recording, counted one step after the other in the flat list of what ran: the plain way, which shares
//! nothing with the tools but the reading of the recording.

use std::collections::BTreeMap;

use serde_json::Value;

/// What ran, step by step.
pub(super) struct Ran {
    steps: Vec<Step>,
}

struct Step {
    thread: u64,
    what: String,
    method: String,
    file: String,
    block: u64,
    lines: Vec<u64>,
    times: u64,
}

/// A call that is open, with the last block that ran in it.
struct Open {
    method: String,
    file: String,
    last: Vec<u64>,
}

impl Ran {
    /// Of the lines that `calls --flat --json` prints.
    pub(super) fn of(flat: &str) -> Ran {
        let step = |line: &str| {
            let step: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| step[name].as_str().unwrap_or("").to_owned();
            let lines = step["lines"].as_array().into_iter().flatten().filter_map(Value::as_u64);
            Step {
                thread: step["thread"].as_u64().unwrap(),
                what: text("what"),
                method: text("method"),
                file: text("file"),
                block: step["block"].as_u64().unwrap_or(0),
                lines: lines.collect(),
                times: step["times"].as_u64().unwrap_or(1),
            }
        };
        Ran { steps: flat.lines().map(step).collect() }
    }

    /// Hears of each step with the calls that are open before it.
    fn walk<'r>(&'r self, mut hear: impl FnMut(&'r Step, &[Open])) {
        let mut open: Vec<Open> = vec![];
        let mut thread = 0;
        for step in &self.steps {
            if step.thread != thread {
                open.clear();
                thread = step.thread;
            }
            hear(step, &open);
            match step.what.as_str() {
                "call" => {
                    open.push(Open { method: step.method.clone(), file: step.file.clone(), last: vec![] })
                }
                "return" | "throw" | "unseen" | "open" => drop(open.pop()),
                "block" | "caught" => {
                    if let Some(last) = open.last_mut() {
                        last.last.clone_from(&step.lines);
                    }
                }
                _ => {}
            }
        }
    }

    /// Calls of a method by caller, its file and the line.
    fn callers(&self, callee: &str) -> BTreeMap<(String, String, u64), u64> {
        let mut found = BTreeMap::new();
        self.walk(|step, open| {
            if step.what == "call"
                && step.method == callee
                && let Some(caller) = open.last()
                && let Some(line) = caller.last.last()
            {
                *found.entry((caller.method.clone(), caller.file.clone(), *line)).or_default() += 1;
            }
        });
        found
    }

    /// Calls that a method made, by line and callee.
    fn callees(&self, method: &str) -> BTreeMap<(u64, String), u64> {
        let mut found = BTreeMap::new();
        self.walk(|step, open| {
            if step.what == "call"
                && let Some(caller) = open.last().filter(|caller| caller.method == method)
                && let Some(line) = caller.last.last()
            {
                *found.entry((*line, step.method.clone())).or_default() += 1;
            }
        });
        found
    }

    /// How often each line of a method ran: as often as the block with it that ran most.
    fn lines(&self, method: &str) -> BTreeMap<u64, u64> {
        let mut blocks: BTreeMap<(u64, &[u64]), u64> = BTreeMap::new();
        for step in self.steps.iter().filter(|step| step.method == method && !step.lines.is_empty()) {
            *blocks.entry((step.block, &step.lines)).or_default() += step.times;
        }
        let mut lines = BTreeMap::new();
        for ((_, of_block), times) in blocks {
            for line in of_block {
                let most: &mut u64 = lines.entry(*line).or_default();
                *most = times.max(*most);
            }
        }
        lines
    }

    fn calls(&self, method: &str) -> u64 {
        self.steps.iter().filter(|step| step.what == "call" && step.method == method).count() as u64
    }

    fn threw(&self, method: &str) -> u64 {
        self.steps.iter().filter(|step| step.what == "throw" && step.method == method).count() as u64
    }
}

/// `1,234`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `Oven.bake` of `shop.Oven.bake`.
fn short(method: &str) -> String {
    let (class, name) = method.rsplit_once('.').unwrap_or(("", method));
    format!("{}.{name}", class.rsplit('.').next().unwrap_or(class))
}

fn text(fact: &Value, at: usize) -> String {
    fact.get(at).unwrap_or(fact).as_str().unwrap().to_owned()
}

/// What a fact needs: for each thing words that must stand in one line.
pub(super) fn facts(ran: &Ran, fact: &Value) -> Vec<Vec<String>> {
    let (kind, about) = fact.as_object().unwrap().iter().next().unwrap();
    match kind.as_str() {
        "calls_of" => vec![vec![counted(ran.calls(&text(about, 0)), "call")]],
        "all_calls" => {
            let calls = ran.steps.iter().filter(|step| step.what == "call").count();
            vec![vec!["calls".into(), grouped(calls as u64)]]
        }
        "calls_from" => {
            let (caller, callee) = (text(about, 0), text(about, 1));
            let all = ran.callers(&callee).into_iter().filter(|((method, ..), _)| *method == caller);
            all.map(|((method, file, line), times)| {
                vec![grouped(times), short(&method), format!("{file}:{line}")]
            })
            .collect()
        }
        "callers" => {
            let all = ran.callers(&text(about, 0)).into_iter();
            all.map(|((method, file, line), times)| {
                vec![grouped(times), short(&method), format!("{file}:{line}")]
            })
            .collect()
        }
        "callees" => {
            let all = ran.callees(&text(about, 0)).into_iter();
            all.map(|((line, method), times)| vec![grouped(times), format!("at {line}"), short(&method)])
                .collect()
        }
        "threw" => vec![vec![format!("{} ended by an exception", grouped(ran.threw(&text(about, 0))))]],
        "lines" => {
            let all = ran.lines(&text(about, 0)).into_iter();
            all.map(|(line, times)| vec![grouped(times), line.to_string()]).collect()
        }
        "before_the_rarest_line" => before_the_rarest_line(ran, &text(about, 0)),
        "between" => between(ran, &text(about, 0), &text(about, 1)),
        "heaviest" => {
            let mut own: BTreeMap<&str, u64> = BTreeMap::new();
            for step in ran.steps.iter().filter(|step| ["block", "caught"].contains(&step.what.as_str())) {
                *own.entry(&step.method).or_default() += step.times;
            }
            let most = own.into_iter().max_by_key(|(_, blocks)| *blocks).unwrap();
            vec![vec![grouped(most.1), most.0.to_owned()]]
        }
        "first_exception" => first_exception(ran),
        "threads" => {
            let mut blocks: BTreeMap<u64, u64> = BTreeMap::new();
            for step in ran.steps.iter().filter(|step| ["block", "caught"].contains(&step.what.as_str())) {
                *blocks.entry(step.thread).or_default() += step.times;
            }
            let count = vec!["threads".to_owned(), grouped(blocks.len() as u64)];
            std::iter::once(count).chain(blocks.into_values().map(|blocks| vec![grouped(blocks)])).collect()
        }
        "lost" => {
            let gaps = ran.steps.iter().filter(|step| step.what == "gap").count();
            assert_eq!(gaps, 0, "the programs are small");
            vec![vec!["lost".into(), "nothing".into()]]
        }
        other => panic!("there is no fact called {other}"),
    }
}

fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// The lines from which calls came to the line that ran least, the first of them, with how often.
fn before_the_rarest_line(ran: &Ran, method: &str) -> Vec<Vec<String>> {
    let lines = ran.lines(method);
    let first = *lines.keys().next().unwrap();
    let rarest =
        lines.iter().filter(|(line, _)| **line != first).min_by_key(|(line, times)| (**times, **line));
    let rarest = *rarest.unwrap().0;
    let mut before: BTreeMap<u64, u64> = BTreeMap::new();
    ran.walk(|step, open| {
        if step.method != method || step.lines.is_empty() {
            return;
        }
        assert_eq!(step.times, 1, "a row of blocks says less than single ones");
        let mut last = open.last().and_then(|open| open.last.last().copied());
        for line in &step.lines {
            if *line == rarest && last.is_some_and(|last| last != rarest) {
                *before.entry(last.unwrap()).or_default() += 1;
            }
            last = Some(*line);
        }
    });
    before.into_iter().map(|(line, times)| vec![grouped(times), format!("{line} -> {rarest}")]).collect()
}

/// The methods that were called from the first call of one up to the next call of another.
fn between(ran: &Ran, from: &str, to: &str) -> Vec<Vec<String>> {
    let mut calls =
        ran.steps.iter().filter(|step| step.what == "call").skip_while(|step| step.method != from);
    let first = calls.next().unwrap();
    let mut found = vec![first.method.clone()];
    for step in calls {
        found.push(step.method.clone());
        if step.method == to {
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
    found.iter().map(|method| vec![short(method)]).collect()
}

/// Where the first exception began, and the handler to which it led.
fn first_exception(ran: &Ran) -> Vec<Vec<String>> {
    let at = ran.steps.iter().position(|step| step.what == "throw").unwrap();
    let mut line = None;
    let mut number = 0;
    ran.walk(|_, open| {
        if number == at {
            line = open.last().and_then(|open| open.last.last().copied());
        }
        number += 1;
    });
    let thrower = &ran.steps[at];
    let after = ran.steps[at..].iter().find(|step| step.what != "throw");
    let caught = match after.filter(|step| step.what == "caught") {
        Some(step) => format!("{} ({}:{})", step.method, step.file, step.lines[0]),
        None => "by nothing that was recorded".to_owned(),
    };
    let ended = ran.steps[at..].iter().take_while(|step| step.what == "throw").count() as u64;
    let from = format!("{} ({}:{})", thrower.method, thrower.file, line.unwrap());
    vec![vec![from, counted(ended, "call"), caught]]
}
