//! The recorded vectors of the original program, where they are at hand (`../shared/data/history`
//! beside the checkout): run level, pending units, meta levels and rewrites, for whole histories
//! and for prefixes. `structured-065.json` beside them has one more, which came later. Without them
//! these tests are skipped; the founding text's own examples are in the unit tests.

#![allow(clippy::unwrap_used)]

use analyses::loops::{LoopFinder, Options};
use model::{Level, Run, RunId, Summary};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_u64).collect()).unwrap_or_default()
}

fn runs(value: &Value) -> Vec<Run> {
    let one = |run: &Value| match numbers(run)[..] {
        [id, start, len, period] => Run { id: RunId(id as u32), start, len, period: period as u32 },
        _ => panic!("a run has four numbers: {run}"),
    };
    value.as_array().map(|list| list.iter().map(one).collect()).unwrap_or_default()
}

fn check(what: &str, blocks: &[u64], expected: &Value) {
    let options = Options { short_loops: expected["short_loops"].as_bool().unwrap(), ..Options::default() };
    let mut finder = LoopFinder::new(options);
    blocks.iter().for_each(|&block| finder.push(block as u32));
    let summary: Summary = finder.summary();
    let empty = Level::default();
    let level = |index: usize| summary.levels.get(index).unwrap_or(&empty);
    assert_eq!(level(0).runs, runs(&expected["run"]), "run level of {what}");
    assert_eq!(level(0).in_loop, expected["run_in_loop"].as_bool().unwrap(), "{what}");
    assert_eq!(level(0).pending.len() as u64, expected["run_pending"].as_u64().unwrap(), "{what}");
    assert_eq!(level(1).runs, runs(&expected["meta"]), "meta level of {what}");
    assert_eq!(level(1).in_loop, expected["meta_in_loop"].as_bool().unwrap(), "{what}");
    let rewrites = expected["meta_rewrites"].as_u64().unwrap();
    assert_eq!(level(1).rewrites, rewrites, "{what}");
    if rewrites == 0 {
        // The original's third level is stale after a rewrite; ours is not, so it may differ.
        assert_eq!(level(2).runs, runs(&expected["metameta"]), "meta-meta level of {what}");
    }
    assert!(level(0).units().eq(blocks.iter().map(|&block| block as u32)), "{what} expands to itself");
}

fn read(name: &str) -> Option<Value> {
    let file = testing::shared(&format!("data/history/{name}"))?;
    Some(serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap())
}

#[test]
fn the_vector_that_was_held_back_agrees() {
    let Some(data) = read("structured-065.json") else { return };
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2, "with and without short loops");
    for case in cases {
        check(case["name"].as_str().unwrap(), &numbers(&case["blocks"]), case);
    }
}

#[test]
fn every_vector_and_every_checkpoint_agrees() {
    let Some(data) = read("run_summary.json") else { return };
    let vectors = data["vectors"].as_array().unwrap();
    for vector in vectors {
        check(vector["name"].as_str().unwrap(), &numbers(&vector["blocks"]), vector);
    }
    let checkpoints = data["prefix_checkpoints"].as_array().unwrap();
    for point in checkpoints {
        let vector = vectors.iter().find(|vector| vector["name"] == point["of"]).unwrap();
        let length = point["prefix_len"].as_u64().unwrap() as usize;
        check(&format!("{} up to {length}", point["of"]), &numbers(&vector["blocks"])[..length], point);
    }
    assert!(vectors.len() > 50 && checkpoints.len() > 50);
}
