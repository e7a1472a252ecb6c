//! Methods with what the plan inserts into them, and the metadata that a capture would have of them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::process::Command;

use capture::paths as reader;
use capture::records::WhenFull;
use capture::words::owned;
use capture::{ClassRecord, Encoding, End, Header, MethodRecord, ThreadRecord, VERSION};
use classfile::control_flow_graph::ControlFlowGraph;
use classfile::instrument::blocks::{Blocks, first_block_is_recorded};
use classfile::instrument::calls::Calls;
use classfile::instrument::paths as plan;
use classfile::instrument::plan::{Plan, Recorder};
use classfile::instrument::{self, Subject};
use classfile::limits::MAX_CODE;
use classfile::paths::{Surroundings, facts};
use classfile::{ClassFile, InsertionPoint, Instruction, Opcode, Operand};

use crate::classes::describe::{self, Recorded};

const RECORDER: Recorder = Recorder { class: b"java/lang/R", buffer: b"java/lang/B" };

/// An instruction of inserted code, as far as the simulator needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Push(i32),
    Load(u16),
    Store(u16),
    Add(u16, i32),
    Dup,
    Neg,
    Or,
    And,
    Shr,
    Plus,
    RecordWhere,
    Here,
    Begin,
    /// Whether the buffer lies below the numbers, and how many there are.
    Record(&'static str, bool, usize),
}

/// What the simulator has to know of one instruction of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deed {
    pub(super) pc: u32,
    pub(super) throws: bool,
    pub(super) calls: bool,
    /// The one method that a call runs, if the plan counts on that.
    pub(super) sure: Option<usize>,
}

pub(super) struct Body {
    /// Its number in its class.
    number: usize,
    pub(super) graph: ControlFlowGraph,
    pub(super) handlers: Vec<classfile::code::Handler>,
    pub(super) deeds: Vec<Vec<Deed>>,
    /// Whether something leads back to the block.
    pub(super) is_header: Vec<bool>,
    /// How each block ends.
    pub(super) last: Vec<Opcode>,
    pub(super) runs: HashMap<InsertionPoint, Vec<Op>>,
    pub(super) catch_all: Option<Vec<Op>>,
    /// What the catch-all notes if it fails, where it does: the code and the local with the iterations.
    pub(super) overflow: Option<(Op, Option<u16>)>,
    /// What it records: of its blocks each where its record stands.
    pub(super) encoding: Encoding,
    /// The instructions that the catch-all does not cover.
    pub(super) bare: HashSet<u32>,
    record: MethodRecord,
}

pub(super) struct Program {
    pub(super) bodies: Vec<Body>,
}

impl Program {
    /// `mixed`: some methods record their blocks or their ends, as if paths made them too long.
    pub(super) fn of(classes: &[Vec<u8>], seed: u64, mixed: bool) -> Self {
        let (mut bodies, mut first) = (Vec::new(), 2 + (seed as u32 % 3) * 40_000);
        for bytes in classes {
            // As the agent does: a class of which something is left alone is taken not to be whole.
            let of = |whole, first| Self::of_class(bytes, (seed, mixed), whole, first);
            let (made, after) = of(true, first).or_else(|| of(false, first)).unwrap();
            first = after;
            let begin = bodies.len();
            bodies.extend(made);
            let numbers: HashMap<usize, usize> = bodies
                .iter()
                .enumerate()
                .skip(begin)
                .map(|(at, body): (usize, &Body)| (body.number, at))
                .collect();
            let deeds = bodies.iter_mut().skip(begin).flat_map(|body| body.deeds.iter_mut().flatten());
            for deed in deeds {
                deed.sure = deed.sure.map(|number| numbers[&number]);
            }
        }
        Self { bodies }
    }

