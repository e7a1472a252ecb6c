//! Odd programs run as before after code was inserted everywhere, and the inserted code counts right.
//!
//! Every block, edge, handler entry and method entry gets a counter of its own. What flows into a
//! block must then add up to how often the block ran: that holds only if each piece of inserted
//! code is passed on exactly its way.
#![allow(clippy::unwrap_used)] // all of this is a test

mod support {
    #[path = "mod.rs"]
    pub(crate) mod tools;
}

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use classfile::instrument::{self, Subject};
use classfile::limits::MAX_CODE;
use classfile::stack_map::VerificationType;
use classfile::{ClassFile, Edits, InsertionPoint, Instruction, Opcode, Skipped};
use model::BlockId;
use support::tools;

/// The counters of one block.
struct Counters {
    name: String,
    block: i32,
    /// Edges, handler entry, method entry.
    into: Vec<i32>,
}

struct Plan {
    next: i32,
    blocks: Vec<Counters>,
    class: String,
    with_new_local: bool,
    /// Every method keeps its old body, too, and asks which to run.
    retains_old_bodies: bool,
}

impl Plan {
    fn counter(&mut self) -> i32 {
        self.next += 1;
        self.next - 1
    }

    fn edits(&mut self, subject: Subject<'_, '_>) -> Result<Edits, Skipped> {
        let hits = subject.pool.add_method(b"Tally", b"hits", b"(I)V")?;
        let caught = subject.pool.add_method(b"Tally", b"caught", b"(Ljava/lang/Throwable;)V")?;
        let pool = subject.pool;
        let mut edits = Edits::of(subject.code);
        let signature = subject.method.signature(pool);
        let mut counters: Vec<Counters> = (0..)
            .zip(&subject.graph.blocks)
            .map(|(id, _): (BlockId, _)| {
                let name = format!("{}.{signature} block {id}", self.class);
                Counters { name, block: self.counter(), into: Vec::new() }
            })
            .collect();
        let mut call = |id| {
            let call = Instruction::with_constant(Opcode::INVOKESTATIC, hits);
            Ok::<_, Skipped>(vec![instrument::push_int(id, pool)?, call])
        };
        let local = if self.with_new_local { edits.new_local(VerificationType::Integer) } else { None };
        for (block, counter) in subject.graph.blocks.iter().zip(&mut counters) {
            let mut run = call(counter.block)?;
            if let Some(slot) = local {
                run.push(Instruction::increment(slot, 1));
            }
            edits.insert(InsertionPoint::Before(block.start), run);
            if block.is_handler {
                let entry = self.counter();
                let mut run = call(entry)?;
                run.extend([Opcode::DUP.into(), Instruction::with_constant(Opcode::INVOKESTATIC, caught)]);
                edits.insert(InsertionPoint::HandlerEntry(block.start), run);
                counter.into.push(entry);
            }
        }
        let mut entry = Vec::new();
        if let Some(slot) = local {
            entry = vec![Instruction::push_small(0), Instruction::with_local(Opcode::ISTORE, slot)];
        }
        let number = self.counter();
        entry.extend(call(number)?);
        edits.insert(InsertionPoint::MethodEntry, entry);
        counters[0].into.push(number);
        for edge in &subject.graph.edges {
            let point = InsertionPoint::of_edge(subject.graph, edge).unwrap();
            let number = self.counter();
            edits.insert(point, call(number)?);
            counters[usize::try_from(edge.to).unwrap()].into.push(number);
        }
        let unwinds = Instruction::with_constant(Opcode::INVOKESTATIC, caught);
        edits.catch_all(vec![Opcode::DUP.into(), unwinds]);
        if self.retains_old_bodies {
            let answer = pool.add_method(b"Tally", b"answer", b"(I)I")?;
            let asks = [Opcode::ICONST_0.into(), Instruction::with_constant(Opcode::INVOKESTATIC, answer)];
            edits.only_if(asks);
        }
        self.blocks.extend(counters);
        Ok(edits)
    }
}

fn compile(jdk: &Path, folder: &Path, flags: &[&str], sources: &[&Path]) {
    let mut javac = Command::new(jdk.join("bin/javac"));
    tools::run(javac.args(["-nowarn", "-d"]).arg(folder).args(flags).args(sources));
}

fn java(jdk: &Path, folder: &Path, arguments: &[&str]) -> String {
    let mut java = Command::new(jdk.join("bin/java"));
    java.args(["-Xverify:all", "-ea", "-Xss2m", "-cp"]).arg(folder).args(arguments);
    String::from_utf8(tools::run(&mut java).stdout).unwrap()
}

