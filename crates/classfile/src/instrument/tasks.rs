//! Following a task into the thread that runs it: what is inserted into the classes that take tasks and run them.
//!
//! ```java
//! static void passes(Object task)       // a thread hands over a task
//! static int  takes(Object task)        // a thread begins one: 0 if it is not recorded
//! static void leaves(int taken)         // it has ended; `taken`: what `takes` gave
//! static void drops(Object task)        // it will not begin: it is refused, or taken out of a queue
//! static void starts(Object task)       // a thread of a pool begins one
//! static void idles()                   // it looks for the next one
//! static void startsThread(Object thread)
//! ```
//!
//! A thread of a pool that was there before runs the old code of the loop in which it takes tasks for ever, but what that
//! loop calls is new: so a task is begun and ended by methods that it calls, too.
//!
//! The object that is handed over is the one that runs, so nothing of the program's is wrapped or replaced: an executor's queue holds,
//! compares and removes what it did before. Where an executor wraps a task, as in a `FutureTask`, the wrapper is the task.

use super::plan::Recorder;
use crate::class_file::ClassFile;
use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::edit::{Edits, InsertionPoint};
use crate::error;
use crate::instruction::{Instruction, Operand};
use crate::limits::COMPILE_LIMIT;
use crate::opcode::Opcode;
use crate::skipped::Skipped;
use crate::stack_map::VerificationType;

/// What a method does with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It hands over what this local holds when it begins.
    Passes(u16),
    /// What this local holds when it begins will not run.
    Drops(u16),
    /// Its object is a task, and it runs it.
    Runs,
    /// It calls `run()` of one.
    Calls,
    /// It is called before the one in this local runs.
    Starts(u16),
    /// It is called when there is none.
    Idles,
    /// It starts a thread, its object.
    StartsThread,
}

