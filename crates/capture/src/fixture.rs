//! Makes captures for tests: random methods, run by a small interpreter that writes the words of a
//! recorder and, beside them, what really happened. Nothing in here is used by the program.

use model::code::{Block, CallKind, CallSite, Class, CodeMap, Edge, EdgeKind, Ending, Method};
use model::flow::{Entered, Left};
use model::{BlockId, ClassId, FlowStep, Lost, MethodId};

use super::words::{self, block_flags};
use super::{ChunkHead, ChunkWriter, ClassRecord, Encoding, Header, MethodRecord, ThreadRecord};
use crate::records::WhenFull;
use source::NamedSource;

/// A small generator of numbers that look random.
#[derive(Debug, Clone)]
pub struct Rng(pub u64);

impl Rng {
    /// A number below `below`.
    pub fn roll(&mut self, below: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % u64::from(below.max(1))) as u32
    }

    /// Yes, in so many of a hundred cases.
    pub fn percent(&mut self, probability: u32) -> bool {
        self.roll(100) < probability
    }
}

/// What happened, block by block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// A frame began.
    Enter(MethodId, Entered),
    /// A block ran.
    Block(BlockId),
    /// A handler ran.
    Catch(BlockId),
    /// A frame ended.
    Leave(Left),
    /// Something is missing.
    Gap(Lost),
}

/// The steps of a decoder in the same form.
pub fn happened(step: &FlowStep<'_>, out: &mut Vec<Happened>) {
    match *step {
        FlowStep::Enter { method, how } => out.push(Happened::Enter(method, how)),
        FlowStep::Blocks { blocks, times } => {
            (0..times).for_each(|_| out.extend(blocks.iter().map(|block| Happened::Block(*block))));
        }
        FlowStep::Catch { block } => out.push(Happened::Catch(block)),
        FlowStep::Leave { how } => out.push(Happened::Leave(how)),
        FlowStep::Gap { lost } => out.push(Happened::Gap(lost)),
        FlowStep::Inferred { .. }
        | FlowStep::Observed
        | FlowStep::Moment(_)
        | FlowStep::Clock(_)
        | FlowStep::Mark(_)
        | FlowStep::Values(_)
        | FlowStep::Task(_) => {}
    }
}

/// A program: methods, and how the recorder numbered them.
#[derive(Debug, Clone)]
pub struct Program {
    /// What can run. One class for each four methods.
    pub code: CodeMap,
    /// The same as records, by method.
    pub records: Vec<MethodRecord>,
}

impl Program {
    /// So many random methods.
    pub fn random(rng: &mut Rng, methods: u32) -> Program {
        let mut code = CodeMap::default();
        let (mut records, mut first) = (vec![], words::FIRST);
        for id in 0..methods {
            if id % 4 == 0 {
                let name = format!("maker.C{}", id / 4);
                code.classes.push(Class {
                    name,
                    source_file: Some(format!("C{}.java", id / 4)),
                    origin: None,
                });
            }
            let (method, block_flags) = random_method(rng, id, methods);
            let owned = words::owned(method.blocks.len() as u32);
            code.methods.push(method.clone());
            records.push(MethodRecord {
                method,
                first,
                owned,
                encoding: Encoding::Blocks,
                block_flags,
                numbering: vec![],
            });
            first += owned + rng.roll(3);
        }
        Program { code, records }
    }

    /// Its `code` file.
    pub fn code_file(&self, threads: u32) -> Vec<u8> {
        let mut out = vec![];
        let about = vec![("main".to_owned(), "maker.C0".to_owned())];
        Header {
            version: super::VERSION,
            encoding: Encoding::Blocks,
            when_full: WhenFull::Drop,
            pid: 1,
            time: 1,
            about,
        }
        .put(&mut out);
        for (index, class) in self.code.classes.iter().enumerate() {
            let of_class = |record: &&MethodRecord| record.method.class == ClassId(index as u32);
            let methods = self.records.iter().filter(of_class).cloned().collect();
            ClassRecord {
                name: class.name.clone(),
                loader: 1,
                source_file: class.source_file.clone(),
                digest: [index as u8; 32],
                class_bytes: vec![],
                methods,
                skipped: vec![],
                source_map: String::new(),
            }
            .put(&mut out);
        }
        for serial in 1..=threads {
            let name = format!("thread {serial}");
            ThreadRecord { serial, tid: u64::from(serial) + 10, name, is_virtual: false, time: 1 }
                .put(&mut out);
        }
        out
    }
}