    /// The methods of a class, and the next code; `None` if it is not whole.
    fn of_class(
        bytes: &[u8],
        (seed, mixed): (u64, bool),
        class_is_whole: bool,
        first: u32,
    ) -> Option<(Vec<Body>, u32)> {
        let surroundings = Surroundings { jdk_is_recorded: seed.is_multiple_of(2), class_is_whole };
        let mut first = first;
        {
            let mut class = ClassFile::parse(bytes).unwrap();
            let mut made = Vec::new();
            let covered: Vec<_> = class.methods.iter().map(|method| covered(&class, method)).collect();
            let report = instrument::each_method(&mut class, MAX_CODE, |mut subject| {
                let paths = plan::numbering(&subject, surroundings)?;
                // How a handler was reached that is also reached otherwise is not recorded by the word of a block.
                let handler = |to: u32| subject.graph.blocks[to as usize].is_handler;
                let is_clear = !handler(0) && !subject.graph.edges.iter().any(|edge| handler(edge.to));
                let encoding = match (seed / 2 + subject.number as u64) % 5 {
                    2.. if mixed && is_clear => Encoding::Blocks,
                    1 if mixed => Encoding::Calls,
                    _ => Encoding::Paths,
                };
                let (recorder, among_paths) = (RECORDER, true);
                let edits = match encoding {
                    Encoding::Blocks => Blocks { recorder, among_paths }.edits(&mut subject, first)?,
                    Encoding::Calls => Calls { recorder, among_paths }.edits(&mut subject, first)?,
                    Encoding::Paths => plan::edits(&mut subject, &paths, &RECORDER, first)?,
                };
                let numbering = (encoding == Encoding::Paths).then_some(&paths.numbering);
                let covered = &covered[subject.number];
                let made_of_it = body(&subject, (encoding, numbering), &edits, first, covered, surroundings);
                first += made_of_it.record.owned;
                made.push((subject.number, made_of_it));
                Ok(edits)
            });
            // What the rewriter leaves alone is not recorded.
            let left: Vec<usize> = report.skipped.iter().map(|(number, _)| *number).collect();
            if class_is_whole && !left.is_empty() {
                return None;
            }
            let made = made.into_iter().filter(|(number, _)| !left.contains(number));
            Some((made.map(|(_, body)| body).collect(), first))
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bodies.len()
    }

    /// The metadata of a capture of it.
    pub(super) fn code_file(&self, threads: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let (encoding, when_full) = (Encoding::Paths, WhenFull::Drop);
        Header { version: VERSION, encoding, when_full, pid: 1, time: 1, about: Vec::new() }.put(&mut out);
        let class = ClassRecord {
            name: "T".to_owned(),
            loader: 0,
            source_file: None,
            digest: [0; 32],
            class_bytes: Vec::new(),
            methods: self.bodies.iter().map(|body| body.record.clone()).collect(),
            skipped: Vec::new(),
            source_map: String::new(),
        };
        class.put(&mut out);
        for serial in (1..).take(threads) {
            let (tid, name) = (u64::from(serial), String::new());
            ThreadRecord { serial, tid, name, is_virtual: false, time: 1 }.put(&mut out);
        }
        End {
            reason: String::new(),
            time: 1,
            words: 0,
            lost: 0,
            failed: false,
            instrumented: 0,
            lost_to: [0, 0],
        }
        .put(&mut out);
        out
    }

    /// The method that runs at the end of some steps, for people.
    pub(super) fn describe(&self, steps: &[super::Step]) -> String {
        let mut open = Vec::new();
        for step in steps {
            match step {
                super::Step::Enter(method, _) => open.push(*method),
                super::Step::Leave(_) => drop(open.pop()),
                _ => {}
            }
        }
        let Some(body) = open.last().and_then(|&method| self.bodies.get(method as usize)) else {
            return "nothing is open".to_owned();
        };
        let Some(numbering) = reader::read_numbering(&body.record.numbering, &body.record.method) else {
            return format!("open {open:?}; {} tells of its blocks", body.record.method.name);
        };
        let mut summary = format!("open {open:?}; {} first {}\n", body.record.method.name, body.record.first);
        for (id, block) in body.graph.blocks.iter().enumerate() {
            summary += &format!(
                "{id} {:?} {}..{} {:?}\n",
                block.ending, block.start, block.end, numbering.blocks[id]
            );
            for (edge, number) in body.graph.edges.iter().zip(&numbering.edges) {
                if edge.from as usize == id {
                    summary +=
                        &format!("    -> {} {:?} {:?} {}\n", edge.to, edge.kind, number.role, number.value);
                }
            }
        }
        summary + &format!("handlers {:?} entry {:?}", numbering.handlers, numbering.entry)
    }
}

impl Body {
    /// Whether a record of this block stands in it, if the method records its blocks.
    pub(super) fn runs_at(&self, block: u32) -> bool {
        block > 0 || first_block_is_recorded(&self.graph)
    }
}

/// The segments of a method's instructions that the catch-all covers.
fn covered(class: &ClassFile<'_>, method: &classfile::method::Method<'_>) -> Vec<Range<usize>> {
    let code = class.code(method).unwrap();
    code.map_or_else(Vec::new, |code| class.covered_by_catch_all(method, &code).unwrap())
}

fn body(
    subject: &Subject<'_, '_>,
    (encoding, numbering): (Encoding, Option<&model::Numbering>),
    edits: &classfile::Edits,
    first: u32,
    covered: &[Range<usize>],
    surroundings: Surroundings,
) -> Body {
    let (code, graph, pool) = (subject.code, subject.graph, &*subject.pool);
    let name = pool.class_name(subject.this_class).unwrap();
    let known = &facts::Known::default();
    let this = facts::This { name, fields: subject.fields, methods: subject.methods, known };
    let judged = facts::of(code, graph, subject.throwing, pool, this, covered, surroundings);
    let is_bare = |&(index, _): &(usize, &u32)| !covered.iter().any(|range| range.contains(&index));
    let bare = code.pcs.iter().enumerate().filter(is_bare).map(|(_, &pc)| pc).collect();
    let last = graph.blocks.iter().map(|block| code.instruction_at(block.last).unwrap().opcode).collect();
    let mut deeds = Vec::new();
    for (block, facts) in graph.blocks.iter().zip(&judged) {
        let inside = code.iter().filter(|(pc, _)| (block.start..block.end).contains(pc));
        deeds.push(
            inside
                .map(|(pc, op)| {
                    let can_throw = subject.throwing.contains(code.index_at(pc).unwrap());
                    let may_run =
                        op.opcode.is_call() || op.opcode == Opcode::NEW || op.opcode == Opcode::GETSTATIC;
                    let throws = can_throw && !is_constructor_of_object(op, pool);
                    let is_it =
                        |own: &classfile::method::Method<'_>,
                         member: classfile::constant_pool::Member<'_>| {
                            pool.utf8(own.name).unwrap() == member.name
                                && pool.utf8(own.descriptor).unwrap() == member.descriptor
                        };
                    let sure = match op.operand {
                        Operand::Constant(index) if facts.sure && op.opcode.is_call() => {
                            let member = pool.member(index).unwrap();
                            subject
                                .methods
                                .iter()
                                .position(|own| member.class == Some(name) && is_it(own, member))
                        }
                        _ => None,
                    };
                    Deed { pc, throws, calls: may_run && facts.site && (!facts.sure || sure.is_some()), sure }
                })
                .collect(),
        );
    }
    let mut runs: HashMap<InsertionPoint, Vec<Op>> = HashMap::new();
    for (position, run) in edits.runs() {
        runs.entry(position).or_default().extend(run.iter().map(|op| understand(op, pool)));
    }
    let catch_all = edits.catch_all_run().map(|run| run.iter().map(|op| understand(op, pool)).collect());
    let overflow = edits.catch_all_else_run().map(|run| {
        let ops: Vec<Op> = run
            .iter()
            .filter(|op| matches!(op.opcode, Opcode::ILOAD | Opcode::LLOAD | Opcode::LDC | Opcode::LDC_W))
            .chain(run.iter().filter(|op| matches!(op.operand, Operand::Byte(_) | Operand::Short(_))))
            .map(|op| understand(op, pool))
            .collect();
        // The iterations come first, where there are some.
        match ops[..] {
            [code] => (code, None),
            [Op::Load(iterations), code] => (code, Some(iterations)),
            ref other => panic!("{other:?}"),
        }
    });
    let blocks = owned(u32::try_from(graph.blocks.len()).unwrap());
    let recorded =
        Recorded { first, owned: numbering.map_or(blocks, |numbering| numbering.codes), encoding, numbering };
    let mut described = Vec::new();
    describe::method(subject, recorded, &mut described);
    let record = MethodRecord::from_bytes(&described).unwrap();
    Body {
        number: subject.number,
        graph: graph.clone(),
        handlers: code.handlers.clone(),
        is_header: (0..)
            .take(graph.blocks.len())
            .map(|id| graph.edges.iter().any(|edge| edge.to == id && edge.from >= id))
            .collect(),
        deeds,
        last,
        runs,
        catch_all,
        overflow,
        encoding,
        bare,
        record,
    }
}

