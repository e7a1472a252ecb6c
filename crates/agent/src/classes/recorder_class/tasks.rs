//! The methods that follow a task into another thread, and that ask a request for its path: see [`classfile::instrument::tasks`] and
//! [`classfile::instrument::requests`].
//!
//! ```java
//! public static void passes(Object task) { if (everywhere != 0 || inside() != 0) pass(here(), task); }
//! public static void startsThread(Object thread) { if (everywhere != 0) pass(here(), thread); }
//! public static int  takes(Object task)  { return passed == 0 ? 0 : take(here(), Thread.currentThread(), task); }
//! public static void drops(Object task)  { if (passed != 0) drop(task); }
//! public static void starts(Object task) { if (passed != 0) start(here(), Thread.currentThread(), task); }
//! public static void idles()             { if (inside() != 0) idle(here(), Thread.currentThread()); }
//! public static int  asks(Object request) { return inside() != 0 ? 0 : ask(here(), Thread.currentThread(), request); }
//! public static void leaves(int begun)   { if (begun != 0) leave(here(), Thread.currentThread(), begun); }
//! ```

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::stack_map::VerificationType as V;
use classfile::{Opcode, Result};

use super::{Attribute, BUFFER, Names, PUBLIC_STATIC, RECORDER_CLASS, THREAD, with};

