//! Builds the agent that is loaded into Java, so that the binary can carry it.
//!
//! The agent is a shared library and no dependency of the binary; cargo has no stable way to embed
//! one. So this runs cargo once more, for that package alone, always optimised, into a folder of its
//! own (two cargos never wait for each other's lock). What clippy, documentation or coverage runs
//! put into the environment must not reach it: it would build another library each time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds it, and tells the compiler where it is.
pub(crate) fn embed() {
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));
    let crates = here.parent().unwrap_or(&here);
    for name in ["agent", "capture", "classfile", "formats", "model", "source"] {
        for part in ["src", "Cargo.toml"] {
            println!("cargo::rerun-if-changed={}", crates.join(name).join(part).display());
        }
    }
    println!("cargo::rerun-if-changed=build/agent.rs");
    let library = if variable("CARGO_CFG_TARGET_OS") == "linux" { build(&here, &out) } else { none(&out) };
    println!("cargo::rustc-env=TRACEWRIGHT_AGENT={}", library.display());
    println!("cargo::rustc-env=TRACEWRIGHT_AGENT_DIGEST={:016x}", digest(&library));
}

/// What tells this library from those of other builds. Found out here, for it would take a hundredth of a second
/// each time a program is started.
fn digest(library: &Path) -> u64 {
    let bytes = std::fs::read(library);
    let bytes = bytes.unwrap_or_else(|error| stop(&format!("cannot read {}: {error}", library.display())));
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Elsewhere nothing is carried, and recording says so.
fn none(out: &Path) -> PathBuf {
    let empty = out.join("no-agent");
    if let Err(error) = std::fs::write(&empty, []) {
        stop(&format!("cannot write {}: {error}", empty.display()));
    }
    empty
}

fn build(here: &Path, out: &Path) -> PathBuf {
    // OUT_DIR is target/PROFILE/build/PACKAGE-HASH/out.
    let is_checked = variable("PROFILE") != "release";
    let folder = if is_checked { "agent-checked" } else { "agent" };
    let target = out.ancestors().nth(4).unwrap_or(out).join(folder);
    let mut cargo = Command::new(variable("CARGO"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let inherited = ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTR", "CARGO_SOURCE"];
        let ours = text.starts_with("CARGO") || text.starts_with("RUST") || text.starts_with("CLIPPY");
        let is_inherited =
            inherited.iter().any(|start| text.starts_with(start)) || text.starts_with("RUSTUP");
        if ours && !is_inherited {
            cargo.env_remove(&name);
        }
    }
    cargo.env("RUSTC", variable("RUSTC"));
    cargo.args(["build", "--release", "--locked", "--package", "agent", "--lib", "--quiet"]);
    // Symbols would be most of what the binary carries.
    cargo.args(["--config", "profile.release.strip=\"symbols\""]);
    if is_checked {
        // A lock that is taken out of order ends the recording, which the tests see.
        cargo.args(["--config", "profile.release.package.agent.debug-assertions=true"]);
    }
    cargo.arg("--manifest-path").arg(here.join("../../Cargo.toml")).arg("--target-dir").arg(&target);
    let host = variable("HOST");
    let triple = variable("TARGET");
    if host != triple {
        cargo.args(["--target", &triple]);
    }
    match cargo.status() {
        Ok(status) if status.success() => {}
        Ok(status) => stop(&format!("building the agent failed: {status}")),
        Err(error) => stop(&format!("cannot run cargo for the agent: {error}")),
    }
    let folder = if host == triple { target } else { target.join(&triple) };
    folder.join("release/libagent.so")
}

fn stop(sentence: &str) -> ! {
    eprintln!("{sentence}");
    std::process::exit(1)
}
