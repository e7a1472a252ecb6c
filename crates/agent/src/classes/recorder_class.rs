//! The class that instrumented code calls, as bytes; its objects are the threads' buffers, and the
//! notes in them. Defined in `java/lang`, where every class of every loader and module reaches it.
//!
//! One class, not three: where the stack is full, inserted code must not be the first to name a class,
//! for the virtual machine would run a class loader, which takes more stack.
//!
//! ```java
//! public final class TracewrightRecorder {
//!     public long tid, cursor, end;                 // whose; where the next word goes; where the last record may begin
//!     public int at;                                // how far the innermost frame is, or a noted one: only for paths
//!     public int depth;                             // in how many calls that --inside names its thread is
//!     public int activity;                          // what it is in the middle of: 0 nothing, see `Activity`
//!     private static int open, others;              // how many threads are in one, and how many besides this one:
//!     private static Thread inside;
//!     private static int everywhere;                // 1 if tasks are followed wherever they are handed over
//!     private static int passed;                    // how many tasks were handed over in one, and have not begun
//!     static final long[] COUNTS = new long[16 * 2048]; // calls of throttled methods, in shards of threads
//!     public Thread thread;                         // whose, as long as the buffer is a prediction
//!     public TracewrightRecorder late, first;       // the last note that holds something, and the one before all
//!     public TracewrightRecorder next;              // of a note: the one after it
//!     public long iterations;                       // of a note
//!     public TracewrightRecorder(long tid) {
//!         this.tid = tid;
//!         at = 1;
//!         TracewrightRecorder note = new TracewrightRecorder();
//!         note.next = note;                         // the last stands for all that come after it
//!         for (int count = 16; count > 0; count--) {
//!             TracewrightRecorder before = new TracewrightRecorder();
//!             before.next = note;
//!             note = before;
//!         }
//!         late = first = note;
//!     }
//!     private TracewrightRecorder() { }
//!     static final Unsafe U = Unsafe.getUnsafe();
//!     static final long TID = U.objectFieldOffset(Thread.class, "tid");
//!     static final TracewrightRecorder[] TABLE = new TracewrightRecorder[4096 + 2 + 32]; // filled with a nobody's
//!     public static TracewrightRecorder enter(int id) {
//!         TracewrightRecorder b = TABLE[4096];      // of who wrote much lately: a guess that waits for nothing
//!         if (b.thread != Thread.currentThread()) b = other();
//!         rec(b, id);
//!         return b;
//!     }
//!     private static TracewrightRecorder other() {
//!         TracewrightRecorder b = TABLE[4097];
//!         if (b.thread == Thread.currentThread()) return b;
//!         long tid = U.getLong(Thread.currentThread(), TID);
//!         if ((b = TABLE[(int) tid & 4095]).tid == tid) return b;
//!         return find(tid);
//!     }
//!     public static void rec(TracewrightRecorder b, int id) {
//!         long c = b.cursor;
//!         if (c >= b.end) c = full(b);
//!         U.putInt(c, id);                          // first the word, then the cursor: a kill or a
//!         b.cursor = c + 4;                         // stack overflow in between loses nothing else
//!     }
//!     public static void unwind(int id) { /* as enter, without the return */ }
//!     public static void count(int element) {       // threads of one shard that add at the same moment may count once
//!         COUNTS[(((int) U.getLong(Thread.currentThread(), TID) & 15) << 11) + element]++;
//!     }
//!     private static native TracewrightRecorder find(long tid);
//!     private static native long full(TracewrightRecorder b);
//!     // those that know who is inside a named call: classfile::instrument::inside
//!     // those that follow tasks and requests: classfile::instrument::tasks and requests
//!     // and those that keep values of calls: classfile::instrument::values
//! }
//! ```
//!
//! `rec` is written out in `enter` and `unwind` as well. `@Hidden` (two kinds, for old and new JDKs; unknown ones
//! are ignored) keeps them out of stack traces. There is no `@ForceInline`: compilers inline them where they
//! are hot anyway; elsewhere, in handlers above all, it gave them a third more to do, and start-up took
//! up to an eighth longer. Class file version 55 suits all JDKs from 11 on.
//!
//! Whose a guess is stands in the buffer itself, so to try one is to load it and to compare: nobody but a
//! thread itself, in `full`, sets `thread` to it, so whatever buffer says so is the thread's own. When
//! another buffer becomes the guess it is set back to null, for nothing of ours may keep a thread that is over.
//!
//! Memory that one processor writes to is slow to read for another one. So eight unused longs stand between what a
//! thread writes (they come after the other longs) and `thread`, which others read, and nine unused
//! references between that and the next object; what all threads read keeps away from the end of its array.

