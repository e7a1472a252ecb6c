//! What a thread did, for programs: the same entries as one tree.
//!
//! ```text
//! {"capture":{...},"threads":[{"serial":1,"name":"main","blocks":9,"calls":2,"lost":0,
//!  "running_before":[{"method":"shop.Main.loop","descriptor":"()V","line":7,
//!    "looks":20,"still_there":true,"seen_at":[{"line":7,"looks":12},{"line":8,"looks":8}]}],"ran":[ENTRY, ...]}],
//!  "unrecorded":[{"name":"idle","running_before":[...]}]}
//! timed_calls  of a thread: the calls whose length is known, in the order in which they ended; nothing without a clock
//! open   of a thread, and of all without a step: what it was in the middle of at the end, see reports/open_frames.rs
//! ENTRY  {"what":"call","method":"shop.Main.main","descriptor":"()V","file":"Main.java","lines":[3,4],
//!         "at":12,"entered":"call","left":"returned","times":1,"inside":[ENTRY, ...]}
//! inlined  behind `lines`, where there are such: lines of other files whose code was put there, "Lists.kt:7-9"
//! what   call, recursion-call, as-before, loop, variant, recursion, caught, gap, more
//! ```

use analyses::calls::{Entry, Report, Visitor, What};
use analyses::replay::{Measure, NodeId};
use analyses::times::TimedCall;
use model::FlowSource;
use model::code::{BlockId, MethodId};
use model::flow::{Entered, Left};
use model::running::Running;

use super::code_names::{file, inlined_lines, last_line, lines};
use super::json::Json;
use crate::hangs::open_frames::OpenFrames;
use crate::marks;
use crate::recordings::{self, Ran};
use crate::reports::{NamedOpen, Open};

/// One object with everything.
pub(crate) fn render(
    recording: &dyn FlowSource,
    ran: &Ran<'_>,
    blocks: &Measure,
    report: &mut Report<'_>,
    methods: Option<&[bool]>,
    counts: &dyn Fn(NodeId) -> (u64, u64),
) -> Vec<u8> {
    let mut json = Json::default();
    let roots: Vec<NodeId> = ran.replay.threads.iter().map(|thread| thread.root).collect();
    json.object(|json| {
        if let Some(methods) = methods {
            json.key("calls");
            let asked = |method: MethodId| methods.get(method.0 as usize).copied().unwrap_or(false);
            json.array([()], |_, ()| {});
            json.out.pop();
            let mut entries = Entries { json, recording };
            report.methods(&roots, &asked, &mut entries);
            json.out.push(b']');
            return;
        }
        json.key("threads").array(ran.threads.iter().zip(&ran.replay.threads), |json, (thread, root)| {
            json.object(|json| {
                let (ran_blocks, calls) = counts(root.root);
                json.key("serial").number(thread.serial);
                json.key("name").text(&thread.name);
                json.key("virtual").bool(thread.is_virtual);
                json.key("blocks").number(ran_blocks);
                json.key("calls").number(calls);
                json.key("lost").number(thread.lost);
                if !root.marks.is_empty() {
                    let marks = marks::of(recording, &ran.replay, blocks, root);
                    json.key("marks").array(marks, |json, mark| {
                        json.object(|json| {
                            json.key("text").text(mark.text);
                            json.key("position").number(mark.position);
                        });
                    });
                }
                // What the thread was in the middle of when recording began, innermost first; it is not in `ran`.
                json.key("running_before");
                running_before(json, recordings::running_in(recording, thread));
                if let Some(times) = ran.times.get(&thread.serial) {
                    json.key("timed_calls").array(&times.calls, |json, call: &TimedCall| {
                        timed(json, recording, call);
                    });
                    json.key("timed_calls_left_out").number(times.left_out);
                }
                if let Some(open) = ran.open.iter().find(|open| thread.tid == Some(open.tid)) {
                    json.key("open").report(&Open::of(open));
                }
                json.key("ran");
                json.array([()], |_, ()| {});
                json.out.pop();
                if report.has(root.root) {
                    report.thread(root.root, &mut Entries { json, recording });
                }
                json.out.push(b']');
            });
        });
        let is_shown = |open: &&OpenFrames| ran.threads.iter().any(|thread| thread.tid == Some(open.tid));
        let others: Vec<&OpenFrames> = ran.open.iter().filter(|open| !is_shown(open)).collect();
        if !others.is_empty() {
            json.key("open").array(others, |json, open| json.report(&NamedOpen::of(open)));
        }
        if !ran.unrecorded.is_empty() {
            json.key("unrecorded").array(&ran.unrecorded, |json, running| {
                json.object(|json| {
                    json.key("name").text(&running.name);
                    json.key("running_before");
                    running_before(json, Some(running));
                });
            });
        }
    });
    json.out.push(b'\n');
    json.out
}

/// A call whose length is known: the middle of what it can be, and how far it may be off, in ns.
fn timed(json: &mut Json, recording: &dyn FlowSource, call: &TimedCall) {
    let (length, waiting) = (call.length(), call.waiting());
    json.object(|json| {
        json.key("method").text(&recording.code().method_name(call.method));
        json.key("descriptor")
            .text(recording.code().method(call.method).map_or("", |about| &about.descriptor));
        json.key("position").number(call.position);
        json.key("depth").number(call.depth);
        json.key("began_after").number(call.begin.from);
        json.key("began_before").number(call.begin.to);
        json.key("ns").number(length.value);
        json.key("within_ns").number(length.within);
        json.key("own_ns").number(call.own());
        json.key("waiting_ns").number_or_null(waiting.map(|waiting| waiting.value));
        json.key("waiting_within_ns").number_or_null(waiting.map(|waiting| waiting.within));
        json.key("open").bool(call.left == Left::Open);
    });
}

