//! Which instructions of a body can throw.
//!
//! Mostly the operation alone decides, see [`Opcode::can_throw`]. This looks closer at what is frequent
//! and surely cannot:
//!
//! - A number that is loaded as a constant.
//! - A division of whole numbers by a constant that is not 0.
//! - A field of this very object, if the class itself has it: `this` is not null, and such a field is
//!   found without loading a class, for its class is the one that names it. To a final field only a
//!   constructor may write. `this` is what lies in slot 0 of a method that never stores there.
//!
//! Where `this` lies is followed through the stack from each jump target and handler on; nothing is known
//! of what lay on the stack before. A static field is another matter, even one of the class itself:
//! its initialisation may still fail.

mod stack;

use std::cell::OnceCell;

use crate::class_file::ClassFile;
use crate::code::Code;
use crate::constant_pool::{Constant, ConstantPool};
use crate::control_flow_graph::ControlFlowGraph;
use crate::descriptor;
use crate::instruction::{Instruction, Operand};
use crate::method::{ACC_STATIC, Method};
use crate::opcode::Opcode;
use model::code::EdgeKind;
use stack::{Stack, copies};

const ACC_FINAL: u16 = 0x0010;

/// The instructions of one body that can throw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Throwing {
    /// A bit for each, by its index.
    words: Vec<u64>,
}

impl Throwing {
    /// Those whose operation can throw, whatever it works on.
    pub fn by_opcode(code: &Code<'_>) -> Self {
        let mut words = vec![0; code.instructions.len().div_ceil(64)];
        for (word, instructions) in words.iter_mut().zip(code.instructions.chunks(64)) {
            for (bit, instruction) in instructions.iter().enumerate() {
                *word |= u64::from(instruction.opcode.can_throw()) << bit;
            }
        }
        Self { words }
    }

    /// Whether the instruction with this index can.
    pub fn contains(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    /// Whether any of the method can.
    pub fn any(&self) -> bool {
        self.words.iter().any(|&word| word != 0)
    }

    /// Their indices, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 != 0);
        self.words.iter().enumerate().flat_map(move |(at, &word)| bits(word).map(move |bit| at * 64 + bit))
    }

    fn remove(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / 64) {
            *word &= !(1 << (index % 64));
        }
    }
}

/// Looks at the bodies of one class, which name the same things again and again.
#[derive(Debug)]
pub struct Finder<'c, 'a> {
    class: &'c ClassFile<'a>,
    /// Its fields: name, descriptor, flags.
    fields: OnceCell<Vec<(u16, u16, u16)>>,
    /// By constant.
    known: Vec<Option<Named>>,
    /// By block of the body that is looked at: something leads there, or more than one way.
    is_led_to: Vec<bool>,
}

/// What is known of a field or method that is named.
#[derive(Clone, Copy, Debug)]
struct Named {
    /// Slots that its value or its result takes, and those of its arguments without the receiver.
    result: u8,
    arguments: u8,
    /// It is a field of the class itself, with these flags.
    own: Option<u16>,
}

impl<'c, 'a> Finder<'c, 'a> {
    /// For the bodies of this class.
    pub fn new(class: &'c ClassFile<'a>) -> Self {
        Self { class, fields: OnceCell::new(), known: Vec::new(), is_led_to: Vec::new() }
    }

    /// What can throw in the body of a method.
    pub fn of(&mut self, method: &Method<'_>, code: &Code<'_>, graph: &ControlFlowGraph) -> Throwing {
        let mut throwing = Throwing::by_opcode(code);
        if !throwing.any() {
            return throwing;
        }
        let (mut fields, mut this_is_unchanged) = (false, !method.is_static());
        for (index, instruction) in code.instructions.iter().enumerate() {
            match instruction.opcode {
                Opcode::GETFIELD | Opcode::PUTFIELD => fields = true,
                Opcode::LDC | Opcode::LDC_W | Opcode::LDC2_W if self.is_number(instruction) => {
                    throwing.remove(index);
                }
                Opcode::IDIV | Opcode::IREM | Opcode::LDIV | Opcode::LREM => {
                    let before = index.checked_sub(1).and_then(|before| code.instructions.get(before));
                    let divisor = before.filter(|_| !begins_block(code, graph, index));
                    if divisor.is_some_and(|divisor| self.is_not_0(divisor)) {
                        throwing.remove(index);
                    }
                }
                Opcode::ASTORE_0 => this_is_unchanged = false,
                Opcode::ASTORE if matches!(instruction.operand, Operand::Local { slot: 0, .. }) => {
                    this_is_unchanged = false;
                }
                _ => {}
            }
        }
        if fields && this_is_unchanged {
            self.fields_of_this(method, code, graph, &mut throwing);
        }
        throwing
    }