/// Adds them to the class.
pub(super) fn add(class: &mut ClassBuilder, names: &Names, hidden: &[Attribute<'_>]) -> Result<()> {
    let pool = &mut class.pool;
    let object = pool.add_class(b"java/lang/Object")?;
    let inside = pool.add_method(RECORDER_CLASS, b"inside", b"()I")?;
    let pass = pool.add_method(RECORDER_CLASS, b"pass", &[b"(", BUFFER, b"Ljava/lang/Object;)V"].concat())?;
    let everywhere = pool.add_field(RECORDER_CLASS, b"everywhere", b"I")?;
    let passed = pool.add_field(RECORDER_CLASS, b"passed", b"I")?;
    let here = pool.add_method(RECORDER_CLASS, b"here", &[b"()", BUFFER].concat())?;
    let of_thread = [b"(", BUFFER, THREAD].concat();
    let take = [&of_thread[..], b"Ljava/lang/Object;)Z"].concat();
    let take = pool.add_method(RECORDER_CLASS, b"take", &take)?;
    let ask = pool.add_method(RECORDER_CLASS, b"ask", &[&of_thread[..], b"Ljava/lang/Object;)I"].concat())?;
    let leave = pool.add_method(RECORDER_CLASS, b"leave", &[&of_thread[..], b"I)V"].concat())?;

    let mut passes = CodeBuilder::new(2, 1);
    let [wanted, outside] = [passes.label(), passes.label()];
    passes.op(with(Opcode::GETSTATIC, everywhere)).jump(Opcode::IFNE, wanted);
    passes.op(with(Opcode::INVOKESTATIC, inside)).jump(Opcode::IFEQ, outside);
    passes.mark(wanted).frame(wanted, &[V::Object(object)], &[]);
    passes.op(with(Opcode::INVOKESTATIC, here)).op(Opcode::ALOAD_0).op(with(Opcode::INVOKESTATIC, pass));
    passes.mark(outside).frame(outside, &[V::Object(object)], &[]);
    passes.op(Opcode::RETURN);
    class.method(PUBLIC_STATIC, b"passes", b"(Ljava/lang/Object;)V", Some(&passes), hidden)?;

    let mut starts_thread = CodeBuilder::new(2, 1);
    let unwanted = starts_thread.label();
    starts_thread.op(with(Opcode::GETSTATIC, everywhere)).jump(Opcode::IFEQ, unwanted);
    starts_thread.op(with(Opcode::INVOKESTATIC, here)).op(Opcode::ALOAD_0);
    starts_thread.op(with(Opcode::INVOKESTATIC, pass));
    starts_thread.mark(unwanted).frame(unwanted, &[V::Object(object)], &[]);
    starts_thread.op(Opcode::RETURN);
    class.method(PUBLIC_STATIC, b"startsThread", b"(Ljava/lang/Object;)V", Some(&starts_thread), hidden)?;

    let begins = [
        (&b"takes"[..], with(Opcode::GETSTATIC, passed), Opcode::IFNE, take),
        (b"asks", with(Opcode::INVOKESTATIC, inside), Opcode::IFEQ, ask),
    ];
    for (name, condition, is_possible, native) in begins {
        let mut code = CodeBuilder::new(3, 1);
        let some = code.label();
        code.op(condition).jump(is_possible, some);
        code.op(Opcode::ICONST_0).op(Opcode::IRETURN);
        code.mark(some).frame(some, &[V::Object(object)], &[]);
        code.op(with(Opcode::INVOKESTATIC, here)).op(with(Opcode::INVOKESTATIC, names.current));
        code.op(Opcode::ALOAD_0).op(with(Opcode::INVOKESTATIC, native)).op(Opcode::IRETURN);
        class.method(PUBLIC_STATIC, name, b"(Ljava/lang/Object;)I", Some(&code), hidden)?;
    }

    let drop = class.pool.add_method(RECORDER_CLASS, b"drop", b"(Ljava/lang/Object;)V")?;
    let mut drops = CodeBuilder::new(1, 1);
    let empty = drops.label();
    drops.op(with(Opcode::GETSTATIC, passed)).jump(Opcode::IFEQ, empty);
    drops.op(Opcode::ALOAD_0).op(with(Opcode::INVOKESTATIC, drop));
    drops.mark(empty).frame(empty, &[V::Object(object)], &[]);
    drops.op(Opcode::RETURN);
    class.method(PUBLIC_STATIC, b"drops", b"(Ljava/lang/Object;)V", Some(&drops), hidden)?;

    let start = [&of_thread[..], b"Ljava/lang/Object;)V"].concat();
    let start = class.pool.add_method(RECORDER_CLASS, b"start", &start)?;
    let mut starts = CodeBuilder::new(3, 1);
    let none = starts.label();
    starts.op(with(Opcode::GETSTATIC, passed)).jump(Opcode::IFEQ, none);
    starts.op(with(Opcode::INVOKESTATIC, here)).op(with(Opcode::INVOKESTATIC, names.current));
    starts.op(Opcode::ALOAD_0).op(with(Opcode::INVOKESTATIC, start));
    starts.mark(none).frame(none, &[V::Object(object)], &[]);
    starts.op(Opcode::RETURN);
    class.method(PUBLIC_STATIC, b"starts", b"(Ljava/lang/Object;)V", Some(&starts), hidden)?;

    let idle = class.pool.add_method(RECORDER_CLASS, b"idle", &[&of_thread[..], b")V"].concat())?;
    let mut idles = CodeBuilder::new(2, 0);
    let outside = idles.label();
    idles.op(with(Opcode::INVOKESTATIC, inside)).jump(Opcode::IFEQ, outside);
    idles.op(with(Opcode::INVOKESTATIC, here)).op(with(Opcode::INVOKESTATIC, names.current));
    idles.op(with(Opcode::INVOKESTATIC, idle));
    idles.mark(outside).frame(outside, &[], &[]);
    idles.op(Opcode::RETURN);
    class.method(PUBLIC_STATIC, b"idles", b"()V", Some(&idles), hidden)?;

    let mut leaves = CodeBuilder::new(3, 1);
    let nothing = leaves.label();
    leaves.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, nothing);
    leaves.op(with(Opcode::INVOKESTATIC, here)).op(with(Opcode::INVOKESTATIC, names.current));
    leaves.op(Opcode::ILOAD_0).op(with(Opcode::INVOKESTATIC, leave));
    leaves.mark(nothing).frame(nothing, &[V::Integer], &[]);
    leaves.op(Opcode::RETURN);
    class.method(PUBLIC_STATIC, b"leaves", b"(I)V", Some(&leaves), hidden)
}
