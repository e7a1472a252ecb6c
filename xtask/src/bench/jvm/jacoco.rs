//! The recorder that most Java programs are recorded with, from Debian's package: JaCoCo, which records which
//! blocks ran, neither in what order nor how often. What it costs a program's start is a measure for ours.
//!
//! Its agent is put together here: that of Debian leaves out what it needs, and what names its first class.

use std::path::{Path, PathBuf};

use super::java::folder;
use crate::packages;
use crate::sh::{self, Outcome, Trouble};

const JARS: &str = "/usr/share/java";
const AGENT: &str = "org.jacoco.agent.rt";
const NEEDED: [&str; 5] = ["org.jacoco.core", "asm", "asm-commons", "asm-tree", "asm-analysis"];

/// The agent, ready to be used, in a folder of ours; `None`, with a word, where there is none.
pub(super) fn agent() -> Result<Option<PathBuf>, Trouble> {
    let missing = || {
        let jars = std::iter::once(AGENT).chain(NEEDED);
        jars.map(|name| format!("{JARS}/{name}.jar")).find(|jar| !Path::new(jar).exists())
    };
    if missing().is_some() {
        packages::wish_for_jacoco();
    }
    if let Some(jar) = missing() {
        eprintln!("jvm: JaCoCo is left out, because {jar} is not there (Debian: libjacoco-java)");
        return Ok(None);
    }
    let directory = folder().join("jacoco");
    let cannot = |error: std::io::Error| Trouble::CannotDo(format!("{}: {error}", directory.display()));
    std::fs::create_dir_all(directory.join("classes")).map_err(cannot)?;
    let line = format!("jar xf {JARS}/{AGENT}.jar");
    sh::run_in(sh::command(&line).current_dir(directory.join("classes")), &line)?;
    std::fs::write(directory.join("manifest"), manifest()).map_err(cannot)?;
    let line = "jar cfm agent.jar manifest -C classes .";
    sh::run_in(sh::command(line).current_dir(&directory), line)?;
    Ok(Some(directory.join("agent.jar")))
}

/// No line of a manifest is longer than 72 bytes.
fn manifest() -> String {
    let jars = NEEDED.map(|name| format!("{JARS}/{name}.jar"));
    format!("Premain-Class: org.jacoco.agent.rt.internal.PreMain\nClass-Path: {}\n", jars.join("\n  "))
}

/// The option for the virtual machine. JaCoCo's own classes, which Debian has not renamed, must be excluded. What
/// an earlier run wrote is removed.
pub(super) fn option() -> String {
    let directory = folder().join("jacoco");
    let _ = std::fs::remove_file(directory.join("output"));
    format!(
        "-javaagent:{}=excludes=org.jacoco.*:org.objectweb.asm.*,append=false,destfile={}",
        directory.join("agent.jar").display(),
        directory.join("output").display()
    )
}

/// That it has reported this class.
pub(super) fn check(class: &str) -> Outcome {
    let output = std::fs::read(folder().join("jacoco/output")).unwrap_or_default();
    let name = class.replace('.', "/");
    match output.windows(name.len()).any(|bytes| bytes == name.as_bytes()) {
        true => Ok(()),
        false => Err(Trouble::Wrong(format!("JaCoCo has not reported {class}"))),
    }
}
