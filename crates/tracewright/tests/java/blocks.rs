//! What is recorded is what ran, and the program does not notice.

use expect_test::expect;

use crate::jdk::{program, shown};
use crate::show;

#[test]
fn every_kind_of_thing_is_recorded_as_it_ran() {
    let Some(kinds) = program("Kinds") else { return };
    let plain = kinds.java(&[], &[]).output().unwrap();
    // Full verification, so that the recorder's own classes and all that was inserted are checked.
    let traced = kinds.recorded(&["-o", "kinds.capture"], &["-Xverify:all"], &[]).output().unwrap();
    assert_eq!(shown(&traced), shown(&plain));
    assert_eq!(plain.status.code(), Some(7));
    let capture = show::open(&kinds.folder.join("kinds.capture"));
    assert!(capture.findings.is_empty(), "{:?}", capture.findings);
    assert_eq!(capture.end.as_ref().map(|end| (&end.reason[..], end.lost)), Some(("the program ended", 0)));
    expect![[r#""#]].assert_eq(&show::flow(&capture));
}
