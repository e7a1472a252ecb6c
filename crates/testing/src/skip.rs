//! Reporting a test as skipped, to whoever reads its output and to `cargo xtask test`.

use std::fmt::Display;
use std::io::Write;

/// The environment variable that names the file to which skipped tests are appended, a line each:
/// the test's name, a tab, the reason.
pub const LIST: &str = "TRACEWRIGHT_SKIPPED_TESTS";

/// Reports that the calling test cannot do its work, and why; the test returns directly afterwards.
///
/// The reason names what is missing (`no JDK`), not the test.
///
/// # Panics
/// If the list cannot be written: a skipped test that nobody hears of would count as passed.
pub fn skip(why: impl Display) {
    let why = why.to_string().replace(['\n', '\t'], " ");
    eprintln!("skipped: {why}");
    let Some(path) = std::env::var_os(LIST) else { return };
    let line = format!("{}\t{why}\n", test_name());
    // One write of one line: tests that run side by side append to the same file.
    let written = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        panic!("cannot append to {}: {error}", path.display());
    }
}

/// The name of the running test: of its process under nextest, else of its thread.
fn test_name() -> String {
    if let Ok(name) = std::env::var("NEXTEST_TEST_NAME") {
        return name;
    }
    std::thread::current().name().unwrap_or("a test").to_owned()
}
