//! `cargo xtask deny`: licences, sources, duplicates and advisories of everything we depend on.
//!
//! cargo-deny takes minutes to compile, so only this task installs it; `cargo xtask test` runs it
//! where it is present, and `xtask/tests/dependencies.rs` checks the main rules without it.

use crate::sh::{self, Outcome};

/// Whether cargo-deny is installed.
pub(crate) fn present() -> bool {
    sh::works("cargo deny --version")
}

/// Installs cargo-deny if it is missing, and checks.
pub(crate) fn run() -> Outcome {
    if !present() {
        sh::run("cargo install --locked cargo-deny")?;
    }
    check()
}

/// Checks, with what is installed.
pub(crate) fn check() -> Outcome {
    sh::run("cargo deny --workspace check bans licenses sources")?;
    // The advisories are fetched from the network; being offline is no fault of the dependencies.
    if sh::works("cargo deny fetch") {
        sh::run("cargo deny --workspace check --disable-fetch advisories")
    } else {
        println!("advisories: not checked, because the advisory database cannot be fetched from here");
        Ok(())
    }
}
