//! What a block can do besides running: throw, and let recorded code run.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use crate::code::Code;
use crate::constant_pool::{Constant, ConstantPool, Member, digest};
use crate::control_flow_graph::{Block, ControlFlowGraph};
use crate::instruction::{Instruction, Operand};
use crate::method::Method;
use crate::opcode::Opcode;
use crate::throwing::Throwing;

/// What the plan may assume about the rest of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether classes under `java/` may be recorded. If not, loading or initialising one of them, and
    /// some calls of their methods, cannot reach recorded code.
    pub jdk_is_recorded: bool,
    /// Whether every method of the class that has code is recorded by paths. Then a call that can only
    /// mean one of them surely leaves a record.
    pub class_is_whole: bool,
}

/// What is known of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Something in it can throw.
    pub throws: bool,
    /// Something in it can run recorded code before the next block begins.
    pub site: bool,
    /// All that can run recorded code is the call at its end, of a method of this class that is
    /// recorded and cannot be another one.
    pub sure: bool,
    /// Something in it can throw where no catch-all records it: before the call of `super()`.
    pub bare: bool,
}

/// What was found out of a class, since its methods name the same things again and again.
#[derive(Debug, Default)]
pub struct Known {
    /// By constant, for the operation that names it.
    constants: RefCell<Vec<Option<(Opcode, Naming)>>>,
    /// Its fields and its methods by a digest of name and descriptor.
    fields: OnceCell<Vec<(u64, usize)>>,
    methods: OnceCell<Vec<(u64, usize)>>,
}

/// What an instruction that names a constant can do.
#[derive(Clone, Copy, Debug)]
struct Naming {
    site: bool,
    sure: bool,
    /// It calls the one constructor that surely does nothing.
    of_object: bool,
}

/// The class that a method belongs to.
#[derive(Clone, Copy, Debug)]
pub struct This<'c> {
    /// Its internal name.
    pub name: &'c [u8],
    /// Its fields.
    pub fields: &'c [Method<'c>],
    /// Its methods.
    pub methods: &'c [Method<'c>],
    /// What is known of it, in the same surroundings.
    pub known: &'c Known,
}

impl<'c> This<'c> {
    /// Its method with this name and descriptor.
    fn method(&self, name: &[u8], descriptor: &[u8], pool: &ConstantPool<'_>) -> Option<&'c Method<'c>> {
        find(self.methods, &self.known.methods, (name, descriptor), pool)
    }

    /// Its field.
    fn field(&self, name: &[u8], descriptor: &[u8], pool: &ConstantPool<'_>) -> Option<&'c Method<'c>> {
        find(self.fields, &self.known.fields, (name, descriptor), pool)
    }
}

