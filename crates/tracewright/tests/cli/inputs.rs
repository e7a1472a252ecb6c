//! Inputs that are no plain file: streams, devices, compressed, without end, mostly holes.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::util::{Folder, WHOLE, folder};

/// Every way to name a file that is read, with `FILE` in its place, in a folder with a small trace.
const READERS: [&str; 17] = [
    "info FILE",
    "events FILE",
    "loops FILE",
    "loops --history FILE",
    "hangs FILE",
    "hangs --history FILE",
    "check FILE",
    "check trace.jsonl --model FILE",
    "infer FILE",
    "infer trace.jsonl --choices FILE",
    "evaluate FILE",
    "evaluate trace.jsonl --cases FILE",
    "calls FILE",
    "export FILE --to etr -o out",
    "classfile FILE",
    "2l verify FILE",
    "2l search 3 3 --file FILE",
];

/// Four events, and one that the model of a kernel knows.
fn with_trace() -> Folder {
    let switch = "{\"ts\":1795245908400000000,\"stream\":\"k\",\"cpu\":0,\"name\":\"sched_switch\",\"fields\":{\"prev_tid\":1,\"next_tid\":2,\"prev_state\":0}}\n";
    folder().with("trace.jsonl", format!("{WHOLE}{switch}"))
}

#[test]
fn devices_are_refused_at_once_by_name() {
    let folder = with_trace();
    for device in ["/dev/zero", "/dev/urandom", "/dev/full"] {
        for command in READERS {
            let start = Instant::now();
            let ran = folder.run(&command.replace("FILE", device));
            assert_eq!(ran.code, 2, "{command} {device}: {ran}");
            assert!(ran.err.contains(device), "{command}: {ran}");
            let what = if ["calls", "export"].iter().any(|word| command.starts_with(word)) {
                "is no recording of control flow"
            } else {
                "it is a character device"
            };
            assert!(ran.err.contains(what), "{command}: {ran}");
            assert!(start.elapsed() < Duration::from_secs(5), "{command} {device}");
        }
    }
    for command in ["info -", "2l verify -", "loops --history -", "evaluate -"] {
        let ran = folder.shell(&format!("tracewright {command} < /dev/zero"));
        assert_eq!(ran.code, 2, "{command}: {ran}");
        assert!(ran.err.contains("it is a character device"), "{command}: {ran}");
    }
    let ran = folder.run("info /dev/null");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran}");
}

#[test]
fn a_fifo_is_read_as_a_stream_where_the_format_allows() {
    let folder = with_trace().with("history.txt", "A B A B A B");
    let expected = folder.run("events trace.jsonl").out.replace("trace.jsonl", "pipe");
    let piped = folder.shell("mkfifo pipe; cat trace.jsonl > pipe & tracewright events pipe");
    assert_eq!((piped.code, piped.out), (0, expected));
    let history = folder.shell("cat history.txt > pipe & tracewright loops --history pipe");
    assert!(history.code == 0 && history.out.contains("6"), "{history}");
    let numbered = folder.shell("cat trace.jsonl | tracewright events /dev/fd/0");
    assert!(numbered.code == 0 && numbered.out.lines().count() == 5, "{numbered}");
    let file = folder.shell("tracewright events /dev/stdin < trace.jsonl");
    assert!(file.code == 0 && file.out.lines().count() == 5, "{file}");
    let model =
        folder.shell("tracewright models --show kernel > pipe & tracewright check trace.jsonl --model pipe");
    assert!(!model.err.contains("cannot"), "{model}");
    let evaluated = folder.shell("cat trace.jsonl > pipe & tracewright evaluate pipe");
    assert!(evaluated.code == 0 && evaluated.out.starts_with("1 case on 5 events"), "{evaluated}");
    for (command, sentence) in [
        (
            "2l search 3 3 --file pipe",
            "cannot read pipe: it is a FIFO (named pipe), which cannot be read at any offset",
        ),
        ("calls pipe", "pipe is no recording of control flow"),
    ] {
        // Nobody writes to it: whoever opened it would wait.
        let ran = folder.shell(&format!("timeout 5 tracewright {command}"));
        assert_eq!(ran.code, 2, "{command}: {ran}");
        assert!(ran.err.contains(sentence), "{command}: {ran}");
    }
    let perf = folder.shell("printf PERFILE2xxxxxxxx > pipe & tracewright info pipe");
    assert_eq!(perf.code, 2, "{perf}");
    assert!(perf.err.contains("cannot read pipe: "), "{perf}");
}

