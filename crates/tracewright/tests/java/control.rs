//! The recorder is started and stopped from outside; the program goes on as if nothing had been.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use crate::jdk::{kill, program, shown, wait_for};
use crate::server::{Server, send};
use crate::show;

#[test]
fn a_running_program_is_attached_to_started_marked_and_stopped() {
    let Some(java) = program("Server") else { return };
    let mut server = Server::start(java.java(&[], &[]));
    let pid = server.pid();
    let run = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = java.tracewright(&words).output().unwrap();
        shown(&ran).replace(&pid, "PID").replace(&format!("{}/", java.folder.display()), "")
    };
    assert!(run("jvms").contains("PID  Server                                   can be recorded"));
    assert!(run(&format!("start {pid}")).contains("no recorder is in process PID"));
    let began = run(&format!("attach {pid} -o one.capture --include Server$Work"));
    assert!(
        began.starts_with(
            "recording into one.capture\n-- stderr\ntracewright: the program keeps the stacks that it"
        ),
        "{began}"
    );
    assert!(run(&format!("attach {pid} -o none.capture")).contains("already recording into one.capture"));
    assert!(!java.folder.join("none.capture").exists(), "a folder is left where nothing was recorded");
    assert_eq!(server.ask("work 5"), "5");
    assert!(run(&format!("status {pid}")).starts_with("recording for "));
    assert!(run("jvms").contains("is being recorded into one.capture"));
    assert_eq!(run(&format!("mark {pid} clicked")), "-- stderr\n-- exit status: 0");
    assert_eq!(server.ask("work 3"), "2");
    let stopped = run(&format!("stop {pid}"));
    assert!(stopped.starts_with("one.capture: "), "{stopped}");
    assert_eq!(server.ask("work 10"), "55");
    assert!(run(&format!("stop {pid}")).contains("nothing is being recorded"));
    assert!(run(&format!("status {pid}")).starts_with("nothing is being recorded"));
    // A second recording, which ends by itself.
    assert!(
        run(&format!("start {pid} --for 300ms -o two.capture")).starts_with("recording into two.capture")
    );
    assert_eq!(server.ask("work 4"), "3");
    wait_for("the end of the time", || run(&format!("status {pid}")).starts_with("nothing"));
    assert_eq!(server.ask("threads"), "[]", "Java sees a thread of the recorder");
    server.quit();

    let one = show::open(&java.folder.join("one.capture"));
    assert!(one.diagnostics.is_empty(), "{:?}", one.diagnostics);
    assert_eq!(show::entries(&one), [("Server$Work.fib".to_owned(), 15 + 5)].into());
    assert_eq!(one.end.as_ref().map(|end| &end.reason[..]), Some("stopped"));
    let mark = &one.marks[0];
    assert_eq!((mark.text.as_str(), mark.positions.len()), ("clicked", 1));
    assert!(mark.positions[0].1.1 > 0, "the mark does not say how far the thread had come: {mark:?}");
    let calls = |options: &str| run(format!("calls one.capture {options}").trim());
    // Each of the pool's two threads did one piece of work, and both are one section.
    let output = calls("");
    assert!(output.contains("  mark clicked: before 1 of them ran, after 1 of them ran\n"), "{output}");
    let before = calls("--summary --to clicked");
    assert!(before.contains("calls    15\n"), "{before}");
    let after = calls("--summary --from clicked");
    assert!(after.contains("calls    5\n"), "{after}");
    assert!(calls("--flat --from clicked").contains("mark clicked\n"));
    assert_eq!(
        calls("--from done"),
        "-- stderr\ntracewright: no mark, recorded line (Oven.java:14) or method is called \"done\"; marks are clicked\n-- exit status: 2"
    );
    let two = show::open(&java.folder.join("two.capture"));
    assert!(two.diagnostics.is_empty(), "{:?}", two.diagnostics);
    assert_eq!(two.end.as_ref().map(|end| &end.reason[..]), Some("its time was over"));
    assert_eq!(show::entries(&two)["Server$Work.fib"], 9);
    // The first did not ask for the class whose method waits for the next line; the second did.
    assert_eq!(one.running, []);
    let running: Vec<_> =
        two.running.iter().map(|running| (&running.name[..], &running.frames[..])).collect();
    let [("main", [frame])] = running[..] else { panic!("{running:?}") };
    let output = (&frame.class[..], &frame.method[..], &frame.descriptor[..], frame.line);
    assert_eq!(output, ("Server", "main", "([Ljava/lang/String;)V", Some(46)));
}

