//! Inserting what keeps the values of a method's calls: its arguments at the entry, and its result or what it threw.
//!
//! ```java
//! static native void values(int record)         // what follows is of the method with this first record
//! static native void valueInt(int value)        // one value; also Boolean, Char, Long, Float, Double, Object, This, Withheld
//! static native long entered(BUFFER buffer)     // those were the object and its arguments; its entry comes next
//! static native void returned(long entry)       // that was the result, if there is one, of the call with this number
//! static native void threw(long entry)          // that was the exception
//! ```
//!
//! All of it stands before the records of the same place: if the stack is too full for it, what is recorded is that the method
//! was not entered, or that it was left by an exception. Of a
//! constructor the object is not taken, for it is none yet. What has a name that may be a secret's is withheld
//! ([`is_secret`]), unless its type shows that it is an object of which only the class will be recorded.

use super::plan::Recorder;
use super::{Subject, push_number};
use crate::constant_pool::ConstantPool;
use crate::control_flow_graph::Ending;
use crate::descriptor;
use crate::edit::{Edits, InsertionPoint};
use crate::error::Result;
use crate::filters::is_secret;
use crate::instruction::Instruction;
use crate::modified_utf8::to_text;
use crate::opcode::Opcode;
use crate::parameters;
use crate::skipped::Skipped;
use crate::stack_map::VerificationType;

/// The natives that take one value, with their descriptors.
pub const TAKERS: [(&str, &str); 9] = [
    ("valueBoolean", "(Z)V"),
    ("valueChar", "(C)V"),
    ("valueInt", "(I)V"),
    ("valueLong", "(J)V"),
    ("valueFloat", "(F)V"),
    ("valueDouble", "(D)V"),
    ("valueObject", "(Ljava/lang/Object;)V"),
    ("valueThis", "(Ljava/lang/Object;)V"),
    ("valueWithheld", "()V"),
];

/// Adds to what a plan inserts into a method, whose first record is `first`.
pub fn add(
    subject: &mut Subject<'_, '_>,
    recorder: &Recorder,
    first: u32,
    mut edits: Edits,
) -> std::result::Result<Edits, Skipped> {
    let pool = &mut *subject.pool;
    let name = to_text(pool.utf8(subject.method.name)?);
    let descriptor = pool.utf8(subject.method.descriptor)?.to_vec();
    let (types, result) = descriptor::parts(&descriptor)?;
    let names = parameters::names(subject.method, subject.code, pool);
    let is_secret_method = is_secret(&name);
    let natives = Natives { recorder };
    let number = edits.new_local(VerificationType::Long).ok_or(Skipped::TooManySlots)?;
    let mut all = Edits::of(subject.code);

    let mut run = vec![push_number(first, pool)?, natives.call("values", "(I)V", pool)?];
    let mut slot = 0;
    if !subject.method.is_static() {
        if name != "<init>" {
            run.extend([Opcode::ALOAD_0.into(), natives.call("valueThis", "(Ljava/lang/Object;)V", pool)?]);
        }
        slot = 1;
    }
    for (index, kind) in types.iter().enumerate() {
        let is_secret = names.get(index).and_then(Option::as_deref).is_some_and(is_secret);
        if (is_secret || is_secret_method) && may_reveal(kind) {
            run.push(natives.call("valueWithheld", "()V", pool)?);
        } else {
            run.extend([Instruction::with_local(load(kind), slot), natives.taker(kind, pool)?]);
        }
        slot += slots(kind);
    }
    run.push(natives.buffer("here", &recorder.here_descriptor(), pool)?);
    run.push(natives.buffer("entered", &[b"(L", recorder.buffer, b";)J"].concat(), pool)?);
    run.push(Instruction::with_local(Opcode::LSTORE, number));
    all.insert(InsertionPoint::MethodEntry, run);

    // What is left of an outcome: the number of the entry that it belongs to.
    let outcome = |name, pool: &mut ConstantPool<'_>| -> Result<_> {
        Ok([Instruction::with_local(Opcode::LLOAD, number), natives.call(name, "(J)V", pool)?])
    };
    let begin = |pool: &mut ConstantPool<'_>| -> Result<_> {
        Ok(vec![push_number(first, pool)?, natives.call("values", "(I)V", pool)?])
    };
    for block in subject.graph.blocks.iter().filter(|block| block.ending == Ending::Return) {
        let mut run = begin(pool)?;
        match slots(result) {
            0 => {}
            _ if is_secret_method && may_reveal(result) => {
                run.push(natives.call("valueWithheld", "()V", pool)?)
            }
            1 => run.extend([Opcode::DUP.into(), natives.taker(result, pool)?]),
            _ => run.extend([Opcode::DUP2.into(), natives.taker(result, pool)?]),
        }
        run.extend(outcome("returned", pool)?);
        all.insert(InsertionPoint::Before(block.last), run);
    }
    let mut edits = all.followed_by(edits);
    let mut run = begin(pool)?;
    run.extend([Opcode::DUP.into(), natives.taker(b"L", pool)?]);
    run.extend(outcome("threw", pool)?);
    edits.before_catch_all(run);
    Ok(edits)
}

/// Whether a value of this type can reveal what was hidden: of others only the class is recorded.
fn may_reveal(kind: &[u8]) -> bool {
    match kind.first() {
        Some(b'L') => kind.starts_with(b"Ljava/lang/") || kind.starts_with(b"Ljava/io/Serializable;"),
        Some(b'[' | b'V') => false,
        _ => true,
    }
}

fn slots(kind: &[u8]) -> u16 {
    match kind.first() {
        Some(b'J' | b'D') => 2,
        Some(b'V') | None => 0,
        _ => 1,
    }
}

fn load(kind: &[u8]) -> Opcode {
    match kind.first() {
        Some(b'J') => Opcode::LLOAD,
        Some(b'F') => Opcode::FLOAD,
        Some(b'D') => Opcode::DLOAD,
        Some(b'L' | b'[') => Opcode::ALOAD,
        _ => Opcode::ILOAD,
    }
}

/// Calls of the natives in the recorder's class.
struct Natives<'r> {
    recorder: &'r Recorder,
}

impl Natives<'_> {
    fn call(&self, name: &str, descriptor: &str, pool: &mut ConstantPool<'_>) -> Result<Instruction> {
        self.buffer(name, descriptor.as_bytes(), pool)
    }

    fn buffer(&self, name: &str, descriptor: &[u8], pool: &mut ConstantPool<'_>) -> Result<Instruction> {
        let method = pool.add_method(self.recorder.class, name.as_bytes(), descriptor)?;
        Ok(Instruction::with_constant(Opcode::INVOKESTATIC, method))
    }

    /// The call that takes a value of this type.
    fn taker(&self, kind: &[u8], pool: &mut ConstantPool<'_>) -> Result<Instruction> {
        let index = match kind.first() {
            Some(b'Z') => 0,
            Some(b'C') => 1,
            Some(b'J') => 3,
            Some(b'F') => 4,
            Some(b'D') => 5,
            Some(b'L' | b'[') => 6,
            _ => 2,
        };
        let (name, descriptor) = TAKERS.get(index).copied().unwrap_or_default();
        self.call(name, descriptor, pool)
    }
}