#[test]
fn folders_and_files_that_are_too_long_are_refused() {
    let folder = with_trace().with("folder/a", "");
    let long = File::create(folder.path.join("long")).unwrap();
    long.set_len(10 << 30).unwrap();
    for (command, sentence) in [
        ("infer trace.jsonl --choices FILE", "cannot read the choices FILE"),
        ("evaluate trace.jsonl --cases FILE", "cannot read the cases FILE"),
        ("check trace.jsonl --model FILE", "cannot open the model FILE"),
        ("classfile FILE", "cannot read FILE"),
        ("2l search 3 3 --file FILE", "cannot read FILE"),
    ] {
        for (name, reason) in [("folder", "is a directory"), ("long", "it has more than ")] {
            let ran = folder.run(&command.replace("FILE", name));
            let sentence = format!("{}: {reason}", sentence.replace("FILE", name));
            assert_eq!(ran.code, 2, "{ran}");
            assert!(ran.err.contains(&sentence), "{command}: {ran}");
        }
    }
    let ran = folder.run("2l verify folder");
    assert_eq!(ran.code, 2, "{ran}");
}

/// What is not there takes neither time nor memory.
#[test]
fn a_file_of_holes_costs_what_is_in_it() {
    let folder = folder();
    let mut file = File::create(folder.path.join("sparse.jsonl")).unwrap();
    file.write_all(WHOLE.as_bytes()).unwrap();
    file.set_len(10 << 30).unwrap();
    for (command, code) in
        [("events FILE", 1), ("info FILE", 1), ("loops --history FILE", 2), ("2l verify FILE", 1)]
    {
        let start = Instant::now();
        let command = format!("ulimit -v 2000000; tracewright {}", command.replace("FILE", "sparse.jsonl"));
        let ran = folder.shell(&command);
        assert_eq!(ran.code, code, "{command}: {ran}");
        assert!(start.elapsed() < Duration::from_secs(5), "{command}");
    }
}

/// The same for what is read at any offset: a packet, or a frame, is looked for behind the damage.
#[test]
fn traces_and_captures_of_holes_cost_what_is_in_them() {
    let folder = folder();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let copy = |from: &str, to: &str| {
        let to = folder.path.join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(examples.join(from), to).unwrap();
    };
    for name in ["metadata", "shop_0"] {
        copy(&format!("traces/lossy/ust/uid/0/64-bit/{name}"), &format!("trace/{name}"));
    }
    for name in ["code", "steps"] {
        copy(&format!("bakery/bakery.capture/{name}"), &format!("capture/{name}"));
    }
    for name in ["trace/shop_0", "capture/steps", "capture/code"] {
        File::options().write(true).open(folder.path.join(name)).unwrap().set_len(10 << 30).unwrap();
    }
    for name in ["trace", "capture"] {
        let start = Instant::now();
        let ran = folder.run(&format!("info {name}"));
        assert_eq!(ran.code, 1, "{ran}");
        assert!(start.elapsed() < Duration::from_secs(10), "{name} took {:?}", start.elapsed());
    }
}

fn compressed(folder: &Folder, program: &str, from: &str, to: &str) -> bool {
    let ran = folder.shell(&format!("{program} -c {from} > {to}"));
    if ran.code != 0 {
        println!("skipped: {program} is not installed");
    }
    ran.code == 0
}

