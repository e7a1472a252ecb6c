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

mod body;

use crate::annotations;
use crate::class_file::ClassFile;
use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::edit::{Edits, Place};
use crate::error::Error;
use crate::initialized;
use crate::instruction::Instruction;
use crate::layout::{Label, Layout, NoLayout};
use crate::left_alone::LeftAlone;
use crate::limits::MAX_CODE;
use crate::method::Method;
use crate::opcode::Opcode;
use crate::stack_map::{StackMap, VerificationType};

impl ClassFile<'_> {
    /// Inserts code into a method; the class then holds the new body and [`ClassFile::to_bytes`]
    /// writes it. Edits count from the original body: rewriting a method a second time begins
    /// anew. `limit` is the greatest length of the new code; [`crate::limits::COMPILE_LIMIT`] is
    /// the right one for code that shall stay fast. On failure the method is left as it was,
    /// though constants may have been added, which nothing refers to.
    pub fn rewrite(&mut self, method: usize, edits: &Edits, limit: u32) -> Result<(), LeftAlone> {
        let subject = self.methods.get(method).ok_or(Error::NoSuchMethod { index: method })?.clone();
        let code = self.code(&subject)?.ok_or(LeftAlone::NoCode)?;
        self.rewrite_body(method, &subject, &code, edits, limit)
    }

    /// The stretches of instructions (by index) that a catch-all covers in this method: all, but in
    /// a constructor only those behind the call of `super()` or `this()`.
    pub fn covered_by_catch_all(
        &self,
        method: &Method<'_>,
        code: &Code<'_>,
    ) -> Result<Vec<std::ops::Range<usize>>, LeftAlone> {
        // The constructor of java/lang/Object calls no other.
        if self.super_class == 0 {
            return Ok(Vec::from_iter(Some(0..code.instructions.len())));
        }
        covered_by_catch_all(&self.constant_pool, method, code)
    }

    /// The same as [`ClassFile::rewrite`] for a body that was read already.
    pub(crate) fn rewrite_body(
        &mut self,
        number: usize,
        method: &Method<'_>,
        code: &Code<'_>,
        edits: &Edits,
        limit: u32,
    ) -> Result<(), LeftAlone> {
        let content = rewritten(self, method, code, edits, limit.min(MAX_CODE))?;
        self.replace_code(number, content);
        Ok(())
    }
}

/// [`ClassFile::covered_by_catch_all`] in any class but `java/lang/Object`.
pub(crate) fn covered_by_catch_all(
    pool: &ConstantPool<'_>,
    method: &Method<'_>,
    code: &Code<'_>,
) -> Result<Vec<std::ops::Range<usize>>, LeftAlone> {
    if pool.utf8(method.name)? != b"<init>" {
        return Ok(Vec::from_iter(Some(0..code.instructions.len())));
    }
    let mut map =
        StackMap::at_start(pool.utf8(method.descriptor)?, Some(VerificationType::UninitializedThis))?;
    if let Some(table) = code.attributes.iter().find(|attribute| attribute.is("StackMapTable", pool)) {
        map.read(table.content, table.at)?;
    }
    Ok(initialized::stretches(code, &map, pool))
}

/// A run of code that is inserted around one instruction, sorted as they stand in the new code.
struct Inserted<'c> {
    index: usize,
    part: Part,
    run: &'c [Instruction],
}

/// Where around an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Fall,
    /// By the jump that takes the pad; `None` for the one that exceptions take.
    Pad(Option<u32>),
    Before,
}

/// A pad before the instruction with this index, which has this pc.
struct Pad {
    index: usize,
    from: Option<u32>,
    label: Label,
    to: u32,
}

struct Rewriter<'c, 'a> {
    code: &'c Code<'a>,
    edits: &'c Edits,
    map: StackMap,
    /// Whether the new body gets frames: not if the method needs some and came without.
    frames: bool,
    inserted: Vec<Inserted<'c>>,
    layout: Layout,
    /// By index and jump.
    pads: Vec<Pad>,
    /// Stretches of instructions that the catch-all covers.
    covered: Vec<std::ops::Range<usize>>,
    /// Where the code of the catch-all ends and where what is done if it fails begins.
    catch_all_else: Option<(Label, Label)>,
}

/// Whether HotSpot may have code of its own for a method of the JDK. Its name for it changed with 16.
fn is_intrinsic(method: &Method<'_>, pool: &ConstantPool<'_>) -> bool {
    const NAMES: [&[u8]; 2] =
        [b"Ljdk/internal/vm/annotation/IntrinsicCandidate;", b"Ljdk/internal/HotSpotIntrinsicCandidate;"];
    annotations::types(&method.attributes, pool).iter().any(|name| NAMES.contains(name))
}

