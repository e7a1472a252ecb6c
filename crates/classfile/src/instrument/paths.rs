//! The plan that records paths; what its records mean is drawn in [`crate::paths`].
//!
//! Three locals are added: the thread's buffer `b` (only where a record is needed before the end),
//! the number of the path `r`, and the iterations `c` of the counted loop that runs (only where there is
//! one). Inserted code goes here:
//!
//! ```text
//!   method entry      b = here; r = first code of block 0; c = 0. If block 0 is a site: b = begin(r); r += 1
//!   start of a block  at any other site: at = r, or a record and r += 1
//!   before its jump   r += value of the jump that is taken; for a goto all that belongs to its edge,
//!                     for a return its record; for a small choice everything (choices.rs)
//!   fall-through      r += the rest of its value; if cut: record, r = first code of what follows
//!                     if silent (see paths/silent.rs): at = 1, and the same without the record
//!   jump              the same, in a pad before the target, where there is anything to do at all
//!   handler           the record that it was reached, r = first code of the handler
//!   catch-all         the record that an exception leaves the frame; if the stack is too full for the
//!                     call, its numbers go into a note, which the thread's next record brings along
//! ```
//!
//! `c` is a long where some loop may make more iterations than an int can count. The compiler sees through an
//! int that is counted beside the loop's own and takes both out of the loop, which it does not with a long.
//!
//! A method that would become too long by all this records its blocks instead, see [`super::blocks`], and one that
//! even those would make too long its entry and its ends, see [`super::calls`].

mod iterations;
mod members;
mod records;
mod whole;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::blocks::{self, Blocks};
use super::calls::Calls;
use iterations::Iterations;
use members::{Member, Members};
use whole::Whole;

use super::choices::Choices;
use super::plan::{Plan, Recorder, stores};
use super::{Body, Subject, push_number};
use crate::class_file::ClassFile;
use crate::constant_pool::ConstantPool;
use crate::control_flow_graph::{Block, ControlFlowGraph, Ending};
use crate::edit::{Edits, InsertionPoint};
use crate::instruction::Instruction;
use crate::opcode::Opcode;
use crate::paths::facts::{Known, This};
use crate::paths::{NumberedPaths, Surroundings};
use crate::skipped::Skipped;
use crate::stack_map::VerificationType;
use model::BlockId;
use model::code::{Edge, EdgeKind};
use model::{EdgeRole, NumberedBlock, NumberedEdge, Numbering};

/// Records paths. One value serves one class.
#[derive(Debug)]
pub struct Paths {
    recorder: Recorder,
    surroundings: Surroundings,
    /// By the method's number: to number a method is the better part of the work.
    known: RefCell<Vec<Option<Rc<NumberedPaths>>>>,
    constants: Known,
    members: Members,
}

impl Paths {
    /// For the methods of one class.
    pub fn new(recorder: Recorder, surroundings: Surroundings) -> Self {
        let (known, constants, members) = (RefCell::default(), Known::default(), Members::default());
        Self { recorder, surroundings, known, constants, members }
    }
}

impl Plan for Paths {
    fn ids(&self, class: &ClassFile<'_>, number: usize, body: &Body<'_>) -> u32 {
        let pool = &class.constant_pool;
        let Ok(name) = pool.class_name(class.this_class) else { return 0 };
        let this = This { name, fields: &class.fields, methods: &class.methods, known: &self.constants };
        let Body { code, graph, covered, throwing } = body;
        let paths = NumberedPaths::of(code, graph, throwing, pool, this, covered, self.surroundings);
        // As many as records of its blocks need, which it may have instead.
        let codes = paths.numbering.codes.max(blocks::ids_of(graph));
        let mut known = self.known.borrow_mut();
        if known.len() <= number {
            known.resize(class.methods.len().max(number + 1), None);
        }
        if let Some(known) = known.get_mut(number) {
            *known = Some(Rc::new(paths));
        }
        codes
    }

    fn edits(&self, subject: &mut Subject<'_, '_>, first: u32) -> Result<Edits, Skipped> {
        let recorder = self.recorder;
        match subject.attempt {
            0 => {}
            1 => return Blocks { recorder, among_paths: true }.edits(subject, first),
            _ => return Calls { recorder, among_paths: true }.edits(subject, first),
        }
        let paths = match self.numbering(subject.number) {
            Some(paths) => paths,
            None => Rc::new(numbering(subject, self.surroundings)?),
        };
        edits_with(subject, &paths, &self.recorder, first, &self.members)
    }