fn find<'c>(
    all: &'c [Method<'c>],
    known: &OnceCell<Vec<(u64, usize)>>,
    (name, descriptor): (&[u8], &[u8]),
    pool: &ConstantPool<'_>,
) -> Option<&'c Method<'c>> {
    let text = |index| pool.utf8(index).unwrap_or_default();
    let known = known.get_or_init(|| {
        let digest =
            |(number, own): (usize, &Method<'_>)| (digest(text(own.name), text(own.descriptor)), number);
        let mut known: Vec<(u64, usize)> = all.iter().enumerate().map(digest).collect();
        known.sort_unstable();
        known
    });
    let wanted = digest(name, descriptor);
    let first = known.partition_point(|&(digest, _)| digest < wanted);
    let same = known.iter().skip(first).take_while(|&&(digest, _)| digest == wanted);
    same.filter_map(|&(_, number)| all.get(number))
        .find(|own| text(own.name) == name && text(own.descriptor) == descriptor)
}

/// The facts of every block. `covered`: the segments of instructions (by index, in order) that a
/// catch-all covers.
pub fn of(
    code: &Code<'_>,
    graph: &ControlFlowGraph,
    throwing: &Throwing,
    pool: &ConstantPool<'_>,
    this: This<'_>,
    covered: &[Range<usize>],
    surroundings: Surroundings,
) -> Vec<Facts> {
    let judge = Judge { pool, this, covered, throwing, surroundings };
    graph.blocks.iter().map(|block| judge.block(code, block)).collect()
}

struct Judge<'p, 'a> {
    pool: &'p ConstantPool<'a>,
    this: This<'p>,
    covered: &'p [Range<usize>],
    throwing: &'p Throwing,
    surroundings: Surroundings,
}

impl Judge<'_, '_> {
    fn block(&self, code: &Code<'_>, block: &Block) -> Facts {
        let is_whole = matches!(self.covered, [all] if *all == (0..code.instructions.len()));
        let is_covered = |index: usize| is_whole || self.covered.iter().any(|range| range.contains(&index));
        let from = code.index_at(block.start).unwrap_or(0);
        let to = code.boundary_at(block.end).unwrap_or(from);
        let (mut facts, mut sites) = (Facts::default(), 0);
        for (index, instruction) in (from..).zip(code.instructions.get(from..to).unwrap_or_default()) {
            // Whatever lets other code run can throw, too.
            if !self.throwing.contains(index) {
                continue;
            }
            let naming = self.naming(instruction);
            facts.throws = true;
            if naming.site {
                facts.site = true;
                sites += 1;
                facts.sure = sites == 1 && naming.sure;
            }
            facts.bare |= !naming.of_object && !is_covered(index);
        }
        facts
    }

    fn naming(&self, instruction: &Instruction) -> Naming {
        let opcode = instruction.opcode;
        let Some(index) = constant(instruction) else {
            let site = opcode.is_call() || opcode == Opcode::MULTIANEWARRAY;
            return Naming { site, sure: false, of_object: false };
        };
        let mut known = self.this.known.constants.borrow_mut();
        if known.is_empty() {
            known.resize(usize::from(self.pool.count()), None);
        }
        match known.get_mut(usize::from(index)) {
            Some(Some((known, naming))) if *known == opcode => *naming,
            Some(space) => {
                let naming = self.find(opcode, index);
                *space = Some((opcode, naming));
                naming
            }
            None => self.find(opcode, index),
        }
    }

    fn find(&self, opcode: Opcode, index: u16) -> Naming {
        let plain = Naming { site: false, sure: false, of_object: false };
        let foreign = |class: &[u8]| self.is_foreign(class);
        let naming_class = |index| self.pool.class_name(index).map_or(true, foreign);
        match opcode {
            Opcode::GETSTATIC | Opcode::PUTSTATIC => {
                let is_own = |member: Member<'_>| {
                    member.class.is_some_and(|class| !foreign(class)) && !self.is_inherited(&member)
                };
                Naming { site: !self.pool.member(index).is_ok_and(is_own), ..plain }
            }
            Opcode::NEW | Opcode::CHECKCAST | Opcode::INSTANCEOF | Opcode::ANEWARRAY => {
                Naming { site: naming_class(index), ..plain }
            }
            Opcode::LDC | Opcode::LDC_W | Opcode::LDC2_W => match self.pool.get(index) {
                Ok(Constant::String(_)) => plain,
                Ok(Constant::Class(_)) => Naming { site: naming_class(index), ..plain },
                _ => Naming { site: true, ..plain },
            },
            opcode if opcode.is_call() => {
                let Ok(member) = self.pool.member(index) else { return Naming { site: true, ..plain } };
                // The one constructor that surely does nothing, and is never recorded at all, see
                // `Skipped::ObjectConstructor`.
                let of_object = member.class == Some(b"java/lang/Object") && member.name == b"<init>";
                let quiet = of_object || self.is_quiet_call(opcode, &member);
                Naming { site: !quiet, sure: self.is_sure(opcode, &member), of_object }
            }
            _ => plain,
        }
    }

    /// Whether a call runs one method of this class and no other, which is recorded.
    fn is_sure(&self, opcode: Opcode, member: &Member<'_>) -> bool {
        const PRIVATE: u16 = 0x2;
        const FINAL: u16 = 0x10;
        if !self.surroundings.class_is_whole
            || member.class != Some(self.this.name)
            || member.name.starts_with(b"<")
        {
            return false;
        }
        let Some(callee) = self.this.method(member.name, member.descriptor, self.pool) else { return false };
        let has_code = callee.attributes.iter().any(|attribute| attribute.is("Code", self.pool));
        has_code
            && match opcode {
                Opcode::INVOKESTATIC => callee.is_static(),
                Opcode::INVOKESPECIAL | Opcode::INVOKEVIRTUAL => {
                    !callee.is_static() && callee.access_flags & (PRIVATE | FINAL) != 0
                }
                _ => false,
            }
    }

    /// Whether a field that is named as one of this class is somebody else's: of an interface, say,
    /// whose initialiser has not run just because this class was initialised.
    fn is_inherited(&self, field: &Member<'_>) -> bool {
        field.class == Some(self.this.name)
            && self.this.field(field.name, field.descriptor, self.pool).is_none()
    }

    /// Whether naming this class for the first time may run recorded code.
    fn is_foreign(&self, class: &[u8]) -> bool {
        let element = class.iter().position(|&byte| byte != b'[').unwrap_or(0);
        let (depth, name) = class.split_at(element);
        let name = match (depth, name) {
            ([], name) => name,
            (_, [b'L', name @ .., b';']) => name,
            _ => return false, // an array of numbers
        };
        name != self.this.name && (self.surroundings.jdk_is_recorded || !name.starts_with(b"java/"))
    }

    /// Calls into the JDK that never call back, each seen in its source: they take numbers and texts
    /// and use nothing that a program can override.
    fn is_quiet_call(&self, opcode: Opcode, member: &Member<'_>) -> bool {
        let Some(class) = member.class else { return false };
        if self.surroundings.jdk_is_recorded {
            return false;
        }
        let harmless = match (class, opcode) {
            (b"java/lang/Math" | b"java/lang/StrictMath", _) => true,
            (b"java/lang/System", _) => {
                return matches!(
                    member.name,
                    b"nanoTime" | b"currentTimeMillis" | b"arraycopy" | b"identityHashCode"
                );
            }
            (b"java/lang/Object", Opcode::INVOKEVIRTUAL) => return member.name == b"getClass",
            (
                b"java/lang/Integer"
                | b"java/lang/Long"
                | b"java/lang/Short"
                | b"java/lang/Byte"
                | b"java/lang/Character"
                | b"java/lang/Boolean"
                | b"java/lang/Float"
                | b"java/lang/Double",
                _,
            ) => true,
            (b"java/lang/String", Opcode::INVOKEVIRTUAL) if member.name == b"equals" => return true,
            (b"java/lang/String", Opcode::INVOKEVIRTUAL) => true,
            (b"java/lang/StringBuilder", Opcode::INVOKEVIRTUAL | Opcode::INVOKESPECIAL) => true,
            _ => false,
        };
        harmless && takes_only_values(member.descriptor)
    }
}

/// Whether a method takes nothing but numbers and strings.
fn takes_only_values(descriptor: &[u8]) -> bool {
    let Some(end) = descriptor.iter().position(|&byte| byte == b')') else { return false };
    let mut rest = descriptor.get(1..end).unwrap_or_default();
    const STRING: &[u8] = b"Ljava/lang/String;";
    while let Some((&first, after)) = rest.split_first() {
        rest = match first {
            b'L' => match rest.strip_prefix(STRING) {
                Some(after) => after,
                None => return false,
            },
            b'[' => return false,
            _ => after,
        };
    }
    true
}

fn constant(instruction: &Instruction) -> Option<u16> {
    match instruction.operand {
        Operand::Constant(index) => Some(index),
        Operand::Interface { method, .. } => Some(method),
        Operand::Dynamic { site, .. } => Some(site),
        Operand::MultiArray { .. } => None,
        _ => None,
    }
}
