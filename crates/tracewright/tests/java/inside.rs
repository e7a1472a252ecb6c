//! Recording only inside calls of named methods: all that these do, and nothing else.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use crate::jdk::{Program, kill, program, program_of, shown};
use crate::server::Server;
use crate::show;

/// How deep a row of `calls --flat` is indented, and what it says.
type Row = (usize, String);

/// The rows of one thread.
fn rows(java: &Program, capture: &str, thread: &str) -> Vec<Row> {
    let arguments = ["calls", capture, "--flat", "--thread", thread, "--limit", "1000000"];
    let ran = java.tracewright(&arguments).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    let text = String::from_utf8(ran.stdout).unwrap();
    let row = |line: &str| {
        let (_, row) = line.trim_start().split_once(' ')?;
        Some((row.len() - row.trim_start().len(), row.trim().to_owned()))
    };
    text.lines().skip(1).filter_map(row).collect()
}

/// What stands in calls of this method, each from its outermost one on.
fn within(rows: &[Row], method: &str) -> Vec<Row> {
    let (mut found, mut outermost) = (vec![], None);
    for (depth, row) in rows {
        outermost = outermost.filter(|outermost| depth > outermost);
        if outermost.is_none() && row.starts_with(method) {
            outermost = Some(*depth);
        }
        found.extend(outermost.map(|outermost| (depth - outermost, row.clone())));
    }
    found
}

#[test]
fn all_that_named_methods_do_is_recorded_and_nothing_else() {
    let Some(java) = program("Shop") else { return };
    let record = |name: &str, arguments: &[&str], options: &[&str]| {
        let arguments = [&["-o", name], arguments].concat();
        let ran = java.recorded(&arguments, options, &["100"]).output().unwrap();
        assert_eq!(shown(&ran), "[4407, 4408, 4411, 4416]\n-- stderr\n-- exit status: 0", "{name}");
    };
    record("whole", &[], &[]);
    let inside = ["--inside", "Shop.serve"];
    record("paths", &inside, &["-Xverify:all", "-Xcheck:jni"]);
    record("blocks", &[&inside[..], &["--mode", "blocks"]].concat(), &["-Xint"]);
    record("compiled", &inside, &["-Xcomp", "-XX:TieredStopAtLevel=1"]);
    for number in 0..4 {
        let thread = format!("worker-{number}");
        let expected = within(&rows(&java, "whole", &thread), "Shop.serve");
        assert!(expected.len() > 10_000, "{thread}");
        for capture in ["paths", "blocks", "compiled"] {
            let found = rows(&java, capture, &thread);
            assert!(within(&found, "Shop.serve") == expected, "{capture} {thread}");
            assert_eq!(found.len(), expected.len(), "{capture} {thread}: something else is recorded as well");
        }
    }
    // Every tenth of 400 calls by the program's threads; who makes it is chance.
    record("chosen", &["--inside", "Shop.round", "--one-in", "10"], &[]);
    let outermost = |number| {
        let rows = within(&rows(&java, "chosen", &format!("worker-{number}")), "Shop.round");
        rows.iter().filter(|(depth, row)| *depth == 0 && row == "Shop.round").count()
    };
    assert_eq!((0..4).map(outermost).sum::<usize>(), 40);

    record("none", &["--inside", "Shop.nothing", "--inside", "Shop$Tall.*"], &[]);
    let ran = java.tracewright(&["calls", "none"]).output().unwrap();
    let expected = "-- stderr\ntracewright: no step was recorded: nothing ran that --inside names (Shop.nothing, \
                    Shop$Tall.*)\n-- exit status: 2";
    assert_eq!(shown(&ran), expected);
}

