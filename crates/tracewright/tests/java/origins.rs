//! Own code and libraries are told apart by where classes come from.

use std::fs;

use crate::jdk::{Program, program, shown};

/// `Origins` calls `shelf.Shelf`, whose classes are taken into an archive.
fn with_library() -> Option<Program> {
    let program = program("Origins")?;
    let made = program.tool("jar").args(["cf", "shelf library.jar", "shelf"]).output().unwrap();
    assert!(made.status.success(), "{}", shown(&made));
    fs::remove_dir_all(program.folder.join("shelf")).unwrap();
    Some(program)
}

/// What `calls` says with these options of a recording of this command, without times, and the origins of its classes.
fn calls(program: &Program, java: &[&str], options: &[&str]) -> String {
    let recorded =
        program.tracewright(&["record", "-o", "o.capture", "--", "java"]).args(java).output().unwrap();
    assert!(recorded.status.success(), "{}", shown(&recorded));
    let calls = ["calls", "o.capture", "--times", "off", "--thread", "main"];
    let output = program.tracewright(&calls).args(options).output().unwrap();
    let info = program.tracewright(&["info", "o.capture"]).output().unwrap();
    fs::remove_dir_all(program.folder.join("o.capture")).unwrap();
    let info = String::from_utf8(info.stdout).unwrap();
    // They may lie on several lines.
    let stated = info.split_once("  says ").unwrap().1.split_once("\n\n").unwrap().0;
    let stated = stated.split_whitespace().collect::<Vec<_>>().join(" ");
    let origins = stated.split("origin = ").skip(1).map(|rest| {
        let (origin, _) = rest.split_once(" class").unwrap();
        format!("{origin}\n")
    });
    let text = shown(&output) + "\n" + &origins.collect::<String>();
    // How long the thread ran.
    let (title, rest) = text.split_once('\n').unwrap();
    let text = format!("{}\n{rest}", title.rsplit_once(", ").unwrap().0);
    text.replace(&*fs::canonicalize(&program.folder).unwrap().to_string_lossy(), "FOLDER")
}

#[test]
fn what_lies_in_folders_is_own_code_and_what_lies_in_archives_is_of_libraries() {
    let Some(program) = with_library() else { return };
    let java = ["-cp", ".:shelf library.jar", "Origins"];
    let own = calls(&program, &java, &[]);
    expect_test::expect![[r#"
        Thread main  5 calls, 14 blocks
          Origins.main (Origins.java:10-13)
            10: shelf.Shelf.<init> (Shelf.java:6)
            11: shelf.Shelf.put (Shelf.java:10-11)
              11: Origins.twice (Origins.java:6)
            12: shelf.Shelf.count (Shelf.java:23)

        4 calls that libraries made of libraries: --libraries shows them (own: 1 class of FOLDER/)
        -- stderr
        -- exit status: 0
        FOLDER/: 1
        FOLDER/shelf library.jar: 1
    "#]]
    .assert_eq(&own);
    // These recordings use the classes which the first one prepared.
    assert_eq!(calls(&program, &java, &["--own"]), own);
    let all = calls(&program, &java, &["--libraries"]);
    assert!(all.contains("Shelf.paid") && !all.contains("--libraries shows"), "{all}");
    let searched = calls(&program, &java, &["--search", "checked"]);
    assert!(searched.contains("Shelf.checked"), "{searched}");
}

#[test]
fn without_folders_the_archive_of_the_main_class_is_own_code() {
    let Some(program) = with_library() else { return };
    let made = program.tool("jar").args(["cfe", "app.jar", "Origins", "Origins.class"]).output().unwrap();
    assert!(made.status.success(), "{}", shown(&made));
    fs::remove_file(program.folder.join("Origins.class")).unwrap();
    let java = ["-cp", "app.jar:shelf library.jar", "Origins"];
    let own = calls(&program, &java, &["--own"]);
    expect_test::expect![[r#"
        Thread main  5 calls, 14 blocks
          Origins.main (Origins.java:10-13)
            10: shelf.Shelf.<init> (Shelf.java:6)
            11: shelf.Shelf.put (Shelf.java:10-11)
              11: Origins.twice (Origins.java:6)
            12: shelf.Shelf.count (Shelf.java:23)

        4 calls that libraries made of libraries: --libraries shows them (own: 1 class of FOLDER/app.jar)
        -- stderr
        -- exit status: 0
        FOLDER/app.jar: 1
        FOLDER/shelf library.jar: 1
    "#]]
    .assert_eq(&own);
    let all = calls(&program, &java, &[]);
    assert!(all.contains("Shelf.paid"), "nobody asked for own code only: {all}");
}
