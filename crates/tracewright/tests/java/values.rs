//! Values of calls: what is kept of them, and what is not.

use std::fs;
use std::process::{Command, Stdio};

use expect_test::expect;
use serde_json::Value;

use crate::jdk::{Program, program, program_of, shown, wait_for};
use crate::show;

/// What `values --each` lists, without times, and with the same number for each identity.
fn listed(java: &Program, capture: &str, arguments: &[&str]) -> String {
    let ran = java.tracewright(&[&["values", capture, "--each"], arguments].concat()).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    let mut identities: Vec<String> = vec![];
    let mut out = String::new();
    for line in String::from_utf8(ran.stdout).unwrap().lines() {
        let (_, line) = line.split_once("  ").unwrap();
        let (line, time) = line.rsplit_once("  ").unwrap();
        assert!(time.ends_with('s'), "{time}");
        let mut parts = line.trim_end().split('@');
        out += parts.next().unwrap();
        for part in parts {
            let end = part.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(part.len());
            let (identity, rest) = part.split_at(end);
            let known = identities.iter().position(|known| known == identity);
            let number = known.unwrap_or(identities.len());
            if known.is_none() {
                identities.push(identity.to_owned());
            }
            out += &format!("@{number}{rest}");
        }
        out.push('\n');
    }
    out
}

fn record(java: &Program, name: &str, more: &[&str], options: &[&str]) {
    let arguments = [&["-o", name, "--values", "Till$Cart.*"], more].concat();
    let ran = java.recorded(&arguments, options, &[]).output().unwrap();
    assert_eq!(shown(&ran), "-- stderr\n-- exit status: 0", "{name}");
}