    fn numbering(&self, number: usize) -> Option<Rc<NumberedPaths>> {
        self.known.borrow().get(number).cloned().flatten()
    }
}

/// The numbering of a method.
pub fn numbering(subject: &Subject<'_, '_>, surroundings: Surroundings) -> Result<NumberedPaths, Skipped> {
    let pool = &*subject.pool;
    let name = pool.class_name(subject.this_class)?;
    let known = &Known::default();
    let this = This { name, fields: subject.fields, methods: subject.methods, known };
    Ok(NumberedPaths::of(
        subject.code,
        subject.graph,
        subject.throwing,
        pool,
        this,
        subject.covered,
        surroundings,
    ))
}

/// What to insert into a method whose first code is `first`.
pub fn edits(
    subject: &mut Subject<'_, '_>,
    paths: &NumberedPaths,
    recorder: &Recorder,
    first: u32,
) -> Result<Edits, Skipped> {
    edits_with(subject, paths, recorder, first, &Members::default())
}

fn edits_with(
    subject: &mut Subject<'_, '_>,
    paths: &NumberedPaths,
    recorder: &Recorder,
    first: u32,
    members: &Members,
) -> Result<Edits, Skipped> {
    let NumberedPaths { numbering, many_iterations } = paths;
    if !paths.fits(first) {
        return Err(Skipped::NoNumbersLeft);
    }
    let mut edits = Edits::of(subject.code);
    if let Some(whole) = Whole::of(subject, numbering) {
        whole.put(&mut edits, first, (recorder, members), subject.pool)?;
        return Ok(edits);
    }
    // A frame that the stack has no room to record leaves a note, unless it has done nothing that
    // anybody could see: then it is as if the call had failed.
    let is_seen = stores(subject.code) || needs_buffer(subject.graph, numbering);
    // Where nothing of the method's own can throw, its records still can: they call.
    let has_catch_all = is_seen || subject.throws_covered();
    let buffer = if is_seen {
        let class = members.of(Member::Buffer, false, |_| subject.pool.add_class(recorder.buffer))?;
        let kind = VerificationType::Object(class);
        Some(edits.new_local(kind).ok_or(Skipped::TooManySlots)?)
    } else {
        None
    };
    let mut local = |kind| edits.new_local(kind).ok_or(Skipped::TooManySlots);
    let r = local(VerificationType::Integer)?;
    let is_long = *many_iterations;
    let iterations = if numbering.blocks.iter().any(|block| block.in_counted_loop) {
        let kind = if is_long { VerificationType::Long } else { VerificationType::Integer };
        Some(Iterations { slot: local(kind)?, is_long })
    } else {
        None
    };
    let has_sites = numbering.blocks.iter().any(|block| block.site);
    let graph = subject.graph;
    let choices = Choices::of(subject.code, graph, numbering);
    let scratch = Cell::default();
    let writer = Writer {
        graph,
        numbering,
        recorder,
        first,
        buffer,
        r,
        iterations,
        has_sites,
        choices,
        members,
        scratch,
    };
    writer.entry(&mut edits, subject.pool)?;
    for id in (0..).take(graph.blocks.len()) {
        if graph.dominators.is_reachable(id) {
            writer.block(id, &mut edits, subject.pool)?;
        }
    }
    if has_catch_all {
        let mut run = writer.run();
        writer.thrown(0, &mut run, subject.pool)?;
        edits.catch_all_with_new_locals(run.drain(..));
        if let Some(buffer) = buffer {
            writer.note(buffer, &mut run, subject.pool)?;
            edits.catch_all_else(run);
        }
    }
    Ok(edits)
}

/// Whether anything has to be recorded or kept before the frame's only record.
fn needs_buffer(graph: &ControlFlowGraph, numbering: &Numbering) -> bool {
    let reachable = |block: BlockId| graph.dominators.is_reachable(block);
    let blocks = || (0..).zip(&numbering.blocks).filter(|(id, _)| reachable(*id));
    let returns = |id: BlockId| graph.blocks.get(at(id)).is_some_and(|block| block.ending == Ending::Return);
    numbering.entry.is_some()
        || blocks().any(|(_, block)| block.site)
        || blocks().any(|(id, block)| returns(id) && !block.fresh)
        || graph
            .edges
            .iter()
            .zip(&numbering.edges)
            .any(|(edge, number)| number.role == EdgeRole::Cut && reachable(edge.from))
}