    fn pool(&self) -> &'c ConstantPool<'a> {
        &self.class.constant_pool
    }

    fn is_number(&self, instruction: &Instruction) -> bool {
        let Operand::Constant(index) = instruction.operand else { return false };
        matches!(self.pool().get(index), Ok(Constant::Integer(_) | Constant::Other(4..=6)))
    }

    /// Whether an instruction pushes a whole number that is not 0.
    fn is_not_0(&self, instruction: &Instruction) -> bool {
        match (instruction.opcode, &instruction.operand) {
            (_, Operand::Byte(value)) => *value != 0,
            (_, Operand::Short(value)) => *value != 0,
            (Opcode::LDC | Opcode::LDC_W | Opcode::LDC2_W, Operand::Constant(index)) => {
                let is_whole =
                    matches!(self.pool().get(*index), Ok(Constant::Integer(_) | Constant::Other(5)));
                is_whole && self.pool().value(*index).is_some_and(|value| value.iter().any(|&byte| byte != 0))
            }
            (opcode, Operand::None) => matches!(
                opcode,
                Opcode::ICONST_M1
                    | Opcode::ICONST_1
                    | Opcode::ICONST_2
                    | Opcode::ICONST_3
                    | Opcode::ICONST_4
                    | Opcode::ICONST_5
                    | Opcode::LCONST_1
            ),
            _ => false,
        }
    }

    /// Takes out the accesses to fields of `this`.
    fn fields_of_this(
        &mut self,
        method: &Method<'_>,
        code: &Code<'_>,
        graph: &ControlFlowGraph,
        throwing: &mut Throwing,
    ) {
        let is_constructor = self.pool().utf8(method.name).is_ok_and(|name| name == b"<init>");
        self.see_joins(graph);
        let mut stack = Stack::default();
        for (id, block) in graph.blocks.iter().enumerate() {
            if self.is_led_to.get(id) != Some(&false) {
                stack = Stack::default();
            }
            let from = code.index_at(block.start).unwrap_or(0);
            let to = code.boundary_at(block.end).unwrap_or(from);
            for (index, instruction) in (from..).zip(code.instructions.get(from..to).unwrap_or_default()) {
                let opcode = instruction.opcode;
                match opcode {
                    Opcode::ALOAD_0 => stack.push(1),
                    Opcode::ALOAD if matches!(instruction.operand, Operand::Local { slot: 0, .. }) => {
                        stack.push(1);
                    }
                    _ if stack.is_unknown() => {}
                    Opcode::GETFIELD | Opcode::PUTFIELD => {
                        let named = self.named(instruction);
                        let value = if opcode == Opcode::PUTFIELD { named.result } else { 0 };
                        let may_write = |flags| opcode == Opcode::GETFIELD || flags & ACC_FINAL == 0;
                        let is_sure =
                            |flags: u16| flags & ACC_STATIC == 0 && (is_constructor || may_write(flags));
                        if stack.has_this_below(value) && named.own.is_some_and(is_sure) {
                            throwing.remove(index);
                        }
                        stack.pop(value + 1);
                        stack.push_others(if opcode == Opcode::GETFIELD { named.result } else { 0 });
                    }
                    _ => self.step(&mut stack, instruction),
                }
            }
        }
    }

    /// Finds the blocks that are reached otherwise than from the one above.
    fn see_joins(&mut self, graph: &ControlFlowGraph) {
        self.is_led_to.clear();
        self.is_led_to.extend(graph.blocks.iter().map(|block| block.is_handler));
        for edge in graph.edges.iter().filter(|edge| edge.kind != EdgeKind::Next) {
            let to = usize::try_from(edge.to).unwrap_or(usize::MAX);
            if let Some(is_led_to) = self.is_led_to.get_mut(to) {
                *is_led_to = true;
            }
        }
    }

    /// What any other instruction does to the stack.
    fn step(&mut self, stack: &mut Stack, instruction: &Instruction) {
        let opcode = instruction.opcode;
        if let Some((pops, copied)) = copies(opcode) {
            return stack.copy(pops, copied);
        }
        let has_receiver =
            matches!(opcode, Opcode::INVOKEVIRTUAL | Opcode::INVOKESPECIAL | Opcode::INVOKEINTERFACE);
        match opcode {
            _ if opcode.is_call() => {
                let named = self.named(instruction);
                stack.pop(named.arguments.saturating_add(u8::from(has_receiver)));
                stack.push_others(named.result);
            }
            Opcode::GETSTATIC => stack.push_others(self.named(instruction).result),
            Opcode::PUTSTATIC => stack.pop(self.named(instruction).result),
            Opcode::MULTIANEWARRAY => {
                let Operand::MultiArray { dimensions, .. } = instruction.operand else {
                    return *stack = Stack::default();
                };
                stack.pop(dimensions);
                stack.push_others(1);
            }
            _ if !opcode.falls_through() => *stack = Stack::default(),
            _ => {
                let (pops, pushes) = opcode.slots();
                stack.pop(pops);
                stack.push_others(pushes);
            }
        }
    }

