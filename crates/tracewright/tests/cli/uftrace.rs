//! Recordings of uftrace: the two in `examples/`, and one that is made here where the tools are.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::{Expect, expect};

use crate::util::{Folder, folder};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/uftrace").join(name)
}

/// A folder with a copy of a recording.
fn with(name: &str) -> Folder {
    let folder = folder();
    let copy = folder.path.join(name);
    std::fs::create_dir(&copy).unwrap();
    for file in std::fs::read_dir(example(name)).unwrap() {
        let path = file.unwrap().path();
        std::fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    folder
}

/// Numbers of threads and times differ from recording to recording.
fn without_numbers(text: &str) -> String {
    let line = |line: &str| match line.split_once(' ') {
        Some((kind @ ("Thread" | "Threads"), rest)) => {
            let words: Vec<&str> = rest.split("  ").collect();
            let name = words[0].split(' ').next().unwrap();
            let figures = words[1].rsplit_once(", ").unwrap().0;
            format!("{kind} {name} {figures}\n")
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn check(name: &str, arguments: &str, expected: &Expect) {
    let ran = with(name).run(arguments);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments}");
    // The command stands before what it prints, so that the indentation of all lines counts.
    expected.assert_eq(&format!("$ {arguments}\n{}", without_numbers(&ran.out)));
}

/// Each record has its time, so each call has its length, down to the shortest.
#[test]
fn calls_have_the_times_of_their_records() {
    let ran = with("bakery.data").run("calls bakery.data --times 1us --summary --sort time");
    let at = ran.out.find("Calls whose length is known").unwrap();
    expect![[r#"
        Calls whose length is known
          method        calls     time      own  waiting  longest
          bakery.main       1   302 us   300 us            302 us
          bakery.baker      2  22.2 us  21.2 us           11.5 us
          bakery.price      3  2.68 us  2.68 us           2.68 us
          bakery.loaf       1  1.00 us  1.00 us           1.00 us
    "#]]
    .assert_eq(&ran.out[at..]);
}

#[test]
fn calls_of_a_c_program_are_told_with_loops_and_recursion_folded() {
    check(
        "bakery.data",
        "calls bakery.data",
        &expect![[r#"
        $ calls bakery.data
        Thread bakery 26 calls, 26 blocks
          bakery.main (bakery.c:29)
            29: bakery.price (bakery.c:9)
              9: bakery.price x 2  recursion
              recursion of bakery.price x 24, 6 deep
                x 11 (9)
                  9: bakery.price x 9  recursion
                  9: bakery.price (bakery.c:9) x 13

        Threads bakery 2 threads, 252 calls, 252 blocks
          bakery.baker (bakery.c:21)
            21: bakery.loaf (bakery.c) x 40
              x 30 (11)
                11: bakery.knead (bakery.c:6) x 90
                11: bakery.bake (bakery.c:7)
                11: bakery.heat (bakery.c:5)
              x 10 (11)
                11: bakery.knead (bakery.c:6) x 30
                11: bakery.bake (bakery.c:7)
                11: bakery.heat (bakery.c:5)
                11: bakery.throw_away (bakery.c:8)
    "#]],
    );
}

/// Not all that stands in parentheses are parameters.
#[test]
fn a_name_with_parentheses_in_it_is_found() {
    let ran =
        with("shapes.data").run_with(["method", "shapes.data", "std::get<(unsigned long)0, Shape*, *"], "");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.starts_with("shapes.std::get<(unsigned long)0, Shape*, "), "{ran}");
}

#[test]
fn a_method_of_a_c_plus_plus_program_is_found_by_its_name() {
    check(
        "shapes.data",
        "calls shapes.data --method *measured",
        &expect![[r#"
            $ calls shapes.data --method *measured
              shapes.measured (shapes.cpp) x 6
                x 2 (22)
                  22: shapes.check (shapes.cpp:17)
                  22: shapes.Square::area (shapes.cpp:11)
                x 2 (22)
                  22: shapes.check (shapes.cpp:17)
                  22: shapes.Triangle::area (shapes.cpp:14)
                x 2 (22)
                  22: shapes.check (shapes.cpp:17)
                    17: shapes.__cxa_allocate_exception
                    17: shapes.std::invalid_argument::invalid_argument
        "#]],
    );
}

#[test]
fn every_command_reads_it() {
    let folder = with("bakery.data");
    for (arguments, expected) in [
        ("info bakery.data", "format   uftrace 4"),
        ("events bakery.data", ") bakery.knead:6\n"),
        ("loops bakery.data", "4 iterations in 1 place"),
        ("hangs bakery.data", "3 of 3 tracks end in a loop"),
        ("calls bakery.data --summary", "calls    278\n"),
        ("calls bakery.data --flat", "  bakery.loaf\n"),
        ("calls bakery.data --json", r#""method":"bakery.loaf""#),
        ("calls bakery.data --search bakery.c:8", "bakery.throw_away"),
    ] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments}");
        assert!(ran.out.contains(expected), "{arguments}: {}", ran.out);
    }
    let ran = folder.run("export bakery.data --to chrome -o bakery.json");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let text = std::fs::read_to_string(folder.path.join("bakery.json")).unwrap();
    assert_eq!(text.matches(r#""ph":"B""#).count() + text.matches(r#""ph":"X""#).count(), 278, "{text}");
}

#[test]
fn what_cannot_be_read_is_refused_with_the_reason() {
    let folder = with("bakery.data");
    std::fs::write(folder.path.join("bakery.data/info"), b"Ftrace!\0\x09\0\0\0\x28\0\x01\x02").unwrap();
    let ran = folder.run("calls bakery.data");
    let expected = "tracewright: cannot read bakery.data as a recording of uftrace: it has version 9 of uftrace's format; \
                    version 4 is read\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (2, "", expected));
}

/// Records a program here and compares what is told with what uftrace's own report counts.
#[test]
fn counts_are_those_of_uftrace_itself() {
    let folder = folder();
    for tool in ["gcc", "uftrace"] {
        if Command::new(tool).arg("--version").output().is_err() {
            return testing::skip(format!("no {tool}"));
        }
    }
    let ran = folder.shell(&format!(
        "gcc -pg -g -O0 -o bakery {} -lpthread && \
         timeout 60 uftrace record --no-libcall --no-event -d b.data ./bakery > /dev/null && \
         uftrace report -d b.data --no-pager -f call",
        example("bakery.c").display()
    ));
    if ran.code != 0 {
        return testing::skip(format!(
            "uftrace cannot record here: {}",
            ran.err.lines().next().unwrap_or_default()
        ));
    }
    let counts = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.parse::<u64>().ok()?, words.next()?.to_owned()))
    };
    let counted: Vec<(u64, String)> = ran.out.lines().filter_map(counts).collect();
    assert!(counted.len() > 5, "{}", ran.out);
    let events = folder.run("events b.data").out;
    for (count, name) in counted {
        let ours = events.lines().filter(|line| line.ends_with(&format!(" bakery.{name}#0"))).count();
        assert_eq!(ours as u64, count, "{name}");
    }
}
