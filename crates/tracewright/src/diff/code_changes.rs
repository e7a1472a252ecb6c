//! Methods whose code differs between two recordings, and in which lines: by the class files that a recorder stored.
//!
//! Instructions are compared by what they do, constants by what they are and jumps by the instruction that they lead to,
//! so neither an inserted line nor another order of constants is a change. Where a class file was not stored,
//! nothing is reported.

use std::hash::{Hash, Hasher};

use analyses::diff::{JointCode, matches};
use classfile::constant_pool::Constant;
use classfile::line_table::LineTable;
use classfile::method::Method;
use classfile::{ClassFile, Code, Operand};
use model::code::{ClassId, MethodId};
use model::{CodeMap, FlowSource};
use rustc_hash::{FxHashMap, FxHasher};

/// Most instructions without counterpart in a method; of methods that differ in more all lines are reported.
const MOST: usize = 2_000;

/// A method whose code differs.
#[derive(Debug, Clone)]
pub(crate) struct CodeChange {
    /// Its joint number.
    pub(crate) method: MethodId,
    /// The lines of each side with instructions that the other does not have; ascending.
    pub(crate) lines: [Vec<u16>; 2],
}

/// The methods among `wanted` (joint numbers) whose code differs between the two recordings, which are sides `sides`.
pub(crate) fn changes(
    recordings: [&dyn FlowSource; 2],
    code: &JointCode,
    sides: [usize; 2],
    wanted: impl Iterator<Item = MethodId>,
) -> Vec<CodeChange> {
    let mut classes: FxHashMap<[ClassId; 2], Vec<(MethodId, [MethodId; 2])>> = FxHashMap::default();
    for joint in wanted {
        let own = [0, 1].map(|side| code.method_of(sides[side], joint));
        let [Some(one), Some(other)] = own else { continue };
        let class = |side: usize, id: MethodId| recordings[side].code().method(id).map(|method| method.class);
        if let (Some(a), Some(b)) = (class(0, one), class(1, other)) {
            classes.entry([a, b]).or_default().push((joint, [one, other]));
        }
    }
    let mut found = vec![];
    for (ids, methods) in classes {
        let [Some(one), Some(other)] = [0, 1].map(|side: usize| recordings[side].class_file(ids[side]))
        else {
            continue;
        };
        if one == other {
            continue;
        }
        let (Ok(one), Ok(other)) = (ClassFile::parse(&one), ClassFile::parse(&other)) else { continue };
        for (joint, own) in methods {
            let bodies =
                [body(&one, recordings[0].code(), own[0]), body(&other, recordings[1].code(), own[1])];
            if let [Some(one), Some(other)] = bodies
                && let Some(lines) = changed(&one, &other)
            {
                found.push(CodeChange { method: joint, lines });
            }
        }
    }
    found.sort_by_key(|change| change.method);
    found
}

/// The body of a method, to be compared.
struct Body {
    /// What each instruction does, without where a jump leads.
    does: Vec<u64>,
    /// By instruction: the indices of the instructions that it may jump to.
    targets: Vec<Vec<usize>>,
    /// By instruction.
    lines: Vec<u16>,
    /// The protected ranges, by indices of instructions, and what is caught.
    handlers: Vec<([usize; 3], Vec<u8>)>,
}

fn body(class: &ClassFile<'_>, code: &CodeMap, id: MethodId) -> Option<Body> {
    let wanted = code.method(id)?;
    let signature = format!("{}{}", wanted.name, wanted.descriptor);
    let is_wanted = |method: &&Method<'_>| method.signature(&class.constant_pool) == signature;
    let body = class.code(class.methods.iter().find(is_wanted)?).ok()??;
    let table = LineTable::of(&body, &class.constant_pool);
    let at = |pc: u32| body.index_at(pc).unwrap_or(usize::MAX);
    let handler = |row: &classfile::code::Handler| {
        let caught = class.constant_pool.class_name(row.catch_type).map(<[u8]>::to_vec).unwrap_or_default();
        let end = if row.end == body.length() { body.instructions.len() } else { at(row.end) };
        ([at(row.start), end, at(row.handler)], caught)
    };
    Some(Body {
        does: does(class, &body),
        targets: body.instructions.iter().map(|one| one.targets().map(at).collect()).collect(),
        lines: body.iter().map(|(pc, _)| table.line_at(pc).unwrap_or(0)).collect(),
        handlers: body.handlers.iter().map(handler).collect(),
    })
}