struct Writer<'s> {
    graph: &'s ControlFlowGraph,
    numbering: &'s Numbering,
    recorder: &'s Recorder,
    first: u32,
    buffer: Option<u16>,
    r: u16,
    iterations: Option<Iterations>,
    has_sites: bool,
    choices: Choices,
    members: &'s Members,
    /// For the run that is put together.
    scratch: Cell<Run>,
}

type Run = Vec<Instruction>;

impl Writer<'_> {
    fn number(&self, block: BlockId) -> NumberedBlock {
        self.numbering.blocks.get(at(block)).copied().unwrap_or_default()
    }

    /// An empty run.
    fn run(&self) -> Run {
        let mut run = self.scratch.take();
        run.clear();
        run
    }

    /// Inserts what was put together, and keeps the room for the next one.
    fn insert(&self, edits: &mut Edits, point: InsertionPoint, mut run: Run) {
        edits.insert(point, run.drain(..));
        self.scratch.set(run);
    }

    fn entry(&self, edits: &mut Edits, pool: &mut ConstantPool<'_>) -> Result<(), Skipped> {
        let mut run = self.run();
        let start = self.number(0).start.unwrap_or(0) + u32::from(self.is_recorded_at_start());
        let first_record = self.first_record();
        if let Some(code) = first_record {
            run.extend([push_number(self.first + code, pool)?, Opcode::DUP.into()]);
            run.push(Instruction::with_local(Opcode::ISTORE, self.r));
        }
        if let Some(buffer) = self.buffer {
            let (member, descriptor) = match first_record {
                Some(_) => (Member::Begin, self.recorder.enter_descriptor()),
                None => (Member::Here, self.recorder.here_descriptor()),
            };
            let found = self
                .members
                .of(member, false, |name| pool.add_method(self.recorder.class, name, &descriptor))?;
            run.push(Instruction::with_constant(Opcode::INVOKESTATIC, found));
            run.push(Instruction::with_local(Opcode::ASTORE, buffer));
        }
        match first_record {
            // The codes of block 0 follow that of the entry, too.
            Some(code) if start == code + 1 => run.push(Instruction::increment(self.r, 1)),
            _ => self.set(start, &mut run, pool)?,
        }
        if let Some(iterations) = self.iterations {
            run.extend(iterations.forget());
        }
        self.insert(edits, InsertionPoint::MethodEntry, run);
        Ok(())
    }

    /// The code that the frame is recorded with where it begins, if it is.
    fn first_record(&self) -> Option<u32> {
        let of_block = || self.number(0).start.filter(|_| self.is_recorded_at_start());
        self.numbering.entry.or_else(of_block)
    }

    /// Whether the first block would begin with the frame's first record: it can stand at the entry as well.
    fn is_recorded_at_start(&self) -> bool {
        let number = self.number(0);
        self.numbering.entry.is_none() && number.records_frame() && !number.counted
    }

    fn block(&self, id: BlockId, edits: &mut Edits, pool: &mut ConstantPool<'_>) -> Result<(), Skipped> {
        let Some(block) = self.graph.blocks.get(at(id)) else { return Ok(()) };
        let number = self.number(id);
        let mut start = block.start;
        if block.is_handler {
            start = self.handler(id, block, edits, pool)?;
        }
        if number.site && !(id == 0 && self.is_recorded_at_start()) {
            let mut run = self.run();
            if number.fresh || number.counted {
                self.record(number.fresh, number.counted, &mut run, pool)?;
                self.forget_iterations(number.counted, &mut run);
                if number.records_frame() {
                    run.push(Instruction::increment(self.r, 1));
                }
            } else {
                self.record_where(&mut run, pool)?;
            }
            self.insert(edits, InsertionPoint::Before(start), run);
        }
        let recorded = i32::from(number.records_frame());
        if let Some(choice) = self.choices.at(id) {
            let mut run = self.run();
            choice.put(self.r, recorded, &mut run, pool)?;
            self.insert(edits, InsertionPoint::Before(block.last), run);
            return Ok(());
        }
        match block.ending {
            _ if self.choices.is_between(id) => {}
            Ending::Return if number.silent => {
                // What leads there has recorded it; a record on an edge has also set `at` back.
                let edges = self.graph.edges.iter().zip(&self.numbering.edges);
                let mut to_it = edges.filter(|(edge, _)| edge.to == id);
                if to_it.any(|(_, number)| number.role == EdgeRole::Through) {
                    let mut run = self.run();
                    self.record_nothing(&mut run, pool)?;
                    self.insert(edits, InsertionPoint::Before(block.last), run);
                }
            }
            Ending::Return => {
                let mut run = self.run();
                // A frame without a record before its end has never recorded where it is.
                let (fresh, counted) = (number.ends_fresh(), number.ends_counted());
                if fresh && !counted && self.buffer.is_some() {
                    self.call(Member::Last, false, &mut run, pool)?;
                } else {
                    self.record(fresh, counted, &mut run, pool)?;
                }
                self.insert(edits, InsertionPoint::Before(block.last), run);
            }
            Ending::Branch | Ending::Switch => {
                let jumps = self.out_of(id).filter(|(edge, _)| edge.kind != EdgeKind::Next);
                let first = jumps
                    .filter(|(_, number)| number.role != EdgeRole::Iteration)
                    .map(|(_, number)| number.value);
                let before = first.min().unwrap_or(recorded);
                edits.insert(InsertionPoint::Before(block.last), self.add(before - recorded));
                for (edge, number) in self.out_of(id) {
                    self.edge(edge, number, before, edits, pool)?;
                }
            }
            _ => {
                for (edge, number) in self.out_of(id) {
                    self.edge(edge, number, recorded, edits, pool)?;
                }
            }
        }
        Ok(())
    }

    fn out_of(&self, block: BlockId) -> impl Iterator<Item = (&Edge, NumberedEdge)> {
        let numbers = self.numbering.edges.get(self.graph.edges_out_of(block)).unwrap_or_default();
        self.graph.out_of(block).zip(numbers.iter().copied())
    }

    /// All that is done on an edge of which `done` was added to `r` already.
    fn edge(
        &self,
        edge: &Edge,
        number: NumberedEdge,
        done: i32,
        edits: &mut Edits,
        pool: &mut ConstantPool<'_>,
    ) -> Result<(), Skipped> {
        let Some(from) = self.graph.blocks.get(at(edge.from)) else { return Ok(()) };
        let mut run = self.run();
        run.extend(self.add(number.value - done));
        match number.role {
            EdgeRole::Through => {}
            EdgeRole::Silent => {
                run.clear();
                self.record_nothing(&mut run, pool)?;
                self.begin(edge.to, &mut run, pool)?;
            }
            EdgeRole::Iteration => {
                if let Some(iterations) = self.iterations {
                    run.extend(iterations.count());
                }
            }
            EdgeRole::Cut => {
                let source = self.number(edge.from);
                let (fresh, counted) = (source.ends_fresh(), source.ends_counted());
                self.record(fresh, counted, &mut run, pool)?;
                self.begin(edge.to, &mut run, pool)?;
                self.forget_iterations(counted, &mut run);
            }
        }
        let point = match from.ending {
            // No pad is needed where the jump has no other way.
            Ending::Jump => Some(InsertionPoint::Before(from.last)),
            _ => InsertionPoint::of_edge(self.graph, edge),
        };
        if let Some(point) = point {
            self.insert(edits, point, run);
        }
        Ok(())
    }

    /// Records at a handler that it was reached; the pc from which on that is recorded.
    fn handler(
        &self,
        id: BlockId,
        block: &Block,
        edits: &mut Edits,
        pool: &mut ConstantPool<'_>,
    ) -> Result<u32, Skipped> {
        let index = self.numbering.handlers.binary_search(&id).unwrap_or(0);
        let code = 1 + u32::try_from(index).unwrap_or(0);
        let mut run = self.run();
        self.thrown(code, &mut run, pool)?;
        self.begin(id, &mut run, pool)?;
        self.forget_iterations(true, &mut run);
        match block.record_at {
            Some(pc) if pc == block.start => {
                self.insert(edits, InsertionPoint::HandlerEntry(pc), run);
                Ok(pc)
            }
            Some(pc) if !self.graph.edges.iter().any(|edge| edge.to == id) && id != 0 => {
                self.insert(edits, InsertionPoint::Before(pc), run);
                Ok(pc)
            }
            _ => Err(Skipped::ProtectsItself),
        }
    }
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