#[test]
fn compressed_event_lines_histories_and_choices_are_read() {
    let folder = with_trace().with("history.txt", "A B A B A B\n").with("perf.data", "PERFILE2 and so on");
    let expected = folder.run("events trace.jsonl").out;
    let history = folder.run("loops --history history.txt --json").out;
    for (program, ending) in [("gzip", "gz"), ("zstd -q", "zst")] {
        if !compressed(&folder, program, "trace.jsonl", &format!("trace.jsonl.{ending}")) {
            continue;
        }
        let ran = folder.run(&format!("events trace.jsonl.{ending}"));
        assert_eq!(
            (ran.code, ran.out),
            (0, expected.replace("trace.jsonl", &format!("trace.jsonl.{ending}")))
        );
        // Two files one after the other are one.
        let twice =
            folder.shell(&format!("cat trace.jsonl.{ending} trace.jsonl.{ending} | tracewright events -"));
        assert_eq!((twice.code, twice.out.lines().count()), (0, 10), "{twice}");
        compressed(&folder, program, "history.txt", "packed");
        assert_eq!(folder.run("loops --history packed --json").out.replace("packed", "history.txt"), history);
        // What is read at any offset is copied, and what it then is is said.
        compressed(&folder, program, "perf.data", "perf.packed");
        let ran = folder.run("info perf.packed");
        assert!(ran.code == 2 && ran.err.contains("cannot read perf.packed: "), "{ran}");
        let ran = folder.run("info packed");
        let sentence =
            format!("cannot open packed: it is compressed with {}; decompress it first", &program[..4]);
        assert!(ran.code == 2 && ran.err.contains(&sentence), "{ran}");
        let stored = folder.run("2l search 3 3 --file packed");
        assert!(stored.code == 2 && stored.err.contains("it is compressed with"), "{stored}");
        // Cut off: what was there is told, and that something is missing.
        let path = folder.path.join(format!("trace.jsonl.{ending}"));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(folder.path.join(format!("cut.jsonl.{ending}")), &bytes[..bytes.len() - 6]).unwrap();
        let cut = folder.run(&format!("events cut.jsonl.{ending}"));
        assert!(cut.code != 0 && cut.err.contains("cut.jsonl"), "{cut}");
    }
}

/// Ten thousand times as much as it looks: refused where it is read whole, a stream where it is not.
#[test]
fn a_decompression_bomb_takes_no_memory() {
    let folder = with_trace();
    for (program, ending) in [("gzip", "gz"), ("zstd -q", "zst")] {
        let bomb = folder.shell(&format!("head -c 1000000000 /dev/zero | {program} > bomb.jsonl.{ending}"));
        assert_eq!(bomb.code, 0, "{bomb}");
        if Path::new(&folder.path.join(format!("bomb.jsonl.{ending}"))).metadata().unwrap().len() == 0 {
            println!("skipped: {program} is not installed");
            continue;
        }
        for command in ["info FILE", "infer trace.jsonl --choices FILE", "classfile FILE"] {
            let command = command.replace("FILE", &format!("bomb.jsonl.{ending}"));
            let ran = folder.shell(&format!("ulimit -v 2000000; tracewright {command}"));
            assert!([1, 2].contains(&ran.code), "{command}: {ran}");
            assert!(!ran.err.contains("memory") && !ran.err.contains("panicked"), "{command}: {ran}");
        }
    }
}

/// A file that holds something else is not written to, not even to cut off its last line.
#[test]
fn a_file_that_holds_no_search_is_left_as_it_is() {
    for text in ["my notes", "my notes\nwithout an end", "{\"not\":1}\n{\"a\":2}\nx"] {
        let folder = folder().with("notes", text);
        let ran = folder.run("2l search 3 3 --file notes");
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.err.contains("notes"), "{ran}");
        assert_eq!(std::fs::read_to_string(folder.path.join("notes")).unwrap(), text);
    }
}
