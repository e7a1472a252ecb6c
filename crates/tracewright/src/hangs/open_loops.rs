//! The loops that a thread is in the middle of, and whether they are meant to end.

use std::collections::HashMap;

use analyses::hangs::find;
use classfile::bounded_loops::{bounded_loops, moving_loops};
use classfile::line_table::LineTable;
use classfile::{
    ClassFile, Code, ConstantPool, ControlFlowGraph, Instruction, Opcode, Operand, modified_utf8,
};
use model::flow_source::FlowSource;
use model::stack::SampledFrame;
use model::{BlockId, MethodId};

use crate::hangs::attempts;
use crate::libraries::is_of_jdk;

/// Packages and classes of Java itself whose code computes, or asks for the time, and ends; the last one also writes records.
pub(crate) const ARITHMETIC: [&str; 13] = [
    "java.lang.System",
    "java.lang.String",
    "java.lang.invoke.",
    "java.math.",
    "java.util.Random",
    "java.util.SplittableRandom",
    "java.util.concurrent.atomic.",
    "java.util.zip.",
    "java.security.",
    "javax.crypto.",
    "sun.security.",
    "java.lang.Math",
    "jdk.internal.misc.",
];

/// What reads and writes, and what is called like that and does not.
const TRANSFERS: [&str; 8] = [
    "java.io.",
    "java.net.",
    "java.nio.channels.",
    "java.nio.file.Files",
    "java.sql.",
    "java.util.Scanner",
    "java.util.logging.",
    "org.slf4j.",
];
const IN_MEMORY: [&str; 4] = ["java.io.ByteArray", "java.io.CharArray", "java.io.String", "java.net.UR"];

/// Packages of Java itself whose code looks at what other threads do.
pub(crate) const WAITING: [&str; 3] =
    ["java.lang.Thread", "java.lang.invoke.VarHandle", "java.util.concurrent."];

/// What pauses, by class and the beginning of the name.
const PAUSES: [(&str, &str); 3] = [
    ("java.lang.Thread", "sleep"),
    ("java.util.concurrent.TimeUnit", "sleep"),
    ("java.util.concurrent.locks.LockSupport", "parkNanos"),
];

/// What waits for somebody to give or take something: whoever came through has got on.
const HANDS_OVER: [&str; 6] = ["put", "putFirst", "putLast", "take", "takeFirst", "takeLast"];

/// The loops of the methods that were asked for.
pub(crate) struct OpenLoops<'r> {
    recording: &'r dyn FlowSource,
    methods: HashMap<MethodId, Vec<LoopLines>>,
}

/// The lines of a loop.
struct LoopLines {
    lines: Vec<u16>,
    /// It counts to a bound, reads, writes or pauses, or each round does something else.
    is_harmless: bool,
    /// Of each attempt in it that may fail, `tryLock` say, the lines that only run where it did not.
    successes: Vec<Vec<u16>>,
}

impl LoopLines {
    /// Whether a thread that was seen at these lines, if all are in the loop, moves on or has come through each attempt.
    fn moves_on(&self, seen: &[u16]) -> bool {
        let comes_through = |lines: &Vec<u16>| seen.iter().any(|line| lines.contains(line));
        self.is_harmless || !self.successes.is_empty() && self.successes.iter().all(comes_through)
    }
}