fn does(class: &ClassFile<'_>, body: &Code<'_>) -> Vec<u64> {
    let each = body.instructions.iter().map(|instruction| {
        let mut hasher = FxHasher::default();
        // The wide form of a load is the same load.
        let opcode = match instruction.opcode.0 {
            19 => 18,
            200 => 167,
            other => other,
        };
        opcode.hash(&mut hasher);
        match &instruction.operand {
            Operand::None | Operand::Jump(_) => {}
            Operand::Byte(value) => value.hash(&mut hasher),
            Operand::Short(value) => value.hash(&mut hasher),
            Operand::ArrayKind(kind) => kind.hash(&mut hasher),
            Operand::Local { slot, .. } => slot.hash(&mut hasher),
            Operand::Increment { slot, by, .. } => (slot, by).hash(&mut hasher),
            Operand::Constant(index)
            | Operand::Interface { method: index, .. }
            | Operand::Dynamic { site: index, .. }
            | Operand::MultiArray { class: index, .. } => constant(class, *index, &mut hasher),
            Operand::Switch(switch) => {
                switch.targets.len().hash(&mut hasher);
                match &switch.keys {
                    classfile::instruction::Keys::From(low) => low.hash(&mut hasher),
                    classfile::instruction::Keys::Each(keys) => keys.hash(&mut hasher),
                }
            }
        }
        hasher.finish()
    });
    each.collect()
}

/// What a constant is, whatever its index.
fn constant(class: &ClassFile<'_>, index: u16, hasher: &mut FxHasher) {
    let pool = &class.constant_pool;
    if let Ok(member) = pool.member(index) {
        (member.class, member.name, member.descriptor).hash(hasher);
    } else if let Ok(name) = pool.class_name(index) {
        name.hash(hasher);
    } else if let Some(value) = pool.value(index) {
        value.hash(hasher);
    } else if let Ok(Constant::String(text)) = pool.get(index) {
        pool.utf8(text).unwrap_or_default().hash(hasher);
    }
}

/// The lines that differ; `None`: nothing does.
fn changed(one: &Body, other: &Body) -> Option<[Vec<u16>; 2]> {
    let every = |body: &Body| (0..body.does.len()).collect::<Vec<_>>();
    let Some(aligned) = matches(&one.does, &other.does, MOST) else {
        return Some([lines(one, &every(one)), lines(other, &every(other))]);
    };
    let mut counterpart = vec![usize::MAX; one.does.len()];
    let mut alone = [vec![], vec![]];
    let (mut x, mut y) = (0, 0);
    for &(a, b) in &aligned {
        counterpart[a] = b;
        alone[0].extend(x..a);
        alone[1].extend(y..b);
        (x, y) = (a + 1, b + 1);
    }
    alone[0].extend(x..one.does.len());
    alone[1].extend(y..other.does.len());
    // A jump to an instruction that is new leads elsewhere only if what follows the new ones is not the old target.
    let is_new: Vec<bool> = {
        let mut is_new = vec![false; other.does.len() + 1];
        alone[1].iter().for_each(|at| is_new[*at] = true);
        is_new
    };
    let settled = |at: usize| (at..is_new.len()).find(|at| !is_new[*at]).unwrap_or(at);
    let old_settled = |at: usize| {
        (at..counterpart.len()).find_map(|at| Some(counterpart[at]).filter(|to| *to != usize::MAX))
    };
    for &(a, b) in &aligned {
        let leads = |at: &usize| old_settled(*at).unwrap_or(other.does.len());
        let old: Vec<usize> = one.targets[a].iter().map(leads).collect();
        let new: Vec<usize> = other.targets[b].iter().map(|at| settled(*at)).collect();
        if old != new {
            alone[0].push(a);
            alone[1].push(b);
        }
    }
    let has_other_handlers = one.handlers.len() != other.handlers.len()
        || one.handlers.iter().zip(&other.handlers).any(|(a, b)| a.1 != b.1);
    if alone.iter().all(Vec::is_empty) && !has_other_handlers {
        return None;
    }
    Some([lines(one, &alone[0]), lines(other, &alone[1])])
}

fn lines(body: &Body, at: &[usize]) -> Vec<u16> {
    let lines = at.iter().filter_map(|at| body.lines.get(*at).copied()).filter(|line| *line > 0);
    let mut lines: Vec<u16> = lines.collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}
