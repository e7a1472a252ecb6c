//! No more than three files import each other in a circle: a larger one can be understood as a whole only.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first broken promise")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{rust_files, text};

/// So many files may import each other.
const MOST: usize = 3;

/// The files that each file names in its paths, by `crate`, `super` or `self`.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The crate of a file and its path of modules; none of a test's.
fn module(file: &str) -> Option<(&str, Vec<&str>)> {
    let (package, path) = file.strip_suffix(".rs")?.split_once("/src/")?;
    let mut path: Vec<&str> = path.split('/').collect();
    if path.iter().any(|part| part.contains("test")) {
        return None;
    }
    path.pop_if(|last| matches!(*last, "mod" | "lib" | "main"));
    Some((package, path))
}

/// Whether a file only puts modules together: what it hands on is no part of a circle.
fn is_face(file: &str) -> bool {
    ["/mod.rs", "/lib.rs", "/main.rs"].iter().any(|end| file.ends_with(end))
}

/// The code without comments, texts, and the tests at its end.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let line =
        |line: &str| line.split("//").next().unwrap().split('"').step_by(2).collect::<Vec<_>>().join(" ");
    code.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Every path of some code, the trees of its imports spread out: `super::a::{b, c::d}` is two.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for statement in code.split(';') {
        if let Some((_, tree)) = statement.rsplit_once("use ") {
            spread(tree, &[], &mut found);
        }
    }
    let is_part_of_path = |c: char| !c.is_alphanumeric() && c != '_' && c != ':';
    for path in code.split(is_part_of_path).filter(|path| path.contains("::")) {
        found.push(path.split("::").map(str::to_owned).collect());
    }
    found
}

fn spread(tree: &str, before: &[String], found: &mut Vec<Vec<String>>) {
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        let names = |path: &str| -> Vec<String> {
            let names = path.split("::").map(str::trim).filter(|name| !name.is_empty());
            before.iter().cloned().chain(names.map(str::to_owned)).collect()
        };
        match part.split_once('{') {
            Some((path, inner)) => spread(inner.strip_suffix('}').unwrap_or(inner), &names(path), found),
            None => found.push(names(part.split(" as ").next().unwrap())),
        }
    }
}

/// The file that a path leads to, as far as it goes.
fn target<'f>(
    files: &BTreeMap<(&str, Vec<&str>), &'f str>,
    (package, module): &(&str, Vec<&str>),
    path: &[String],
) -> Option<&'f str> {
    let ups = path.iter().take_while(|name| *name == "super").count();
    let (base, rest) = match path.first()?.as_str() {
        "crate" => (&module[..0], &path[1..]),
        "self" => (&module[..], &path[1..]),
        "super" => (&module[..module.len().checked_sub(ups)?], &path[ups..]),
        _ => return None,
    };
    let whole: Vec<&str> = base.iter().copied().chain(rest.iter().map(String::as_str)).collect();
    (1..=whole.len()).rev().find_map(|length| files.get(&(*package, whole[..length].to_vec())).copied())
}

fn imports(sources: &[(String, String)]) -> Imports {
    let files: BTreeMap<(&str, Vec<&str>), &str> =
        sources.iter().filter_map(|(file, _)| Some((module(file)?, file.as_str()))).collect();
    let mut imports = Imports::new();
    for (file, text) in sources {
        let Some(from) = module(file).filter(|_| !is_face(file)) else { continue };
        let targets = paths(&code(text)).into_iter().filter_map(|path| target(&files, &from, &path));
        let others = targets.filter(|other| *other != file && !is_face(other)).map(str::to_owned);
        imports.insert(file.clone(), others.collect());
    }
    imports
}

/// All files that can be come to from one by imports.
fn reached(imports: &Imports, from: &str) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(file) = open.pop() {
        for next in imports.get(&file).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// The circles of more than one file, each once.
fn circles(imports: &Imports) -> BTreeSet<Vec<String>> {
    let all: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|file| (file, reached(imports, file))).collect();
    let circle = |file: &String| -> Vec<String> {
        let back = |other: &&String| all.get(other).is_some_and(|reached| reached.contains(file));
        all[file].iter().filter(back).cloned().collect()
    };
    all.keys().map(|file| circle(file)).filter(|circle| circle.len() > 1).collect()
}

#[test]
fn circles_of_imports_are_small() {
    let sources: Vec<(String, String)> =
        rust_files().into_iter().map(|file| (file.clone(), text(&file))).collect();
    let circles = circles(&imports(&sources));
    let large: Vec<_> = circles.iter().filter(|circle| circle.len() > MOST).collect();
    assert!(large.is_empty(), "{large:#?}");
}

#[test]
fn a_circle_is_found_through_each_form_of_import() {
    let file = |name: &str, text: &str| (format!("crates/x/src/{name}.rs"), text.to_owned());
    let sources = [
        file("lib", "mod a; mod b; mod c; mod d;"),
        file("a", "use std::fmt;\nuse super::b::{self, One as Other};\n"),
        file("b", "use crate::{c::{Two}, other};\n// use super::a;\n"),
        file("c/inner", "fn f() { super::super::a::f() }"),
        file("c", "use self::inner::g;"),
        file("d", "use super::a;\n#[cfg(test)]\nmod tests {\n    use super::super::d;\n}\n"),
    ];
    let found = circles(&imports(&sources));
    let names = ["a", "b", "c", "c/inner"].map(|name| format!("crates/x/src/{name}.rs")).to_vec();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [names]);
}