mod inside;
mod many_iterations;
mod path_records;
mod tasks;

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::instrument::plan::Recorder;
use classfile::instrument::values;
use classfile::stack_map::VerificationType as V;
use classfile::{Instruction, Opcode, Operand, Result};

/// What inserted code calls.
pub(crate) const RECORDER: Recorder = Recorder { class: RECORDER_CLASS, buffer: RECORDER_CLASS };

/// How many buffers the table holds by their threads' numbers: a power of two. After them come those of
/// threads that wrote much lately. They are tried first: their index depends on nothing, so a processor
/// that has predicted right need not wait for the thread's number before it goes on.
pub(crate) const TABLE: i16 = 4096;
/// How many predictions there are.
pub(crate) const PREDICTIONS: i16 = 2;
/// So many elements more, that the next object in memory is not touched with the last.
const APART: i16 = 32;
/// How many methods can be throttled: elements of a shard.
pub(crate) const COUNTERS: i16 = 1 << COUNTERS_BITS;
const COUNTERS_BITS: i16 = 11;
/// Threads count in so many shards, by their numbers: processors that add to the same memory wait for each other.
pub(crate) const SHARDS: i16 = 16;
/// What keeps the buffers of two threads apart.
const APART_BY: [&[u8]; 8] =
    [b"apart1", b"apart2", b"apart3", b"apart4", b"apart5", b"apart6", b"apart7", b"apart8"];
/// The same after what other threads read of a buffer: references, for these stand at its end.
const APART_AFTER: [&[u8]; 9] =
    [b"after1", b"after2", b"after3", b"after4", b"after5", b"after6", b"after7", b"after8", b"after9"];

const RECORDER_CLASS: &[u8] = b"java/lang/TracewrightRecorder";
/// How many frames in a row may find the stack too full to record them. Each that is left frees space,
/// and recording takes as much as a few small frames.
const OVERFLOW_RECORDS: i16 = 16;
const BUFFER: &[u8] = b"Ljava/lang/TracewrightRecorder;";
const THREAD: &[u8] = b"Ljava/lang/Thread;";
const BUFFERS: &[u8] = b"[Ljava/lang/TracewrightRecorder;";
const UNSAFE: &[u8] = b"Ljdk/internal/misc/Unsafe;";
const UNSAFE_CLASS: &[u8] = b"jdk/internal/misc/Unsafe";
const JDK_11: u16 = 55;
/// `T_LONG`, the element kind of a `long[]`.
const OF_LONGS: u8 = 11;
const PUBLIC_FINAL_SUPER: u16 = 0x31;
const PUBLIC: u16 = 0x1;
const PRIVATE: u16 = 0x2;
const PUBLIC_STATIC: u16 = 0x9;
const STATIC_FINAL: u16 = 0x18;
const PRIVATE_STATIC: u16 = 0xa;
const PRIVATE_STATIC_NATIVE: u16 = 0x10a;
const PUBLIC_STATIC_NATIVE: u16 = 0x109;
const STATIC: u16 = 0x8;

/// The natives that the code inserted for values calls besides those that take a value, see [`values`].
const VALUE_NATIVES: [(&str, &str); 4] = [
    ("values", "(I)V"),
    ("entered", "(Ljava/lang/TracewrightRecorder;)J"),
    ("returned", "(J)V"),
    ("threw", "(J)V"),
];

