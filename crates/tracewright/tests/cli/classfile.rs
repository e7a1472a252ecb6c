//! `tracewright classfile`: the graph of a class.

use crate::util::folder;

#[test]
fn a_file_that_is_no_class_is_refused() {
    let folder = folder().with("Note.class", "not a class");
    let ran = folder.run("classfile Note.class");
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.err.starts_with("tracewright: Note.class is no Java class: "), "{ran}");
    assert_eq!(folder.run("classfile none.class").code, 2);
}

/// With a Java compiler at hand: the listing of a loop.
#[test]
fn the_blocks_of_a_loop() {
    let source = "class Sum { static int to(int n) { int s = 0; while (n > 0) s += n--; return s; } }";
    let folder = folder().with("Sum.java", source);
    let compiler = std::process::Command::new("javac").arg("Sum.java").current_dir(&folder.path).status();
    if !compiler.is_ok_and(|status| status.success()) {
        eprintln!("no Java compiler here: nothing listed");
        return;
    }
    let ran = folder.run("classfile Sum.class");
    assert_eq!(ran.code, 0, "{ran}");
    assert!(ran.out.contains("Sum.to(I)I"), "{ran}");
    assert!(ran.out.contains("loop 0: header 1"), "{ran}");
}
