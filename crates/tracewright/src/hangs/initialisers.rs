//! Threads that the virtual machine holds until another one has initialised a class: which class, and who does that.
//!
//! ```text
//! first    Left.<clinit> at `Right.VALUE`     waits for the class Right, which second initialises
//! second   Right.<clinit> at `Left.VALUE`     waits for the class Left, which first initialises
//! ```
//!
//! The virtual machine says neither. The code of the line names the classes that it needs; whoever runs the initialiser of
//! one of them is waited for.

use std::borrow::Cow;

use analyses::hangs::{Doing, find};
use classfile::line_table::LineTable;
use classfile::{Opcode, Operand, modified_utf8};
use model::flow_source::FlowSource;
use model::stack::{SampledFrame, SampledThread, StackSample, Wait};

use super::open_loops::with_code;

/// The method that initialises a class.
const INITIALISER: &str = "<clinit>";

/// The sample, and what those threads wait for that are held. `doing`: of each thread in it.
pub(super) fn with_waits<'s>(
    recording: &dyn FlowSource,
    sample: &'s StackSample,
    doing: &[Doing],
) -> Cow<'s, StackSample> {
    let is_held = |at: usize| doing.get(at) == Some(&Doing::Held);
    let held: Vec<usize> = (0..sample.threads.len()).filter(|at| is_held(*at)).collect();
    if held.is_empty() {
        return Cow::Borrowed(sample);
    }
    let mut known = sample.clone();
    // By thread, the classes that it initialises.
    let initialised: Vec<Vec<&str>> =
        sample.threads.iter().map(|thread| initialised(recording, thread)).collect();
    // If nobody else initialises anything, two that are held wait for each other, whatever their code says: the
    // initialiser of a class runs only after that of its superclass.
    let others_initialise =
        (0..).zip(&initialised).any(|(at, classes): (usize, _)| !classes.is_empty() && !is_held(at));
    for &at in &held {
        let Some(thread) = sample.threads.get(at) else { continue };
        let needed = thread.frames.first().map_or(vec![], |frame| needed(recording, frame));
        let named = (0..).zip(&initialised).filter(|(other, _)| *other != at).find_map(|(other, classes)| {
            let class = classes.iter().find(|class| needed.iter().any(|needed| needed == *class))?;
            Some((other, Some((*class).to_owned())))
        });
        let other = match held.as_slice() {
            [one, other] if !others_initialise => Some((if at == *one { *other } else { *one }, None)),
            _ => None,
        };
        let Some((other, on)) = named.or(other) else { continue };
        let holder = sample.threads.get(other).map(|thread| thread.tid);
        if let Some(thread) = known.threads.get_mut(at) {
            thread.waits = Some(Wait { on, holder, is_timed: false });
        }
    }
    Cow::Owned(known)
}

/// The classes whose initialisers a thread runs.
fn initialised<'r>(recording: &'r dyn FlowSource, thread: &SampledThread) -> Vec<&'r str> {
    let methods = thread.frames.iter().filter_map(|frame| recording.stacks().method(frame));
    methods.filter(|method| method.name == INITIALISER).map(|method| method.class.as_str()).collect()
}

/// The classes, with dots, that the line of a frame needs to be initialised.
fn needed(recording: &dyn FlowSource, frame: &SampledFrame) -> Vec<String> {
    let method = recording.stacks().method(frame).and_then(|method| find(recording.code(), method));
    let Some((method, line)) = method.zip(frame.line) else { return vec![] };
    let classes = with_code(recording, method, |pool, code| {
        let lines = LineTable::of(code, pool);
        let of_line = code.iter().filter(|(pc, _)| lines.lines_in(*pc, pc + 1).contains(&line));
        let class = |(_, instruction): (u32, &classfile::Instruction)| {
            let Operand::Constant(index) = instruction.operand else { return None };
            let name = match instruction.opcode {
                Opcode::NEW => pool.class_name(index).ok()?,
                Opcode::GETSTATIC | Opcode::PUTSTATIC | Opcode::INVOKESTATIC => {
                    pool.member(index).ok()?.class?
                }
                _ => return None,
            };
            Some(modified_utf8::to_text(name).replace('/', "."))
        };
        Some(of_line.filter_map(class).collect())
    });
    classes.unwrap_or_default()
}