impl<'r> OpenLoops<'r> {
    pub(crate) fn of(recording: &'r dyn FlowSource) -> OpenLoops<'r> {
        OpenLoops { recording, methods: HashMap::new() }
    }

    /// Whether a thread in these frames, innermost first, is in loops all of which move on. `lines`: those that it was seen at in the
    /// first frame; `returns`: what it calls of Java itself is known to return.
    pub(crate) fn move_on(&mut self, frames: &[SampledFrame], lines: &[u16], returns: bool) -> bool {
        let (mut count, mut is_inner) = (0, !returns);
        for (at, frame) in frames.iter().enumerate() {
            let Some(method) = self.recording.stacks().method(frame) else { return false };
            let Some(id) = find(self.recording.code(), method) else {
                if is_of_lambda(&method.class) {
                    continue;
                }
                // Nothing is known of its loops.
                let computes = ARITHMETIC.iter().any(|package| method.class.starts_with(package));
                if is_inner && !computes || !is_of_jdk(&method.class) {
                    return false;
                }
                continue;
            };
            is_inner = false;
            let seen = if at == 0 { lines } else { frame.line.as_slice() };
            if seen.is_empty() {
                return false;
            }
            let all = self.methods.entry(id).or_insert_with(|| loops(self.recording, id).unwrap_or_default());
            for enclosing in all.iter().filter(|found| seen.iter().all(|line| found.lines.contains(line))) {
                if !enclosing.moves_on(seen) {
                    return false;
                }
                count += 1;
            }
        }
        count > 0
    }
}

/// Whether a class, with dots, is what a virtual machine makes of a lambda expression: it only calls its body.
pub(crate) fn is_of_lambda(class: &str) -> bool {
    class.contains("$$Lambda")
}

/// The loops of a method; `None` where its class was not kept.
fn loops(recording: &dyn FlowSource, id: MethodId) -> Option<Vec<LoopLines>> {
    with_code(recording, id, loops_of)
}

fn loops_of(pool: &ConstantPool<'_>, code: &Code<'_>) -> Option<Vec<LoopLines>> {
    let graph = ControlFlowGraph::of_code(code, &LineTable::of(code, pool)).ok()?;
    let (bounded, moving) = (bounded_loops(code, pool, &graph), moving_loops(code, pool, &graph));
    let one = |(id, is_bounded): (u32, bool)| {
        let inside = || (0..).zip(&graph.blocks).filter(|(block, _)| graph.loops.contains(id, *block));
        let mut lines: Vec<u16> = inside().flat_map(|(_, block)| block.lines.iter().copied()).collect();
        lines.sort_unstable();
        lines.dedup();
        let mut called = inside().filter_map(|(_, block)| callee(pool, code, block.last));
        let is_harmless = is_bounded || called.any(|(class, name)| moves_on(&class, &name));
        let successes = inside().filter_map(|(_, block)| {
            let success = attempts::success(pool, code, block.last)?;
            let success = graph.block_at(success).filter(|success| graph.loops.contains(id, *success));
            let is_after =
                |number: BlockId| success.is_some_and(|success| graph.dominators.dominates(success, number));
            let of = |wanted: bool| {
                let blocks = inside().filter(move |(number, _)| is_after(*number) == wanted);
                blocks.flat_map(|(_, block)| block.lines.iter().copied())
            };
            let elsewhere: Vec<u16> = of(false).collect();
            Some(of(true).filter(|line| !elsewhere.contains(line)).collect())
        });
        LoopLines { successes: successes.collect(), lines, is_harmless }
    };
    let harmless = bounded.iter().zip(&moving).map(|(bounded, moving)| *bounded || *moving);
    Some((0..).zip(harmless).map(one).collect())
}

/// Whether each loop that has these lines, of the methods of this name in the file of a class, counts to a bound, or reads, writes or
/// pauses. `None` if that is not known.
pub(crate) fn lines_move_on(class: &[u8], method: &str, lines: &[u16]) -> Option<bool> {
    let class = ClassFile::parse(class).ok()?;
    let pool = &class.constant_pool;
    let mut is_known = false;
    for one in &class.methods {
        if pool.utf8(one.name).is_ok_and(|text| modified_utf8::to_text(text) == method)
            && let Some(code) = class.code(one).ok()?
            && LineTable::of(&code, pool).lines_in(0, code.length()).iter().any(|line| lines.contains(line))
        {
            is_known = true;
            let mut enclosing = loops_of(pool, &code)?.into_iter();
            if enclosing
                .any(|found| lines.iter().all(|line| found.lines.contains(line)) && !found.moves_on(lines))
            {
                return Some(false);
            }
        }
    }
    is_known.then_some(true)
}

/// Whether a block only looks at things: it stores nothing, but for variables of its own where `ignores_locals` says so, and calls
/// nothing but what waits for other threads, or code of the program, whose blocks are asked for themselves.
pub(crate) fn changes_nothing(
    recording: &dyn FlowSource,
    id: MethodId,
    block: BlockId,
    ignores_locals: bool,
) -> bool {
    let of_program = |class: &str| recording.code().classes.iter().any(|other| other.name == class);
    let silent = with_code(recording, id, |pool, code| {
        let block = recording.code().method(id)?.blocks.get(block as usize)?;
        let is_silent = |instruction: &Instruction| match (instruction.opcode, &instruction.operand) {
            (Opcode(54..=78) | Opcode::IINC, _) => ignores_locals,
            (Opcode(79..=86) | Opcode::PUTFIELD | Opcode::PUTSTATIC, _) => false,
            (opcode, _) if opcode.is_call() => {
                let called = called(pool, instruction);
                called.is_some_and(|(class, _)| {
                    WAITING.iter().any(|begin| class.starts_with(begin)) || of_program(&class)
                })
            }
            _ => true,
        };
        let inside = code.iter().filter(|(pc, _)| (block.start..block.end).contains(pc));
        Some(inside.map(|(_, instruction)| instruction).all(is_silent))
    });
    silent.unwrap_or(false)
}

/// Whether a block looks at what another thread may change: a field, or what waits for other threads.
pub(crate) fn polls(recording: &dyn FlowSource, id: MethodId, block: BlockId) -> bool {
    let polling = with_code(recording, id, |pool, code| {
        let block = recording.code().method(id)?.blocks.get(block as usize)?;
        let polling = |instruction: &Instruction| match instruction.opcode {
            Opcode::GETFIELD | Opcode::GETSTATIC => true,
            opcode if opcode.is_call() => called(pool, instruction)
                .is_some_and(|(class, _)| WAITING.iter().any(|begin| class.starts_with(begin))),
            _ => false,
        };
        Some(code.iter().filter(|(pc, _)| (block.start..block.end).contains(pc)).any(|(_, one)| polling(one)))
    });
    polling.unwrap_or(false)
}

/// The class, with dots, and the method that the call which a block ends with names.
fn callee(pool: &ConstantPool<'_>, code: &Code<'_>, last: u32) -> Option<(String, String)> {
    called(pool, code.instruction_at(last).filter(|last| last.opcode.is_call())?)
}

pub(crate) fn called(pool: &ConstantPool<'_>, call: &Instruction) -> Option<(String, String)> {
    let (Operand::Constant(method) | Operand::Interface { method, .. }) = &call.operand else { return None };
    let member = pool.member(*method).ok()?;
    let class = modified_utf8::to_text(member.class?).replace('/', ".");
    Some((class, modified_utf8::to_text(member.name)))
}

/// Whether it reads, writes, pauses, or hands something over to another thread.
fn moves_on(class: &str, name: &str) -> bool {
    let is_queue = class.starts_with("java.util.concurrent.")
        && ["Queue", "Deque"].iter().any(|end| class.ends_with(end));
    is_queue && HANDS_OVER.contains(&name)
        || PAUSES.iter().any(|(of, begin)| class == *of && name.starts_with(begin))
        || TRANSFERS.iter().any(|begin| class.starts_with(begin))
            && !IN_MEMORY.iter().any(|begin| class.starts_with(begin))
}

/// What `ask` returns for the code of a method; `None` where its class was not stored.
pub(crate) fn with_code<T>(
    recording: &dyn FlowSource,
    id: MethodId,
    ask: impl FnOnce(&ConstantPool<'_>, &Code<'_>) -> Option<T>,
) -> Option<T> {
    let method = recording.code().method(id)?;
    let bytes = recording.class_file(method.class)?;
    let class = ClassFile::parse(&bytes).ok()?;
    let pool = &class.constant_pool;
    let is = |index, name: &str| pool.utf8(index).is_ok_and(|text| modified_utf8::to_text(text) == name);
    let mut methods = class.methods.iter();
    let found = methods.find(|one| is(one.name, &method.name) && is(one.descriptor, &method.descriptor))?;
    ask(pool, &class.code(found).ok()??)
}
