//! What a block can do besides running: throw, and let recorded code run.

use std::cell::RefCell;
use std::ops::Range;

use crate::code::Code;
use crate::constant_pool::{Constant, ConstantPool, Member};
use crate::control_flow_graph::{Block, ControlFlowGraph};
use crate::instruction::{Instruction, Operand};
use crate::method::Method;
use crate::opcode::Opcode;

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
    /// Something in it can throw where no catch-all tells of it: before the call of `super()`.
    pub bare: bool,
}

/// What was found out of the constants that the code of a class names, since it names them again and again.
#[derive(Debug, Default)]
pub struct Known(RefCell<Vec<Option<(Opcode, Naming)>>>);

/// What an instruction that names a constant can do.
#[derive(Clone, Copy, Debug)]
struct Naming {
    throws: bool,
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
    /// What is known of its constants, in the same surroundings.
    pub known: &'c Known,
}

/// The facts of every block. `covered`: the stretches of instructions (by index, in order) that a
/// catch-all covers.
pub fn of(
    code: &Code<'_>,
    graph: &ControlFlowGraph,
    pool: &ConstantPool<'_>,
    this: This<'_>,
    covered: &[Range<usize>],
    surroundings: Surroundings,
) -> Vec<Facts> {
    let judge = Judge { pool, this, covered, surroundings };
    graph.blocks.iter().map(|block| judge.block(code, block)).collect()
}

struct Judge<'p, 'a> {
    pool: &'p ConstantPool<'a>,
    this: This<'p>,
    covered: &'p [Range<usize>],
    surroundings: Surroundings,
}

impl Judge<'_, '_> {
    fn block(&self, code: &Code<'_>, block: &Block) -> Facts {
        let is_whole = matches!(self.covered, [all] if *all == (0..code.instructions.len()));
        let is_covered =
            |index: usize| is_whole || self.covered.iter().any(|range| range.contains(&index));
        let from = code.index_at(block.start).unwrap_or(0);
        let to = code.boundary_at(block.end).unwrap_or(from);
        let (mut facts, mut sites) = (Facts::default(), 0);
        for (index, instruction) in (from..).zip(code.instructions.get(from..to).unwrap_or_default()) {
            // Whatever lets other code run can throw, too.
            if !instruction.opcode.can_throw() {
                continue;
            }
            let naming = self.naming(instruction);
            facts.throws |= naming.throws;
            if naming.site {
                facts.site = true;
                sites += 1;
                facts.sure = sites == 1 && naming.sure;
            }
            facts.bare |= naming.throws && !naming.of_object && !is_covered(index);
        }
        facts
    }

    fn naming(&self, instruction: &Instruction) -> Naming {
        let find = || Naming {
            throws: self.throws(instruction),
            site: self.is_site(instruction),
            sure: self.is_sure(instruction),
            of_object: self.is_constructor_of_object(instruction),
        };
        let Some(index) = constant(instruction) else { return find() };
        let mut known = self.this.known.0.borrow_mut();
        if known.is_empty() {
            known.resize(usize::from(self.pool.count()), None);
        }
        match known.get_mut(usize::from(index)) {
            Some(Some((opcode, naming))) if *opcode == instruction.opcode => *naming,
            Some(room) => {
                let naming = find();
                *room = Some((instruction.opcode, naming));
                naming
            }
            None => find(),
        }
    }

    fn throws(&self, instruction: &Instruction) -> bool {
        instruction.opcode.can_throw() && !self.is_plain_number(instruction)
    }

    /// The one constructor that surely does nothing.
    fn is_constructor_of_object(&self, instruction: &Instruction) -> bool {
        let member = constant(instruction).and_then(|index| self.pool.member(index).ok());
        member.is_some_and(|it| it.class == Some(b"java/lang/Object") && it.name == b"<init>")
    }

    /// `ldc` of a number, the one kind that cannot throw.
    fn is_plain_number(&self, instruction: &Instruction) -> bool {
        let Some(index) = constant(instruction) else { return false };
        let load = matches!(instruction.opcode, Opcode::LDC | Opcode::LDC_W | Opcode::LDC2_W);
        load && matches!(self.pool.get(index), Ok(Constant::Integer(_) | Constant::Other(4..=6)))
    }

    fn is_site(&self, instruction: &Instruction) -> bool {
        let Some(index) = constant(instruction) else {
            return instruction.opcode.is_call() || instruction.opcode == Opcode::MULTIANEWARRAY;
        };
        let foreign = |class: &[u8]| self.is_foreign(class);
        match instruction.opcode {
            Opcode::GETSTATIC | Opcode::PUTSTATIC => {
                let is_own = |member: Member<'_>| {
                    member.class.is_some_and(|class| !foreign(class)) && !self.is_inherited(&member)
                };
                !self.pool.member(index).is_ok_and(is_own)
            }
            Opcode::NEW | Opcode::CHECKCAST | Opcode::INSTANCEOF | Opcode::ANEWARRAY => {
                self.pool.class_name(index).map_or(true, foreign)
            }
            Opcode::LDC | Opcode::LDC_W | Opcode::LDC2_W => match self.pool.get(index) {
                Ok(Constant::Integer(_) | Constant::Other(4..=6) | Constant::String(_)) => false,
                Ok(Constant::Class(_)) => self.pool.class_name(index).map_or(true, foreign),
                _ => true,
            },
            opcode if opcode.is_call() => !self.is_quiet_call(opcode, index),
            _ => false,
        }
    }

    /// Whether a call runs one method of this class and no other, which is recorded.
    fn is_sure(&self, instruction: &Instruction) -> bool {
        let Some(member) = constant(instruction).and_then(|index| self.pool.member(index).ok()) else {
            return false;
        };
        if !self.surroundings.class_is_whole
            || member.class != Some(self.this.name)
            || member.name.starts_with(b"<")
        {
            return false;
        }
        let text = |index| self.pool.utf8(index).unwrap_or_default();
        let is_it =
            |own: &&Method<'_>| text(own.name) == member.name && text(own.descriptor) == member.descriptor;
        let Some(callee) = self.this.methods.iter().find(is_it) else { return false };
        const PRIVATE: u16 = 0x2;
        const FINAL: u16 = 0x10;
        let has_code = callee.attributes.iter().any(|attribute| attribute.is("Code", self.pool));
        has_code
            && match instruction.opcode {
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
        let text = |index| self.pool.utf8(index).unwrap_or_default();
        let is_it =
            |own: &Method<'_>| text(own.name) == field.name && text(own.descriptor) == field.descriptor;
        field.class == Some(self.this.name) && !self.this.fields.iter().any(is_it)
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
    fn is_quiet_call(&self, opcode: Opcode, index: u16) -> bool {
        let Ok(member) = self.pool.member(index) else { return false };
        let Some(class) = member.class else { return false };
        // Never recorded at all, see `LeftAlone::ObjectConstructor`.
        if class == b"java/lang/Object" && member.name == b"<init>" {
            return true;
        }
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
