//! Inserting into every method of a class by a plan.
//!
//! [`each_method`] is the frame: it reads each body and its graph, asks the plan what to insert,
//! and lists the methods that had to be left alone. [`call_on_blocks`] is the simplest plan, a
//! static call whenever a block is entered; the ways to record are [`plan::Plan`]s.

pub mod blocks;
pub mod calls;
mod choices;
pub mod counts;
pub mod inside;
mod overflow;
pub mod paths;
pub mod plan;
pub mod requests;
pub mod tasks;
pub mod values;

use std::ops::Range;

use crate::class_file::ClassFile;
use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::control_flow_graph::ControlFlowGraph;
use crate::edit::{Edits, InsertionPoint};
use crate::error::Result;
use crate::instruction::Instruction;
use crate::limits::{COMPILE_LIMIT, MAX_CODE};
use crate::method::Method;
use crate::opcode::Opcode;
use crate::rewrite::{self, Scratch};
use crate::skipped::Skipped;
use crate::throwing::{Finder, Throwing};

/// What a plan is shown of one method.
#[derive(Debug)]
pub struct Subject<'s, 'a> {
    /// The method's number in the class file.
    pub number: usize,
    /// The method.
    pub method: &'s Method<'a>,
    /// Constant index of its class.
    pub this_class: u16,
    /// Its fields.
    pub fields: &'s [Method<'a>],
    /// Its methods.
    pub methods: &'s [Method<'a>],
    /// Its body.
    pub code: &'s Code<'a>,
    /// Its blocks and edges.
    pub graph: &'s ControlFlowGraph,
    /// The segments of instructions (by index) that a catch-all covers.
    pub covered: &'s [Range<usize>],
    /// The instructions that can throw.
    pub throwing: &'s Throwing,
    /// For the constants that the inserted code needs.
    pub pool: &'s mut ConstantPool<'a>,
    /// How often it could not be done what the plan wanted: it may want less each time.
    pub attempt: u8,
}

impl Subject<'_, '_> {
    /// Whether an exception of the body's own can come to a catch-all.
    pub(crate) fn throws_covered(&self) -> bool {
        self.throwing.iter().any(|index| self.covered.iter().any(|range| range.contains(&index)))
    }
}

/// What became of the methods of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many were rewritten.
    pub rewritten: usize,
    /// The numbers of those that have code and were left alone, with the reason.
    pub skipped: Vec<(usize, Skipped)>,
}

/// The body of a method with its graph, without lines.
#[derive(Clone, Debug)]
pub struct Body<'a> {
    /// What was read.
    pub code: Code<'a>,
    /// Its blocks and edges.
    pub graph: ControlFlowGraph,
    /// See [`ClassFile::covered_by_catch_all`].
    pub covered: Vec<Range<usize>>,
    /// The instructions that can throw.
    pub throwing: Throwing,
}

/// The bodies of a class by the number of the method; `None` where it has none.
pub type Bodies<'a> = Vec<Option<std::result::Result<Body<'a>, Skipped>>>;

/// Reads the body of each method of a class.
pub fn bodies<'a>(class: &ClassFile<'a>) -> Bodies<'a> {
    let mut finder = Finder::new(class);
    let mut read = |method: &Method<'a>| {
        let Some(code) = class.code(method)? else { return Ok(None) };
        let graph = ControlFlowGraph::of_code(&code, &crate::line_table::LineTable::default())?;
        let covered = class.covered_by_catch_all(method, &code)?;
        let throwing = finder.of(method, &code, &graph);
        Ok(Some(Body { code, graph, covered, throwing }))
    };
    class.methods.iter().map(|method| read(method).transpose()).collect()
}

/// Rewrites every method that has code by a plan. A plan that answers with no edits leaves the
/// method as it is without an entry in the report. `limit`: see [`ClassFile::rewrite`].
pub fn each_method(
    class: &mut ClassFile<'_>,
    limit: u32,
    plan: impl FnMut(Subject<'_, '_>) -> std::result::Result<Edits, Skipped>,
) -> Report {
    let bodies = bodies(class);
    each_body(class, &bodies, |_, _, _| limit, 1, plan)
}

