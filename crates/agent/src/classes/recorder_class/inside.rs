//! Who is inside a call of a named method: see [`classfile::instrument::inside`].
//!
//! ```java
//! public static int inside() {
//!     if (open == 0) return 0;
//!     if (inside == Thread.currentThread()) return 1;
//!     return others == 0 ? 0 : depth();
//! }
//! private static int depth() { /* as other, but for a thread without a buffer 0 */ return b.depth; }
//! ```

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::{Opcode, Result};

use super::{Attribute, Names, PRIVATE_STATIC, PUBLIC_STATIC, RECORDER_CLASS, THREAD, with};

/// The natives that are asked where a call of a named method begins and ends, see [`classfile::instrument::inside`].
pub(super) const NATIVES: [(&str, &str); 9] = [
    ("begins", "(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;)Z"),
    ("ends", "(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;)V"),
    // The same for tasks that a thread inside hands over, see [`classfile::instrument::tasks`].
    ("pass", "(Ljava/lang/TracewrightRecorder;Ljava/lang/Object;)V"),
    ("take", "(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;Ljava/lang/Object;)Z"),
    ("drop", "(Ljava/lang/Object;)V"),
    ("start", "(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;Ljava/lang/Object;)V"),
    ("idle", "(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;)V"),
    // And for a request, see [`classfile::instrument::requests`].
    ("ask", "(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;Ljava/lang/Object;)I"),
    ("leave", "(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;I)V"),
];

/// Adds them to the class.
pub(super) fn add(class: &mut ClassBuilder, names: &Names, hidden: &[Attribute<'_>]) -> Result<()> {
    let inside = names.inside(class)?;
    class.method(PUBLIC_STATIC, b"inside", b"()I", Some(&inside), hidden)?;
    class.method(PRIVATE_STATIC, b"depth", b"()I", Some(&names.depth()), hidden)
}

impl Names {
    /// Whether the thread is inside a call of a named method.
    fn inside(&self, class: &mut ClassBuilder) -> Result<CodeBuilder> {
        let pool = &mut class.pool;
        let first = pool.add_field(RECORDER_CLASS, b"inside", THREAD)?;
        let others = pool.add_field(RECORDER_CLASS, b"others", b"I")?;
        let depth = pool.add_method(RECORDER_CLASS, b"depth", b"()I")?;
        let open = pool.add_field(RECORDER_CLASS, b"open", b"I")?;
        let mut code = CodeBuilder::new(2, 0);
        let [somebody, not_first, search] = [code.label(), code.label(), code.label()];
        code.op(with(Opcode::GETSTATIC, open));
        code.jump(Opcode::IFNE, somebody).op(Opcode::ICONST_0).op(Opcode::IRETURN);
        code.mark(somebody).frame(somebody, &[], &[]);
        code.op(with(Opcode::GETSTATIC, first)).op(with(Opcode::INVOKESTATIC, self.current));
        code.jump(Opcode::IF_ACMPNE, not_first).op(Opcode::ICONST_1).op(Opcode::IRETURN);
        code.mark(not_first).frame(not_first, &[], &[]);
        code.op(with(Opcode::GETSTATIC, others)).jump(Opcode::IFNE, search);
        code.op(Opcode::ICONST_0).op(Opcode::IRETURN);
        code.mark(search).frame(search, &[], &[]);
        code.op(with(Opcode::INVOKESTATIC, depth)).op(Opcode::IRETURN);
        Ok(code)
    }

    /// In how many calls of named methods the thread is, by its buffer.
    fn depth(&self) -> CodeBuilder {
        let mut code = self.sought(false);
        code.op(with(Opcode::GETFIELD, self.depth)).op(Opcode::IRETURN);
        code
    }
}