#[test]
fn values_of_every_kind_are_kept_and_secrets_are_not() {
    let Some(java) = program("values/Till") else { return };
    // The natives are checked by the virtual machine where it can.
    record(&java, "paths", &[], &["-Xcheck:jni", "-Xverify:all"]);
    expect![[r#"
        main    Till$Cart.<init>(owner: "Ann ä \"B\"\n")
        main    Till$Cart.add(what: "tea", count: 2, coin: Till$Coin.PENNY) = false
        main    Till$Cart.add(what: "😀 cake", count: 3, coin: Till$Coin.CROWN) = true
        main    Till$Cart.add(what: null, count: -1, coin: null) threw Till$TooPoor: "not -1 of null"
        main    Till$Cart.all(a: true, b: 'x', c: -1, d: 300, e: 1099511627776, f: 0.5, g: 1e300) = 1099511627776.0
        main    Till$Cart.all(a: false, b: '€', c: 1, d: -1, e: -1, f: -1.0, g: NaN) = NaN
        main    Till$Cart.objects(a: int[3]@0, b: String[2][]@1, c: Arrays$ArrayList(2)@2, d: ImmutableCollections$Map1(1)@3, e: HashSet(3)@4, f: 7, g: Till$Cart.class, h: Till$Cart@5, i: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"... of 300 letters) = Till$Cart@5
        main    Till$Cart.login(user: "ann", password: (withheld), pin: char[4]@6, token: (withheld))
        main    Till$Cart.readSecret(name: (withheld)) = (withheld)
        main    Till$Cart.deep(n: 3) = 3
        main    Till$Cart.deep(n: 2) = 2
        main    Till$Cart.deep(n: 1) = 1
        main    Till$Cart.deep(n: 0) = 0
        main    Till$Cart.caught(n: 1) = 1
        main    Till$Cart.caught(n: 2) = -2
        main    Till$Cart.nothing()
        worker  Till$Cart.deep(n: 1) = 1
        worker  Till$Cart.deep(n: 0) = 0
    "#]]
    .assert_eq(&listed(&java, "paths", &[]));
    for (name, options) in [("blocks", &["-Xint"][..]), ("calls", &["-Xcomp", "-XX:TieredStopAtLevel=1"])] {
        record(&java, name, &["--mode", name], options);
        assert_eq!(listed(&java, name, &[]), listed(&java, "paths", &[]), "{name}");
    }
    for (name, secret) in [("code", "hunter0"), ("code", "hush3"), ("steps", "hunter0")] {
        let bytes = fs::read(java.folder.join("paths").join(name)).unwrap();
        let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!found, "{secret} is in {name}");
    }
}

#[test]
fn each_entry_of_a_named_method_has_its_values_and_no_other() {
    let Some(java) = program("values/Till") else { return };
    let arguments = ["-o", "some", "--values", "Till$Cart#deep", "--values", "Till$Cart.add"];
    assert_eq!(java.recorded(&arguments, &[], &[]).status().unwrap().code(), Some(0));
    let flat = java.tracewright(&["calls", "some", "--flat", "--json"]).output().unwrap();
    let lines = String::from_utf8(flat.stdout).unwrap();
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let calls = rows.iter().filter(|row| row["what"] == "call");
    let mut with = vec![];
    for call in calls {
        let method = call["method"].as_str().unwrap();
        let is_named = ["Till$Cart.deep", "Till$Cart.add"].contains(&method);
        assert_eq!(call.get("values").is_some(), is_named, "{call}");
        if is_named {
            with.push((method, call["values"]["arguments"].to_string()));
        }
    }
    let numbers = with.iter().filter(|(method, _)| *method == "Till$Cart.deep");
    let numbers: Vec<&str> = numbers.map(|(_, arguments)| &arguments[..]).collect();
    let of = |number: u32| format!(r#"[{{"name":"n","value":{number}}}]"#);
    assert_eq!(numbers, [3, 2, 1, 0, 1, 0].map(of));
    assert_eq!(with.len(), 9);
    let entries = show::entries(&show::open(&java.folder.join("some")));
    assert_eq!(entries["Till$Cart.deep"], 6);
}

#[test]
fn where_values_are_forbidden_nobody_gets_them() {
    let Some(java) = program_of(
        "Waits",
        "public class Waits { public static void main(String[] a) throws Exception { System.in.read(); } }",
    ) else {
        return;
    };
    let both = java.recorded(&["--values", "x", "--no-values"], &[], &[]).output().unwrap();
    assert_eq!(both.status.code(), Some(2), "{}", shown(&both));
    let mut command = java.recorded(&["-o", "w", "--paused", "--no-values"], &[], &[]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let pid = child.id().to_string();
    let status = || java.tracewright(&["status", &pid]).output().unwrap();
    wait_for("the recorder", || status().status.code() == Some(0));
    let refused = java.tracewright(&["start", &pid, "--values", "Waits.*"]).output().unwrap();
    assert_eq!(
        shown(&refused),
        format!(
            "-- stderr\ntracewright: process {pid}: values may not be recorded here: the recorder was started with \
             --no-values\n-- exit status: 2"
        )
    );
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

const BUSY: &str = r#"
public class Busy {
    static int step(int n) { return n + 1; }
    static int endless(int n) { while (true) n = step(n); }
    public static void main(String[] arguments) { System.out.println("begins"); endless(1); }
}
"#;

#[test]
fn of_a_program_that_is_killed_what_it_called_is_there() {
    let Some(java) = program_of("Busy", BUSY) else { return };
    let mut child = java.recorded(&["-o", "k", "--values", "Busy.*"], &[], &[]);
    let mut child = child.stdout(Stdio::null()).spawn().unwrap();
    let code = java.folder.join("k/code");
    wait_for("values", || fs::metadata(&code).is_ok_and(|data| data.len() > 100_000));
    let killed = Command::new("kill").arg("-KILL").arg(child.id().to_string()).status().unwrap();
    assert!(killed.success());
    child.wait().unwrap();
    let ran =
        java.tracewright(&["values", "k", "--json", "--allow-loss", "--limit", "1000"]).output().unwrap();
    let answer: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let calls = answer["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 1000, "{}", shown(&ran));
    for (number, call) in (0..).zip(&calls[2..]) {
        assert_eq!(call["arguments"][0]["value"], number + 1, "{call}");
        assert_eq!(call["value"], number + 2, "{call}");
    }
    assert_eq!(calls[1]["method"], "Busy.endless");
    assert_eq!(calls[1]["outcome"], "open");
}