/// How long a method may become so that it costs nobody anything. HotSpot compiles none that is longer than
/// [`COMPILE_LIMIT`], so one that was shorter stays so, and one that was longer may take all the room there is, as may
/// an initialiser without a loop: it runs once, in the interpreter.
pub fn longest(pool: &ConstantPool<'_>, method: &Method<'_>, body: &Body<'_>) -> u32 {
    let is_initializer = pool.utf8(method.name).is_ok_and(|name| name == b"<clinit>");
    let runs_once = is_initializer && body.graph.loops.loops.is_empty();
    if runs_once || body.code.length() > COMPILE_LIMIT { MAX_CODE } else { COMPILE_LIMIT }
}

/// The same for bodies that were read already, by [`bodies`]. `limit`: of each method, as [`longest`] says it.
/// `attempts`: so often the plan is asked where a method cannot be rewritten as it wants, each time with the next
/// [`Subject::attempt`]. The report has the last answer.
pub fn each_body<'a>(
    class: &mut ClassFile<'a>,
    bodies: &Bodies<'a>,
    limit: impl Fn(&ConstantPool<'_>, &Method<'_>, &Body<'_>) -> u32,
    attempts: u8,
    mut plan: impl FnMut(Subject<'_, '_>) -> std::result::Result<Edits, Skipped>,
) -> Report {
    let (mut report, mut scratch) = (Report::default(), Scratch::default());
    let methods = std::mem::take(&mut class.methods);
    for (number, (method, body)) in methods.iter().zip(bodies).enumerate() {
        let Some(body) = body else { continue };
        let mut one = |attempt: u8| {
            let body = body.as_ref().map_err(Skipped::clone)?;
            let limit = limit(&class.constant_pool, method, body);
            let Body { code, graph, covered, throwing } = body;
            let (pool, this_class, fields) = (&mut class.constant_pool, class.this_class, &class.fields);
            let methods = &methods;
            let subject = Subject {
                number,
                method,
                this_class,
                fields,
                methods,
                code,
                graph,
                covered,
                throwing,
                pool,
                attempt,
            };
            let edits = plan(subject)?;
            if edits.is_empty() {
                return Ok(false);
            }
            let subject = rewrite::Subject { method, code, covered };
            class.rewrite_body(number, subject, &edits, limit, &mut scratch).map(|()| true)
        };
        match (1..attempts).fold(one(0), |done, attempt| done.or_else(|_| one(attempt))) {
            Ok(changed) => report.rewritten += usize::from(changed),
            Err(reason) => report.skipped.push((number, reason)),
        }
    }
    class.methods = methods;
    report
}

/// Inserts `push id; invokestatic class.name(I)V` on entry to every block, with the numbers from
/// `next_id` on. Blocks that wholly protect themselves (see `Block::record_at`) are passed over
/// but keep their number, so that numbers follow from the graph alone.
pub fn call_on_blocks(
    class: &mut ClassFile<'_>,
    callee: (&[u8], &[u8]),
    next_id: &mut i32,
    limit: u32,
) -> Report {
    each_method(class, limit, |subject| {
        let call = subject.pool.add_method(callee.0, callee.1, b"(I)V")?;
        let mut edits = Edits::of(subject.code);
        for block in &subject.graph.blocks {
            let id = *next_id;
            *next_id = next_id.wrapping_add(1);
            if let Some(pc) = block.record_at {
                let push = push_int(id, subject.pool)?;
                let call = Instruction::with_constant(Opcode::INVOKESTATIC, call);
                edits.insert(InsertionPoint::Before(pc), vec![push, call]);
            }
        }
        Ok(edits)
    })
}

/// A push of the number of a record, see [`ConstantPool::add_number`].
pub fn push_number(number: u32, pool: &mut ConstantPool<'_>) -> Result<Instruction> {
    pool.add_number(number).map(Instruction::load_constant)
}

/// The shortest push of an int; one that does not fit two bytes becomes a constant.
pub fn push_int(value: i32, pool: &mut ConstantPool<'_>) -> Result<Instruction> {
    match i16::try_from(value) {
        Ok(small) => Ok(Instruction::push_small(small)),
        Err(_) => pool.add_integer(value).map(Instruction::load_constant),
    }
}