#[test]
fn a_running_program_is_recorded_inside_of_one_call_in_so_many() {
    let Some(java) = program("Server") else { return };
    let mut server = Server::start(java.java(&["-Xcheck:jni"], &[]));
    let pid = server.pid();
    let run = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = java.tracewright(&words).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    };
    run(&format!("attach {pid} -o each.capture --inside Server$Work.fib"));
    assert_eq!(server.ask("work 5"), "5");
    run(&format!("stop {pid}"));
    run(&format!("start {pid} -o second.capture --inside Server.lambda$main* --one-in 2"));
    for (number, answer) in [("4", "3"), ("5", "5"), ("2", "1"), ("6", "8")] {
        assert_eq!(server.ask(&format!("work {number}")), answer);
    }
    run(&format!("stop {pid}"));
    assert_eq!(server.ask("work 10"), "55");
    server.quit();
    // The second time the methods of two requests are the outermost ones: of 4 and of 2.
    for (capture, outermost, calls) in [("each", 0, 15), ("second", 2, 9 + 3)] {
        let capture = show::open(&java.folder.join(format!("{capture}.capture")));
        assert!(capture.diagnostics.is_empty(), "{:?}", capture.diagnostics);
        let mut entries = show::entries(&capture);
        assert_eq!(entries.remove("Server$Work.fib"), Some(calls));
        assert_eq!(entries.into_values().sum::<u64>(), outermost);
        // What runs outside is not said to be recorded from its next call on.
        assert_eq!(capture.running, []);
    }
}

/// What ran of the tasks that were handed over inside, one of seven times. Of the 15 calls of `compute` 8 come by the compiler's bridge.
const FOLLOWED: &str = "\
Followed$Halves.<init> 15
Followed$Halves.compute 23
Followed.accepted 1
Followed.applied 1
Followed.executed 1
Followed.failed 1
Followed.handOver 1
Followed.passedOn 1
Followed.passesOn 1
Followed.run 1
Followed.scheduled 1
Followed.serve 1
Followed.submitted 1
Followed.submittedToForks 1
Followed.supplied 1
";

/// Where each of these tasks was handed over: the section, or the thread where there is none. A stage of a `CompletableFuture`
/// is handed over by the stage before it, or by main if that has ended when main asks for the next one.
const ORIGINS: [(&str, &str); 11] = [
    ("Followed.accepted", "Followed.applied#1 or main"),
    ("Followed.applied", "Followed.supplied#1 or main"),
    ("Followed.executed", "main"),
    ("Followed.failed", "main"),
    ("Followed.passedOn", "Followed.passesOn#1"),
    ("Followed.passesOn", "main"),
    ("Followed.run", "main"),
    ("Followed.scheduled", "main"),
    ("Followed.submitted", "main"),
    ("Followed.submittedToForks", "main"),
    ("Followed.supplied", "main"),
];

/// Holds what `sections` says of where tasks come from against that. Of the parts of a fork/join task: of one section or thread each.
fn check_origins(java: &Program, capture: &str) {
    let ran = java.tracewright(&["sections", "--json", capture]).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let mut found = std::collections::BTreeMap::new();
    for section in answer["sections"].as_array().unwrap() {
        let from = &section["handed_over"];
        let from = from["section"].as_str().or_else(|| from["thread"].as_str()).unwrap_or("?").to_owned();
        let name = section["name"].as_str().unwrap();
        if name == "Followed$Halves.compute" {
            assert!(from == "main" || from.starts_with(name), "{capture}: {section}");
        } else {
            let expected = ORIGINS.iter().find(|(task, _)| *task == name).map_or("", |(_, from)| from);
            let from = if expected.split(" or ").any(|one| one == from) { expected.to_owned() } else { from };
            assert_eq!(found.insert(name.to_owned(), from), None, "{capture}: {section}");
        }
    }
    found.remove("Followed.virtual");
    let expected = ORIGINS.map(|(task, from)| (task.to_owned(), from.to_owned()));
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{capture}");
}

fn calls(java: &Program, capture: &str) -> String {
    let capture = show::open(&java.folder.join(capture));
    assert!(capture.diagnostics.is_empty(), "{:?}", capture.diagnostics);
    show::entries(&capture).into_iter().map(|(method, calls)| format!("{method} {calls}\n")).collect()
}

