//! What threads are in the middle of when recording begins.
//!
//! A frame that runs goes on with the code that it began with: the virtual machine cannot exchange it. So
//! nothing records the blocks of the outermost loop of a program that is attached to, of all things. What
//! can be recorded is which methods those are and how far they had come.
//!
//! The caller has instrumented the loaded classes: a method with a frame whose code is not that of its class
//! any more is one that would be recorded. Virtual threads are not asked for, as their stacks have no owner
//! that would hold still.

use classfile::filters::Pattern;
use model::running::{Running, RunningFrame};

use super::agent::Agent;
use super::old_frames::OldFrames;
use super::recording::Recording;
use crate::jvm::{Frame, Jni, Ref, names};

/// Records all threads with such frames, and has them sampled.
pub(crate) fn record(agent: &Agent, jni: Jni, recording: &Recording) {
    let Some(java) = agent.java.get() else { return };
    // The handles of all threads; each frame's class is given back at once.
    if !jni.push_frame() {
        return;
    }
    let mut old_frames = OldFrames::default();
    // Where only the calls of some methods are recorded, the others are not recorded from their next call on either.
    let inside = &recording.choices.wanted.inside;
    let described = |frame| {
        let described = describe(agent, jni, frame)?;
        let begins = |pattern: &Pattern| pattern.names_method(&described.class, &described.method);
        (inside.is_empty() || inside.iter().any(begins)).then_some(described)
    };
    let stacks = agent.jvmti.stacks(Running::MOST);
    jni.expect_locals(stacks.len());
    for (thread, stack) in stacks {
        let (methods, frames): (Vec<_>, Vec<RunningFrame>) =
            stack.into_iter().filter_map(|frame| Some((frame.method, described(frame)?))).unzip();
        if frames.is_empty() {
            continue;
        }
        let name = agent.jvmti.thread_name(jni, thread).unwrap_or_default();
        let name = classfile::modified_utf8::to_text(&name);
        let tid = jni.get_long(thread, java.thread_tid).cast_unsigned();
        recording.output.running(&Running { tid, name, frames, samples: None });
        old_frames.add(tid, jni.global(thread), methods);
    }
    jni.pop_frame();
    *recording.old_frames.lock() = old_frames;
}

fn describe(agent: &Agent, jni: Jni, frame: Frame) -> Option<RunningFrame> {
    if !agent.jvmti.is_obsolete(frame.method) {
        return None;
    }
    let class: Ref = agent.jvmti.declaring_class(frame.method)?;
    let signature = agent.jvmti.class_signature(class);
    jni.delete_local(class);
    let signature = signature?;
    let class = names::of_signature(&signature)?;
    let (method, descriptor) = agent.jvmti.method_name(frame.method)?;
    let text = |bytes: &[u8]| classfile::modified_utf8::to_text(bytes);
    Some(RunningFrame {
        class,
        method: text(&method),
        descriptor: text(&descriptor),
        line: agent.jvmti.line(frame),
    })
}
