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
    let message = |options: &[&str]| {
        shown(&java.tracewright(&[&["calls", "c", "--times", "off"], options].concat()).output().unwrap())
    };
    // The first line says how long it took.
    let calls = |options: &[&str]| message(options).split_once('\n').unwrap().1.to_owned();
    expect![[r#"
          Bridged.main (Bridged.java:8-12)
            8: Bridged$Add.<init> (Bridged.java:3)
            loop at 9 x 3
              9: Bridged$Add.run (Bridged.java:4)
            11: Bridged.lambda$main$0 (Bridged.java:10)

        3 calls of bridges, accessors and stubs that a compiler made: --synthetic shows them
        -- stderr
        -- exit status: 0"#]]
    .assert_eq(&calls(&[]));
    expect![[r#"
          Bridged.main (Bridged.java:8-12)
            8: Bridged$Add.<init> (Bridged.java:3)
            loop at 9 x 3
              9: Bridged$Add.run (Bridged.java:3)
                3: Bridged$Add.run (Bridged.java:4)
            11: Bridged.lambda$main$0 (Bridged.java:10)
        -- stderr
        -- exit status: 0"#]]
    .assert_eq(&calls(&["--synthetic"]));
    expect![[r#"
          Bridged$Add.run (Bridged.java:4) x 3

        3 calls of bridges, accessors and stubs that a compiler made anywhere in the recording: --synthetic shows them
        -- stderr
        -- exit status: 0"#]]
    .assert_eq(&message(&["--method", "Add.run"]));
    let counted = java.tracewright(&["calls", "c", "--summary", "--json"]).output().unwrap();
    let counted: serde_json::Value = serde_json::from_slice(&counted.stdout).unwrap();
    assert_eq!(counted["calls"], 9, "figures count every call");
}