#[test]
fn tasks_are_followed_into_the_threads_that_run_them() {
    let Some(java) = program("Followed") else { return };
    let cases: [(&str, &[&str]); 4] = [
        ("checked", &["-Xverify:all", "-Xcheck:jni"]),
        ("interpreted", &["-Xint"]),
        ("compiled", &["-Xcomp", "-XX:TieredStopAtLevel=1"]),
        ("forks", &["-Djava.util.concurrent.ForkJoinPool.common.parallelism=3"]),
    ];
    for (name, options) in cases {
        let ran = java.recorded(&["-o", name, "--inside", "Followed.serve"], options, &[]).output().unwrap();
        assert_eq!(shown(&ran), "26 true\n-- stderr\n-- exit status: 0", "{name}");
        assert_eq!(calls(&java, name), FOLLOWED, "{name}");
        check_origins(&java, name);
    }
}

/// The tasks of a program that is recorded whole, of each of its seven rounds.
const TASKS: &str = "\
Followed$Halves.compute 56
Followed.accepted 7
Followed.applied 7
Followed.executed 7
Followed.failed 7
Followed.passedOn 7
Followed.passesOn 7
Followed.run 7
Followed.scheduled 7
Followed.submitted 7
Followed.submittedToForks 7
Followed.supplied 7
";

#[test]
fn tasks_of_a_whole_program_say_who_handed_them_over() {
    let Some(java) = program("Followed") else { return };
    for (name, options) in [("checked", &["-Xcheck:jni"][..]), ("interpreted", &["-Xint"])] {
        let ran = java.recorded(&["-o", name, "--tasks"], options, &[]).output().unwrap();
        assert_eq!(shown(&ran), "26 true\n-- stderr\n-- exit status: 0", "{name}");
        let ran = java.tracewright(&["sections", "--json", "--kind", "task", name]).output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        let mut counts = std::collections::BTreeMap::new();
        let handed_over =
            answer["sections"].as_array().unwrap().iter().filter(|one| !one["handed_over"].is_null());
        handed_over.for_each(|one| *counts.entry(one["name"].as_str().unwrap()).or_insert(0) += 1);
        let shown: String = counts.iter().map(|(task, count)| format!("{task} {count}\n")).collect();
        assert_eq!(shown, TASKS, "{name}");
    }
    // Without the option no task is followed.
    let ran = java.recorded(&["-o", "plain"], &[], &[]).output().unwrap();
    assert_eq!(shown(&ran), "26 true\n-- stderr\n-- exit status: 0");
    let ran = java.tracewright(&["sections", "plain"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&ran.stdout).contains(" from "), "{}", shown(&ran));
}

/// With `--tasks` a thread that is started says who did so; `--inside` does not follow it.
#[test]
fn a_thread_says_who_started_it() {
    let text = r#"
        public class Plain {
            static int work(int depth) throws Exception {
                if (depth > 0) run(depth - 1);
                return depth;
            }
            static void run(int depth) throws Exception {
                Thread thread = new Thread(() -> {
                    try { work(depth); } catch (Exception failed) { throw new AssertionError(failed); }
                }, "worker " + depth);
                thread.start();
                thread.join();
            }
            public static void main(String[] arguments) throws Exception {
                run(2);
                System.out.println("done");
            }
        }
    "#;
    let Some(java) = program_of("Plain", text) else { return };
    let options = ["-Xcheck:jni", "-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal"];
    for (name, chosen) in [("tasks", &["--tasks"][..]), ("inside", &["--inside", "Plain.main"])] {
        let ran = java.recorded(&[&["-o", name], chosen].concat(), &options, &[]).output().unwrap();
        assert_eq!(shown(&ran), "done\n-- stderr\n-- exit status: 0", "{name}");
    }
    let ran = java.tracewright(&["calls", "--flat", "--search", "start", "tasks"]).output().unwrap();
    let expected = "\
Thread main
         5      worker 2 is started
Thread worker 2
         0  started by main
         7        worker 1 is started
Thread worker 1
         0  started by worker 2
         7        worker 0 is started
Thread worker 0
         0  started by worker 1
-- stderr
-- exit status: 0";
    assert_eq!(shown(&ran), expected);
    // What a thread runs first may be anything: it is not said to come from there.
    let ran = java.tracewright(&["sections", "tasks"]).output().unwrap();
    let answer = String::from_utf8_lossy(&ran.stdout);
    assert!(answer.contains("Plain.lambda$run$0") && !answer.contains(" from "), "{answer}");
    let ran = java.tracewright(&["calls", "--summary", "inside"]).output().unwrap();
    let threads = |line: &str| line.split_whitespace().eq(["threads", "1"]);
    assert!(String::from_utf8_lossy(&ran.stdout).lines().any(threads), "{}", shown(&ran));
}

