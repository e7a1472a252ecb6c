//! One method body with code inserted.
//!
//! Around the instruction at an old pc the new code has this order; each line exists only if
//! something was inserted there:
//!
//! ```text
//!   before:  code for FallThrough              reached from the instruction above
//!            goto enter                        only if a pad follows and it is reached from above
//!   pad 1:   code for one Jump or handler      frame of the old pc repeated
//!            goto enter
//!   pad 2:   code for another                  frame of the old pc repeated
//!   enter:   code for Before                   frame of the old pc
//!   at:      the instruction itself            an uninitialized type points here
//! ```
//!
//! Pads stand directly before their target, so every new jump goes forward: a backward one with a
//! value on the stack would keep HotSpot from compiling the loop. No frame has to be computed.
//! Protected ranges, lines and variables begin and end at `before`, so whatever is inserted belongs
//! to the instruction it stands before. Only what is inserted at the method's entry stands before
//! everything and is protected by nothing. Behind all of this stands the catch-all, and behind it
//! what is done if the catch-all fails.
//! Source: JVM specification 4.7.3, 4.7.4, 4.10.1.

mod beside;
mod body;
mod emit;

use std::ops::Range;

use crate::annotations;
use crate::class_file::ClassFile;
use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::edit::{Edits, InsertionPoint};
use crate::error::Error;
use crate::initialized;
use crate::instruction::Instruction;
use crate::layout::{Assembled, Label, Layout, NoLayout};
use crate::limits::MAX_CODE;
use crate::method::Method;
use crate::skipped::Skipped;
use crate::stack_depth::StackDepths;
use crate::stack_effect::Effects;
use crate::stack_map::{StackMap, VerificationType};
use crate::straight::Straight;

impl ClassFile<'_> {
    /// Inserts code into a method; the class then holds the new body and [`ClassFile::to_bytes`]
    /// writes it. Edits count from the original body: rewriting a method a second time begins
    /// anew. `limit` is the greatest length of the new code; [`crate::limits::COMPILE_LIMIT`] is
    /// the right one for code that shall stay fast. On failure the method is left as it was,
    /// though constants may have been added, which nothing refers to.
    pub fn rewrite(&mut self, method: usize, edits: &Edits, limit: u32) -> Result<(), Skipped> {
        let subject = self.methods.get(method).ok_or(Error::NoSuchMethod { index: method })?.clone();
        let code = self.code(&subject)?.ok_or(Skipped::NoCode)?;
        let covered = self.covered_by_catch_all(&subject, &code)?;
        let body = Subject { method: &subject, code: &code, covered: &covered };
        self.rewrite_body(method, body, edits, limit, &mut Scratch::default())
    }

    /// The segments of instructions (by index) that a catch-all covers in this method: all, but in
    /// a constructor only those behind the call of `super()` or `this()`.
    pub fn covered_by_catch_all(
        &self,
        method: &Method<'_>,
        code: &Code<'_>,
    ) -> Result<Vec<Range<usize>>, Skipped> {
        // The constructor of java/lang/Object calls no other.
        if self.super_class == 0 {
            return Ok(Vec::from_iter(Some(0..code.instructions.len())));
        }
        let pool = &self.constant_pool;
        if pool.utf8(method.name)? != b"<init>" {
            return Ok(Vec::from_iter(Some(0..code.instructions.len())));
        }
        let mut map = StackMap::default();
        map.begin(pool.utf8(method.descriptor)?, Some(VerificationType::UninitializedThis))?;
        if let Some(table) = code.attributes.iter().find(|attribute| attribute.is("StackMapTable", pool)) {
            map.read(table.content, table.at)?;
        }
        Ok(initialized::segments(code, &map, pool))
    }

    /// The same as [`ClassFile::rewrite`] for a body that was read already.
    pub(crate) fn rewrite_body(
        &mut self,
        number: usize,
        subject: Subject<'_, '_>,
        edits: &Edits,
        limit: u32,
        scratch: &mut Scratch,
    ) -> Result<(), Skipped> {
        let mut bodies = std::mem::take(&mut self.new_bodies);
        let start = bodies.len();
        let done = rewritten(self, subject, edits, limit.min(MAX_CODE), scratch, &mut bodies);
        if done.is_err() {
            bodies.truncate(start);
        }
        let body = start..bodies.len();
        self.new_bodies = bodies;
        done.map(|()| self.replace_code(number, body))
    }
}

/// A method that is to be rewritten.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'c, 'a> {
    pub(crate) method: &'c Method<'a>,
    pub(crate) code: &'c Code<'a>,
    /// See [`ClassFile::covered_by_catch_all`].
    pub(crate) covered: &'c [Range<usize>],
}

