//! Methods that cannot throw have no more than one record, and nothing that tells of an exception. What they
//! and the program have done where the stack ends in their midst, the program says itself.

use std::collections::BTreeMap;

use capture::Capture;
use model::MethodId;
use model::flow::{FlowStep, Left};

use crate::jdk::{Program, program, shown};
use crate::show;

/// A frame: its method, the lines of the blocks that it ran, and its end.
struct Frame {
    method: MethodId,
    lines: Vec<u16>,
}

/// How many frames of each method there were that ran one of some lines, or all that returned.
fn count(capture: &Capture, lines: &[u16]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for thread in &capture.threads {
        let mut flow = capture.flow(thread);
        let mut open: Vec<Frame> = Vec::new();
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { method, .. } => open.push(Frame { method, lines: Vec::new() }),
                FlowStep::Blocks { blocks, .. } => {
                    let frame = open.last_mut().unwrap();
                    let blocks = blocks.iter().map(|&block| block as usize);
                    let method = capture.code.method(frame.method).unwrap();
                    frame.lines.extend(blocks.flat_map(|block| &method.blocks[block].lines));
                }
                FlowStep::Leave { how } => {
                    let frame = open.pop().unwrap();
                    let name = capture.code.method_name(frame.method);
                    let is_down = name.ends_with(".down") && how == Left::Threw;
                    let ran = frame.lines.iter().any(|line| lines.contains(line));
                    let returned = !name.ends_with(".choose") && how == Left::Returned;
                    *counts.entry(name).or_default() += u64::from(is_down || ran || returned);
                }
                FlowStep::Inferred { .. } | FlowStep::Observed => {}
                FlowStep::Catch { .. }
                | FlowStep::Moment(_)
                | FlowStep::Clock(_)
                | FlowStep::Mark(_)
                | FlowStep::Values(_)
                | FlowStep::Task(_) => {}
                gap @ FlowStep::Gap { .. } => panic!("{gap:?}"),
            }
        }
    }
    counts
}

/// Records the program: what was counted, and what it says itself of `down`, `set`, `choose` and `new`.
fn counted(java: &Program, mode: &str, options: &[&str]) -> (BTreeMap<String, u64>, [u64; 4], u64) {
    let name = format!("{mode}{}", options.len());
    let record = ["-o", &name, "--mode", mode, "--when-full", "wait"];
    let options = [&["-Xverify:all"], options].concat();
    let traced = java.recorded(&record, &options, &[]).output().unwrap();
    assert!(traced.status.success(), "{}", shown(&traced));
    let (mut recorded, mut attempts) = ([0; 4], 0);
    for line in String::from_utf8(traced.stdout).unwrap().lines() {
        let numbers = line.split(' ').map(|number| number.parse::<u64>().unwrap());
        recorded.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        attempts += 1;
    }
    let capture = show::open(&java.folder.join(&name));
    assert!(capture.diagnostics.is_empty(), "{mode}: {:?}", capture.diagnostics);
    let source = include_str!("programs/Small.java").lines().zip(1..);
    let arms: Vec<u16> =
        source.filter(|(line, _)| line.contains("; // ")).map(|(_, number)| number).collect();
    (count(&capture, &arms), recorded, attempts)
}

#[test]
fn where_the_stack_ends_in_a_method_that_cannot_throw() {
    let Some(java) = program("Small") else { return };
    for options in [&[][..], &["-Xint"]] {
        for mode in ["paths", "blocks"] {
            let (counts, [down, set, choose, made], attempts) = counted(&java, mode, options);
            assert!(
                attempts == 60 && down > 60 * 100,
                "{mode} {options:?}: {attempts} attempts, {down} frames"
            );
            let of = |name: &str| counts.get(&format!("Small.{name}")).copied().unwrap_or(0);
            assert_eq!([of("down"), of("set"), of("choose")], [down, set, choose], "{mode} {options:?}");
            // Each attempt makes one more, and there is one before all. Blocks tell of the end of `new` first,
            // then of the block that keeps what was made, for which there may be no room.
            let made = made + attempts + 1;
            let made = if mode == "paths" { made..=made } else { made..=made + attempts };
            assert!(made.contains(&of("<init>")), "{mode} {options:?}: {} of {made:?}", of("<init>"));
        }
    }
}
