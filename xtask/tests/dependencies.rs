//! What we depend on: the rules of `deny.toml` that can be checked without cargo-deny.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first broken promise")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{metadata, metadata_with, text};
use serde_json::Value;

/// What the binary may bring along at most, our own crates aside.
const MOST_PACKAGES: usize = 62;

fn list_in_deny_toml(key: &str) -> BTreeSet<String> {
    let deny = text("deny.toml");
    let start = deny.find(&format!("\n{key} = [")).unwrap_or_else(|| panic!("deny.toml has no `{key}`"));
    let list = deny[start..].split(']').next().unwrap();
    list.lines()
        .filter_map(|line| Some(line.trim().strip_prefix('"')?.split('"').next()?.to_owned()))
        .collect()
}

#[test]
fn licences_are_among_those_that_deny_toml_allows() {
    let allowed = list_in_deny_toml("allow");
    assert!(allowed.contains("MIT"), "{allowed:?}");
    let exceptions = exceptions_in_deny_toml();
    for package in metadata_with(&["--all-features"])["packages"].as_array().unwrap() {
        let (name, licence) =
            (package["name"].as_str().unwrap(), package["license"].as_str().unwrap_or("none"));
        let more = exceptions.get(name).into_iter().flatten();
        let allowed = allowed.iter().chain(more).cloned().collect();
        assert!(fits(licence, &allowed), "{name}: {licence}");
    }
}

/// By package: what it may be licensed under beside what all may.
fn exceptions_in_deny_toml() -> BTreeMap<String, Vec<String>> {
    let deny = text("deny.toml");
    let lines = deny.lines().filter_map(|line| line.trim().strip_prefix("{ crate = \"")?.split_once('"'));
    lines
        .map(|(name, rest)| {
            let licences = rest.split('"').skip(1).step_by(2).map(str::to_owned).collect();
            (name.to_owned(), licences)
        })
        .collect()
}

/// Whether an SPDX expression can be met with `allowed`. `/` is an old way to write `OR`.
fn fits(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    any_of(&words, &mut at, allowed) && at == words.len()
}

fn any_of(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut fits = all_of(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        fits |= all_of(words, at, allowed);
    }
    fits
}

fn all_of(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut fits = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        fits &= one(words, at, allowed);
    }
    fits
}

fn one(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let word = words.get(*at).copied().unwrap_or_default();
    *at += 1;
    if word == "(" {
        let fits = any_of(words, at, allowed);
        *at += 1;
        return fits;
    }
    if words.get(*at) == Some(&"WITH") {
        *at += 2;
        return allowed.contains(&format!("{word} WITH {}", words[*at - 1]));
    }
    allowed.contains(word)
}

#[test]
fn licence_expressions_are_understood() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Unicode-3.0".to_owned()]);
    for good in ["MIT", "MIT/Apache-2.0", "(GPL-2.0 OR MIT) AND Unicode-3.0", "X OR (MIT AND Unicode-3.0)"] {
        assert!(fits(good, &allowed), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "none", "MIT WITH something", ""] {
        assert!(!fits(bad, &allowed), "{bad}");
    }
}

#[test]
fn everything_comes_from_one_registry() {
    for package in metadata()["packages"].as_array().unwrap() {
        let source = package["source"].as_str();
        let known =
            source.is_none_or(|source| source == "registry+https://github.com/rust-lang/crates.io-index");
        assert!(known, "{}: {source:?}", package["name"]);
    }
}

#[test]
fn the_binary_brings_few_packages() {
    let metadata = metadata();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let by_id: BTreeMap<&str, &Value> =
        nodes.iter().map(|node| (node["id"].as_str().unwrap(), node)).collect();
    let root = by_id.keys().find(|id| id.contains("crates/tracewright")).unwrap();
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![*root]);
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in by_id[id]["deps"].as_array().unwrap() {
            let normal =
                dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null());
            if normal {
                waiting.push(dependency["pkg"].as_str().unwrap());
            }
        }
    }
    // Our own are cut into crates as it reads best.
    seen.retain(|id| !id.starts_with("path+file:"));
    println!("{} packages", seen.len());
    assert!(seen.len() <= MOST_PACKAGES, "{}: {seen:#?}", seen.len());
}