/// What the methods of one class use one after the other, so that it need not be made anew for each.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    inserted: Vec<Inserted>,
    pads: Vec<Pad>,
    map: StackMap,
    straight: Straight,
    effects: Effects,
    depths: StackDepths,
    /// Of the table of frames: where, and the old pc whose frame holds there.
    wanted: Vec<(Label, Option<u32>)>,
    locals: Vec<VerificationType>,
}

/// A run of code that is inserted around one instruction, sorted as they stand in the new code.
#[derive(Debug)]
struct Inserted {
    index: usize,
    part: Part,
    /// The number of the run.
    run: usize,
}

/// Where around an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Fall,
    /// By the jump that takes the pad; `None` for the one that exceptions take.
    Pad(Option<u32>),
    Before,
}

/// A pad before the instruction with this index, which has this pc.
#[derive(Debug)]
struct Pad {
    index: usize,
    from: Option<u32>,
    label: Label,
    to: u32,
}

struct Rewriter<'c, 'a> {
    code: &'c Code<'a>,
    edits: &'c Edits,
    map: &'c StackMap,
    /// Whether the new body gets frames: not if the method needs some and came without.
    frames: bool,
    inserted: &'c mut Vec<Inserted>,
    /// By index and jump.
    pads: &'c mut Vec<Pad>,
    /// Segments of instructions that the catch-all covers; none if there is no catch-all.
    covered: &'c [Range<usize>],
}

/// Whether HotSpot may have code of its own for a method of the JDK. Its name for it changed with 16.
fn is_intrinsic(method: &Method<'_>, pool: &ConstantPool<'_>) -> bool {
    const NAMES: [&[u8]; 2] =
        [b"Ljdk/internal/vm/annotation/IntrinsicCandidate;", b"Ljdk/internal/HotSpotIntrinsicCandidate;"];
    annotations::types(&method.attributes, pool).iter().any(|name| NAMES.contains(name))
}