    /// What an instruction names. An invalid constant gets so many slots that the walk knows nothing afterwards.
    fn named(&mut self, instruction: &Instruction) -> Named {
        let index = match instruction.operand {
            Operand::Constant(index) => index,
            Operand::Interface { method, .. } => method,
            Operand::Dynamic { site, .. } => site,
            _ => 0,
        };
        if self.known.is_empty() {
            self.known.resize(usize::from(self.pool().count()), None);
        }
        if let Some(Some(known)) = self.known.get(usize::from(index)) {
            return *known;
        }
        let found = self.find(index).unwrap_or(Named { result: 0, arguments: Stack::MOST, own: None });
        if let Some(known) = self.known.get_mut(usize::from(index)) {
            *known = Some(found);
        }
        found
    }

    fn find(&self, index: u16) -> Option<Named> {
        let pool = self.pool();
        let (class, pair) = match pool.get(index).ok()? {
            Constant::Member { class, name_and_type } => (class, name_and_type),
            Constant::Dynamic { name_and_type, .. } => (0, name_and_type),
            _ => return None,
        };
        let Constant::NameAndType { name, descriptor } = pool.get(pair).ok()? else { return None };
        let text = pool.utf8(descriptor).ok()?;
        if text.first() == Some(&b'(') {
            let mut arguments = 0_u16;
            let result = descriptor::each(text, |kind| arguments = arguments.saturating_add(kind.slots()));
            let arguments = u8::try_from(arguments).unwrap_or(Stack::MOST).min(Stack::MOST);
            return Some(Named { result: u8::try_from(result.ok()?.slots()).ok()?, arguments, own: None });
        }
        let result = u8::try_from(descriptor::field(text).ok()?.slots()).ok()?;
        // Another constant may have the same name and mean another class, if this one is hidden.
        let own = if class == self.class.this_class { self.field(name, descriptor) } else { None };
        Some(Named { result, arguments: 0, own })
    }

    /// The flags of the class's field with this name and descriptor, by their constants: that the same text
    /// stands there twice is as good as never seen.
    fn field(&self, name: u16, descriptor: u16) -> Option<u16> {
        let fields = self.fields.get_or_init(|| {
            let all = self.class.fields.iter();
            let mut fields: Vec<_> =
                all.map(|field| (field.name, field.descriptor, field.access_flags)).collect();
            fields.sort_unstable();
            fields
        });
        let at = fields.partition_point(|field| (field.0, field.1) < (name, descriptor));
        fields.get(at).filter(|field| (field.0, field.1) == (name, descriptor)).map(|field| field.2)
    }
}