fn random_method(rng: &mut Rng, id: u32, methods: u32) -> (Method, Vec<u8>) {
    let count = 1 + rng.roll(9);
    let handlers = if rng.percent(50) { count.saturating_sub(2).min(rng.roll(3)) } else { 0 };
    let ordinary = count - handlers;
    let constructor = rng.percent(15);
    let uncovered = if constructor { rng.roll(ordinary) } else { 0 };
    let (mut blocks, mut edges, mut exception_edges, mut flags) = (vec![], vec![], vec![], vec![]);
    for block in 0..count {
        let mut to = |to: BlockId, kind| edges.push(Edge { from: block, to, kind });
        let later = |rng: &mut Rng| (block + 1 + rng.roll(2)).min(ordinary - 1);
        let mut flag = if block < uncovered { block_flags::UNCOVERED } else { 0 };
        let is_last = block + 1 >= ordinary;
        let ending = match rng.roll(10) {
            _ if is_last && block < ordinary || block >= ordinary && rng.percent(50) => Ending::Return,
            0 if block >= uncovered => Ending::Throw,
            1 => Ending::Return,
            2..=4 => {
                to(later(rng), EdgeKind::Next);
                let back = rng.roll(ordinary);
                to(back, EdgeKind::Jump);
                Ending::Branch
            }
            5 => {
                (0..2 + rng.roll(4)).for_each(|_| to(rng.roll(ordinary), EdgeKind::Switch));
                Ending::Switch
            }
            6 => {
                to(later(rng), EdgeKind::Next);
                Ending::FallThrough
            }
            _ => {
                to(later(rng), EdgeKind::Next);
                let (class, name) = match rng.percent(70) {
                    true => (String::new(), format!("m{}", rng.roll(methods))),
                    false => ("lib.Lib".to_owned(), "run".to_owned()),
                };
                Ending::Call(CallSite { class, name, descriptor: "()V".into(), kind: CallKind::Virtual })
            }
        };
        if ending == Ending::Return && rng.percent(50) && block >= uncovered {
            flag |= block_flags::RETURNS;
        } else if block >= uncovered {
            (ordinary..count)
                .filter(|_| rng.percent(40))
                .for_each(|handler| exception_edges.push((block, handler)));
        }
        flags.push(flag);
        let lines = vec![(id * 20 + block + 1) as u16];
        blocks.push(Block {
            start: block * 4,
            end: block * 4 + 4,
            lines,
            ending,
            is_handler: block >= ordinary,
        });
    }
    edges.sort_unstable();
    edges.dedup();
    let method = Method {
        class: ClassId(id / 4),
        name: format!("m{id}"),
        descriptor: "()V".into(),
        access_flags: 1,
        blocks,
        edges,
        exception_edges,
        loops: vec![],
    };
    (method, flags)
}

/// One thread of a run.
#[derive(Debug, Clone, Default)]
pub struct Thread {
    /// What the recorder writes.
    pub words: Vec<u32>,
    /// What happened.
    pub happened: Vec<Happened>,
}

/// What is around a frame.
#[derive(Clone, Copy)]
struct Above {
    depth: u32,
    /// Whether the next word shows that the frame ended, though it left none itself.
    sees_the_end: bool,
}

/// How a frame is left within the interpreter.
enum Path {
    Returned,
    Threw,
    /// The thread was killed.
    Killed,
}

/// Runs method 0 of the program again and again until so many words are written, then kills the thread.
pub fn run(program: &Program, rng: &mut Rng, words: usize) -> Thread {
    let mut thread = Thread::default();
    while thread.words.len() < words {
        let root = rng.roll(program.records.len() as u32);
        frame(
            program,
            rng,
            words,
            root,
            Entered::Outermost,
            Above { depth: 0, sees_the_end: false },
            &mut thread,
        );
    }
    thread
}