/// The frames that a thread was in the middle of, innermost first, and what was seen of them later.
fn running_before(json: &mut Json, running: Option<&Running>) {
    let frames = running.map_or(&[][..], |running| &running.frames);
    let stacks = running.and_then(|running| running.samples.as_ref());
    json.array(frames.iter().zip((0..frames.len()).rev()), |json, (frame, outer)| {
        json.object(|json| {
            json.key("method").text(&format!("{}.{}", frame.class, frame.method));
            json.key("descriptor").text(&frame.descriptor);
            json.key("line").number_or_null(frame.line);
            let Some(stacks) = stacks else { return };
            json.key("looks").number(stacks.count);
            json.key("still_there").bool(outer < stacks.still as usize);
            json.key("seen_at").array(
                stacks.lines.get(outer).into_iter().flatten(),
                |json, (line, times)| {
                    json.object(|json| {
                        json.key("line").number(line);
                        json.key("looks").number(times);
                    });
                },
            );
        });
    });
}

struct Entries<'j, 'c> {
    json: &'j mut Json,
    recording: &'c dyn FlowSource,
}

impl Entries<'_, '_> {
    fn method(&mut self, id: MethodId, blocks: &[BlockId]) {
        let code = self.recording.code();
        self.json.key("method").text(&code.method_name(id));
        self.json.key("descriptor").text(code.method(id).map_or("", |method| &method.descriptor));
        self.json.key("file").text_or_null(file(code, id));
        let lines = lines(code.method(id), blocks);
        self.json.key("lines").array(lines, |json, line| json.number(line));
        let inlined = inlined_lines(code, id, blocks);
        if !inlined.is_empty() {
            self.json.key("inlined").text(&inlined);
        }
    }

    fn left(&mut self, left: Option<Left>) {
        self.json.key("left").text_or_null(left.map(|left| match left {
            Left::Returned => "returned",
            Left::Threw => "threw",
            Left::Unseen => "unseen",
            Left::Open => "open",
        }));
    }

    fn entered(&mut self, entered: Entered) {
        self.json.key("entered").text(match entered {
            Entered::Call => "call",
            Entered::Library => "library",
            Entered::Outermost => "outermost",
            Entered::Unseen => "unseen",
        });
    }
}

impl Visitor for Entries<'_, '_> {
    fn open(&mut self, entry: &Entry<'_>) -> bool {
        if !matches!(self.json.out.last(), Some(b'[')) {
            self.json.out.push(b',');
        }
        self.json.out.push(b'{');
        let name = match entry.what {
            What::Call { .. } => "call",
            What::Within { .. } => "recursion-call",
            What::AsBefore { .. } => "as-before",
            What::Loop { .. } => "loop",
            What::Variant { .. } => "variant",
            What::Recursion { .. } => "recursion",
            What::Caught { .. } => "caught",
            What::Gap { .. } => "gap",
            What::Inferred { .. } => "inferred",
            What::Observed => "observed",
            What::More { .. } => "more",
        };
        self.json.key("what").text(name);
        self.json.key("times").number(entry.times);
        let line = entry.at.and_then(|(id, block)| last_line(self.recording.code().method(id)?, block));
        if !matches!(entry.what, What::Caught { .. }) {
            self.json.key("at").number_or_null(line);
        }
        match entry.what {
            What::Call { method, entered, left, blocks } => {
                self.method(method, blocks);
                self.entered(entered);
                self.left(left);
            }
            What::AsBefore { method, entered, left, blocks } => {
                self.method(method, blocks);
                self.entered(entered);
                self.left(Some(left));
            }
            What::Within { method } => self.method(method, &[]),
            What::Loop { method, entered, blocks, .. } => {
                self.method(method, blocks);
                self.json.key("come_by").number(entered);
            }
            What::Variant { method, left, blocks } => {
                self.method(method, blocks);
                self.left(left);
            }
            What::Recursion { method, depth } => {
                self.method(method, &[]);
                self.json.key("depth").number(depth);
            }
            What::Caught { block } => {
                let method = entry.at.and_then(|(id, _)| self.recording.code().method(id));
                let line =
                    method.and_then(|method| method.blocks.get(block as usize)?.lines.first().copied());
                self.json.key("at").number_or_null(line);
            }
            What::Gap { lost } => self.json.key("lost").number_or_null((lost > 0).then_some(lost)),
            What::Inferred { inferred } => {
                self.json.key("lost").number(inferred.records);
                self.json.key("only_way").bool(inferred.is_only_way());
                self.json.key("percent").number(inferred.percent);
            }
            What::Observed => {}
            What::More { calls, blocks } => {
                self.json.key("calls").number(calls);
                self.json.key("blocks").number(blocks);
            }
        }
        self.json.key("inside").array([()], |_, ()| {});
        self.json.out.pop();
        true
    }

    fn close(&mut self) {
        self.json.out.extend_from_slice(b"]}");
    }
}