/// The recorder's class.
pub(crate) fn recorder() -> Result<Vec<u8>> {
    let mut class = ClassBuilder::new(JDK_11, PUBLIC_FINAL_SUPER, RECORDER_CLASS, b"java/lang/Object")?;
    class.field(STATIC_FINAL, b"U", UNSAFE)?;
    class.field(STATIC_FINAL, b"TID", b"J")?;
    class.field(STATIC_FINAL, b"TABLE", BUFFERS)?;
    for field in [&b"tid"[..], b"cursor", b"end", b"iterations"].into_iter().chain(APART_BY) {
        class.field(PUBLIC, field, b"J")?;
    }
    class.field(PUBLIC, b"at", b"I")?;
    class.field(PUBLIC, b"depth", b"I")?;
    class.field(PUBLIC, b"activity", b"I")?;
    class.field(PRIVATE_STATIC, b"inside", THREAD)?;
    class.field(PRIVATE_STATIC, b"open", b"I")?;
    class.field(PRIVATE_STATIC, b"others", b"I")?;
    class.field(PRIVATE_STATIC, b"everywhere", b"I")?;
    class.field(PRIVATE_STATIC, b"passed", b"I")?;
    class.field(STATIC_FINAL, b"COUNTS", b"[J")?;
    class.field(PUBLIC, b"thread", THREAD)?;
    for field in [&b"late"[..], b"first", b"next"].into_iter().chain(APART_AFTER) {
        class.field(PUBLIC, field, BUFFER)?;
    }
    let names = Names::of(&mut class)?;
    let hidden = annotations(&mut class, &HIDDEN)?;
    let hidden: [Attribute<'_>; 1] = [(b"RuntimeVisibleAnnotations", &hidden)];

    let (of_overflow, of_buffer) =
        (names.overflow_constructor(&mut class)?, names.buffer_constructor(&mut class)?);
    class.method(PRIVATE, b"<init>", b"()V", Some(&of_overflow), &[])?;
    class.method(PUBLIC, b"<init>", b"(J)V", Some(&of_buffer), &[])?;
    let initialiser = names.initialiser(&mut class)?;
    class.method(STATIC, b"<clinit>", b"()V", Some(&initialiser), &[])?;
    class.method(PUBLIC_STATIC, b"enter", &RECORDER.enter_descriptor(), Some(&names.enter(true)), &hidden)?;
    class.method(PUBLIC_STATIC, b"rec", &RECORDER.rec_descriptor(), Some(&names.rec()), &hidden)?;
    class.method(PUBLIC_STATIC, b"unwind", b"(I)V", Some(&names.enter(false)), &hidden)?;
    let count = names.count(&mut class)?;
    class.method(PUBLIC_STATIC, b"count", b"(I)V", Some(&count), &hidden)?;
    path_records::add(&mut class, &names, &hidden)?;
    class.method(PRIVATE_STATIC, b"other", &[b"()", BUFFER].concat(), Some(&names.other()), &hidden)?;
    inside::add(&mut class, &names, &hidden)?;
    tasks::add(&mut class, &names, &hidden)?;
    class.method(PRIVATE_STATIC_NATIVE, b"find", &[b"(J)", BUFFER].concat(), None, &hidden)?;
    class.method(PRIVATE_STATIC_NATIVE, b"full", &[b"(", BUFFER, b")J"].concat(), None, &hidden)?;
    let natives = values::TAKERS.into_iter().chain(VALUE_NATIVES).chain(inside::NATIVES);
    for (name, descriptor) in natives {
        class.method(PUBLIC_STATIC_NATIVE, name.as_bytes(), descriptor.as_bytes(), None, &hidden)?;
    }
    Ok(class.finish())
}

/// Name and content.
type Attribute<'b> = (&'b [u8], &'b [u8]);

const HIDDEN: [&[u8]; 2] = [b"Ljdk/internal/vm/annotation/Hidden;", b"Ljava/lang/invoke/LambdaForm$Hidden;"];

fn annotations(class: &mut ClassBuilder, types: &[&[u8]]) -> Result<Vec<u8>> {
    let mut out = u16::try_from(types.len()).unwrap_or(0).to_be_bytes().to_vec();
    for name in types {
        out.extend(class.pool.add_utf8(name)?.to_be_bytes());
        out.extend([0, 0]); // no values
    }
    Ok(out)
}

fn with(opcode: Opcode, constant: u16) -> Instruction {
    Instruction::with_constant(opcode, constant)
}

/// Constant indices of all that the methods name.
struct Names {
    buffer: u16,
    u: u16,
    offset: u16,
    table: u16,
    tid: u16,
    cursor: u16,
    end: u16,
    current: u16,
    get_long: u16,
    put_int: u16,
    put_long: u16,
    at: u16,
    depth: u16,
    find: u16,
    other: u16,
    thread: u16,
    full: u16,
    four: u16,
    many: u16,
    /// The iterations that are one too many for a word.
    most: u16,
}

impl Names {
    fn overflow_constructor(&self, class: &mut ClassBuilder) -> Result<CodeBuilder> {
        let object = class.pool.add_method(b"java/lang/Object", b"<init>", b"()V")?;
        let mut code = CodeBuilder::new(1, 1);
        code.op(Opcode::ALOAD_0).op(with(Opcode::INVOKESPECIAL, object)).op(Opcode::RETURN);
        Ok(code)
    }

    fn buffer_constructor(&self, class: &mut ClassBuilder) -> Result<CodeBuilder> {
        let pool = &mut class.pool;
        let new = pool.add_method(RECORDER_CLASS, b"<init>", b"()V")?;
        let [late, first, next] = [
            pool.add_field(RECORDER_CLASS, b"late", BUFFER)?,
            pool.add_field(RECORDER_CLASS, b"first", BUFFER)?,
            pool.add_field(RECORDER_CLASS, b"next", BUFFER)?,
        ];
        // locals: 0 this, 1-2 tid, 3 note, 4 the one before it, 5 count
        let mut code = CodeBuilder::new(3, 6);
        code.op(Opcode::ALOAD_0).op(with(Opcode::INVOKESPECIAL, new));
        code.op(Opcode::ALOAD_0).op(Opcode::LLOAD_1).op(with(Opcode::PUTFIELD, self.tid));
        code.op(Opcode::ALOAD_0).op(Opcode::ICONST_1).op(with(Opcode::PUTFIELD, self.at));
        let make = |code: &mut CodeBuilder, slot: u16| {
            code.op(with(Opcode::NEW, self.buffer)).op(Opcode::DUP).op(with(Opcode::INVOKESPECIAL, new));
            code.op(Instruction::with_local(Opcode::ASTORE, slot));
        };
        let before = || Instruction::with_local(Opcode::ALOAD, 4);
        make(&mut code, 3);
        code.op(Opcode::ALOAD_3).op(Opcode::ALOAD_3).op(with(Opcode::PUTFIELD, next));
        code.op(Instruction::push_small(OVERFLOW_RECORDS)).op(Instruction::with_local(Opcode::ISTORE, 5));
        let again = code.here();
        let object = V::Object(self.buffer);
        code.frame(again, &[object, V::Long, object, V::Top, V::Integer], &[]);
        make(&mut code, 4);
        code.op(before()).op(Opcode::ALOAD_3).op(with(Opcode::PUTFIELD, next));
        code.op(before()).op(Opcode::ASTORE_3);
        code.op(Instruction::increment(5, -1)).op(Instruction::with_local(Opcode::ILOAD, 5));
        code.jump(Opcode::IFGT, again);
        for field in [late, first] {
            code.op(Opcode::ALOAD_0).op(Opcode::ALOAD_3).op(with(Opcode::PUTFIELD, field));
        }
        code.op(Opcode::RETURN);
        Ok(code)
    }

    fn of(class: &mut ClassBuilder) -> Result<Self> {
        let pool = &mut class.pool;
        Ok(Self {
            buffer: pool.add_class(RECORDER_CLASS)?,
            u: pool.add_field(RECORDER_CLASS, b"U", UNSAFE)?,
            offset: pool.add_field(RECORDER_CLASS, b"TID", b"J")?,
            table: pool.add_field(RECORDER_CLASS, b"TABLE", BUFFERS)?,
            thread: pool.add_field(RECORDER_CLASS, b"thread", THREAD)?,
            tid: pool.add_field(RECORDER_CLASS, b"tid", b"J")?,
            cursor: pool.add_field(RECORDER_CLASS, b"cursor", b"J")?,
            end: pool.add_field(RECORDER_CLASS, b"end", b"J")?,
            current: pool.add_method(b"java/lang/Thread", b"currentThread", b"()Ljava/lang/Thread;")?,
            get_long: pool.add_method(UNSAFE_CLASS, b"getLong", b"(Ljava/lang/Object;J)J")?,
            put_int: pool.add_method(UNSAFE_CLASS, b"putInt", b"(JI)V")?,
            put_long: pool.add_method(UNSAFE_CLASS, b"putLong", b"(JJ)V")?,
            at: pool.add_field(RECORDER_CLASS, b"at", b"I")?,
            depth: pool.add_field(RECORDER_CLASS, b"depth", b"I")?,
            find: pool.add_method(RECORDER_CLASS, b"find", &[b"(J)", BUFFER].concat())?,
            other: pool.add_method(RECORDER_CLASS, b"other", &[b"()", BUFFER].concat())?,
            full: pool.add_method(RECORDER_CLASS, b"full", &[b"(", BUFFER, b")J"].concat())?,
            four: pool.add_long(4)?,
            many: pool.add_method(RECORDER_CLASS, b"many", b"(IJ)J")?,
            most: pool.add_long(0xffff_ffff)?,
        })
    }

    fn initialiser(&self, class: &mut ClassBuilder) -> Result<CodeBuilder> {
        let pool = &mut class.pool;
        let get = pool.add_method(UNSAFE_CLASS, b"getUnsafe", &[b"()", UNSAFE].concat())?;
        let offset =
            pool.add_method(UNSAFE_CLASS, b"objectFieldOffset", b"(Ljava/lang/Class;Ljava/lang/String;)J")?;
        let thread = pool.add_class(b"java/lang/Thread")?;
        let tid = pool.add_string(b"tid")?;
        let sentinel = pool.add_long(-1)?;
        let new = pool.add_method(RECORDER_CLASS, b"<init>", b"(J)V")?;
        let fill =
            pool.add_method(b"java/util/Arrays", b"fill", b"([Ljava/lang/Object;Ljava/lang/Object;)V")?;
        let counts = pool.add_field(RECORDER_CLASS, b"COUNTS", b"[J")?;
        let mut code = CodeBuilder::new(5, 0);
        code.op(Instruction::push_small(SHARDS))
            .op(Instruction::push_small(COUNTERS))
            .op(Opcode::IMUL)
            .op(Instruction { opcode: Opcode::NEWARRAY, operand: Operand::ArrayKind(OF_LONGS) })
            .op(with(Opcode::PUTSTATIC, counts));
        code.op(with(Opcode::INVOKESTATIC, get)).op(with(Opcode::PUTSTATIC, self.u));
        code.op(with(Opcode::GETSTATIC, self.u))
            .op(Instruction::load_constant(thread))
            .op(Instruction::load_constant(tid))
            .op(with(Opcode::INVOKEVIRTUAL, offset))
            .op(with(Opcode::PUTSTATIC, self.offset));
        code.op(Instruction::push_small(TABLE + PREDICTIONS + APART))
            .op(with(Opcode::ANEWARRAY, self.buffer))
            .op(with(Opcode::PUTSTATIC, self.table));
        code.op(with(Opcode::GETSTATIC, self.table))
            .op(with(Opcode::NEW, self.buffer))
            .op(Opcode::DUP)
            .op(with(Opcode::LDC2_W, sentinel))
            .op(with(Opcode::INVOKESPECIAL, new))
            .op(with(Opcode::INVOKESTATIC, fill))
            .op(Opcode::RETURN);
        Ok(code)
    }

    /// The code of `enter`, and of `unwind`, which does not keep the buffer. It does not call `enter`:
    /// where the stack overflows there is space for as many frames as the entry needed, and no more.
    fn enter(&self, returns_buffer: bool) -> CodeBuilder {
        // locals: 0 id, 1 buffer, 2-3 cursor
        let mut code = CodeBuilder::new(5, 4);
        let (found, space) = (code.label(), code.label());
        self.look_up(&mut code, found, &[V::Integer], 1);
        self.space(&mut code, Opcode::ALOAD_1, 2, space);
        code.mark(space).frame(space, &[V::Integer, V::Object(self.buffer), V::Long], &[]);
        self.store(&mut code, Opcode::ALOAD_1, Opcode::ILOAD_0, 2);
        match returns_buffer {
            true => code.op(Opcode::ALOAD_1).op(Opcode::ARETURN),
            false => code.op(Opcode::RETURN),
        };
        code
    }

    /// The thread's buffer into a local. `before`: what the locals before that hold.
    fn look_up(
        &self,
        code: &mut CodeBuilder,
        found: classfile::code_builder::Label,
        before: &[V],
        buffer: u16,
    ) {
        let store = || Instruction::with_local(Opcode::ASTORE, buffer);
        self.predicted(code, TABLE, store(), found);
        code.op(with(Opcode::INVOKESTATIC, self.other)).op(store());
        code.mark(found).frame(found, &[before, &[V::Object(self.buffer)]].concat(), &[]);
    }

    /// An element of the table into a local, and on to `found` if it is the thread's guess.
    fn predicted(
        &self,
        code: &mut CodeBuilder,
        element: i16,
        store: Instruction,
        found: classfile::code_builder::Label,
    ) {
        code.op(with(Opcode::GETSTATIC, self.table)).op(Instruction::push_small(element)).op(Opcode::AALOAD);
        code.op(Opcode::DUP).op(store).op(with(Opcode::GETFIELD, self.thread));
        code.op(with(Opcode::INVOKESTATIC, self.current)).jump(Opcode::IF_ACMPEQ, found);
    }

    /// The code of `other`: the buffer of a thread that is not the one guessed first.
    fn other(&self) -> CodeBuilder {
        let mut code = self.sought(true);
        code.op(Opcode::ARETURN);
        code
    }

    /// The thread's buffer onto the stack. `makes`: it is made if there is none, and the first guess was wrong already.
    fn sought(&self, makes: bool) -> CodeBuilder {
        // locals: 0 buffer, 1-2 tid
        let mut code = CodeBuilder::new(4, 3);
        let ours = code.label();
        if !makes {
            self.predicted(&mut code, TABLE, Opcode::ASTORE_0.into(), ours);
        }
        self.predicted(&mut code, TABLE + 1, Opcode::ASTORE_0.into(), ours);
        code.op(with(Opcode::GETSTATIC, self.u))
            .op(with(Opcode::INVOKESTATIC, self.current))
            .op(with(Opcode::GETSTATIC, self.offset))
            .op(with(Opcode::INVOKEVIRTUAL, self.get_long))
            .op(Opcode::LSTORE_1);
        code.op(with(Opcode::GETSTATIC, self.table))
            .op(Opcode::LLOAD_1)
            .op(Opcode::L2I)
            .op(Instruction::push_small(TABLE - 1))
            .op(Opcode::IAND)
            .op(Opcode::AALOAD);
        code.op(Opcode::DUP).op(Opcode::ASTORE_0).op(with(Opcode::GETFIELD, self.tid));
        code.op(Opcode::LLOAD_1).op(Opcode::LCMP).jump(Opcode::IFEQ, ours);
        if !makes {
            // The buffer of no thread has a number below 0, and nobody is inside by it.
            code.op(Opcode::ALOAD_0).op(with(Opcode::GETFIELD, self.tid));
            code.op(Opcode::LCONST_0).op(Opcode::LCMP).jump(Opcode::IFLT, ours);
        }
        code.op(Opcode::LLOAD_1).op(with(Opcode::INVOKESTATIC, self.find)).op(Opcode::ASTORE_0);
        code.mark(ours).frame(ours, &[V::Object(self.buffer)], &[]);
        code.op(Opcode::ALOAD_0);
        code
    }

    fn count(&self, class: &mut ClassBuilder) -> Result<CodeBuilder> {
        let counts = class.pool.add_field(RECORDER_CLASS, b"COUNTS", b"[J")?;
        let mut code = CodeBuilder::new(6, 1);
        code.op(with(Opcode::GETSTATIC, counts))
            .op(with(Opcode::GETSTATIC, self.u))
            .op(with(Opcode::INVOKESTATIC, self.current))
            .op(with(Opcode::GETSTATIC, self.offset))
            .op(with(Opcode::INVOKEVIRTUAL, self.get_long));
        code.op(Opcode::L2I)
            .op(Instruction::push_small(SHARDS - 1))
            .op(Opcode::IAND)
            .op(Instruction::push_small(COUNTERS_BITS))
            .op(Opcode::ISHL)
            .op(Opcode::ILOAD_0)
            .op(Opcode::IADD);
        code.op(Opcode::DUP2).op(Opcode::LALOAD).op(Opcode::LCONST_1).op(Opcode::LADD);
        code.op(Opcode::LASTORE).op(Opcode::RETURN);
        Ok(code)
    }

    fn rec(&self) -> CodeBuilder {
        // locals: 0 buffer, 1 id, 2-3 cursor
        let mut code = CodeBuilder::new(5, 4);
        let space = code.label();
        self.space(&mut code, Opcode::ALOAD_0, 2, space);
        code.mark(space).frame(space, &[V::Object(self.buffer), V::Integer, V::Long], &[]);
        self.store(&mut code, Opcode::ALOAD_0, Opcode::ILOAD_1, 2);
        code.op(Opcode::RETURN);
        code
    }

    /// The cursor into its local; where the slot is full, that of another slot.
    fn space(
        &self,
        code: &mut CodeBuilder,
        buffer: Opcode,
        cursor: u16,
        space: classfile::code_builder::Label,
    ) {
        let store = Instruction::with_local(Opcode::LSTORE, cursor);
        let load = Instruction::with_local(Opcode::LLOAD, cursor);
        code.op(buffer).op(with(Opcode::GETFIELD, self.cursor)).op(store.clone());
        code.op(load).op(buffer).op(with(Opcode::GETFIELD, self.end)).op(Opcode::LCMP);
        code.jump(Opcode::IFLT, space);
        code.op(buffer).op(with(Opcode::INVOKESTATIC, self.full)).op(store);
    }

    fn store(&self, code: &mut CodeBuilder, buffer: Opcode, id: Opcode, cursor: u16) {
        let load = Instruction::with_local(Opcode::LLOAD, cursor);
        code.op(with(Opcode::GETSTATIC, self.u))
            .op(load.clone())
            .op(id)
            .op(with(Opcode::INVOKEVIRTUAL, self.put_int));
        code.op(buffer).op(load).op(with(Opcode::LDC2_W, self.four)).op(Opcode::LADD);
        code.op(with(Opcode::PUTFIELD, self.cursor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_can_be_built() {
        let bytes = recorder().unwrap();
        let class = classfile::ClassFile::parse(&bytes).unwrap();
        assert_eq!(class.name(), "java/lang/TracewrightRecorder");
    }
}