/// Appends the content of the new `Code` attribute.
fn rewritten(
    class: &mut ClassFile<'_>,
    subject: Subject<'_, '_>,
    edits: &Edits,
    limit: u32,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<(), Skipped> {
    let Subject { method, code, covered } = subject;
    if code.short_header {
        return Err(Skipped::ShortHeader);
    }
    if code.has_subroutines() {
        return Err(Skipped::Subroutines);
    }
    let named = |name: &[u8]| class.constant_pool.utf8(method.name).is_ok_and(|found| found == name);
    if named(b"finalize") && code.length() == 1 && !edits.is_empty() {
        return Err(Skipped::EmptyFinalizer);
    }
    if named(b"<init>") && class.super_class == 0 && !edits.is_empty() {
        return Err(Skipped::ObjectConstructor);
    }
    if !edits.is_empty() && is_intrinsic(method, &class.constant_pool) {
        return Err(Skipped::Intrinsic);
    }
    if edits.first_new_local != code.max_locals {
        return Err(Skipped::BadEdit("it was made for another body"));
    }
    let pool = &class.constant_pool;
    // Only with no edits can this be the one of java/lang/Object, whose `this` is raw to nobody.
    let this = match (method.is_static(), named(b"<init>") && class.super_class != 0) {
        (true, _) => None,
        (_, true) => Some(VerificationType::UninitializedThis),
        (_, false) => Some(VerificationType::Object(class.this_class)),
    };
    let Scratch { inserted, pads, map, straight, effects, depths, wanted, locals } = scratch;
    map.begin(pool.utf8(method.descriptor)?, this)?;
    let table = code.attributes.iter().find(|attribute| attribute.is("StackMapTable", pool));
    if let Some(table) = table {
        map.read(table.content, table.at)?;
    }
    let needs_frames = !code.handlers.is_empty() || code.instructions.iter().any(Instruction::has_targets);
    inserted.clear();
    pads.clear();
    let mut rewriter = Rewriter {
        code,
        edits,
        map,
        frames: class.wants_frames() && (table.is_some() || !needs_frames),
        inserted,
        pads,
        covered: if edits.catch_all_run().is_some() { covered } else { &[] },
    };
    rewriter.insert_edits()?;
    let slots = rewriter.slots(pool, (effects, depths))?;
    straight.clear(rewriter.labels());
    rewriter.emit(straight);
    let length = straight.length();
    let beside = edits.condition().map_or(0, |condition| code.length() + beside::added_length(condition));
    let too_long = |to| Skipped::TooLong { from: code.length(), to: to + beside, limit };
    let limit = limit.saturating_sub(beside);
    if length > limit {
        return Err(too_long(length));
    }
    let is_straight = straight.finish().is_some();
    let assembled = if is_straight {
        let (bytes, label_pcs) = straight.take();
        Assembled { bytes, label_pcs, islands: Vec::new() }
    } else {
        let mut layout = Layout::with_labels(rewriter.labels());
        rewriter.emit(&mut layout);
        layout.finish(limit).map_err(|no| match no {
            NoLayout::TooLong(to) => too_long(to),
            NoLayout::TooFar => Skipped::JumpTooFar,
        })?
    };
    let (start, frames) = (out.len(), rewriter.frames);
    let done = rewriter.content(class, &assembled, slots, (wanted, locals), out);
    if is_straight {
        straight.keep(assembled.bytes, assembled.label_pcs);
    }
    done?;
    if let Some(condition) = edits.condition() {
        let content = out.split_off(start);
        out.extend(beside::put(class, subject, condition, (map, this, frames), &content)?);
    }
    Ok(())
}

/// Whether code neither jumps nor ends anything.
fn is_straight(run: &[Instruction]) -> bool {
    run.iter().all(|op| op.opcode.falls_through() && !op.has_targets())
}

/// Three labels for each instruction and for the end of the code, see the drawing above.
fn labels_of(index: usize) -> Label {
    Label::try_from(index).unwrap_or(0).saturating_mul(3)
}
fn before(index: usize) -> Label {
    labels_of(index)
}
fn enter(index: usize) -> Label {
    labels_of(index) + 1
}
fn at(index: usize) -> Label {
    labels_of(index) + 2
}

impl Rewriter<'_, '_> {
    /// The label of the catch-all: the one behind those of the instructions and of the end.
    fn catch_label(&self) -> Label {
        enter(self.code.instructions.len())
    }

    /// The first of the labels of pads.
    fn pad_labels(&self) -> Label {
        labels_of(self.code.instructions.len()) + 2
    }

    /// Where the code of the catch-all ends, and where what is done if it fails begins.
    fn catch_all_else(&self) -> Option<(Label, Label)> {
        let end = self.pad_labels() + Label::try_from(self.pads.len()).unwrap_or(0);
        let is_there = self.edits.catch_all_else_run().is_some() && !self.covered.is_empty();
        is_there.then_some((end, end + 1))
    }

    /// How many labels there are.
    fn labels(&self) -> Label {
        self.pad_labels() + Label::try_from(self.pads.len() + 2).unwrap_or(0)
    }

    fn index(&self, pc: u32) -> Result<usize, Skipped> {
        self.code.index_at(pc).ok_or(Skipped::BadEdit("no instruction begins at its pc"))
    }

    /// Whether an instruction can be reached from the one above it (the first one: from the entry).
    fn is_reached_from_above(&self, index: usize) -> bool {
        match index.checked_sub(1).and_then(|above| self.code.instructions.get(above)) {
            Some(above) => above.opcode.falls_through(),
            None => true,
        }
    }

    fn insert_edits(&mut self) -> Result<(), Skipped> {
        for (number, (pc_of, run)) in self.edits.runs().enumerate() {
            if !is_straight(run) {
                return Err(Skipped::BadEdit("its code is not a straight run"));
            }
            let (index, part) = match pc_of {
                InsertionPoint::MethodEntry => continue,
                InsertionPoint::Before(pc) => (self.index(pc)?, Part::Before),
                InsertionPoint::FallThrough { into } => {
                    let index = self.index(into)?;
                    if index == 0 || !self.is_reached_from_above(index) {
                        return Err(Skipped::BadEdit("its place is not reached from above"));
                    }
                    (index, Part::Fall)
                }
                InsertionPoint::Jump { at, to } => {
                    let jump = self.index(at)?;
                    let jump = self.code.instructions.get(jump);
                    if !jump.is_some_and(|jump| jump.targets().any(|target| target == to)) {
                        return Err(Skipped::BadEdit("no jump leads there"));
                    }
                    (self.pad(to)?, Part::Pad(Some(at)))
                }
                InsertionPoint::HandlerEntry(pc) => {
                    if !self.code.handlers.iter().any(|row| row.handler == pc) {
                        return Err(Skipped::BadEdit("its pc is no handler"));
                    }
                    (self.pad(pc)?, Part::Pad(None))
                }
            };
            self.inserted.push(Inserted { index, part, run: number });
        }
        // Stable: what stands at one point stays in the order in which it was added.
        self.inserted.sort_by_key(|inserted| (inserted.index, inserted.part));
        let mut label = self.pad_labels();
        for &Inserted { index, part, .. } in &*self.inserted {
            let Part::Pad(from) = part else { continue };
            if self.pads.last().is_none_or(|last| (last.index, last.from) != (index, from)) {
                let to = self.code.pcs.get(index).copied().unwrap_or(0);
                self.pads.push(Pad { index, from, label, to });
                label += 1;
            }
        }
        Ok(())
    }

    /// The index of an instruction that a pad may stand before.
    fn pad(&self, to: u32) -> Result<usize, Skipped> {
        if self.frames && self.map.frame_at(to).is_none() {
            return Err(Skipped::NoFrame { pc: to });
        }
        self.index(to)
    }
}