/// Someone whose program does not end attaches to it. The loop runs in a method that was called long ago.
#[test]
fn the_method_that_goes_round_is_named_though_it_is_not_told() {
    let Some(java) = program("Spin") else { return };
    let mut child = java.java(&[], &[]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let pid = child.id().to_string();
    let ran = java.tracewright(&["attach", &pid, "-o", "s.capture", "--size", "50K"]).output().unwrap();
    assert!(ran.status.success(), "{}", shown(&ran));
    let status = || shown(&java.tracewright(&["status", &pid]).output().unwrap());
    wait_for("the end of the recording", || status().starts_with("nothing"));
    kill(&mut child);
    // Any line of the loop, and as many looks as there was time for.
    let output = |line: &str| {
        let rest = line.trim().strip_prefix("Spin.round (Spin.java:1").and_then(|rest| rest.get(1..));
        let rest = rest.and_then(|rest| {
            rest.strip_prefix(
                "), called by Spin.main (Spin.java:18) were running when recording began: their own blocks are \
                 recorded from the next call on; in ",
            )
        });
        rest.is_some_and(|rest| rest.contains("until the end Spin.round did not return, at line"))
    };
    let calls = shown(&java.tracewright(&["calls", "s.capture", "--limit", "2"]).output().unwrap());
    assert!(calls.lines().take(5).any(output), "{calls}");
    let hangs = shown(&java.tracewright(&["hangs", "s.capture"]).output().unwrap());
    assert!(hangs.lines().any(output) && hangs.contains("main: "), "{hangs}");
    let json = shown(&java.tracewright(&["calls", "s.capture", "--json", "--depth", "1"]).output().unwrap());
    let expected = r#""running_before":[{"method":"Spin.round","descriptor":"(I)I","line":1"#;
    assert!(json.contains(expected), "{json}");
    assert!(json.contains(r#""still_there":true,"seen_at":[{"line":1"#), "{json}");
}

/// Such a program whose loop calls nothing, so that there is not one record.
#[test]
fn a_loop_that_calls_nothing_is_named_though_nothing_is_recorded() {
    let Some(java) = program("Spin") else { return };
    let mut child = java.java(&[], &["alone"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let pid = child.id().to_string();
    for arguments in [&["attach", &pid, "-o", "s.capture"][..], &["stop", &pid]] {
        let ran = java.tracewright(arguments).output().unwrap();
        assert!(ran.status.success(), "{}", shown(&ran));
    }
    kill(&mut child);
    let output = |text: &str| {
        let mut lines = text.lines().map(str::trim);
        lines.any(|line| {
            line.starts_with("Spin.alone (Spin.java:2")
                && line.contains("), called by Spin.main (Spin.java:18) were running when recording began: ")
                && line.contains("until the end Spin.alone did not return, at line 2")
        })
    };
    let calls = shown(&java.tracewright(&["calls", "s.capture"]).output().unwrap());
    assert!(calls.starts_with("Thread main  nothing recorded\n") && output(&calls), "{calls}");
    let hangs = shown(&java.tracewright(&["hangs", "s.capture"]).output().unwrap());
    let stays = "stays in Spin.alone (Spin.java:2";
    assert!(hangs.starts_with(&format!("main {stays}")), "{hangs}");
    assert!(hangs.contains(&format!("\nmain: nothing recorded; {stays}")), "{hangs}");
    assert!(hangs.contains("\n  it began before recording did, "), "{hangs}");
    assert!(hangs.contains("\n  called by Spin.main (Spin.java:18)\n"), "{hangs}");
    let capture = show::open(&java.folder.join("s.capture"));
    let sampled = capture.running.iter().filter_map(|running| running.samples.as_ref());
    let [stacks] = sampled.collect::<Vec<_>>()[..] else { panic!("{:?}", capture.running) };
    assert!(stacks.count > 0 && stacks.still == 2 && stacks.lines.len() == 2, "{stacks:?}");
    // Its own line for the outermost: that of the call.
    assert_eq!(stacks.lines[0], [(18, stacks.count)]);
    let json = shown(&java.tracewright(&["calls", "s.capture", "--json"]).output().unwrap());
    let expected =
        r#""unrecorded":[{"name":"main","running_before":[{"method":"Spin.alone","descriptor":"()I""#;
    assert!(json.starts_with(r#"{"threads":[],"#) && json.contains(expected), "{json}");
}

#[test]
fn a_recording_that_has_its_size_ends_and_the_program_goes_on() {
    let Some(java) = program("Server") else { return };
    let options = ["-o", "sized.capture", "--size", "300K", "--mode", "blocks", "--when-full", "wait"];
    let mut server = Server::start(java.recorded(&options, &[], &[]));
    let mut control = server.control();
    server.ask("busy"); // it fills the capture
    wait_for("the end of the recording", || send(&mut control, "status").starts_with("ok state=idle"));
    assert_eq!(server.ask("work 6"), "8");
    server.quit();
    let capture = show::open(&java.folder.join("sized.capture"));
    assert!(capture.diagnostics.is_empty(), "{:?}", capture.diagnostics);
    let end = capture.end.as_ref().unwrap();
    assert_eq!(end.reason, "it had its size");
    let files = std::fs::read_dir(java.folder.join("sized.capture")).unwrap();
    let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    // On a machine that is busy otherwise all the memory for words may be full when the size is reached.
    assert!((300 << 10..(300 << 10) + (66 << 20)).contains(&bytes), "{bytes} bytes");
}

#[test]
fn a_launcher_with_other_rights_is_reached_by_the_environment() {
    let Some(java) = program("Server") else { return };
    use std::os::unix::fs::PermissionsExt;
    let script = java.folder.join("launch");
    let command = java.java(&[], &[]);
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    let line = words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ");
    std::fs::write(&script, format!("#!/bin/sh\nexec {line}\n")).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o4755)).unwrap();
    let ran = java.tracewright(&["record", "-o", "s.capture", "--", "./launch"]).output().unwrap();
    let shown = shown(&ran);
    let message = "tracewright: ./launch runs with the rights of somebody else, where nothing can be preloaded; \
                using JAVA_TOOL_OPTIONS and JDK_JAVA_OPTIONS, of which Java prints a line each\nNOTE: Picked up \
                JDK_JAVA_OPTIONS: -Xss8192k\nPicked up JAVA_TOOL_OPTIONS: -Xss8192k -agentpath:";
    assert!(shown.starts_with(&format!("ready\nbye\n-- stderr\n{message}")), "{shown}");
    let capture = show::open(&java.folder.join("s.capture"));
    assert_eq!(show::entries(&capture)["Server.main"], 1);
}

#[test]
fn many_rounds_leave_nothing_behind() {
    let Some(java) = program("Server") else { return };
    let option = Server::own_agent(&java);
    let command = java.recorded(&["--paused", "-o", "r.capture"], &[&option], &[]);
    let mut server = Server::start(command);
    let mut control = server.control();
    assert_eq!(send(&mut control, "status"), "ok state=idle base=1");
    server.ask("busy"); // one thread is always in the middle of it
    let before = server.ask("sha");
    let mut after_ten = (0, 0, 0);
    let rounds: usize = std::env::var("ROUNDS").map_or(30, |number| number.parse().unwrap());
    for round in 1..=rounds {
        let begun = send(&mut control, "start");
        assert!(begun.starts_with("ok state=recording"), "{round}: {begun}");
        assert_eq!(server.ask("work 8"), "21");
        if round % 15 == 0 {
            assert_ne!(server.ask("sha"), before, "the class is not instrumented");
        }
        let ended = send(&mut control, "stop");
        assert!(ended.starts_with("ok dir=") && ended.contains("reason=stopped"), "{round}: {ended}");
        assert_eq!(server.ask("work 9"), "34");
        if round == 10 {
            after_ten = server.resources();
        }
    }
    assert_eq!(server.ask("sha"), before, "the class is not what it was");
    let (threads, files, pages) = server.resources();
    assert_eq!(files, after_ten.1, "open files");
    assert!(threads <= after_ten.0 + 1, "{threads} threads, {} after ten rounds", after_ten.0);
    // The heap of the program itself grows by some MB; a pool that stayed would be 64 MB a round.
    assert!(pages < after_ten.2 + 24_000, "{pages} pages, {} after ten rounds", after_ten.2);
    server.quit();
    for round in [1, 2, rounds] {
        let name = if round == 1 { "r.capture".to_owned() } else { format!("r-{round}.capture") };
        let capture = show::open(&java.folder.join(&name));
        assert!(capture.diagnostics.is_empty(), "{name}: {:?}", capture.diagnostics);
        let fib = show::entries(&capture)["Server$Work.fib"];
        assert!(fib >= 67, "{name}: fib was entered {fib} times");
    }
}

#[test]
fn garbage_on_the_socket_is_answered_and_harms_nothing() {
    let Some(java) = program("Server") else { return };
    let mut server = Server::start(java.recorded(&["--paused", "-o", "g.capture"], &[], &[]));
    let mut control = server.control();
    for (line, answer) in [
        ("", "error the commands are status, choose, start, stop and mark"),
        ("stop", "error nothing is being recorded"),
        ("mark text=x", "error nothing is being recorded"),
        ("start dir", "error \"dir\" is no key=value"),
        ("start dir=%0", "error \"dir=%0\" is not encoded well"),
        ("start colour=red", "error there is no option \"colour\""),
        (
            "start dir=/proc/none/x",
            "error cannot make the capture /proc/none/x: No such file or directory (os error 2)",
        ),
        ("start dir=/tmp", "error cannot make the capture /tmp: File exists (os error 17)"),
    ] {
        assert_eq!(send(&mut control, line), answer, "{line:?}");
    }
    let mut random = fastrand::Rng::with_seed(1);
    let mut bytes = Vec::new();
    for _ in 0..100_000 {
        let length = random.usize(..13);
        bytes.extend(std::iter::repeat_with(|| random.u8(..)).take(length).chain([b'\n']));
    }
    // It answers each line; who does not read the answers is sent away and comes again.
    let mut sent = 0;
    while sent < bytes.len() {
        let mut stream = server.control();
        let mut reader = stream.try_clone().unwrap();
        let drain = std::thread::spawn(move || {
            let mut sink = [0; 1 << 16];
            while reader.read(&mut sink).is_ok_and(|count| count > 0) {}
        });
        while sent < bytes.len() {
            match stream.write(&bytes[sent..(sent + 1000).min(bytes.len())]) {
                Ok(count) => sent += count,
                Err(_) => break,
            }
        }
        let _ = stream.shutdown(std::net::Shutdown::Write);
        drain.join().unwrap();
    }
    let mut long = server.control();
    let _ = long.write_all(&[b'x'; 10_000]);
    let mut rest = Vec::new();
    let _ = long.read_to_end(&mut rest);
    assert_eq!(rest, b"", "a line of 10,000 bytes is no command");
    assert_eq!(server.ask("work 7"), "13");
    let mut control = server.control();
    assert_eq!(send(&mut control, "status"), "ok state=idle base=1");
    server.quit();
}

#[test]
fn a_port_answers_only_to_those_who_know_the_token() {
    let Some(java) = program("Server") else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = ["--paused", "-o", "p.capture", "--listen", &port.to_string(), "--token-file", "token"];
    let mut server = Server::start(java.recorded(&options, &[], &[]));
    drop(server.control()); // it listens now
    let talk = |lines: &str| {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        let _ = stream.write_all(lines.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    let token = std::fs::read_to_string(java.folder.join("token")).unwrap();
    let token = token.trim();
    assert_eq!(token.len(), 48);
    let shorter = &token[1..];
    for wrong in ["status\n", "start\n", "token=\nstatus\n", &format!("token={shorter}\nstatus\n")] {
        assert_eq!(talk(wrong), "", "{wrong}");
    }
    let begun = talk(&format!("token={token}\nstart dir=/tmp/elsewhere.capture\n"));
    assert!(begun.contains("/p.capture"), "a folder was named from outside: {begun}");
    assert_eq!(server.ask("work 6"), "8");
    assert!(talk(&format!("token={token}\nstop\n")).contains("reason=stopped"));
    server.quit();
    assert_eq!(show::entries(&show::open(&java.folder.join("p.capture")))["Server$Work.fib"], 25);
}