fn rewritten(
    class: &mut ClassFile<'_>,
    method: &Method<'_>,
    code: &Code<'_>,
    edits: &Edits,
    limit: u32,
) -> Result<Vec<u8>, LeftAlone> {
    if code.short_header {
        return Err(LeftAlone::ShortHeader);
    }
    if code.has_subroutines() {
        return Err(LeftAlone::Subroutines);
    }
    let named = |name: &[u8]| class.constant_pool.utf8(method.name).is_ok_and(|found| found == name);
    if named(b"finalize") && code.length() == 1 && !edits.is_empty() {
        return Err(LeftAlone::EmptyFinalizer);
    }
    if named(b"<init>") && class.super_class == 0 && !edits.is_empty() {
        return Err(LeftAlone::ObjectConstructor);
    }
    if !edits.is_empty() && is_intrinsic(method, &class.constant_pool) {
        return Err(LeftAlone::Intrinsic);
    }
    if edits.first_new_local != code.max_locals {
        return Err(LeftAlone::BadEdit("it was made for another body"));
    }
    let pool = &class.constant_pool;
    // Only with no edits can this be the one of java/lang/Object, whose `this` is raw to nobody.
    let is_constructor = named(b"<init>") && class.super_class != 0;
    let this = match (method.is_static(), is_constructor) {
        (true, _) => None,
        (_, true) => Some(VerificationType::UninitializedThis),
        (_, false) => Some(VerificationType::Object(class.this_class)),
    };
    let mut map = StackMap::at_start(pool.utf8(method.descriptor)?, this)?;
    let table = code.attributes.iter().find(|attribute| attribute.is("StackMapTable", pool));
    if let Some(table) = table {
        map.read(table.content, table.at)?;
    }
    let needs_frames = !code.handlers.is_empty()
        || code.instructions.iter().any(|instruction| instruction.targets().next().is_some());
    let covered = match (&edits.catch_all, is_constructor) {
        (None, _) => Vec::new(),
        (Some(_), false) => Vec::from_iter(Some(0..code.instructions.len())),
        (Some(_), true) => initialized::stretches(code, &map, pool),
    };
    let mut rewriter = Rewriter {
        code,
        edits,
        map,
        frames: class.wants_frames() && (table.is_some() || !needs_frames),
        inserted: Vec::with_capacity(edits.runs.len()),
        layout: Layout::with_labels(
            labels_of(code.instructions.len()) + 2,
            code.instructions.len() + edits.instructions(),
        ),
        pads: Vec::new(),
        covered,
        catch_all_else: None,
    };
    rewriter.place_edits()?;
    rewriter.emit()?;
    let (max_stack, max_locals) = rewriter.slots(class)?;
    let layout = std::mem::take(&mut rewriter.layout);
    let placed = layout.finish(limit).map_err(|no| match no {
        NoLayout::TooLong(to) => LeftAlone::TooLong { from: code.length(), to, limit },
        NoLayout::TooFar => LeftAlone::JumpTooFar,
    })?;
    rewriter.content(class, &placed, max_stack, max_locals)
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

    fn index(&self, pc: u32) -> Result<usize, LeftAlone> {
        self.code.index_at(pc).ok_or(LeftAlone::BadEdit("no instruction begins at its pc"))
    }

    /// Whether an instruction can be reached from the one above it (the first one: from the entry).
    fn is_reached_from_above(&self, index: usize) -> bool {
        match index.checked_sub(1).and_then(|above| self.code.instructions.get(above)) {
            Some(above) => above.opcode.falls_through(),
            None => true,
        }
    }

    fn place_edits(&mut self) -> Result<(), LeftAlone> {
        for (place, run) in &self.edits.runs {
            if run.iter().any(|op| !op.opcode.falls_through() || op.targets().next().is_some()) {
                return Err(LeftAlone::BadEdit("its code is not a straight run"));
            }
            let (index, part) = match *place {
                Place::MethodEntry => continue,
                Place::Before(pc) => (self.index(pc)?, Part::Before),
                Place::FallThrough { into } => {
                    let index = self.index(into)?;
                    if index == 0 || !self.is_reached_from_above(index) {
                        return Err(LeftAlone::BadEdit("its place is not reached from above"));
                    }
                    (index, Part::Fall)
                }
                Place::Jump { at, to } => {
                    let jump = self.index(at)?;
                    let jump = self.code.instructions.get(jump);
                    if !jump.is_some_and(|jump| jump.targets().any(|target| target == to)) {
                        return Err(LeftAlone::BadEdit("no jump leads there"));
                    }
                    (self.pad(to)?, Part::Pad(Some(at)))
                }
                Place::HandlerEntry(pc) => {
                    if !self.code.handlers.iter().any(|row| row.handler == pc) {
                        return Err(LeftAlone::BadEdit("its pc is no handler"));
                    }
                    (self.pad(pc)?, Part::Pad(None))
                }
            };
            self.inserted.push(Inserted { index, part, run });
        }
        // Stable: what stands at one place stays in the order in which it was added.
        self.inserted.sort_by_key(|inserted| (inserted.index, inserted.part));
        for &Inserted { index, part, .. } in &self.inserted {
            let Part::Pad(from) = part else { continue };
            if self.pads.last().is_none_or(|last| (last.index, last.from) != (index, from)) {
                let to = self.code.pcs.get(index).copied().unwrap_or(0);
                self.pads.push(Pad { index, from, label: self.layout.new_label(), to });
            }
        }
        Ok(())
    }

    /// The index of an instruction that a pad may stand before.
    fn pad(&self, to: u32) -> Result<usize, LeftAlone> {
        if self.frames && self.map.frame_at(to).is_none() {
            return Err(LeftAlone::NoFrame { pc: to });
        }
        self.index(to)
    }

    /// Where a jump (or, without one, an exception) that led to `to` arrives now.
    fn arrival(&self, from: Option<u32>, to: u32) -> Label {
        // Every target was checked when the code was read.
        let index = self.code.index_at(to).unwrap_or(0);
        let pad = self.pads.binary_search_by_key(&(index, from), |pad| (pad.index, pad.from));
        pad.ok().and_then(|pad| self.pads.get(pad)).map_or(enter(index), |pad| pad.label)
    }

    fn emit(&mut self) -> Result<(), LeftAlone> {
        let mut out = std::mem::take(&mut self.layout);
        let run = |out: &mut Layout, run: &[Instruction]| {
            for instruction in run {
                out.push(instruction.clone());
            }
        };
        let mut depth_of_cover = self.protection();
        let at_entry = self.edits.runs.iter().filter(|(place, _)| *place == Place::MethodEntry);
        at_entry.for_each(|(_, code)| run(&mut out, code));
        let (mut rest, mut pads) = (self.inserted.as_slice(), self.pads.iter());
        for (index, (pc, instruction)) in self.code.iter().enumerate() {
            out.mark(before(index));
            let here;
            (here, rest) = rest.split_at(rest.iter().take_while(|inserted| inserted.index <= index).count());
            let mut part = Part::Fall;
            for inserted in here.iter().filter(|inserted| inserted.part != Part::Before) {
                if inserted.part != part {
                    // Over the pads from above, and over the others behind each.
                    if part != Part::Fall || self.is_reached_from_above(index) {
                        out.push(Instruction::jump(Opcode::GOTO, enter(index)));
                    }
                    pads.next().into_iter().for_each(|pad| out.mark(pad.label));
                    part = inserted.part;
                }
                run(&mut out, inserted.run);
            }
            out.mark(enter(index));
            for inserted in here.iter().filter(|inserted| inserted.part == Part::Before) {
                run(&mut out, inserted.run);
            }
            out.mark(at(index));
            out.push(instruction.map_targets(|to| self.arrival(Some(pc), to)));
            // In a protected range the handler's frame would have to fit the island's.
            let uncovered = depth_of_cover.next().unwrap_or(true);
            if uncovered && !instruction.opcode.falls_through() {
                out.allow_island();
            }
        }
        out.mark(before(self.code.instructions.len()));
        if let Some(code) = self.edits.catch_all.as_ref().filter(|_| !self.covered.is_empty()) {
            out.allow_island();
            out.mark(self.catch_label());
            run(&mut out, code);
            if let Some(instead) = &self.edits.catch_all_else {
                let (end, start) = (out.new_label(), out.new_label());
                out.mark(end);
                out.push(Opcode::ATHROW.into());
                out.mark(start);
                run(&mut out, instead);
                self.catch_all_else = Some((end, start));
            }
            out.push(Opcode::ATHROW.into());
        }
        self.layout = out;
        Ok(())
    }

    /// For each instruction, whether no protected range covers both it and what follows; nothing if
    /// that is so for all. The
    /// catch-all counts in constructors only: elsewhere its frame fits every other.
    fn protection(&self) -> std::vec::IntoIter<bool> {
        let count = self.code.instructions.len();
        let is_whole = |range: &std::ops::Range<usize>| *range == (0..count);
        if self.code.handlers.is_empty() && self.covered.iter().all(is_whole) {
            return Vec::new().into_iter();
        }
        let mut change = vec![0_i64; count + 1];
        let catch_all = self.covered.iter().filter(|range| !is_whole(range)).cloned();
        let rows = self
            .code
            .handlers
            .iter()
            .filter_map(|row| Some(self.code.index_at(row.start)?..self.code.boundary_at(row.end)?));
        for range in rows.chain(catch_all) {
            // Islands stand behind an instruction, so the last one of a range is not inside.
            if let Some(start) = change.get_mut(range.start) {
                *start += 1;
            }
            if let Some(end) = change.get_mut(range.end.saturating_sub(1)) {
                *end -= 1;
            }
        }
        let mut depth = 0;
        let free: Vec<bool> = change
            .into_iter()
            .map(|change| {
                depth += change;
                depth == 0
            })
            .collect();
        free.into_iter()
    }
}
