//! Methods that paths would make longer than HotSpot compiles tell of their blocks, among those that tell
//! of paths, and those that even these would make too long of their entries and ends. What is never compiled may
//! become as long as a method can be.

use std::fmt::Write;

use capture::Encoding;
use model::{FlowSource, MethodId};

use crate::jdk::{program_of, shown};
use crate::show;

/// A program whose classes have a method of some length each: between the shortest, which paths suit, and
/// the longest, which nothing suits, lie those that only blocks suit. They call, are called, call
/// themselves, loop, throw and catch.
fn source(lengths: impl Iterator<Item = usize>) -> String {
    let mut main = String::new();
    let mut classes = String::new();
    for length in lengths {
        writeln!(main, "        System.out.println(Big{length}.run());").unwrap();
        let mut body = String::new();
        for part in 0..length {
            let line = match part % 6 {
                0 => format!("if ((s & {}) != 0) s += leaf(s); else s -= {part};", 1 << (part % 5)),
                1 => format!("for (int i = 0; i < (s & 3); i++) s += list[i & 7] + {part};"),
                2 => format!("try {{ s += odd(s); }} catch (IllegalStateException e) {{ s += {part}; }}"),
                3 => "s += deep(s & 3);".to_owned(),
                4 => format!("if (depth > 0 && (s & 15) == {}) s += back(depth, s & 255);", part % 16),
                _ => "switch (s & 3) { case 0: s += 1; break; case 1: s += leaf(2); break; case 2: s ^= 5; \
                      break; default: s += list[(s >>> 3) & 7]; }"
                    .to_owned(),
            };
            writeln!(body, "            {line}").unwrap();
        }
        classes += &CLASS.replace("LENGTH", &length.to_string()).replace("BODY", &body);
    }
    format!("public class Long {{\n    public static void main(String[] a) {{\n{main}    }}\n}}\n{classes}")
}

const CLASS: &str = "
class BigLENGTH {
    static int leaf(int x) { return x * 3 + 1; }
    static int deep(int d) { return d <= 0 ? 1 : deep(d - 1) + leaf(d); }
    static int odd(int x) { if (x % 5 == 3) throw new IllegalStateException(); return x; }
    static int back(int depth, int x) { return depth <= 0 ? x : big(depth - 1, x + 1); }
    static int down(int d) { return d > 50 ? big(3, d) : down(d + 1) + 1; }
    static int big(int depth, int x) {
        int s = x;
        int[] list = new int[8];
        try {
BODY
            if ((s & 63) == 5) { int[] none = null; s += none[0]; }
            if ((s & 63) == 6) s += list[9];
            if ((s & 63) == 7) s /= (s & 64) >>> 9;
            if ((s & 63) == 8) { Object o = \"a\"; s += (Integer) o; }
            if ((s & 63) == 9) odd(3);
        } catch (ArithmeticException e) {
            s += 1000;
        } catch (NullPointerException e) {
            s += 2000;
        }
        return s;
    }
    static int run() {
        int sum = 0;
        for (int i = 0; i < 40; i++) {
            try { sum += big(2, i); } catch (RuntimeException e) { sum ^= i; }
        }
        try { sum += down(0); } catch (RuntimeException e) { sum++; }
        return sum;
    }
}
";

#[test]
fn a_method_too_long_for_paths_tells_its_blocks() {
    let Some(program) = program_of("Long", &source((110..180).step_by(4))) else { return };
    let plain = program.java(&[], &[]).output().unwrap();
    assert!(plain.status.success(), "{}", shown(&plain));
    let traced = program.recorded(&["-o", "all"], &["-Xverify:all"], &[]).output().unwrap();
    assert_eq!(shown(&traced), shown(&plain));
    let capture = show::open(&program.folder.join("all"));
    let skipped: Vec<_> = capture.classes.iter().flat_map(|class| &class.skipped).collect();
    assert!(skipped.is_empty(), "{skipped:?}");
    let that_record = |encoding| -> Vec<String> {
        let methods = (0..capture.code.methods.len() as u32).map(MethodId);
        let listed = methods.filter(|&method| capture.encoding(method) == Some(encoding));
        listed.map(|method| capture.code.method_name(method)).collect()
    };
    let (of_blocks, of_ends) = (that_record(Encoding::Blocks), that_record(Encoding::Calls));
    for those in [&of_blocks, &of_ends] {
        assert!(!those.is_empty() && those.iter().all(|name| name.ends_with(".big")), "{those:?}");
    }
    // Whatever a method tells, each of its calls is told.
    let calls = ["-o", "calls", "--mode", "calls", "--when-full", "wait"];
    let traced = program.recorded(&calls, &["-Xverify:all"], &[]).output().unwrap();
    assert_eq!(shown(&traced), shown(&plain));
    let entries = show::entries(&capture);
    assert_eq!(entries, show::entries(&show::open(&program.folder.join("calls"))));
    assert!(of_ends.iter().all(|name| entries[name] > 40), "{entries:?}");
    let entry = capture.trace().environment.iter().find(|(key, _)| key == "entries and ends only");
    assert_eq!(entry.map(|(_, names)| names.as_str()), Some(of_ends.join(", ").as_str()));

    let classes: Vec<&str> =
        of_blocks.iter().flat_map(|name| ["--include", name.trim_end_matches(".big")]).collect();
    let [blocks, paths] = ["blocks", "paths"].map(|mode| {
        let options = [&["-o", mode, "--mode", mode, "--when-full", "wait"], &classes[..]].concat();
        let traced = program.recorded(&options, &["-Xverify:all"], &[]).output().unwrap();
        assert_eq!(shown(&traced), shown(&plain), "{mode}");
        let capture = show::open(&program.folder.join(mode));
        assert!(capture.diagnostics.is_empty(), "{mode}: {:?}", capture.diagnostics);
        show::flow(&capture)
    });
    assert!(blocks.len() > 100_000 && blocks.contains("threw"), "{}", blocks.len());
    assert_eq!(blocks.lines().count(), paths.lines().count());
    let first = blocks.lines().zip(paths.lines()).find(|(left, right)| left != right);
    assert_eq!(first, None);
}

/// An initialiser of 13 kB with 1,200 calls. HotSpot compiles neither it nor what becomes of it.
#[test]
fn a_long_initializer_tells_all_that_it_ran() {
    let cells: String =
        (0..1200).map(|number| format!("{}f({number})", if number > 0 { ", " } else { "" })).collect();
    let source = format!(
        "public class Table {{\n    static final int[] ALL = {{ {cells} }};\n    \
         static int f(int x) {{ return x & 7; }}\n    \
         public static void main(String[] a) {{ System.out.println(ALL[9]); }}\n}}\n"
    );
    let Some(program) = program_of("Table", &source) else { return };
    for mode in ["paths", "blocks"] {
        let options = ["-o", mode, "--mode", mode, "--when-full", "wait"];
        let traced = program.recorded(&options, &["-Xverify:all"], &[]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&traced.stdout), "1\n", "{mode}: {}", shown(&traced));
        let capture = show::open(&program.folder.join(mode));
        let flow = show::flow(&capture);
        let calls = flow.lines().filter(|line| line.trim_start().starts_with("Table.f")).count();
        assert_eq!((calls, flow.matches("Table.<clinit>").count()), (1200, 1), "{mode}");
        // Each of its blocks ran, on its one line.
        assert!(flow.lines().filter(|line| line.trim() == "2").count() >= 1200, "{mode}");
    }
}
