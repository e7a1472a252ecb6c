//! Recording within a budget: what costs too much is throttled, and counted from then on.

use crate::jdk::{Program, program_of, shown};

/// Calls a small method all the time, which takes some hundreds of ns, and another one now and then.
const BUSY: &str = r#"
    public class Busy {
        static long steps, reports;
        static int step(int x) {
            steps++;
            double y = Math.sin(x) + Math.cos(x) + Math.tan(x) + Math.exp(x % 9) + Math.log(x * x + 2.0);
            return (int) ((y + Math.pow(x * x, 0.3) + Math.cbrt(x)) * 1e3);
        }
        static int report(int x) { reports++; return x ^ step(x); }
        public static void main(String[] arguments) {
            long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000;
            int x = 0;
            do {
                for (int i = 0; i < 10_000; i++) x = step(x);
                x = report(x);
            } while (System.nanoTime() < end);
            System.out.println(steps + " " + reports + " " + x);
        }
    }
"#;

/// The numbers that the program printed, recorded into this capture with these options.
fn ran(java: &Program, capture: &str, milliseconds: &str, options: &[&str], jvm: &[&str]) -> Vec<u64> {
    let options = [&["-o", capture, "--fresh"], options].concat();
    let ran = java.recorded(&options, jvm, &[milliseconds]).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    assert_eq!(String::from_utf8_lossy(&ran.stderr), "", "{capture}");
    let text = String::from_utf8(ran.stdout).unwrap();
    text.split_whitespace().take(2).map(|number| number.parse().unwrap()).collect()
}

/// What `info` says of methods that are not recorded any more.
fn throttled(java: &Program, capture: &str) -> Vec<String> {
    let info = java.tracewright(&["info", capture, "--json"]).output().unwrap();
    assert_eq!(info.status.code(), Some(0), "{}", shown(&info));
    let answer: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
    match &answer["traces"][0]["environment"]["calls counted only"] {
        serde_json::Value::String(one) => vec![one.clone()],
        serde_json::Value::Array(all) => all.iter().map(|one| one.as_str().unwrap().to_owned()).collect(),
        _ => vec![],
    }
}

/// How often a method was called, as far as that is recorded.
fn recorded(java: &Program, capture: &str, method: &str) -> u64 {
    let ran = java.tracewright(&["method", capture, method, "--json"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    let answer: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    answer["methods"][0]["calls"].as_u64().unwrap()
}

#[test]
fn each_call_of_a_throttled_method_is_recorded_or_counted() {
    let Some(java) = program_of("Busy", BUSY) else { return };
    for (capture, jvm) in [("plain", &[][..]), ("checked", &["-Xcheck:jni", "-XX:-BackgroundCompilation"])] {
        let printed = ran(&java, capture, "2500", &["--budget", "1%"], jvm);
        let lines = throttled(&java, capture);
        let step =
            lines.iter().find(|line| line.starts_with("Busy.step, ")).unwrap_or_else(|| panic!("{lines:?}"));
        let counted = step.rsplit_once(": about ").unwrap().1.strip_suffix(" calls").unwrap();
        let counted: u64 = counted.parse().unwrap();
        assert!(counted > 0, "{step}");
        assert_eq!(recorded(&java, capture, "Busy.step") + counted, printed[0], "{capture}: {step}");
        let ran = java.tracewright(&["calls", capture, "--summary"]).output().unwrap();
        let text = String::from_utf8(ran.stdout).unwrap();
        assert!(text.contains("from some moment on, about ") && text.contains("counted only"), "{text}");
        if !lines.iter().any(|line| line.starts_with("Busy.report, ")) {
            assert_eq!(recorded(&java, capture, "Busy.report"), printed[1], "{capture}");
        }
    }
}

#[test]
fn nothing_is_throttled_within_the_budget() {
    let Some(java) = program_of("Busy", BUSY) else { return };
    ran(&java, "much", "1500", &["--budget", "10000%"], &[]);
    assert_eq!(throttled(&java, "much"), [""; 0]);
}
