//! HotSpot's verifier accepts every class of java.base after it was rewritten.
//!
//! The rewritten classes take the place of the originals (`--patch-module`), so the virtual machine
//! also starts with them and runs them. One test covers java.base with a call on each block, one
//! with everything that can be inserted; the whole JDK takes a minute and runs on demand:
//! `cargo test -p classfile --test verified_by_hotspot -- --ignored --nocapture`. The environment
//! variable `TEST_RUNTIME` names the folder of another runtime to take the classes from, `TEST_JARS`
//! jars (separated by colons) for the tests of jars; with `TEST_LIST` every method that is left alone
//! is printed with the reason.
#![allow(clippy::unwrap_used)] // all of this is a test

mod support {
    pub(crate) mod probe;
    #[path = "mod.rs"]
    pub(crate) mod tools;
}

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use classfile::ClassFile;
use classfile::instrument::Report;
use classfile::limits::{COMPILE_LIMIT, MAX_CODE};
use support::{probe, tools};

type Plan = fn(&mut ClassFile<'_>, u32) -> Report;

#[test]
fn blocks_of_java_base() {
    all_of("regex:/java.base/.*", probe::blocks, COMPILE_LIMIT);
}

#[test]
fn everything_in_java_base() {
    all_of("regex:/java.base/.*", probe::everything, MAX_CODE);
}

#[test]
fn everything_in_java_base_with_old_bodies_beside() {
    all_of("regex:/java.base/.*", probe::everything_beside, MAX_CODE);
}

#[test]
fn paths_of_java_base() {
    all_of("regex:/java.base/.*", probe::paths, COMPILE_LIMIT);
}

#[test]
#[ignore = "takes a minute"]
fn paths_of_the_whole_jdk() {
    all_of("regex:.*", probe::paths, COMPILE_LIMIT);
}

#[test]
#[ignore = "takes a minute"]
fn blocks_of_the_whole_jdk() {
    all_of("regex:.*", probe::blocks, COMPILE_LIMIT);
}

#[test]
#[ignore = "takes a minute"]
fn everything_in_the_whole_jdk() {
    let Some((jdk, folder)) = all_of("regex:.*", probe::everything, MAX_CODE) else { return };
    // The rewritten compiler on the rewritten libraries writes the classes that the original writes.
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Odd.java");
    let (plain, rewritten) = (tools::folder(), tools::folder());
    tools::run(Command::new(jdk.join("bin/javac")).arg("-d").arg(plain.path()).arg(&source));
    let mut java = patched(&jdk, folder.path());
    java.args(["-m", "jdk.compiler/com.sun.tools.javac.Main", "-d"]).arg(rewritten.path()).arg(&source);
    tools::run(&mut java);
    let (left, right) = (tools::classes(plain.path()), tools::classes(rewritten.path()));
    assert_eq!(left.len(), right.len());
    for (left, right) in left.iter().zip(&right) {
        assert_eq!(left.file_name(), right.file_name());
        assert!(std::fs::read(left).unwrap() == std::fs::read(right).unwrap(), "{}", left.display());
    }
    eprintln!("the rewritten javac wrote {} classes as the original does", left.len());
}

// The jars that `TEST_JARS` names (separated by colons): what HotSpot refuses after rewriting is
// what it refuses before.

#[test]
#[ignore = "needs jars"]
fn everything_in_jars() {
    in_jars(probe::everything, MAX_CODE);
}

#[test]
#[ignore = "needs jars"]
fn blocks_in_jars() {
    in_jars(probe::blocks, COMPILE_LIMIT);
}

#[test]
#[ignore = "needs jars"]
fn paths_in_jars() {
    in_jars(probe::paths, COMPILE_LIMIT);
}

fn in_jars(plan: Plan, limit: u32) {
    let (Some(jdk), Some(jars)) = (testing::jdk(), std::env::var_os("TEST_JARS")) else { return };
    let (folder, harness) = (tools::folder(), tools::folder());
    for (number, jar) in std::env::split_paths(&jars).enumerate() {
        let into = folder.path().join(number.to_string());
        std::fs::create_dir(&into).unwrap();
        // A jar that lacks its file or is no archive is left out.
        let _ = Command::new(jdk.join("bin/jar")).current_dir(&into).arg("xf").arg(jar).output();
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/LoadFolders.java");
    tools::run(Command::new(jdk.join("bin/javac")).arg("-d").arg(harness.path()).arg(source));
    let package = harness.path().join("patch/java/lang");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("TracewrightProbe.class"), probe::class()).unwrap();
    let load = || {
        let mut java = Command::new(jdk.join("bin/java"));
        java.args(["-Xverify:all", "-Xmx1500m", "--add-modules", "ALL-SYSTEM"]);
        java.arg("--patch-module").arg(format!("java.base={}", harness.path().join("patch").display()));
        let output = tools::run(java.arg("-cp").arg(harness.path()).arg("LoadFolders").arg(folder.path()));
        let reported = String::from_utf8(output.stdout).unwrap();
        // What the verifier says of the reason differs; the class does not.
        let class = |line: &str| line.split(' ').take(4).collect::<Vec<_>>().join(" ");
        reported.lines().map(class).collect::<Vec<_>>()
    };
    let before = load();
    let counts = rewrite_folder(folder.path(), plan, limit);
    let after = load();
    eprintln!("{counts}\n{:?}", after.last());
    let refused = |lines: &[String]| lines.iter().filter(|line| line.starts_with("REFUSED")).count();
    eprintln!("refused {} before, {} after", refused(&before), refused(&after));
    assert_eq!(before, after);
}

fn all_of(include: &str, plan: Plan, limit: u32) -> Option<(PathBuf, tempfile::TempDir)> {
    let jdk = testing::jdk()?;
    let folder = tools::extract(&jdk, include);
    let counts = rewrite_folder(folder.path(), plan, limit);
    let probe = folder.path().join("java.base/java/lang/TracewrightProbe.class");
    std::fs::write(probe, probe::class()).unwrap();
    let reported = load_all(&jdk, folder.path());
    eprintln!("{counts}\n{reported}");
    assert!(reported.contains(" refused 0 "), "{reported}");
    assert!(reported.contains("hits true"), "{reported}");
    Some((jdk, folder))
}

/// Rewrites every class below a folder and says what became of them.
fn rewrite_folder(folder: &Path, plan: Plan, limit: u32) -> String {
    let (mut classes, mut methods, mut before, mut after) = (0, 0, 0, 0);
    let mut left: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in tools::classes(folder) {
        let bytes = std::fs::read(&path).unwrap();
        let mut class = match ClassFile::parse(&bytes) {
            Ok(class) => class,
            Err(error) => panic!("{}: {error}", path.display()),
        };
        let report = plan(&mut class, limit);
        classes += 1;
        methods += report.rewritten;
        for (method, reason) in report.skipped {
            let name = class.methods[method].signature(&class.constant_pool);
            let reason = reason.to_string();
            let kind = reason.split(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).next();
            let line = format!("{}.{name}: {reason}", class.name());
            left.entry(kind.unwrap_or_default().to_owned()).or_default().push(line);
        }
        let written = class.to_bytes();
        (before, after) = (before + bytes.len(), after + written.len());
        std::fs::write(&path, written).unwrap();
    }
    let mut reported = format!("{classes} classes, {methods} methods rewritten, {before} -> {after} bytes");
    for lines in left.values() {
        let shown = if std::env::var_os("TEST_LIST").is_some() { lines.len() } else { 1 };
        reported += &format!("\nleft alone {}: {}", lines.len(), lines[..shown].join("\n    "));
    }
    reported
}

fn load_all(jdk: &Path, folder: &Path) -> String {
    let harness = tools::folder();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/LoadAll.java");
    let mut javac = Command::new(jdk.join("bin/javac"));
    tools::run(javac.args(["--release", "11", "-nowarn", "-d"]).arg(harness.path()).arg(source));
    let log = harness.path().join("verified.log");
    let mut java = patched(jdk, folder);
    java.arg(format!("-Xlog:class+init=info:file={}", log.display()));
    let output = tools::run(java.arg("-cp").arg(harness.path()).arg("LoadAll").args(modules(folder)));
    let verified = std::fs::read_to_string(log).unwrap().matches("Start class verification for:").count();
    format!("{}verified {verified}", String::from_utf8_lossy(&output.stdout))
}

fn modules(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| folder.join(name).is_dir()).collect()
}

/// A virtual machine that takes its modules from a folder and verifies all of them.
fn patched(jdk: &Path, folder: &Path) -> Command {
    let mut java = Command::new(tools::runtime(jdk).join("bin/java"));
    java.args(["-Xverify:all", "-Xmx1g", "--add-modules", "ALL-SYSTEM"]);
    for module in modules(folder) {
        java.arg("--patch-module").arg(format!("{module}={}", folder.join(&module).display()));
    }
    java
}