/// The length of the longest body of a class.
fn longest(bytes: &[u8]) -> u32 {
    let class = ClassFile::parse(bytes).unwrap();
    let lengths = class.methods.iter().filter_map(|method| class.code(method).unwrap());
    lengths.map(|code| code.length()).max().unwrap_or(0)
}

/// Compiles a program, runs it, inserts everything, runs it again and compares.
fn same_and_counted(source: &Path, main: &str, flags: &[&str], with_new_local: bool) -> (u32, u32) {
    same_and_counted_where((with_new_local, None), source, main, flags)
}

/// `answer`: old bodies are kept, and each call is asked whether it runs the new one.
fn same_and_counted_where(
    (with_new_local, answer): (bool, Option<bool>),
    source: &Path,
    main: &str,
    flags: &[&str],
) -> (u32, u32) {
    let Some(jdk) = testing::jdk() else { return (0, 0) };
    let mut lengths = (0, 0);
    let folder = tools::folder();
    let java_sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
    compile(&jdk, folder.path(), flags, &[source]);
    let before = java(&jdk, folder.path(), &[main]);
    let mut plan = Plan {
        next: 0,
        blocks: Vec::new(),
        class: String::new(),
        with_new_local,
        retains_old_bodies: answer.is_some(),
    };
    for path in tools::classes(folder.path()) {
        let bytes = std::fs::read(&path).unwrap();
        let mut class = ClassFile::parse(&bytes).unwrap();
        plan.class = class.name();
        let report = instrument::each_method(&mut class, MAX_CODE, |subject| plan.edits(subject));
        assert_eq!(report.skipped, [], "{path:?}");
        let written = class.to_bytes();
        lengths = (longest(&bytes).max(lengths.0), longest(&written).max(lengths.1));
        std::fs::write(&path, written).unwrap();
    }
    compile(&jdk, folder.path(), &[], &[&java_sources.join("Tally.java")]);
    let tally = folder.path().join("tally.txt");
    let answer = answer.unwrap_or(true);
    let option = format!("-Danswer={}", i32::from(answer));
    let after = java(&jdk, folder.path(), &[&option, "Tally", main, tally.to_str().unwrap()]);
    assert_eq!(before, after);
    let counts = std::fs::read_to_string(&tally).unwrap();
    let counts: Vec<u64> = counts.lines().map(|line| line.parse().unwrap()).collect();
    let count = |id: i32| counts[usize::try_from(id).unwrap()];
    let (mut wrong, mut ran) = (String::new(), 0);
    for block in &plan.blocks {
        let flows: Vec<u64> = block.into.iter().map(|&id| count(id)).collect();
        if count(block.block) != flows.iter().sum() {
            let _ = writeln!(wrong, "{}: ran {}, entered {flows:?}", block.name, count(block.block));
        }
        ran += usize::from(count(block.block) > 0);
    }
    eprintln!("{main}: {} blocks, {ran} ran, {} counters", plan.blocks.len(), plan.next);
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(ran > 0, answer);
    lengths
}

fn odd() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Odd.java")
}

#[test]
fn odd_shapes() {
    same_and_counted(&odd(), "Odd", &[], false);
}

#[test]
fn odd_shapes_with_new_locals_and_all_debugging_tables() {
    same_and_counted(&odd(), "Odd", &["-g", "-parameters"], true);
}

#[test]
fn odd_shapes_without_debugging_tables() {
    same_and_counted(&odd(), "Odd", &["-g:none"], true);
}

#[test]
fn odd_shapes_with_their_old_bodies_beside_them() {
    same_and_counted_where((true, Some(true)), &odd(), "Odd", &["-g", "-parameters"]);
    same_and_counted_where((false, Some(false)), &odd(), "Odd", &["-g"]);
}

/// A method whose loop spans less than 32 kB before and more afterwards.
#[test]
fn long_jumps() {
    let folder = tools::folder();
    let source = folder.path().join("Long.java");
    let mut text = String::from(
        "public class Long { public static void main(String[] a) { int s = 1; for (int i = 0; i < 5; i++) { if (i == 2) continue; if (i == 4 && s > 0) break;\n",
    );
    for number in 0..1_750 {
        let _ = writeln!(text, "s = (s ^ i) * 31 + (s >> 3) + {number};");
        if number % 10 == 0 {
            let _ = writeln!(text, "if ((s ^ i) > {}) s = s * 31 + {number}; else s -= i;", number * 1000);
        }
    }
    text += "} System.out.println(s); } }\n";
    std::fs::write(&source, text).unwrap();
    let (before, after) = same_and_counted(&source, "Long", &["-g", "-Xjcov"], false);
    assert!(before < 32_768 && (after > 33_000 || after == 0), "{before} -> {after}");
}
