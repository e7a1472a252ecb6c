//! The recorded traces of `examples/`: small, real, and some of them really lost events.

use std::path::PathBuf;

use crate::util::{Folder, Ran, folder};

fn example(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/traces");
    root.join(name).canonicalize().unwrap().to_str().unwrap().to_owned()
}

fn run(folder: &Folder, command: &str, name: &str, options: &[&str]) -> Ran {
    let trace = example(name);
    folder.run_with([command, &trace].into_iter().chain(options.iter().copied()), "")
}

const THREADS: [&str; 3] = ["clerk *", "baker *", "courier *"];

#[test]
fn exit_codes_tell_of_losses() {
    let folder = folder();
    for (name, code) in [("complete", 0), ("lossy", 1), ("overwrite", 1)] {
        for (command, options) in [("info", &["--json"][..]), ("events", &["--json"]), ("loops", &["--json"])]
        {
            let ran = run(&folder, command, name, options);
            assert_eq!(ran.code, code, "{command} {name}: {}", ran.err);
            assert_eq!(run(&folder, command, name, &["--allow-loss"]).code, 0);
        }
    }
}

#[test]
fn every_output_tells_how_much_was_lost() {
    let folder = folder();
    for (name, sentence, events, packets) in
        [("lossy", "501 events lost in 20 gaps", 501, 0), ("overwrite", "9 packets lost in 5 gaps", 0, 9)]
    {
        assert!(run(&folder, "info", name, &[]).out.contains(sentence));
        assert!(run(&folder, "loops", name, &[]).out.contains(sentence));
        assert!(run(&folder, "events", name, &[]).err.contains(sentence));
        let json = format!("\"lost\":{{\"events\":{events},\"packets\":{packets},");
        assert!(run(&folder, "info", name, &["--json"]).out.contains(&json));
        assert!(run(&folder, "loops", name, &["--json"]).out.contains(&json));
    }
    let lines = run(&folder, "events", "lossy", &["--json", "--gaps"]).out;
    let lost = lines
        .lines()
        .filter_map(|line| line.split_once("\"lost\":")?.1.split(',').next()?.parse::<u64>().ok());
    assert_eq!(lost.sum::<u64>(), 501);
}

/// The number of its event that a thread wrote into it.
fn step(line: &str) -> Option<u64> {
    line.split_once("{ step = ")?.1.split([',', ' ']).next()?.parse().ok()
}

/// The promise of tracks: steps are missing only where the track is broken. These traces know the
/// truth, because every event carries its number within its thread.
///
/// One jump of `lossy` lies inside a packet: a buffer that was nearly full refused three events of
/// the courier and then took a smaller one.
#[test]
fn no_step_is_missing_where_a_track_is_whole() {
    let folder = folder();
    for (name, jumps, unannounced) in [("complete", 0, 0), ("lossy", 27, 0), ("overwrite", 9, 0)] {
        let (mut seen, mut silent) = (0, vec![]);
        for thread in THREADS {
            let text = run(&folder, "events", name, &["--track", thread]).out;
            let (mut before, mut is_broken) = (None, false);
            for line in text.lines() {
                if line.starts_with("-- events of this track may be missing") {
                    is_broken = true;
                } else if let Some(step) = step(line) {
                    if before.is_some_and(|before| step != before + 1) {
                        seen += 1;
                        silent.extend((!is_broken).then(|| line.to_owned()));
                    }
                    (before, is_broken) = (Some(step), false);
                }
            }
            assert!(before.is_some());
        }
        assert_eq!((seen, silent.len()), (jumps, unannounced), "{name}: {silent:?}");
    }
}

#[test]
fn a_trace_and_its_event_lines_give_the_same_answers() {
    let folder = folder();
    for name in ["complete", "lossy", "overwrite"] {
        let lines = run(&folder, "events", name, &["--json", "--gaps"]).out;
        let again = folder.run_with(["events", "-", "--json", "--gaps"], &lines);
        assert_eq!(again.out, lines);
        // Diagnostics name other places, so only the answers are compared.
        for options in [&["--json"][..], &["--track-by", "cpu"], &["--track-by", "stream", "--all"]] {
            let of_trace = run(&folder, "loops", name, options).out;
            let of_lines =
                folder.run_with(["loops", "-"].into_iter().chain(options.iter().copied()), &lines).out;
            assert_eq!(of_trace, of_lines, "{name} {options:?}");
        }
    }
}

#[test]
fn the_same_trace_gives_the_same_bytes() {
    let folder = folder();
    for command in ["info", "events", "loops"] {
        assert_eq!(run(&folder, command, "lossy", &[]).out, run(&folder, command, "lossy", &[]).out);
    }
}

#[test]
fn the_loops_of_the_baker() {
    let ran = run(&folder(), "loops", "complete", &["--track", "baker *"]);
    for line in
        ["symbols  A = shop:mix  B = shop:knead  C = shop:bake", "level 1  P [Q R]*159.1", "[B]*3.0..4.0"]
    {
        assert!(ran.out.contains(line), "{line}: {ran}");
    }
}

#[test]
fn links_are_followed_and_no_folder_is_read_twice() {
    let folder = folder().with("session/note.txt", "not a stream");
    std::os::unix::fs::symlink(example("complete"), folder.path.join("session/linked")).unwrap();
    std::os::unix::fs::symlink(&folder.path, folder.path.join("session/round")).unwrap();
    let ran = folder.run("info session");
    assert_eq!(ran.code, 0, "{ran}");
    assert!(ran.out.contains("events   2,608 in 2 streams"), "{ran}");
    assert!(ran.out.contains("\n  shop_0 "), "{ran}");
}

#[test]
fn traces_of_a_session_are_called_by_their_folders() {
    let folder = folder().with("session/x", "");
    for name in ["complete", "lossy"] {
        std::os::unix::fs::symlink(example(name), folder.path.join("session").join(name)).unwrap();
    }
    let ran = folder.run("loops session --json --allow-loss");
    assert_eq!(ran.out.matches("{\"name\":\"complete/").count(), 3, "{ran}");
    assert_eq!(ran.out.matches("{\"name\":\"lossy/").count(), 3, "{ran}");
    let lines = folder.run("events session --limit 1").out;
    assert!(lines.contains("] complete/") && lines.contains(": (cpu "), "{lines}");
}
