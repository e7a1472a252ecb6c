//! Scripts that start Java, or do not: what is preloaded, and what is said where nothing was recorded.

use std::fs;
use std::process::{Command, Output, Stdio};

use crate::jdk::{Program, program, program_of, shown, wait_for};
use crate::show;

/// Runs `sh` with these lines below `record`; `JAVA` in them runs the program.
fn record(java: &Program, name: &str, lines: &str) -> Command {
    let line = java.java(&[], &[]);
    let words = std::iter::once(line.get_program()).chain(line.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.display())).collect();
    fs::write(java.folder.join("run.sh"), lines.replace("JAVA", &words.join(" "))).unwrap();
    java.tracewright(&["record", "-o", name, "--", "sh", "run.sh"])
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const ENVIRONMENT: &str = r#"
import java.nio.file.*;
public class Environment {
    public static void main(String[] args) throws Exception {
        System.out.println(System.getenv("LD_PRELOAD") + " " + System.getenv("TRACEWRIGHT_AGENT"));
        new ProcessBuilder("sh", "-c", "echo $LD_PRELOAD $TRACEWRIGHT_AGENT; grep -c agent- /proc/self/maps")
            .inheritIO().start().waitFor();
    }
}
"#;

#[test]
fn the_program_and_its_children_have_the_preload_of_the_script() {
    let Some(java) = program_of("Environment", ENVIRONMENT) else { return };
    for (name, lines, expected) in [
        ("before", "export LD_PRELOAD=libm.so.6:$LD_PRELOAD\nJAVA\n", "libm.so.6 null\nlibm.so.6\n0\n"),
        ("behind", "export LD_PRELOAD=$LD_PRELOAD:libm.so.6\nJAVA\n", "libm.so.6 null\nlibm.so.6\n0\n"),
        ("none", "JAVA\n", "null null\n\n0\n"),
    ] {
        let ran = record(&java, name, lines).output().unwrap();
        assert_eq!(shown(&ran), format!("{expected}-- stderr\n-- exit status: 0"), "{name}");
        assert_eq!(show::entries(&show::open(&java.folder.join(name)))["Environment.main"], 1, "{name}");
    }
}

#[test]
fn a_program_that_can_start_no_other_has_nothing_of_the_recorder() {
    let Some(java) = program("Kinds") else { return };
    let plain = java.java(&[], &[]).output().unwrap();
    let look = "grep -c agent- /proc/self/maps\ncat /proc/self/environ | tr '\\0' '\\n' | grep -c -e LD_PRELOAD -e TRACEWRIGHT_AGENT=\n";
    for (name, lines, before) in [
        // `env` may start a `java`, and here does.
        ("through", format!("{look}env JAVA\n"), "0\n0\n"),
        // What the user preloads reaches all programs.
        ("own", format!("export LD_PRELOAD=$LD_PRELOAD:libm.so.6\n{look}JAVA\n"), "0\n1\n"),
    ] {
        let ran = record(&java, name, &lines).output().unwrap();
        let expected = format!("{before}{}", shown(&plain));
        assert_eq!(shown(&ran), expected, "{name}");
        assert!(java.folder.join(name).join("code").exists(), "{name}");
    }
}

#[test]
fn where_no_program_was_recorded_that_is_said_and_nothing_is_left() {
    let Some(java) = program("Kinds") else { return };
    let plain = java.java(&[], &[]).output().unwrap();
    for (name, lines, code) in [
        ("replaced", "export LD_PRELOAD=libm.so.6\nJAVA 2>/dev/null\n", "7"),
        ("unset", "unset LD_PRELOAD\nexec JAVA 2>/dev/null\n", "7"),
    ] {
        let ran = record(&java, name, lines).output().unwrap();
        let message = format!(
            "tracewright: nothing was recorded: sh started no Java program that the recorder could get into \
             (exit status: {code})\n"
        );
        assert_eq!(shown(&ran), format!("{}-- stderr\n{message}-- exit status: 2", out(&plain)), "{name}");
        assert!(!java.folder.join(name).exists(), "{name}");
    }
    for paused in [&["--paused"][..], &[]] {
        let ran = java.tracewright(&[&["record"], paused, &["--", "true"]].concat()).output().unwrap();
        let message = "-- stderr\ntracewright: nothing was recorded: true started no Java program that the recorder \
                    could get into (exit status: 0)\n-- exit status: 2";
        assert_eq!(shown(&ran), message);
        assert!(!java.folder.join("recording.capture").exists());
    }
    // A folder that was there is not ours to take away.
    fs::create_dir(java.folder.join("mine")).unwrap();
    let ran = java.tracewright(&["record", "-o", "mine", "--", "true"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(java.folder.join("mine").exists());
    // Java itself says why it did not begin.
    let ran = java.recorded(&["-o", "never"], &["-XX:NoSuchOption"], &[]).output().unwrap();
    assert_eq!(ran.status.code(), Some(1));
    assert!(!java.folder.join("never").exists());
}

#[test]
fn a_signal_reaches_the_script_and_its_end_is_the_end() {
    use std::os::unix::process::ExitStatusExt;
    let Some(java) = program("Kinds") else { return };
    for (trap, code, signal) in [("trap 'exit 9' TERM\n", Some(9), None), ("", None, Some(15))] {
        let lines = format!("JAVA >/dev/null\n{trap}touch ready\nwhile :; do sleep 0.05; done\n");
        let mut child = record(&java, "s", &lines).stdout(Stdio::null()).spawn().unwrap();
        wait_for("the script", || java.folder.join("ready").exists());
        let killed = Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().unwrap();
        assert!(killed.success());
        let status = child.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (code, signal));
        assert!(java.folder.join("s/code").exists(), "the program was not recorded");
        fs::remove_dir_all(java.folder.join("s")).unwrap();
        fs::remove_file(java.folder.join("ready")).unwrap();
    }
}