fn frame(
    program: &Program,
    rng: &mut Rng,
    most: usize,
    id: u32,
    how: Entered,
    above: Above,
    out: &mut Thread,
) -> Path {
    let record = &program.records[id as usize];
    let method = &record.method;
    let count = method.blocks.len() as u32;
    let leads_to_0 =
        method.edges.iter().any(|edge| edge.to == 0) || method.exception_edges.iter().any(|edge| edge.1 == 0);
    out.happened.push(Happened::Enter(MethodId(id), how));
    out.words.push(words::entry(record.first));
    let (mut block, mut caught) = (0, false);
    let mut first = true;
    loop {
        if !first || leads_to_0 {
            out.words.push(words::block(record.first, block));
        }
        first = false;
        out.happened.push(if caught { Happened::Catch(block) } else { Happened::Block(block) });
        let flags = record.block_flags[block as usize];
        if out.words.len() >= most && flags & block_flags::RETURNS == 0 {
            out.happened.push(Happened::Leave(Left::Open));
            return Path::Killed;
        }
        let mut throws = matches!(method.blocks[block as usize].ending, Ending::Throw) || rng.percent(5);
        let uncovered = flags & block_flags::UNCOVERED != 0;
        if flags & block_flags::RETURNS != 0 {
            throws = false;
        }
        // Where no record could show that the frame ended, it does not end, and calls nothing that throws.
        let must_stay = uncovered && !above.sees_the_end;
        throws &= !must_stay;
        if let Ending::Call(call) = &method.blocks[block as usize].ending
            && !throws
            && !must_stay
            && above.depth < 12
        {
            let direct = call.class.is_empty();
            let calls = if direct { 1 } else { rng.roll(3) };
            for _ in 0..calls {
                let (callee, how) = match direct {
                    true => (call.name[1..].parse().unwrap_or(0), Entered::Call),
                    false => (rng.roll(program.records.len() as u32), Entered::Library),
                };
                let enclosing = Above { depth: above.depth + 1, sees_the_end: direct };
                match frame(program, rng, most, callee, how, enclosing, out) {
                    Path::Returned => {}
                    Path::Threw => throws = true,
                    Path::Killed => {
                        out.happened.push(Happened::Leave(Left::Open));
                        return Path::Killed;
                    }
                }
                if throws {
                    break;
                }
            }
        }
        if throws {
            let handlers: Vec<BlockId> =
                method.exception_edges.iter().filter(|edge| edge.0 == block).map(|edge| edge.1).collect();
            if !handlers.is_empty() && rng.percent(80) {
                block = handlers[rng.roll(handlers.len() as u32) as usize];
                caught = true;
                continue;
            }
            if flags & block_flags::UNCOVERED == 0 {
                out.words.push(words::unwound(record.first, count));
            }
            out.happened.push(Happened::Leave(Left::Threw));
            return Path::Threw;
        }
        if method.blocks[block as usize].ending == Ending::Return {
            if flags & block_flags::RETURNS == 0 {
                out.words.push(words::returns(record.first, count));
            }
            out.happened.push(Happened::Leave(Left::Returned));
            return Path::Returned;
        }
        let targets: Vec<BlockId> =
            method.edges.iter().filter(|edge| edge.from == block).map(|edge| edge.to).collect();
        block = targets[rng.roll(targets.len() as u32) as usize];
        caught = false;
    }
}

/// The chunk frames of a thread, so many words each.
pub fn steps_file(out: &mut Vec<u8>, serial: u32, words: &[u32], chunk: usize) {
    let mut writer = ChunkWriter::new();
    for (number, words) in words.chunks(chunk).enumerate() {
        let number = number as u32;
        let head = ChunkHead {
            thread: serial,
            number,
            words: 0,
            encoding: Encoding::Blocks,
            last: false,
            lost_before: 0,
            time_first: 1_000 + i64::from(number) * 100,
            time_last: 1_099 + i64::from(number) * 100,
        };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        writer.put(out, head, &bytes);
    }
}

/// Files as [`super::Capture::open`] wants them.
pub fn sources(files: &[(&str, Vec<u8>)]) -> Vec<NamedSource> {
    let named = |(name, bytes): &(&str, Vec<u8>)| NamedSource {
        name: (*name).to_owned(),
        source: Box::new(bytes.clone()),
    };
    files.iter().map(named).collect()
}
