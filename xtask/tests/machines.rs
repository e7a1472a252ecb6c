//! The engine `compat` is held against what is recorded of the original: on a trace of the founding
//! text, event by event, and on the authors' own evaluation.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

mod common;

use std::path::Path;
use std::process::Command;

use common::text;
use formats::ctf::Reader;
use formats::model_xml;
use inference::model::Scalar;
use inference::reference_2018::{self, Inference, Inferred};
use inference::{Checking, Engine, Joint, Options, Retention};
use model::machine::Pattern;
use model::{Alphabet, Base, Origin, OwnedEvent};
use serde_json::{Value, json};
use source::NamedSource;
use tempfile::TempDir;

fn pattern(path: &str) -> Pattern {
    let file = model_xml::read(path, text(path).as_bytes());
    file.unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}")).patterns.remove(0)
}

/// The folder of a trace that lies beside the repository, unpacked; the test is skipped where there is none.
fn unpacked(name: &str) -> Option<TempDir> {
    let archive = testing::shared(&format!("data/ctf/{name}.tar.zst"))?;
    let folder = tempfile::tempdir().unwrap();
    let status =
        Command::new("tar").arg("--zstd").arg("-xf").arg(&archive).arg("-C").arg(folder.path()).status();
    assert!(status.unwrap().success());
    Some(folder)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<NamedSource>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.push(NamedSource { name, source: Box::new(std::fs::read(&path).unwrap()) });
        }
    }
}

/// The first 400 incoherences, machine by machine, and what was inferred for each, as the recorded file has them.
fn lines(engine: &Engine, inference: &Inference) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut in_order: Vec<_> = engine.incoherences().iter().enumerate().collect();
    in_order.sort_by_key(|(_, incoherence)| incoherence.machine);
    for (number, incoherence) in in_order.into_iter().take(400) {
        let machine = &engine.pattern().machines[incoherence.machine];
        let found = &incoherence.found;
        let chosen = inference.chosen[number].as_ref().unwrap();
        let state = |index: usize| machine.states[index].id.clone();
        let inferred =
            inference.events.iter().filter(|inferred| inferred.event.inconsistency == Some(number));
        let inferred: Vec<Value> = inferred
            .map(|Inferred { event, states, .. }| {
                json!([event.time.0, event.key.name, state(states.0), state(states.1)])
            })
            .collect();
        lines.push(json!({
            "fsm": machine.id, "key": found.instance, "ts": found.time.0,
            "event": &*found.event, "ordinal": found.ordinal,
            "last_state": state(incoherence.state), "prev_ts": found.previous.map(|time| time.0),
            "chosen_from": state(chosen.from), "chosen_to": state(chosen.to), "inferred": inferred,
        }));
    }
    lines
}

#[test]
fn compat_is_the_original_on_many_threads() {
    let Some(folder) = unpacked("many-threads") else { return };
    let mut files = Vec::new();
    collect(folder.path(), folder.path(), &mut files);
    let mut reader = Reader::open(files).unwrap();
    let options = Options { by_key: true, checking: Checking::On, history: false, segments: false };
    let pattern = pattern("crates/tracewright/models/kernel-2018.xml");
    let mut engine = Engine::new(pattern, options).unwrap();
    while engine.feed(&mut reader).is_some() {}
    engine.finish();
    let inference = reference_2018::infer(&engine);
    let of = |machine| engine.incoherences().iter().filter(|i| i.machine == machine).count();
    let inferred = |machine| inference.events.iter().filter(|i| i.machine == machine).count();
    assert_eq!(
        (engine.events(), of(0), of(1), inferred(0), inferred(1), engine.scenarios_started()),
        (240_644, 8_030, 8_031, 14_070, 15_364, 8_592)
    );
    let recorded = testing::shared("data/lost-events/many-threads.compat-first400.jsonl").unwrap();
    let recorded = std::fs::read_to_string(recorded).unwrap();
    let ours = lines(&engine, &inference);
    let recorded: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(ours.len(), recorded.len());
    for (ours, recorded) in ours.iter().zip(&recorded) {
        assert_eq!(ours, recorded);
    }
}

