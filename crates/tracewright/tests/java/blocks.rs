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
    expect![[r#"
        main:
          Kinds.main (outermost)
            61
            Kinds.factorial
              21 21
              Kinds.factorial
                21 21
                Kinds.factorial
                  21 21 21
                21 21
              21 21
            61 62
            Kinds.loops
              24+25 25 26 26 27 27 26 26 27 28 26 26 27 27 26 26 25 25 26 26 27 27 26 26 27 28 26 26 25 25 26 26 27 27 26 26 25 25 31
            62 63
            Kinds.pick
              34 35
            63
            Kinds.pick
              34 37
            63 63 64
            Kinds$Lazy.<clinit> (via library)
              10 10 10 10 10 10 10 10 10
            65
            Kinds.deep
              41 42
              Kinds.deep
                41 42
                Kinds.deep
                  41 41 41
                  threw
                threw
              threw
            catch:65 65 66
            Kinds.guarded
              46+50
              Kinds.check
                18 18
              50+46
            66
            Kinds.guarded
              46+50 catch:47+48+50
              Kinds.check
                18 18
              50+48
            66 67
            Kinds$Child.<init>
              15
              Kinds$Child.parse
                16
                threw
              threw
            catch:67 68
            Kinds$Child.<init>
              14
              Kinds.<init>
                5 5
              14
              Kinds.check
                18 18
              14
            68 69
            Kinds$Square.<init>
              7 7
            69+70
            Kinds$Square.area
              7
            70 71
            Kinds.sorted
              54 54 54 54 54 54+55 55
              Kinds.lambda$sorted$0 (via library)
                55 55 55
                Kinds.compare
                  58
                55
              Kinds.lambda$sorted$0 (via library)
                55 55 55
                Kinds.compare
                  58
                55
              Kinds.lambda$sorted$0 (via library)
                55 55 55
                Kinds.compare
                  58
                55
              Kinds.lambda$sorted$0 (via library)
                55 55 55
                Kinds.compare
                  58
                55
              56 57
            72 72 72+73 74 75
            unseen end
        worker:
          Kinds.lambda$main$1 (outermost)
            72
            Kinds.factorial
              21 21
              Kinds.factorial
                21 21 21
              21 21
            72 72
    "#]].assert_eq(&show::flow(&capture));
}
