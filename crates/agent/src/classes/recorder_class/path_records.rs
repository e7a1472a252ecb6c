//! The methods for paths: each writes one record of up to four words. What they are is written down
//! at [`classfile::instrument::plan::Recorder`].

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::stack_map::VerificationType as V;
use classfile::{Instruction, Opcode, Result};

use super::{Attribute, BUFFER, Names, PUBLIC_STATIC, RECORDER, many_iterations, with};

/// A word of a record.
#[derive(Clone, Copy)]
enum Word {
    /// The int in a local.
    Local(u16),
    /// The same with how many words follow in its two upper bits.
    First(u16, u8),
    /// The int in a local, plus 1.
    PlusOne(u16),
    /// How far the caller is.
    At,
}

impl Word {
    /// The local with the iterations that it states.
    fn iterations(self) -> Option<u16> {
        match self {
            Word::PlusOne(slot) => Some(slot),
            _ => None,
        }
    }
}

/// Whether a method is given the thread's buffer, before the numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Buffer {
    Given,
    /// It looks it up.
    Sought,
    /// The same, and it answers with it.
    Returned,
}

impl Buffer {
    /// The end of a method. `load`: what pushes the buffer.
    fn answer(self, code: &mut CodeBuilder, load: Instruction) {
        match self {
            Buffer::Returned => code.op(load).op(Opcode::ARETURN),
            _ => code.op(Opcode::RETURN),
        };
    }
}