/// A class, a method of it, the beginning of its descriptor, and what it does.
pub(super) type Point<T> = (&'static str, &'static str, &'static str, T);

const THIS: u16 = 0;

/// The methods by which tasks go from thread to thread, in the JDK from 11 on and in Tomcat, by their classes.
///
/// A pool is asked in one method only, so that a task which is handed over once counts once. A platform thread that is started is
/// none of these: it may be that of a pool, which goes on when the call that needed it has long ended. A virtual thread is one.
const POINTS: [Point<Role>; 20] = [
    ("java.util.concurrent.ThreadPoolExecutor", "execute", "(Ljava/lang/Runnable;)V", Role::Passes(1)),
    ("java.util.concurrent.ThreadPoolExecutor", "reject", "(Ljava/lang/Runnable;)V", Role::Drops(1)),
    ("java.util.concurrent.ThreadPoolExecutor", "remove", "(Ljava/lang/Runnable;)Z", Role::Drops(1)),
    ("java.util.concurrent.ThreadPoolExecutor", "runWorker", "(L", Role::Calls),
    ("java.util.concurrent.ThreadPoolExecutor", "beforeExecute", "(Ljava/lang/Thread;", Role::Starts(2)),
    ("java.util.concurrent.ThreadPoolExecutor", "getTask", "()", Role::Idles),
    ("java.util.concurrent.ScheduledThreadPoolExecutor", "delayedExecute", "(L", Role::Passes(1)),
    // JDK 21 and later; before, `externalSubmit` is behind all others.
    ("java.util.concurrent.ForkJoinPool", "poolSubmit", "(ZL", Role::Passes(2)),
    ("java.util.concurrent.ForkJoinPool", "externalSubmit", "(L", Role::Passes(1)),
    ("java.util.concurrent.ForkJoinTask", "fork", "()", Role::Passes(THIS)),
    ("java.util.concurrent.ForkJoinTask", "doExec", "()", Role::Runs),
    // What runs the stages of a `CompletableFuture` where there is one processor, in a thread for each.
    ("java.util.concurrent.CompletableFuture$ThreadPerTaskExecutor", "execute", "(L", Role::Passes(1)),
    ("java.util.concurrent.CompletableFuture$AsyncRun", "run", "()V", Role::Runs),
    ("java.util.concurrent.CompletableFuture$AsyncSupply", "run", "()V", Role::Runs),
    ("java.util.concurrent.CompletableFuture$Completion", "run", "()V", Role::Runs),
    ("java.lang.VirtualThread", "start", "(Ljdk/internal/vm/ThreadContainer;)V", Role::Passes(THIS)),
    (
        "org.apache.tomcat.util.threads.ThreadPoolExecutor",
        "execute",
        "(Ljava/lang/Runnable;)V",
        Role::Passes(1),
    ),
    ("org.apache.tomcat.util.threads.ThreadPoolExecutor", "runWorker", "(L", Role::Calls),
    (
        "org.apache.tomcat.util.threads.ThreadPoolExecutor",
        "beforeExecute",
        "(Ljava/lang/Thread;",
        Role::Starts(2),
    ),
    ("org.apache.tomcat.util.threads.ThreadPoolExecutor", "getTask", "()", Role::Idles),
];

/// The methods that start platform threads.
const THREADS: [Point<Role>; 2] = [
    ("java.lang.Thread", "start", "()V", Role::StartsThread),
    // JDK 19 and later.
    ("java.lang.Thread", "start", "(Ljdk/internal/vm/ThreadContainer;)V", Role::StartsThread),
];

/// Whether this class (its name with dots) starts platform threads.
pub fn start_threads(class: &str) -> bool {
    THREADS.iter().any(|(of, ..)| *of == class)
}

/// Whether tasks go from thread to thread by this class (its name with dots).
pub fn go_through(class: &str) -> bool {
    POINTS.iter().any(|(of, ..)| *of == class)
}

/// Inserts the calls into the class with this name, which tasks [`go_through`] or which [starts threads](start_threads). On failure the class is not to be used.
pub fn follow(class: &mut ClassFile<'_>, name: &str, recorder: &Recorder) -> Result<(), Skipped> {
    let mut points = points_of(class, name, &POINTS)?;
    points.extend(points_of(class, name, &THREADS)?);
    for (number, role) in points {
        let Some(method) = class.methods.get(number).cloned() else { continue };
        let Some(code) = class.code(&method)? else { continue };
        let edits = match role {
            Role::Passes(local) => {
                at_entry(&code, b"passes", Some(local), recorder, &mut class.constant_pool)?
            }
            Role::Drops(local) => at_entry(&code, b"drops", Some(local), recorder, &mut class.constant_pool)?,
            Role::Starts(local) => {
                at_entry(&code, b"starts", Some(local), recorder, &mut class.constant_pool)?
            }
            Role::StartsThread => {
                at_entry(&code, b"startsThread", Some(THIS), recorder, &mut class.constant_pool)?
            }
            Role::Idles => at_entry(&code, b"idles", None, recorder, &mut class.constant_pool)?,
            Role::Runs | Role::Calls => takes(&code, role, recorder, &mut class.constant_pool)?,
        };
        class.rewrite(number, &edits, COMPILE_LIMIT)?;
    }
    Ok(())
}

/// The methods of the class that a table names, by their numbers, and what the table says of each.
pub(super) fn points_of<T: Copy>(
    class: &ClassFile<'_>,
    name: &str,
    points: &[Point<T>],
) -> error::Result<Vec<(usize, T)>> {
    let mut found = Vec::new();
    for (_, called, descriptor, what) in points.iter().filter(|(of, ..)| *of == name) {
        let before = found.len();
        for (number, method) in class.methods.iter().enumerate() {
            let pool = &class.constant_pool;
            let is_named = pool.utf8(method.name)? == called.as_bytes();
            if is_named && pool.utf8(method.descriptor)?.starts_with(descriptor.as_bytes()) {
                found.push((number, *what));
            }
        }
        if *called == "poolSubmit" && found.len() > before {
            break;
        }
    }
    Ok(found)
}

/// A call at the beginning of a method, with what a local holds then.
fn at_entry(
    code: &Code<'_>,
    name: &[u8],
    local: Option<u16>,
    recorder: &Recorder,
    pool: &mut ConstantPool<'_>,
) -> error::Result<Edits> {
    let descriptor: &[u8] = if local.is_some() { b"(Ljava/lang/Object;)V" } else { b"()V" };
    let method = pool.add_method(recorder.class, name, descriptor)?;
    let load = local.map(|local| Instruction::with_local(Opcode::ALOAD, local));
    let call = Instruction::with_constant(Opcode::INVOKESTATIC, method);
    let mut edits = Edits::of(code);
    edits.insert(InsertionPoint::MethodEntry, load.into_iter().chain([call]));
    Ok(edits)
}

fn takes(
    code: &Code<'_>,
    role: Role,
    recorder: &Recorder,
    pool: &mut ConstantPool<'_>,
) -> Result<Edits, Skipped> {
    let takes = pool.add_method(recorder.class, b"takes", b"(Ljava/lang/Object;)I")?;
    let takes = Instruction::with_constant(Opcode::INVOKESTATIC, takes);
    if role == Role::Runs {
        return around(code, THIS, takes, recorder, pool);
    }
    let (mut edits, store, leaves) = leaving(code, recorder, pool)?;
    edits.insert(InsertionPoint::MethodEntry, [Opcode::ICONST_0.into(), store.clone()]);
    let calls = code.instructions.iter().zip(&code.pcs).zip(code.pcs.iter().skip(1));
    for ((instruction, pc), next) in calls {
        if runs_a_task(instruction, pool)? {
            edits.insert(InsertionPoint::Before(*pc), [Opcode::DUP.into(), takes.clone(), store.clone()]);
            edits.insert(InsertionPoint::FallThrough { into: *next }, leaves.clone());
        }
    }
    // An exception of a task ends its thread, which does not look for another task.
    let idles = pool.add_method(recorder.class, b"idles", b"()V")?;
    let idles = Instruction::with_constant(Opcode::INVOKESTATIC, idles);
    edits.catch_all_with_new_locals(leaves.into_iter().chain([idles]));
    Ok(edits)
}

/// Around a whole method: `begins`, which takes what this local holds and gives an int, and `leaves` with that int.
pub(super) fn around(
    code: &Code<'_>,
    local: u16,
    begins: Instruction,
    recorder: &Recorder,
    pool: &mut ConstantPool<'_>,
) -> Result<Edits, Skipped> {
    let (mut edits, store, leaves) = leaving(code, recorder, pool)?;
    let load = Instruction::with_local(Opcode::ALOAD, local);
    edits.insert(InsertionPoint::MethodEntry, [load, begins, store]);
    for (instruction, pc) in code.instructions.iter().zip(&code.pcs) {
        if instruction.opcode.is_return() {
            edits.insert(InsertionPoint::Before(*pc), leaves.clone());
        }
    }
    Ok(edits)
}

/// Edits whose catch-all leaves what was begun, how that is stored in their local, and how it is left.
fn leaving(
    code: &Code<'_>,
    recorder: &Recorder,
    pool: &mut ConstantPool<'_>,
) -> Result<(Edits, Instruction, [Instruction; 2]), Skipped> {
    let leaves = pool.add_method(recorder.class, b"leaves", b"(I)V")?;
    let mut edits = Edits::of(code);
    let begun = edits.new_local(VerificationType::Integer).ok_or(Skipped::TooManySlots)?;
    let load = Instruction::with_local(Opcode::ILOAD, begun);
    let leaves = [load, Instruction::with_constant(Opcode::INVOKESTATIC, leaves)];
    edits.catch_all_with_new_locals(leaves.clone());
    Ok((edits, Instruction::with_local(Opcode::ISTORE, begun), leaves))
}

/// Whether it is a call of `Runnable.run()`.
fn runs_a_task(instruction: &Instruction, pool: &ConstantPool<'_>) -> error::Result<bool> {
    let Operand::Interface { method, .. } = instruction.operand else { return Ok(false) };
    let member = pool.member(method)?;
    Ok(member.class == Some(b"java/lang/Runnable") && member.name == b"run")
}
