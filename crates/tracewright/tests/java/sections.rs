//! Tests, requests and tasks of a recorded program as sections.

use expect_test::expect;
use serde_json::Value;

use crate::jdk::{Program, program, program_of, shown};

/// What `sections --json` lists, without times.
fn listed(java: &Program, arguments: &[&str]) -> String {
    let mut command = vec!["sections", "s.capture", "--json"];
    command.extend(arguments);
    let answer = java.tracewright(&command).output().unwrap();
    assert_eq!(answer.status.code(), Some(0), "{}", shown(&answer));
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let mut lines: Vec<String> = vec![];
    for one in answer["sections"].as_array().unwrap() {
        let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        let line = one["at"]["line"].as_u64().map_or(String::new(), |line| format!(" at {line}"));
        let thread = text("thread").trim_end_matches(char::is_numeric).to_owned();
        lines.push(format!(
            "{} {} {}{line}: {} blocks, {} calls, {thread}\n",
            text("kind"),
            text("name"),
            text("outcome"),
            one["blocks"],
            one["calls"]
        ));
    }
    lines.concat()
}

fn message(java: &Program, arguments: &[&str]) -> String {
    shown(&java.tracewright(arguments).output().unwrap())
}

#[test]
fn tests_requests_and_tasks_are_sections() {
    let Some(java) = program("sections/Shop") else { return };
    let ran = java.recorded(&["-o", "s.capture"], &[], &[]).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    expect![[r#"
        test Shop$CartTest.adds returned: 31 blocks, 6 calls, main
        test Shop$CartTest.refuses threw at 38: 10 blocks, 3 calls, main
        test Shop$CartTest.isEmptyAtFirst returned: 9 blocks, 2 calls, main
        test Shop$CartTest.adds returned: 31 blocks, 6 calls, main
        request Shop$Api.handle returned: 10 blocks, 1 calls, HTTP-Dispatcher
        request Shop$Api.handle returned: 10 blocks, 1 calls, HTTP-Dispatcher
        request Shop$Api.handle returned: 10 blocks, 1 calls, HTTP-Dispatcher
        task Shop$Report.run returned: 506 blocks, 101 calls, pool-1-thread-
        task Shop$Report.run returned: 506 blocks, 101 calls, pool-1-thread-
        task Shop$Report.run returned: 506 blocks, 101 calls, pool-1-thread-
        task Shop$Report.run returned: 506 blocks, 101 calls, pool-1-thread-
        task Shop$Report.run returned: 506 blocks, 101 calls, pool-1-thread-
        task Shop$Report.run returned: 506 blocks, 101 calls, pool-1-thread-
    "#]]
    .assert_eq(&listed(&java, &[]));
    expect![[r#"
        test Shop$CartTest.refuses threw at 38: 10 blocks, 3 calls, main
    "#]]
    .assert_eq(&listed(&java, &["--failed"]));
    expect![[r#"
        request Shop$Api.handle returned: 10 blocks, 1 calls, HTTP-Dispatcher
        request Shop$Api.handle returned: 10 blocks, 1 calls, HTTP-Dispatcher
        request Shop$Api.handle returned: 10 blocks, 1 calls, HTTP-Dispatcher
    "#]]
    .assert_eq(&listed(&java, &["--name", "Api.*", "--kind", "request"]));
    // One of them, and of equal ones each.
    expect![[r#"
        Thread main  7 calls, 31 blocks
          Shop$CartTest.adds (Shop.java:29-32)  via library
            29: Shop$Cart.<init> (Shop.java:17)
            loop at 30 x 4
              30: Shop$Cart.add (Shop.java:21-23)
            31: Shop$CartTest.check (Shop.java:48-49)
        -- stderr
        -- exit status: 0"#]]
    .assert_eq(&message(&java, &["calls", "s.capture", "--section", "adds#2", "--times", "off"]));
    expect![[r#"
        Thread main
                 0  Shop$CartTest.adds  via library
                 0    Shop.java:29
                 1    Shop$Cart.<init>
                 1      Shop.java:17
                 2      Shop.java:17
                 3    Shop.java:29-30
        ... and more (--limit N or --all shows it)
        -- stderr
        -- exit status: 0"#]]
    .assert_eq(&message(&java, &["calls", "s.capture", "--section", "CartTest.*", "--flat", "--limit", "6"]));
    // The same twice, and one that went another way.
    let compared = |one: &str, other: &str| {
        message(&java, &["diff", "s.capture", "s.capture", "--section", one, "--section-b", other])
    };
    expect![[r#"
        A  s.capture, handle#1  1 thread, 10 blocks
        B  s.capture, handle#3  1 thread, 10 blocks

        They ran the same.
        -- stderr
        -- exit status: 0"#]]
    .assert_eq(&compared("handle#1", "handle#3"));
    expect![[r#"
        A  s.capture, handle#1  1 thread, 10 blocks
        B  s.capture, handle#2  1 thread, 10 blocks

        They differ.

        Where threads part
          HTTP-Dispatcher  the same for 4 blocks, then
            in Shop$Api.handle (Shop.java:55)
              A  line 55
              B  line 55

        What methods did differently
          Shop$Api.handle (Shop.java)  x 1
            after line 55: other parts of line 55
        -- stderr
        -- exit status: 1"#]]
    .assert_eq(&compared("handle#1", "handle#2"));
    let wrong = ["adds#3", "nothing"].map(|name| message(&java, &["calls", "s.capture", "--section", name]));
    expect![[r#"
        -- stderr
        tracewright: "adds#3" is not there: 2 sections of that name ran
        -- exit status: 2-- stderr
        tracewright: no section is called "nothing"; there are 4 tests, 3 requests, 6 tasks: Shop$CartTest.adds, Shop$CartTest.refuses, Shop$CartTest.isEmptyAtFirst, Shop$Api.handle, Shop$Report.run, ... (`tracewright sections` lists them)
        -- exit status: 2"#]].assert_eq(&wrong.concat());
}

/// A thread is given a task, which throws where the first argument is `throws`; the second is the exit code.
const TASK: &str = r#"
public class Task {
    public static void main(String[] arguments) throws Exception {
        var pool = java.util.concurrent.Executors.newSingleThreadExecutor();
        var task = new Work(arguments[0].equals("throws"));
        pool.submit(task);
        pool.shutdown();
        pool.awaitTermination(10, java.util.concurrent.TimeUnit.SECONDS);
        System.exit(Integer.parseInt(arguments[1]));
    }
    record Work(boolean fails) implements Runnable {
        public void run() { if (fails) throw new IllegalStateException(); }
    }
}
"#;

#[test]
fn a_recording_in_which_nothing_failed_is_removed_on_request() {
    let Some(java) = program_of("Task", TASK) else { return };
    let left = |arguments: &[&str]| {
        let ran = java.recorded(&["-o", "t.capture", "--only-failed"], &[], arguments).output().unwrap();
        let capture = java.folder.join("t.capture");
        let is_left = capture.exists();
        let _ = std::fs::remove_dir_all(capture);
        format!("{}\nleft: {is_left}\n", shown(&ran)).replace(&java.folder.display().to_string(), "FOLDER")
    };
    expect![[r#"
        -- stderr
        tracewright: 1 section, 0 failed: FOLDER/t.capture was removed
        -- exit status: 0
        left: false
    "#]]
    .assert_eq(&left(&["returns", "0"]));
    expect![[r#"
        -- stderr
        tracewright: 1 section, 1 failed; tracewright sections --failed FOLDER/t.capture lists them
        -- exit status: 0
        left: true
    "#]]
    .assert_eq(&left(&["throws", "0"]));
    expect![[r#"
        -- stderr
        tracewright: 1 section, 0 failed, but the program failed (exit status: 3): FOLDER/t.capture was kept
        -- exit status: 3
        left: true
    "#]]
    .assert_eq(&left(&["returns", "3"]));
    // What another command records beside it meanwhile is none of ours.
    let other = java.recorded(&["-o", "other.capture"], &[], &["returns", "0"]).status().unwrap();
    assert!(other.success());
    let plain = java.java(&[], &["returns", "0"]);
    let words = std::iter::once(plain.get_program()).chain(plain.get_args());
    let words: Vec<_> = words.map(|word| format!("'{}'", word.display())).collect();
    let script = format!("cp -r other.capture t-2.capture && {}", words.join(" "));
    let ran = java.tracewright(&["record", "-o", "t.capture", "--only-failed", "--", "sh", "-c", &script]);
    let ran = shown(&{ ran }.output().unwrap());
    assert!(ran.contains("t.capture was removed") && !ran.contains("t-2.capture"), "{ran}");
    let are_left = ["t.capture", "t-2.capture"].map(|name| java.folder.join(name).exists());
    assert_eq!(are_left, [false, true], "{ran}");
}
