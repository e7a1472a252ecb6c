//! Tasks that were handed over and never began.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::jdk::{Program, program_of, shown};

/// Each thread of a pool waits for a task that it handed over to the same pool. Besides, tasks that are no such: one that its
/// caller runs, one that is taken out of the queue, one that is to begin in an hour, and one that began.
const STARVED: &str = r#"
    import java.util.concurrent.*;

    public class Starved {
        static volatile int ran;
        static int inner() { return 1; }
        static void count() { ran++; }
        static int outer(ExecutorService pool, CountDownLatch both) throws Exception {
            both.countDown();
            both.await();
            return pool.submit(Starved::inner).get();
        }
        static ThreadPoolExecutor one(BlockingQueue<Runnable> queue) {
            return new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, queue, new ThreadPoolExecutor.CallerRunsPolicy());
        }
        public static void main(String[] arguments) throws Exception {
            CountDownLatch open = new CountDownLatch(1);
            Runnable wait = () -> { try { open.await(); } catch (InterruptedException ended) { count(); } };
            ThreadPoolExecutor callers = one(new SynchronousQueue<>());
            callers.execute(wait);
            callers.execute(Starved::count);
            ThreadPoolExecutor removing = one(new LinkedBlockingQueue<>());
            Runnable removed = Starved::count;
            removing.execute(wait);
            removing.execute(removed);
            if (!removing.remove(removed) || ran != 1) throw new AssertionError();
            Executors.newScheduledThreadPool(1).schedule(Starved::count, 1, TimeUnit.HOURS);
            ExecutorService pool = Executors.newFixedThreadPool(2, task -> {
                Thread thread = new Thread(task);
                thread.setName("starved " + thread.getId() % 2);
                return thread;
            });
            CountDownLatch both = new CountDownLatch(2);
            for (int task = 0; task < 2; task++) pool.submit(() -> outer(pool, both));
            Thread.sleep(1300);
            System.out.println(ProcessHandle.current().pid());
            open.await();
        }
    }
"#;

/// Where tasks of this recording are pending, from what `hangs` and `calls` report.
fn assert_pending(java: &Program, capture: &str) {
    let ran = java.tracewright(&["hangs", capture, "--json"]).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let pending = answer["pending"].as_array().unwrap_or_else(|| panic!("{capture}: {}", shown(&ran)));
    let mut found: Vec<_> =
        pending.iter().map(|one| (one["thread"].as_str().unwrap(), one["tasks"].as_u64().unwrap())).collect();
    found.sort_unstable();
    assert_eq!(found, [("starved 0", 1), ("starved 1", 1)], "{capture}");
    let ran = java.tracewright(&["hangs", capture]).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    let lines = text.lines().filter(|line| line.contains(": handed over 1 task that had not begun, 1."));
    assert_eq!(lines.count(), 2, "{capture}: {text}");
    let first = text.lines().next().unwrap_or_default();
    assert!(first.starts_with("nothing is seen to hang, but 2 tasks had not begun: "), "{capture}: {text}");
    let ran = java.tracewright(&["calls", capture, "--flat", "--search", "not begun"]).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    let lines =
        text.lines().filter(|line| line.ends_with("a task is handed over, which had not begun at the end"));
    assert_eq!(lines.count(), 2, "{capture}: {text}");
}

#[test]
fn tasks_that_never_begin_are_reported_after_a_kill_and_after_a_stop() {
    let Some(java) = program_of("Starved", STARVED) else { return };
    for (capture, options) in [("killed", &[][..]), ("stopped", &["-Xcheck:jni"])] {
        let mut command = java.recorded(&["-o", capture, "--tasks"], options, &[]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let pid = line.trim();
        // A sample of more than a second after the hand-overs is written.
        std::thread::sleep(Duration::from_millis(600));
        if capture == "stopped" {
            let ran = java.tracewright(&["stop", pid]).output().unwrap();
            assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
        }
        Command::new("kill").args(["-9", pid]).status().unwrap();
        child.wait().unwrap();
        assert_pending(&java, capture);
    }
}
