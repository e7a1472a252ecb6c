//! Classes that one run instrumented are there for the next one, and it records the same with them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use capture::Capture;

use crate::jdk::{Program, program_of, shown};
use crate::show;

/// As many classes as make a segment worth keeping. With an argument they are loaded the other way round, so
/// that their numbers are others.
fn source() -> String {
    let mut main = String::new();
    let mut classes = String::new();
    for number in 0..60 {
        writeln!(main, "            case {number}: return Part{number}.run(seed);").unwrap();
        classes += &CLASS.replace("NUMBER", &number.to_string());
    }
    MAIN.replace("CASES", &main) + &classes
}

const MAIN: &str = "
public class Cached {
    static int part(int number, int seed) {
        switch (number) {
CASES
            default: return 0;
        }
    }
    public static void main(String[] a) throws Exception {
        int sum = 0;
        for (int i = 0; i < 60; i++) sum = sum * 31 + part(a.length > 0 ? 59 - i : i, i);
        System.out.println(sum);
    }
}
";

const CLASS: &str = "
class PartNUMBER {
    int field;
    static int count;
    void set(int x) { field = x; }
    int get() { return field; }
    static int loop(int n) { int s = 0; for (int i = 0; i < n; i++) { if ((i & 3) == 1) s += i; } return s; }
    static int nested(int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s ^= j; return s; }
    static int odd(int x) { if (x % 3 == 1) throw new IllegalStateException(); return x; }
    static int caught(int x) { try { return odd(x); } catch (IllegalStateException e) { return -1; } finally { count++; } }
    static int text(String s) { switch (s) { case \"one\": return 1; case \"two\": return 2; default: return s.length(); } }
    static int divide(int a, int b) { try { return a / b; } catch (ArithmeticException e) { return count; } }
    static long sum(int... all) { long s = 0; for (int one : all) s += one > 2 ? one : -one; return s; }
    synchronized int held(int x) { return x > 1 ? held(x - 1) + get() : 1; }
    static int run(int seed) {
        PartNUMBER part = new PartNUMBER();
        part.set(loop(seed & 7));
        java.util.function.IntUnaryOperator twice = x -> x + part.get();
        return part.get() + nested(seed & 3) + caught(seed) + text(seed > 4 ? \"one\" : \"other\")
            + divide(seed, seed & 1) + (int) sum(seed, 1, 2, 3) + part.held(3) + twice.applyAsInt(seed);
    }
}
";

fn record(program: &Program, name: &str, options: &[&str], arguments: &[&str]) -> Capture {
    let plain = program.java(&[], arguments).output().unwrap();
    let options = [&["-o", name], options].concat();
    let traced = program.recorded(&options, &["-Xverify:all"], arguments).output().unwrap();
    assert_eq!(shown(&traced), shown(&plain), "{name}");
    let capture = show::open(&program.folder.join(name));
    assert!(capture.diagnostics.is_empty(), "{name}: {:?}", capture.diagnostics);
    capture
}

/// How many of its classes an earlier run had instrumented.
fn instrumented(capture: &Capture) -> u64 {
    capture.end.as_ref().map_or(0, |end| end.instrumented)
}

/// All segments.
fn segments(program: &Program) -> Vec<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let caches = below(&program.folder.join("cache/tracewright"));
    caches.iter().filter(|path| path.is_dir()).flat_map(|cache| below(cache)).collect()
}

/// The classes with the sums and bytes of their files, by name.
fn files(capture: &Capture) -> Vec<(String, [u8; 32], Option<Vec<u8>>)> {
    let about = (0..).map(model::ClassId).zip(capture.code.classes.iter().zip(&capture.classes));
    let mut files: Vec<_> = about
        .map(|(id, (class, about))| (class.name.clone(), about.digest, capture.class_bytes(id)))
        .collect();
    files.sort();
    files
}

#[test]
fn the_second_recording_has_its_classes_from_the_first_and_tells_the_same() {
    let Some(program) = program_of("Cached", &source()) else { return };
    for mode in ["paths", "blocks", "calls"] {
        let as_mode = ["--mode", mode];
        let first = record(&program, &format!("{mode}-first"), &as_mode, &[]);
        assert_eq!(instrumented(&first), 0, "{mode}");
        let cached = segments(&program);
        let second = record(&program, &format!("{mode}-second"), &as_mode, &[]);
        assert_eq!(instrumented(&second), 61, "{mode}");
        assert_eq!(show::flow(&second), show::flow(&first), "{mode}");
        assert_eq!(files(&second), files(&first), "{mode}");
        assert!(files(&first).iter().all(|(name, _, bytes)| bytes.is_some() && !name.is_empty()));
        // Other numbers for the same classes.
        let back = record(&program, &format!("{mode}-back"), &as_mode, &["back"]);
        assert_eq!(instrumented(&back), 61, "{mode}");
        let fresh = record(&program, &format!("{mode}-fresh"), &["--mode", mode, "--fresh"], &["back"]);
        assert_eq!(instrumented(&fresh), 0, "{mode}");
        assert_eq!(show::flow(&back), show::flow(&fresh), "{mode}");
        assert_eq!(segments(&program), cached, "{mode}: nothing new, nothing kept");
    }
    let output = program.tracewright(&["info", "paths-second"]).output().unwrap();
    assert!(
        shown(&output).contains("classes = 61 (61 instrumented by an earlier run)"),
        "{}",
        shown(&output)
    );
    // Filters are part of what a class is instrumented for.
    let without = ["--exclude", "*#odd"];
    let (one, two) =
        (record(&program, "without-1", &without, &[]), record(&program, "without-2", &without, &[]));
    assert_eq!((instrumented(&one), instrumented(&two)), (0, 61));
    assert_eq!(show::flow(&two), show::flow(&one));
    assert!(!show::flow(&two).contains(".odd"));
    // What was instrumented for another way is not even looked through: each of the four has segments of its own.
    let name =
        |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().split('-').next().unwrap().to_owned();
    let mut modes: Vec<String> = segments(&program).iter().map(name).collect();
    modes.sort();
    modes.dedup();
    assert_eq!(modes.len(), 4, "{modes:?}");
}

#[test]
fn a_damaged_class_cache_only_costs_time() {
    let Some(program) = program_of("Cached", &source()) else { return };
    let first = record(&program, "first", &[], &[]);
    let [segment] = &segments(&program)[..] else { panic!("{:?}", segments(&program)) };
    let mut bytes = std::fs::read(segment).unwrap();
    let middle = bytes.len() / 2;
    for byte in &mut bytes[middle..middle + 20_000] {
        *byte ^= 0x55;
    }
    std::fs::write(segment, &bytes).unwrap();
    let second = record(&program, "second", &[], &[]);
    assert!((1..61).contains(&instrumented(&second)), "{}", instrumented(&second));
    assert_eq!(show::flow(&second), show::flow(&first));
    std::fs::write(segment, b"").unwrap();
    let third = record(&program, "third", &[], &[]);
    assert_eq!(instrumented(&third), 0);
    assert_eq!(show::flow(&third), show::flow(&first));
}

/// One byte of the class file of some recorded class in a segment is another. The index stands at the end, see the
/// drawing in `capture::class_cache`.
fn damage_a_class_file(segment: &Path) {
    const ROW: usize = 40;
    const TAIL: usize = 16;
    let mut bytes = std::fs::read(segment).unwrap();
    let tail = bytes.len() - TAIL;
    let rows = usize::try_from(u64::from_le_bytes(*bytes[tail..].first_chunk().unwrap())).unwrap();
    let at = bytes[tail - rows * ROW..tail].as_chunks::<ROW>().0.iter().find_map(|row| {
        let half = |at: usize| u32::from_le_bytes(*row[at..].first_chunk().unwrap()) as usize;
        (half(28) > 0).then_some(half(16) + half(24) + half(28) / 2)
    });
    bytes[at.unwrap()] ^= 1;
    std::fs::write(segment, &bytes).unwrap();
}

#[test]
fn a_class_file_that_is_damaged_in_the_cache_is_reported_and_the_next_run_has_it() {
    let Some(program) = program_of("Cached", &source()) else { return };
    let first = record(&program, "first", &[], &[]);
    let [segment] = &segments(&program)[..] else { panic!("{:?}", segments(&program)) };
    damage_a_class_file(segment);
    let second = record(&program, "second", &[], &[]);
    assert_eq!(show::flow(&second), show::flow(&first));
    let missing = files(&second).iter().filter(|(_, _, bytes)| bytes.is_none()).count();
    assert_eq!(missing, 1);
    let ended = second.end.unwrap().reason;
    assert!(
        ended.ends_with("; the class file of one class, which an earlier run had kept, was damaged"),
        "{ended}"
    );
    assert!(!segments(&program).contains(segment));
    let third = record(&program, "third", &[], &[]);
    assert_eq!(files(&third), files(&first));
    assert_eq!(show::flow(&third), show::flow(&first));
}