/// Adds them to the class.
pub(super) fn add(class: &mut ClassBuilder, names: &Names, hidden: &[Attribute<'_>]) -> Result<()> {
    use Word::{At, First, Local, PlusOne};
    let of_buffer = |numbers: &[u8]| [b"(", BUFFER, numbers].concat();
    let here = names.here();
    class.method(PUBLIC_STATIC, b"here", &[b"()", BUFFER].concat(), Some(&here), hidden)?;
    let more = names.upper_bits(class)?;
    let begin = names.record(&more, &[First(0, 1), At], 1, Buffer::Returned, true);
    class.method(PUBLIC_STATIC, b"begin", &RECORDER.enter_descriptor(), Some(&begin), hidden)?;
    // Locals: 0 buffer, 1 and 2 the numbers.
    let shapes: [(&[u8], &[Word], bool); 6] = [
        (b"path", &[Local(1)], false),
        (b"cut", &[Local(1)], true),
        (b"first", &[First(1, 1), At], true),
        (b"last", &[First(1, 1), At], false),
        (b"counted", &[First(1, 1), PlusOne(2)], true),
        (b"firstCounted", &[First(1, 2), At, PlusOne(2)], true),
    ];
    for (name, words, forgets) in shapes {
        let numbers = 1 + u16::from(name.ends_with(b"ounted"));
        let code = names.record(&more, words, numbers, Buffer::Given, forgets);
        let descriptor = of_buffer(if numbers == 2 { b"II)V" } else { b"I)V" });
        class.method(PUBLIC_STATIC, name, &descriptor, Some(&code), hidden)?;
    }
    // Locals: the numbers alone.
    let sought: [(&[u8], &[Word], u16); 4] = [
        (b"whole", &[First(0, 1), At], 1),
        (b"wholeCounted", &[First(0, 2), At, PlusOne(1)], 2),
        (b"thrown", &[First(0, 2), Local(1), At], 2),
        (b"thrown", &[First(0, 3), Local(1), At, PlusOne(2)], 3),
    ];
    for (name, words, numbers) in sought {
        let descriptor = [b"(", &b"III"[..usize::from(numbers).min(3)], b")V"].concat();
        let code = names.record(&more, words, numbers, Buffer::Sought, name == b"thrown");
        class.method(PUBLIC_STATIC, name, &descriptor, Some(&code), hidden)?;
    }
    many_iterations::add(class, names, hidden)
}

/// Constants for the upper bits of a word: 1, 2 and 3 words follow; steps of the cursor; the lower
/// half of a long.
struct More {
    follow: [u16; 3],
    steps: [u16; 5],
    low: u16,
}

impl Names {
    fn upper_bits(&self, class: &mut ClassBuilder) -> Result<More> {
        let pool = &mut class.pool;
        let mut follow = [0; 3];
        for (index, value) in [1 << 30, i32::MIN, i32::MIN | 1 << 30].into_iter().enumerate() {
            if let Some(slot) = follow.get_mut(index) {
                *slot = pool.add_integer(value)?;
            }
        }
        let mut steps = [0; 5];
        for (count, step) in (0..).zip(&mut steps) {
            *step = pool.add_long(4 * count)?;
        }
        Ok(More { follow, steps, low: pool.add_long(0xffff_ffff)? })
    }

    fn here(&self) -> CodeBuilder {
        let mut code = CodeBuilder::new(2, 1);
        let found = code.label();
        self.look_up(&mut code, found, &[], 0);
        code.op(Opcode::ALOAD_0).op(Opcode::ARETURN);
        code
    }

    /// A record of these words. `forgets`: where the caller is is recorded now.
    fn record(&self, more: &More, words: &[Word], numbers: u16, from: Buffer, forgets: bool) -> CodeBuilder {
        let is_given = from == Buffer::Given;
        // Locals: the buffer where it is given, the numbers, the buffer where it is sought, the cursor.
        let (buffer, cursor) = (if is_given { 0 } else { numbers }, numbers + 1);
        let mut code = CodeBuilder::new(9, cursor + 2);
        let space = code.label();
        let ints = vec![V::Integer; usize::from(numbers)];
        let mut known = if is_given { vec![V::Object(self.buffer)] } else { Vec::new() };
        known.extend(&ints);
        if !is_given {
            let found = code.label();
            self.look_up(&mut code, found, &ints, buffer);
            known.push(V::Object(self.buffer));
        }
        if let Some(iterations) = words.iter().find_map(|word| word.iterations()) {
            self.put_most(&mut code, iterations, &known);
        }
        let load = || Instruction::with_local(Opcode::ALOAD, buffer);
        let at = || Instruction::with_local(Opcode::LLOAD, cursor);
        let store = || Instruction::with_local(Opcode::LSTORE, cursor);
        code.op(load()).op(with(Opcode::GETFIELD, self.cursor)).op(store());
        code.op(at()).op(load()).op(with(Opcode::GETFIELD, self.end)).op(Opcode::LCMP);
        code.jump(Opcode::IFLT, space);
        code.op(load()).op(with(Opcode::INVOKESTATIC, self.full)).op(store());
        known.push(V::Long);
        code.mark(space).frame(space, &known, &[]);

        // Where nothing is new half of the record is enough, and `at` is what it would be set to.
        if let [Word::First(slot, 1), Word::At] = *words {
            let with_state = code.label();
            code.op(load()).op(with(Opcode::GETFIELD, self.at)).op(Opcode::ICONST_1);
            code.jump(Opcode::IF_ICMPNE, with_state);
            code.op(with(Opcode::GETSTATIC, self.u))
                .op(at())
                .op(Instruction::with_local(Opcode::ILOAD, slot));
            code.op(with(Opcode::INVOKEVIRTUAL, self.put_int));
            code.op(load()).op(at()).op(with(Opcode::LDC2_W, self.four)).op(Opcode::LADD);
            code.op(with(Opcode::PUTFIELD, self.cursor));
            from.answer(&mut code, load());
            code.mark(with_state).frame(with_state, &known, &[]);
        }

        // The last words first: a record is there when its first word is, for a zero ends the chunk.
        let pairs = words.chunks(2).enumerate().collect::<Vec<_>>();
        for (index, pair) in pairs.into_iter().rev() {
            code.op(with(Opcode::GETSTATIC, self.u)).op(at());
            if index > 0 {
                let step = more.steps.get(index * 2).copied().unwrap_or(self.four);
                code.op(with(Opcode::LDC2_W, step)).op(Opcode::LADD);
            }
            match *pair {
                [low, high] => {
                    self.push(&mut code, more, low, buffer);
                    code.op(Opcode::I2L).op(with(Opcode::LDC2_W, more.low)).op(Opcode::LAND);
                    self.push(&mut code, more, high, buffer);
                    code.op(Opcode::I2L).op(Instruction::push_small(32)).op(Opcode::LSHL).op(Opcode::LOR);
                    code.op(with(Opcode::INVOKEVIRTUAL, self.put_long));
                }
                [word, ..] => {
                    self.push(&mut code, more, word, buffer);
                    code.op(with(Opcode::INVOKEVIRTUAL, self.put_int));
                }
                [] => {}
            }
        }
        let step = more.steps.get(words.len()).copied().unwrap_or(self.four);
        code.op(load()).op(at()).op(with(Opcode::LDC2_W, step)).op(Opcode::LADD);
        code.op(with(Opcode::PUTFIELD, self.cursor));
        if forgets {
            code.op(load()).op(Opcode::ICONST_1).op(with(Opcode::PUTFIELD, self.at));
        }
        from.answer(&mut code, load());
        code
    }

    fn push(&self, code: &mut CodeBuilder, more: &More, word: Word, buffer: u16) {
        let int = |slot| Instruction::with_local(Opcode::ILOAD, slot);
        match word {
            Word::Local(slot) => code.op(int(slot)),
            Word::First(slot, following) => {
                let bits = more.follow.get(usize::from(following) - 1).copied().unwrap_or(0);
                code.op(int(slot)).op(Instruction::load_constant(bits)).op(Opcode::IOR)
            }
            Word::PlusOne(slot) => code.op(int(slot)).op(Opcode::ICONST_1).op(Opcode::IADD),
            Word::At => {
                code.op(Instruction::with_local(Opcode::ALOAD, buffer)).op(with(Opcode::GETFIELD, self.at))
            }
        };
    }
}