/// The threads of a pool that is there already never leave the loop in which they take tasks.
#[test]
fn tasks_are_followed_into_threads_that_run_already() {
    let text = r#"
        import java.util.concurrent.ExecutorService;
        import java.util.concurrent.Executors;

        public class Pooled {
            static final ExecutorService POOL = Executors.newFixedThreadPool(2);
            static int task() { return 1; }
            static int other() { return 2; }
            static int serve() throws Exception { return POOL.submit(Pooled::task).get(); }
            public static void main(String[] arguments) throws Exception {
                for (int round = 0; round < 3000; round++) {
                    if (serve() + POOL.submit(Pooled::other).get() != 3) throw new AssertionError();
                    if (round == 2) System.out.println("ready");
                    Thread.sleep(5);
                }
            }
        }
    "#;
    let Some(java) = program_of("Pooled", text) else { return };
    let mut child = java.java(&["-Xcheck:jni"], &[]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    let pid = child.id();
    for command in [
        format!("attach {pid} -o pooled --inside Pooled.serve --one-in 2"),
        format!("attach {pid} -o again --inside Pooled.serve"),
    ] {
        let ran = java.tracewright(&command.split(' ').collect::<Vec<_>>()).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
        std::thread::sleep(Duration::from_millis(500));
        let ran = java.tracewright(&["stop", &pid.to_string()]).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    }
    kill(&mut child);
    for name in ["pooled", "again"] {
        let mut entries = show::entries(&show::open(&java.folder.join(name)));
        let [served, tasks] =
            ["Pooled.serve", "Pooled.task"].map(|method| entries.remove(method).unwrap_or(0));
        // The recording may end in between.
        assert!(tasks > 3 && served.abs_diff(tasks) <= 1, "{name}: {served} served, {tasks} tasks");
        assert!(entries.is_empty(), "{name}: {entries:?}");
    }
}

#[test]
fn a_virtual_thread_is_a_task() {
    let Some(java) = program("Followed").and_then(Program::with_virtual_threads) else { return };
    let arguments = ["-o", "followed", "--inside", "Followed.serve"];
    let options = ["-Xcheck:jni", "-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal"];
    let ran = java.recorded(&arguments, &options, &[]).output().unwrap();
    assert_eq!(shown(&ran), "27 true\n-- stderr\n-- exit status: 0");
    let expected = FOLLOWED.replace("supplied 1\n", "supplied 1\nFollowed.virtual 1\n");
    assert_eq!(calls(&java, "followed"), expected);
    check_origins(&java, "followed");
}

/// A server answers six requests, one of them in a pool.
const ORDERS: &str = r#"
    import com.sun.net.httpserver.HttpExchange;
    import com.sun.net.httpserver.HttpServer;
    import java.io.IOException;
    import java.net.HttpURLConnection;
    import java.net.InetAddress;
    import java.net.InetSocketAddress;
    import java.net.URI;
    import java.util.concurrent.ExecutorService;
    import java.util.concurrent.Executors;

    public class Orders {
        static final ExecutorService POOL = Executors.newFixedThreadPool(1);

        static void order(HttpExchange exchange) throws IOException {
            String path = exchange.getRequestURI().getPath();
            if (path.endsWith("later")) POOL.execute(() -> later(exchange));
            else answer(exchange);
        }

        static void later(HttpExchange exchange) {
            try {
                answer(exchange);
            } catch (IOException failed) {
                throw new IllegalStateException(failed);
            }
        }

        static void prices(HttpExchange exchange) throws IOException { answer(exchange); }

        static void answer(HttpExchange exchange) throws IOException {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        }

        static String ask(int port, String path) throws Exception {
            URI address = URI.create("http://127.0.0.1:" + port + path);
            HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
            return path + " " + connection.getResponseCode();
        }

        public static void main(String[] arguments) throws Exception {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/orders", Orders::order);
            server.createContext("/prices", Orders::prices);
            server.start();
            int port = server.getAddress().getPort();
            for (String path : new String[] {"/orders/1", "/prices", "/orders/2?full=1", "/orders/later", "/orders", "/prices"})
                System.out.println(ask(port, path));
            server.stop(0);
            POOL.shutdown();
        }
    }
"#;

#[test]
fn requests_are_named_by_their_path() {
    let Some(java) = program_of("Orders", ORDERS) else { return };
    let answers = "/orders/1 200\n/prices 200\n/orders/2?full=1 200\n/orders/later 200\n/orders 200\n/prices 200\n-- stderr\n-- exit status: 0";
    let recorded = |name: &str, options: &[&str]| {
        let ran = java.recorded(&[&["-o", name], options].concat(), &["-Xcheck:jni"], &[]).output().unwrap();
        assert_eq!(shown(&ran), answers, "{name}");
        calls(&java, name)
    };
    let expected = "Orders.answer 3\nOrders.lambda$order$0 1\nOrders.later 1\nOrders.order 3\n";
    assert_eq!(recorded("all", &["--inside", "/orders/*"]), expected);
    assert_eq!(recorded("one", &["--inside", "/orders/2"]), "Orders.answer 1\nOrders.order 1\n");
    assert_eq!(
        recorded("some", &["--inside", "/orders*", "--one-in", "3"]),
        "Orders.answer 2\nOrders.order 2\n"
    );
    // Beside a method.
    let both = ["--inside", "/orders", "--inside", "Orders.prices"];
    assert_eq!(recorded("both", &both), "Orders.answer 3\nOrders.order 1\nOrders.prices 2\n");
}

/// A thread that is outside is not accused of a loop that would be recorded if it were inside.
#[test]
fn who_is_outside_runs_code_of_which_nothing_is_recorded() {
    let text = r#"
        public class Apart {
            static long next(long x) { return x * 6364136223846793005L + 1442695040888963407L; }
            static int serve(int n) { return n + 1; }
            public static void main(String[] arguments) {
                long x = serve(1);
                while (System.in != null || x != 0) x = next(x) | 1;
            }
        }
    "#;
    let Some(java) = program_of("Apart", text) else { return };
    let mut recorded = java.recorded(&["-o", "apart", "--inside", "Apart.serve", "--for", "4s"], &[], &[]);
    let mut child = recorded.spawn().unwrap();
    let ended = || !java.tracewright(&["info", "apart"]).output().unwrap().stdout.is_empty();
    crate::jdk::wait_for("the end of the recording", || ended() && !java.folder.join("apart/open").exists());
    kill(&mut child);
    let ran = java.tracewright(&["hangs", "apart"]).output().unwrap();
    let answer = shown(&ran);
    assert!(answer.contains("it runs code of which nothing is recorded"), "{answer}");
    assert!(!answer.contains("is open"), "{answer}");
}
