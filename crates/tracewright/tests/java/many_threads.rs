//! Many threads that record faster than the recorder's writer writes: they write by themselves, and nothing is
//! missing.

use crate::jdk::{program_of, shown};
use crate::show;

/// Each thread counts how often it has called what, and says so at its end.
const CROWD: &str = "
public class Crowd {
    static int even(int seed) { return seed >>> 1; }
    static int odd(int seed) { return seed * 1103515245 + 12345; }

    static void walk(String name) {
        int evens = 0, odds = 0;
        for (int iteration = 0, seed = name.hashCode(); iteration < 60_000; iteration++) {
            if ((seed & 1) == 0) {
                evens++;
                seed = even(seed) ^ iteration;
            } else {
                odds++;
                seed = odd(seed);
            }
        }
        System.out.println(name + \" \" + evens + \" \" + odds);
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] crowd = new Thread[24];
        for (int at = 0; at < crowd.length; at++) {
            String name = \"one of them, \" + at;
            crowd[at] = new Thread(() -> walk(name), name);
        }
        for (Thread one : crowd) one.start();
        for (Thread one : crowd) one.join();
    }
}
";

#[test]
fn what_many_threads_record_at_once_is_all_there() {
    let Some(java) = program_of("Crowd", CROWD) else { return };
    for mode in ["paths", "blocks"] {
        let options = ["-o", mode, "--mode", mode, "--when-full", "wait"];
        let traced = java.recorded(&options, &[], &[]).output().unwrap();
        assert!(traced.status.success(), "{mode}: {}", shown(&traced));
        let capture = show::open(&java.folder.join(mode));
        assert!(capture.diagnostics.is_empty(), "{mode}: {:?}", capture.diagnostics);
        let calls = ["Crowd.even", "Crowd.odd"].map(|method| show::entries_by_thread(&capture, method));
        let message = String::from_utf8(traced.stdout).unwrap();
        assert_eq!(message.lines().count(), 24);
        for line in message.lines() {
            let (name, odds) = line.rsplit_once(' ').unwrap();
            let (name, evens) = name.rsplit_once(' ').unwrap();
            let recorded = calls.each_ref().map(|calls| calls.get(name).copied().unwrap_or_default());
            assert_eq!(
                recorded,
                [evens, odds].map(|number| number.parse::<u64>().unwrap()),
                "{mode}: {name}"
            );
        }
    }
}
