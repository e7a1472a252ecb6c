//! Calls of methods that only a compiler wrote.

use expect_test::expect;

use crate::jdk::{program_of, shown};

/// The compiler adds `run(Object)` to `Add`, which calls `run(String)`, and makes a method of the lambda.
const BRIDGED: &str = "\
public class Bridged {
    interface Task<T> { void run(T with); }
    static class Add implements Task<String> {
        public void run(String text) { sum += text.length(); }
    }
    static int sum;
    public static void main(String[] arguments) {
        Task<String> task = new Add();
        for (int i = 0; i < 3; i++) task.run(\"abc\");
        Runnable lambda = () -> sum++;
        lambda.run();
    }
}
";

#[test]
fn bridges_are_left_out_and_lambdas_are_not() {
    let Some(java) = program_of("Bridged", BRIDGED) else { return };
    let ran = java.recorded(&["-o", "c"], &[], &[]).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    let calls = |options: &[&str]| {
        let ran = java.tracewright(&[&["calls", "c", "--times", "off"], options].concat()).output().unwrap();
        // The first line says how long it took.
        shown(&ran).split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    };
    expect![[""]].assert_eq(&calls(&[]));
    expect![[""]].assert_eq(&calls(&["--synthetic"]));
    expect![[""]].assert_eq(&calls(&["--method", "Add.run"]));
    let counted = java.tracewright(&["calls", "c", "--summary", "--json"]).output().unwrap();
    let counted: serde_json::Value = serde_json::from_slice(&counted.stdout).unwrap();
    assert_eq!(counted["calls"], 9, "figures count every call");
}