/// Whether a block begins at the instruction with this index: it may be led to.
fn begins_block(code: &Code<'_>, graph: &ControlFlowGraph, index: usize) -> bool {
    let pc = code.pcs.get(index).copied().unwrap_or(0);
    let block = graph.block_at(pc).and_then(|id| graph.blocks.get(usize::try_from(id).ok()?));
    block.is_none_or(|block| block.start == pc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class_builder::ClassBuilder;
    use crate::code_builder::{CodeBuilder, Label};
    use crate::instrument;

    /// The constants of a class `T` with two fields.
    struct Names {
        number: u16,
        wide: u16,
        constant: u16,
        of_another: u16,
        inherited: u16,
        take: u16,
    }

    /// What can throw in a method of `T` with this name, flags and code.
    fn of(name: &[u8], flags: u16, put: impl FnOnce(&mut CodeBuilder, &Names, Label)) -> String {
        let mut class = ClassBuilder::new(49, 0x21, b"T", b"java/lang/Object").unwrap();
        for (flags, name, descriptor) in
            [(2, b"number", &b"I"[..]), (2, b"wide00", b"J"), (0x12, b"fixed0", b"I"), (10, b"static", b"I")]
        {
            class.field(flags, name, descriptor).unwrap();
        }
        let pool = &mut class.pool;
        let names = Names {
            number: pool.add_field(b"T", b"number", b"I").unwrap(),
            wide: pool.add_field(b"T", b"wide00", b"J").unwrap(),
            constant: pool.add_field(b"T", b"fixed0", b"I").unwrap(),
            of_another: pool.add_field(b"U", b"number", b"I").unwrap(),
            inherited: pool.add_field(b"T", b"number", b"J").unwrap(),
            take: pool.add_method(b"T", b"take", b"(IJ)I").unwrap(),
        };
        let mut code = CodeBuilder::new(8, 4);
        let out = code.label();
        put(&mut code, &names, out);
        code.mark(out).op(Opcode::RETURN);
        class.method(flags, name, b"(I)V", Some(&code), &[]).unwrap();
        let bytes = class.finish();
        let class = ClassFile::parse(&bytes).unwrap();
        let bodies = instrument::bodies(&class);
        let body = bodies[0].as_ref().unwrap().as_ref().unwrap();
        let ops = body.throwing.iter().map(|index| body.code.instructions[index].opcode.name());
        ops.collect::<Vec<_>>().join(" ")
    }

    fn op(opcode: Opcode, index: u16) -> Instruction {
        Instruction::with_constant(opcode, index)
    }

    #[test]
    fn fields_of_this_object() {
        use Opcode as O;
        // number = number + 1, by way of a copy; wide = number
        let plain = of(b"m", 1, |code, names, _| {
            code.op(O::ALOAD_0).op(O::DUP).op(op(O::GETFIELD, names.number)).op(O::DUP_X1);
            code.op(O::ICONST_1).op(O::IADD).op(op(O::PUTFIELD, names.number)).op(O::POP);
            code.op(O::ALOAD_0).op(O::ALOAD_0).op(op(O::GETFIELD, names.number)).op(O::I2L);
            code.op(O::DUP2_X1).op(op(O::PUTFIELD, names.wide)).op(O::POP2);
        });
        assert_eq!(plain, "");
        // A call, and a branch that is not taken, leave what lies below.
        let across = of(b"m", 1, |code, names, out| {
            code.op(O::ALOAD_0).op(O::ALOAD_0).op(O::ICONST_1).op(O::LCONST_0);
            code.op(op(O::INVOKEVIRTUAL, names.take)).op(O::ILOAD_1).jump(O::IFEQ, out);
            code.op(op(O::PUTFIELD, names.number));
        });
        assert_eq!(across, "invokevirtual");
        // Nothing is known where two ways meet.
        let met = of(b"m", 1, |code, names, _| {
            let there = code.label();
            code.op(O::ALOAD_0).op(O::ILOAD_1).jump(O::IFEQ, there);
            code.op(O::NOP).mark(there).op(op(O::GETFIELD, names.number)).op(O::POP);
        });
        assert_eq!(met, "getfield");
        // Another object, another class, and what the class has not itself.
        let others = of(b"m", 1, |code, names, _| {
            code.op(O::ALOAD_2).op(op(O::GETFIELD, names.number)).op(O::POP);
            code.op(O::ALOAD_0).op(op(O::GETFIELD, names.of_another)).op(O::POP);
            code.op(O::ALOAD_0).op(op(O::GETFIELD, names.inherited)).op(O::POP2);
            code.op(O::ALOAD_0).op(O::ALOAD_2).op(O::SWAP).op(O::POP);
            code.op(op(O::GETFIELD, names.number)).op(O::POP);
        });
        assert_eq!(others, "getfield getfield getfield getfield");
        let write = |code: &mut CodeBuilder, names: &Names, _| {
            code.op(O::ALOAD_0).op(O::ICONST_1).op(op(O::PUTFIELD, names.constant));
        };
        assert_eq!((of(b"m", 1, write), of(b"<init>", 1, write)), ("putfield".to_owned(), String::new()));
        assert_eq!(of(b"m", 9, write), "putfield");
        let stored = of(b"m", 1, |code, names, _| {
            code.op(O::ALOAD_0).op(op(O::GETFIELD, names.number)).op(O::POP);
            code.op(O::ACONST_NULL).op(O::ASTORE_0);
        });
        assert_eq!(stored, "getfield");
    }

    #[test]
    fn divisions_by_a_constant() {
        use Opcode as O;
        let divided = |by: Instruction| {
            of(b"m", 9, move |code, _, _| {
                code.op(O::ILOAD_0).op(by).op(O::IDIV).op(O::POP);
            })
        };
        assert_eq!(
            (divided(O::ICONST_2.into()), divided(O::ICONST_0.into())),
            (String::new(), "idiv".to_owned())
        );
        assert_eq!(divided(Instruction::push_small(100)), "");
        assert_eq!(divided(Instruction { opcode: O::BIPUSH, operand: Operand::Byte(0) }), "idiv");
        let led_to = of(b"m", 9, |code, _, _| {
            let there = code.label();
            code.op(O::ILOAD_0).op(O::ICONST_0).op(O::ILOAD_0).jump(O::IFEQ, there);
            code.op(O::POP).op(O::ICONST_1).mark(there).op(O::IREM).op(O::POP);
        });
        assert_eq!(led_to, "irem");
    }
}
