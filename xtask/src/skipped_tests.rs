//! The tests that passed only because they could not do their work: who they are, and what they lacked.
//!
//! [`testing::skip`] appends to a list whose path a run of the tests is given; here it is made and read.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::sh::{self, Trouble};

/// The list of one run.
pub(crate) struct SkippedTests {
    list: PathBuf,
}

impl SkippedTests {
    /// An empty list.
    pub(crate) fn begin() -> Result<SkippedTests, Trouble> {
        let list = sh::target_dir().join("skipped-tests.txt");
        let emptied = fs::create_dir_all(sh::target_dir()).and_then(|()| fs::write(&list, ""));
        emptied.map_err(|error| Trouble::CannotDo(format!("cannot write {}: {error}", list.display())))?;
        Ok(SkippedTests { list })
    }

    /// The file that tests append to.
    pub(crate) fn list(&self) -> &Path {
        &self.list
    }
}

impl fmt::Display for SkippedTests {
    /// `17 skipped: 12 no JDK, 5 no ../shared/data/ctf`, then the name of each test.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match fs::read_to_string(&self.list) {
            Ok(text) => out.write_str(&report(&text)),
            Err(error) => write!(out, "skipped tests: cannot read {}: {error}", self.list.display()),
        }
    }
}

fn report(list: &str) -> String {
    // A test may lack several things: it is one test, and counted where it was stopped first.
    let mut reason_of = BTreeMap::new();
    for (test, why) in list.lines().filter_map(|line| line.split_once('\t')) {
        reason_of.entry(test).or_insert(why);
    }
    let mut tests_of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (test, why) in &reason_of {
        tests_of.entry(why).or_default().push(test);
    }
    let reasons: Vec<String> = tests_of.iter().map(|(why, tests)| format!("{} {why}", tests.len())).collect();
    let mut text = format!("{} skipped: {}", reason_of.len(), reasons.join(", "));
    if reason_of.is_empty() {
        text = "0 skipped: every test did its work".to_owned();
    }
    for (why, tests) in tests_of {
        for test in tests {
            text += &format!("\n  skipped {test}: {why}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::report;

    #[test]
    fn a_test_is_counted_once_by_its_first_reason() {
        assert_eq!(report(""), "0 skipped: every test did its work");
        assert_eq!(
            report("cli::a\tno JDK\njava::b\tno JDK\ncli::a\tno disk\nctf::c\tno ../shared/data/ctf\n"),
            "3 skipped: 1 no ../shared/data/ctf, 2 no JDK\n  skipped ctf::c: no ../shared/data/ctf\n  \
             skipped cli::a: no JDK\n  skipped java::b: no JDK"
        );
    }
}
