//! `ARCHITECTURE.md` is held against the code: what it promises is checked here, in its order.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first broken promise")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{block_after, metadata, root, rust_files, text};

/// Names of our crates by who uses them, straight from cargo. Development dependencies count too.
fn arrows_of_the_code() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let ours = |package: &&serde_json::Value| package["source"].is_null();
    // Those that are published have a longer name than their folder.
    let name = |value: &serde_json::Value| {
        let name = value["name"].as_str().unwrap();
        name.strip_prefix("tracewright-").unwrap_or(name).to_owned()
    };
    let names: BTreeSet<String> = packages.iter().filter(ours).map(name).collect();
    let uses = |package: &serde_json::Value| {
        let dependencies = package["dependencies"].as_array().unwrap();
        dependencies.iter().map(name).filter(|used| names.contains(used)).collect()
    };
    packages.iter().filter(ours).map(|package| (name(package), uses(package))).collect()
}

#[test]
fn the_arrows_between_our_crates_are_those_of_the_text() {
    let architecture = text("ARCHITECTURE.md");
    let arrows = |line: &&str| {
        let (user, used) = line.split_once(" -> ").unwrap_or_else(|| panic!("not an arrow: {line}"));
        let used = used.split(", ").map(str::trim).filter(|name| *name != "nothing");
        (user.trim().to_owned(), used.map(str::to_owned).collect())
    };
    let promised: BTreeMap<String, BTreeSet<String>> =
        block_after(&architecture, "## Arrows").iter().map(arrows).collect();
    assert_eq!(promised, arrows_of_the_code(), "left: ARCHITECTURE.md, right: the Cargo.toml files");
}

#[test]
fn every_crate_has_a_paragraph() {
    let architecture = text("ARCHITECTURE.md");
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let opening = format!("**`crates/{name}/`**");
        assert!(
            architecture.lines().any(|line| line.starts_with(&opening)),
            "no paragraph starts with {opening}"
        );
    }
}

#[test]
fn every_folder_of_a_crate_is_named_and_every_crate_is_in_the_picture() {
    let architecture = text("ARCHITECTURE.md");
    let picture = architecture.split("```").nth(1).unwrap();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // Shared by tests, and in no flow of data.
        let is_drawn = name == "testing" || name == "model" || picture.contains(&name);
        assert!(is_drawn, "the picture lacks {name}");
        for folder in std::fs::read_dir(root().join("crates").join(&name).join("src")).unwrap() {
            let folder = folder.unwrap();
            if folder.path().is_dir() {
                let path = format!("crates/{name}/src/{}", folder.file_name().into_string().unwrap());
                assert!(architecture.contains(&path), "no paragraph names {path}");
            }
        }
    }
}

#[test]
fn every_test_that_an_invariant_names_exists() {
    let architecture = text("ARCHITECTURE.md");
    let invariants = architecture.split("\n## Invariants\n").nth(1).expect("a section `## Invariants`");
    let invariants = invariants.split("\n## ").next().unwrap();
    let code: String = rust_files().iter().map(|file| text(file)).collect();
    let mut count = 0;
    for item in invariants.split("\n- ").skip(1) {
        let named = item.rsplit_once("Test: ").unwrap_or_else(|| panic!("no test is named in: {item}")).1;
        for name in named.split('`').skip(1).step_by(2) {
            assert!(code.contains(&format!("fn {name}(")), "there is no test `{name}`");
            count += 1;
        }
    }
    assert!(count >= 8, "only {count} tests were found in the text; has its form changed?");
}

#[test]
fn the_model_stands_alone() {
    let metadata = metadata();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let model = packages.find(|package| package["name"] == "tracewright-model");
    assert_eq!(model.unwrap()["dependencies"].as_array().unwrap().len(), 0);
}

