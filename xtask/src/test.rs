//! `cargo xtask test`: every check there is, which is also what CI runs.
//!
//! All steps run even when one fails, so that one run shows everything that is wrong. The last
//! line counts them.

use std::time::Instant;

use crate::program::Profile;
use crate::sh::{self, Outcome, Trouble};
use crate::skipped_tests::SkippedTests;
use crate::{demo, deny, fuzz_minute, packages, web, wheel};

/// Installs what is missing, checks everything and reports what failed.
pub(crate) fn run() -> Outcome {
    packages::ensure()?;
    let mut steps = Steps::default();
    // First, because the program that the other steps build embeds the page.
    let has_page = match web::missing().or_else(web::missing_packages) {
        None => {
            steps.step("page of the viewer", web::build);
            true
        }
        Some(why) => {
            steps.skip("page of the viewer", &why);
            false
        }
    };
    steps.step("formatting", || sh::run("cargo fmt --all --check"));
    steps.step("clippy", || sh::run("cargo clippy --workspace --all-targets -- --deny warnings"));
    steps.step("documentation", documentation);
    if deny::present() {
        steps.step("dependencies", deny::check);
    } else {
        steps.skip("dependencies", "cargo-deny is not installed; `cargo xtask deny` installs it");
    }
    steps.step("examples in the documentation", || sh::run("cargo test --workspace --doc --quiet"));
    steps.step("tests", tests);
    steps.step("tables in columns", || {
        sh::run("cargo test --workspace --features tracewright/columnar --test cli --quiet table::")
    });
    match wheel::missing().or_else(wheel::missing_maturin) {
        None => steps.step("the package for Python", wheel::test),
        Some(why) => steps.skip("the package for Python", &why),
    }
    match web::missing_browser() {
        None if has_page => steps.step("the viewer in a browser", web::test),
        None => steps.skip("the viewer in a browser", "its page was not built"),
        Some(why) => steps.skip("the viewer in a browser", &why),
    }
    // With the program that the tests ran: the release is the same code, and takes ten minutes to link.
    steps.step("demo", || demo::run(Profile::Debug));
    steps.step("fuzzing, briefly", || fuzz_minute::run(&["--seconds", "4"]));
    steps.close()
}

fn documentation() -> Outcome {
    // Private items too: whoever reads these pages works on the code.
    let line = "cargo doc --workspace --no-deps --document-private-items --quiet";
    sh::run_in(
        sh::command(line).env("RUSTDOCFLAGS", "--deny warnings --allow rustdoc::private_intra_doc_links"),
        line,
    )
}

/// All tests. Those that could not do their work are counted apart and listed with the reason.
fn tests() -> Outcome {
    let line = if sh::works("cargo nextest --version") {
        "cargo nextest run --workspace --no-fail-fast"
    } else {
        "cargo test --workspace --lib --bins --tests --no-fail-fast"
    };
    let skipped = SkippedTests::begin()?;
    let outcome = sh::run_in(sh::command(line).env(testing::LIST, skipped.list()), line);
    println!("{skipped}");
    outcome
}

/// What was run so far.
#[derive(Default)]
struct Steps {
    passed: usize,
    skipped: usize,
    failed: Vec<String>,
}

impl Steps {
    fn step(&mut self, name: &str, work: impl FnOnce() -> Outcome) {
        println!("\n=== {name}");
        let start = Instant::now();
        match work() {
            Ok(()) => {
                self.passed += 1;
                println!("=== {name}: passed in {:.0?}", start.elapsed());
            }
            Err(Trouble::Wrong(what) | Trouble::CannotDo(what)) => {
                println!("=== {name}: FAILED: {what}");
                self.failed.push(format!("{name}: {what}"));
            }
        }
    }

    fn skip(&mut self, name: &str, why: &str) {
        self.skipped += 1;
        println!("\n=== {name}: skipped: {why}");
    }

    fn close(self) -> Outcome {
        println!();
        for failed in &self.failed {
            println!("FAILED {failed}");
        }
        // The form of this line is read by CI.
        println!("steps: {} passed, {} failed, {} skipped", self.passed, self.failed.len(), self.skipped);
        match self.failed.len() {
            0 => Ok(()),
            count => Err(Trouble::Wrong(format!("{count} steps failed"))),
        }
    }
}