/// The object that an inferred event is about.
fn object(content: &reference_2018::Content) -> i64 {
    match content.first("obj_id") {
        Some(Scalar::Number(number)) => *number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn compat_is_the_original_on_its_own_evaluation() {
    let Some(path) = testing::shared("data/lost-events/eval_cases.json") else { return };
    let cases: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let pattern = pattern("xtask/tests/machines/evaluation.xml");
    for case in cases["cases"].as_array().unwrap() {
        let options = Options { by_key: true, checking: Checking::On, history: true, segments: false };
        let mut engine = Engine::new(pattern.clone(), options).unwrap();
        let mut alphabet = Alphabet::default();
        let deleted = case["deleted"].as_array().unwrap();
        for event in cases["full_trace"].as_array().unwrap() {
            if deleted.contains(event) {
                continue;
            }
            let name = event["name"].as_str().unwrap();
            let object = model::Value::Signed(event["obj_id"].as_i64().unwrap().into(), Base::Decimal);
            let symbol = alphabet.intern(name);
            let event = OwnedEvent::new(symbol, event["ts"].as_i64().unwrap(), 0, &[("obj_id", object)]);
            engine.observe(&event.event(Origin::named(&alphabet)));
        }
        engine.finish();
        let inference = reference_2018::infer(&engine);
        let state = |index: usize| engine.pattern().machines[0].states[index].id.clone();
        let incoherences =
            engine.incoherences().iter().zip(&inference.chosen).map(|(incoherence, chosen)| {
                let (chosen, found) = (chosen.as_ref().unwrap(), &incoherence.found);
                json!({
                    "ts": found.time.0, "name": &*found.event,
                    "obj_id": found.instance.parse::<i64>().unwrap(),
                    "prev_ts": found.previous.map(|time| time.0),
                    "last_state": state(incoherence.state),
                    "possible_from": chosen.possible.iter().map(|index| state(*index)).collect::<Vec<_>>(),
                    "chosen_from": state(chosen.from),
                })
            });
        assert_eq!(Value::Array(incoherences.collect()), case["incoherences"], "{}", case["index"]);
        let inferred = inference.events.iter().map(|Inferred { event, content, .. }| {
            let key = &event.key;
            json!({
                "ts": event.time.0, "name": key.name, "obj_id": object(content),
                "interval": [key.from.0, key.to.0], "rank": key.rank,
            })
        });
        assert_eq!(Value::Array(inferred.collect()), case["model_output"], "{}", case["index"]);
        assert_eq!(engine.scenarios_started(), case["reference_scenarios"].as_u64().unwrap());
    }
}

/// Prints what checking costs on top of reading: `cargo test --release -p xtask --test machines --
/// --ignored --nocapture`.
#[test]
#[ignore = "a measurement, for the release build"]
fn how_long_checking_takes() {
    let Some(folder) = unpacked("many-threads") else { return };
    let pattern = self::pattern("crates/tracewright/models/kernel-2018.xml");
    let open = || {
        let mut files = Vec::new();
        collect(folder.path(), folder.path(), &mut files);
        Reader::open(files).unwrap()
    };
    for history in [false, true] {
        let best = |work: &dyn Fn()| {
            (0..std::env::var("ITERATIONS").map_or(10, |iterations| iterations.parse().unwrap()))
                .map(|_| {
                    let start = std::time::Instant::now();
                    work();
                    start.elapsed()
                })
                .min()
                .unwrap()
        };
        let reading = best(&|| {
            let mut reader = open();
            while model::EventSource::next_item(&mut reader).is_some() {}
        });
        let engine = || {
            let options = Options { by_key: true, checking: Checking::On, history, segments: false };
            let (mut engine, mut reader) = (Engine::new(pattern.clone(), options).unwrap(), open());
            while engine.feed(&mut reader).is_some() {}
            engine.finish();
            engine
        };
        let checking = best(&|| drop(engine()));
        let checked = engine();
        let inferring = best(&|| drop(reference_2018::infer(&checked)));
        let certainty = best(&|| {
            let model = self::pattern("crates/tracewright/models/kernel.xml");
            let (mut checker, mut reader) = (Joint::new(model, Retention::default()).unwrap(), open());
            while checker.feed(&mut reader).is_some() {}
            checker.finish();
        });
        println!("reading and certainty with the model `kernel`: {certainty:?}");
        println!(
            "history {history}: reading {reading:?}, with checking {checking:?}, inferring {inferring:?}"
        );
    }
}

/// Runs the model `kernel` over a trace of the shared data.
fn certainty_of(name: &str) -> Option<Joint> {
    let folder = unpacked(name)?;
    let mut files = Vec::new();
    collect(folder.path(), folder.path(), &mut files);
    let mut reader = Reader::open(files).unwrap();
    let mut checker =
        Joint::new(pattern("crates/tracewright/models/kernel.xml"), Retention::default()).unwrap();
    while checker.feed(&mut reader).is_some() {}
    checker.finish();
    Some(checker)
}

fn report(checker: &Joint) -> String {
    let mut text = String::new();
    for found in checker.incoherences() {
        text += &format!(
            "{} {} {} {} {}: in {}, accepted by {}, window {:?}\n",
            found.ordinal,
            found.time.0,
            found.machine,
            found.instance,
            found.event,
            found.states.join(" "),
            found.accepted_by.join(" "),
            found.window,
        );
    }
    text
}

#[test]
fn the_corrected_model_raises_no_false_alarm() {
    let Some(checker) = certainty_of("many-threads") else { return };
    println!("{} {:?}", checker.incoherences().len(), checker.tallies().collect::<Vec<_>>());
    assert!(checker.incoherences().len() <= 5, "{}", report(&checker));
}

#[test]
fn declared_losses_explain_what_does_not_fit() {
    let Some(checker) = certainty_of("many-threads-lossy-discard") else { return };
    assert_eq!(checker.windows().len(), 5);
    let unexplained = checker.incoherences().iter().filter(|found| found.window.is_none()).count();
    assert_eq!(unexplained, 0, "{}", report(&checker));
}

/// Every 140th switch is left out, and nobody says so: is it noticed?
#[test]
fn lost_switches_are_noticed() {
    let Some(folder) = unpacked("many-threads") else { return };
    let mut files = Vec::new();
    collect(folder.path(), folder.path(), &mut files);
    let mut reader = Reader::open(files).unwrap();
    let mut events = Vec::new();
    while let Some(item) = model::EventSource::next_item(&mut reader) {
        if let model::Item::Event(event) = item {
            events.push(OwnedEvent::copy(&event));
        }
    }
    let alphabet = model::EventSource::alphabet(&reader).clone();
    let mut checker =
        Joint::new(pattern("crates/tracewright/models/kernel.xml"), Retention::default()).unwrap();
    let (mut switches, mut deleted) = (0, Vec::new());
    for event in &events {
        let name = alphabet.name(event.symbol);
        if name == "sched_switch" {
            switches += 1;
            if switches % 140 == 70 {
                deleted.push((event.time.unwrap(), event.cpu));
                continue;
            }
        }
        checker.observe(&event.event(Origin::named(&alphabet)));
    }
    checker.finish();
    // A lost switch shows at the latest when its CPU switches again.
    let noticed = deleted.iter().filter(|(time, cpu)| {
        checker
            .incoherences()
            .iter()
            .any(|found| found.cpu == *cpu && found.previous <= Some(*time) && found.time >= *time)
    });
    let (noticed, contradictions) = (noticed.count(), checker.incoherences().len());
    println!("{noticed} of {} lost switches were noticed, by {contradictions} contradictions", deleted.len());
    assert!(noticed * 100 >= deleted.len() * 99, "{noticed} of {}", deleted.len());
}