/// The part of a file that is in the program: tests inside it stand at its end.
fn without_tests(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = code.split("\n#[cfg(test)]\nmod tests").next().unwrap_or(code);
    code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Files of the libraries that are in the program: no `tests` folders, no modules only for tests.
fn library_files() -> Vec<String> {
    let libraries = ["model", "source", "capture", "formats", "analyses", "inference"]
        .map(|name| format!("crates/{name}/src/"));
    let for_tests = |file: &String| {
        let path = std::path::Path::new(file);
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let declared = format!("#[cfg(test)]\nmod {stem};");
        let folder = path.parent().unwrap();
        let parents = [folder.join("mod.rs"), folder.join("lib.rs"), folder.with_extension("rs")];
        let declares = |parent: &std::path::PathBuf| {
            std::fs::read_to_string(root().join(parent)).is_ok_and(|code| code.contains(&declared))
        };
        file.contains("/tests/") || stem == "tests" || parents.iter().any(declares)
    };
    let mut files = rust_files();
    files.retain(|file| libraries.iter().any(|start| file.starts_with(start.as_str())) && !for_tests(file));
    files
}

#[test]
fn libraries_do_not_touch_the_world() {
    let world =
        ["std::fs", "std::net", "std::thread", "std::process", "std::env", "SystemTime", "Instant::now"];
    for file in library_files() {
        for (index, line) in without_tests(&text(&file)) {
            let touched = world.iter().find(|word| line.contains(*word));
            assert_eq!(touched, None, "{file}:{}", index + 1);
        }
    }
}

/// Files that may hold `unsafe`. Each must be named in `ARCHITECTURE.md` with its reason.
const UNSAFE_FILES: [&str; 11] = [
    "crates/agent/src/buffers/bus_error.rs",
    "crates/agent/src/entry.rs",
    "crates/agent/src/jvm/mod.rs",
    "crates/agent/src/jvm/jni.rs",
    "crates/agent/src/jvm/jvmti.rs",
    "crates/agent/src/jvm/jvmti_tables.rs",
    "crates/agent/src/buffers/pool.rs",
    "crates/agent/src/jvm/children.rs",
    "crates/agent/src/jvm/preload.rs",
    "crates/agent/src/sys.rs",
    "crates/agent/src/buffers/tail.rs",
];

#[test]
fn unsafe_stays_in_the_named_files() {
    let architecture = text("ARCHITECTURE.md");
    for file in UNSAFE_FILES {
        assert!(architecture.contains(file), "{file} may hold unsafe code, but the text does not say why");
    }
    let word = concat!("un", "safe");
    for file in rust_files() {
        if UNSAFE_FILES.contains(&file.as_str()) || file == "xtask/tests/architecture.rs" {
            continue;
        }
        for (index, line) in text(&file).lines().enumerate() {
            let code = line.split("//").next().unwrap_or(line);
            let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
            assert!(!words.into_iter().any(|w| w == word), "{file}:{}: {line}", index + 1);
        }
    }
}

#[test]
fn files_are_short_enough_to_read() {
    for file in rust_files() {
        let lines = text(&file).lines().count();
        assert!(lines <= 800, "{file} has {lines} lines: split it");
    }
}

#[test]
fn files_say_what_they_are() {
    for file in rust_files() {
        let text = text(&file);
        assert!(text.starts_with("//! "), "{file} does not start with `//!` and a sentence");
    }
}

/// The folders of the recorder: each uses only those before it.
const RECORDER: [&str; 5] = ["jvm", "buffers", "writer", "classes", "control"];
/// What all of them may use, besides; nothing of it uses them.
const BELOW: [&str; 3] = ["locks", "sys", "wake"];

/// The folders of the engine for work: each uses only those before it.
const INFERENCE: [&str; 5] = ["state_machines", "estimate", "explain", "repair", "joint"];

#[test]
fn the_folders_of_inference_have_an_order() {
    for (above, folder) in INFERENCE.iter().enumerate() {
        let inside = format!("crates/inference/src/{folder}/");
        let files: Vec<String> = rust_files().into_iter().filter(|file| file.starts_with(&inside)).collect();
        assert!(files.len() > 2, "{folder}: {files:?}");
        for file in files {
            let text = text(&file);
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for used in code.flat_map(|line| line.split("crate::").skip(1)) {
                let is_behind = |folder: &str| used.starts_with(&format!("{folder}::"));
                assert!(!INFERENCE[above + 1..].iter().any(|folder| is_behind(folder)), "{file} uses {used}");
            }
        }
    }
}

#[test]
fn nothing_but_the_command_line_knows_the_commands() {
    let inside = "crates/tracewright/src/";
    let above = ["lib.rs", "commands/"].map(|file| format!("{inside}{file}"));
    let mut files = rust_files();
    files.retain(|file| {
        file.starts_with(inside) && !above.iter().any(|above| file.starts_with(above.as_str()))
    });
    assert!(files.len() > 100, "{files:?}");
    for file in files {
        assert!(!text(&file).contains("crate::commands"), "{file} uses a command");
    }
}

#[test]
fn the_folders_of_the_recorder_have_an_order() {
    for (above, folder) in RECORDER.iter().enumerate() {
        let inside = format!("crates/agent/src/{folder}/");
        let files: Vec<String> = rust_files().into_iter().filter(|file| file.starts_with(&inside)).collect();
        assert!(files.len() > 3, "{folder}: {files:?}");
        for file in files {
            for used in text(&file).split("crate::").skip(1) {
                let used =
                    used.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
                let is_before = RECORDER[..=above].contains(&used) || BELOW.contains(&used);
                assert!(is_before, "{file} uses {used}");
            }
        }
    }
    for file in BELOW {
        let text = text(&format!("crates/agent/src/{file}.rs"));
        let used = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        assert!(!RECORDER.iter().any(|folder| used.contains(&format!("crate::{folder}"))), "{file}");
    }
}