fn is_constructor_of_object(op: &Instruction, pool: &classfile::ConstantPool<'_>) -> bool {
    let Operand::Constant(index) = op.operand else { return false };
    pool.member(index).is_ok_and(|it| it.class == Some(b"java/lang/Object") && it.name == b"<init>")
}

fn understand(op: &Instruction, pool: &classfile::ConstantPool<'_>) -> Op {
    match (op.opcode, &op.operand) {
        (_, Operand::Byte(value)) => Op::Push(i32::from(*value)),
        (_, Operand::Short(value)) => Op::Push(i32::from(*value)),
        (Opcode::LDC | Opcode::LDC_W, Operand::Constant(index)) => match pool.get(*index).unwrap() {
            classfile::constant_pool::Constant::Integer(value) => Op::Push(value),
            other => panic!("{other:?}"),
        },
        (Opcode::ILOAD | Opcode::LLOAD | Opcode::ALOAD, Operand::Local { slot, .. }) => Op::Load(*slot),
        (Opcode::ISTORE | Opcode::LSTORE | Opcode::ASTORE, Operand::Local { slot, .. }) => Op::Store(*slot),
        (Opcode::IINC, Operand::Increment { slot, by, .. }) => Op::Add(*slot, i32::from(*by)),
        (Opcode::DUP, _) => Op::Dup,
        (Opcode::INEG, _) => Op::Neg,
        (Opcode::IOR, _) => Op::Or,
        (Opcode::IAND, _) => Op::And,
        (Opcode::ISHR, _) => Op::Shr,
        (Opcode::LCONST_0, _) => Op::Push(0),
        (Opcode::LCONST_1, _) => Op::Push(1),
        (Opcode::IADD | Opcode::LADD, _) => Op::Plus,
        (Opcode::PUTFIELD, _) => Op::RecordWhere,
        (Opcode::INVOKESTATIC, Operand::Constant(index)) => {
            let member = pool.member(*index).unwrap();
            let names = [
                "path",
                "cut",
                "first",
                "last",
                "counted",
                "firstCounted",
                "whole",
                "wholeCounted",
                "thrown",
                "rec",
                "unwind",
            ];
            match member.name {
                b"here" => return Op::Here,
                b"begin" => return Op::Begin,
                _ => {}
            }
            let name = names.into_iter().find(|name| name.as_bytes() == member.name).unwrap();
            let numbers = member.descriptor.iter().filter(|&&byte| matches!(byte, b'I' | b'J')).count();
            Op::Record(name, member.descriptor.contains(&b'L'), numbers)
        }
        (opcode, _) if (Opcode::ICONST_M1..=Opcode::ICONST_5).contains(&opcode) => {
            Op::Push(i32::from(opcode.0) - i32::from(Opcode::ICONST_0.0))
        }
        other => panic!("{other:?}"),
    }
}

/// The classes of the installed JDK's java.base.
pub(super) fn java_base() -> Option<Vec<Vec<u8>>> {
    let summary = Command::new("java").args(["-XshowSettings:properties", "-version"]).output().ok()?;
    let text = String::from_utf8_lossy(&summary.stderr).into_owned();
    let home = text.lines().find_map(|line| line.trim().strip_prefix("java.home = ").map(str::to_owned))?;
    let folder = tempfile::tempdir().unwrap();
    let jimage = Command::new(format!("{home}/bin/jimage"))
        .args(["extract", "--include", "regex:/java.base/(java|jdk/internal|sun/security)/.*", "--dir"])
        .arg(folder.path())
        .arg(format!("{home}/lib/modules"))
        .status();
    let extracted = jimage.is_ok_and(|status| status.success());
    let (mut found, mut folders) = (Vec::new(), vec![folder.path().to_owned()]);
    while let Some(folder) = folders.pop().filter(|_| extracted) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "class") {
                found.push(path);
            }
        }
    }
    found.sort();
    extracted.then(|| found.iter().map(|path| std::fs::read(path).unwrap()).collect())
}
