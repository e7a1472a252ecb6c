//! Why a method was not rewritten.

use crate::error::Error;

/// The reason for which a method stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Skipped {
    /// It is abstract or native.
    #[error("it has no code")]
    NoCode,
    /// Its body breaks the rules of the class file format.
    #[error("its code is not understood: {0}")]
    NotUnderstood(#[from] Error),
    /// It uses `jsr` or `ret`, which inserted code could only follow with their types known.
    #[error("it uses subroutines (jsr, ret)")]
    Subroutines,
    /// An empty `finalize()`. HotSpot takes a class whose `finalize()` is a lone `return` for one
    /// without; with code in it every object of the class would be registered and kept for the
    /// finalizer thread. In `java/lang/Object` that concerns all objects there are, and the virtual
    /// machine does not even start.
    #[error("it is an empty finalize(), which must stay empty")]
    EmptyFinalizer,
    /// The constructor of `java/lang/Object`. Every object runs it, so nothing is learned from it;
    /// and HotSpot gives its `return` a meaning of its own (registering finalizers), in which the
    /// optimising compiler of JDK 17 crashes when a handler covers it.
    #[error("it is the constructor of java/lang/Object, which every object runs")]
    ObjectConstructor,
    /// A method of the JDK that HotSpot knows (`@IntrinsicCandidate`): once its caller is compiled, code
    /// of the virtual machine's own runs instead. A record now and then would be worse than none.
    #[error("the virtual machine runs code of its own in its place, now and then")]
    Intrinsic,
    /// A class file older than JDK 1.0.2, whose method bodies have another layout.
    #[error("its class file is older than JDK 1.0.2")]
    ShortHeader,
    /// It would be longer than a method can be, or than HotSpot compiles.
    #[error("it would grow from {from} to {to} bytes, {limit} are allowed")]
    TooLong {
        /// Bytes of code before.
        from: u32,
        /// Bytes of code after.
        to: u32,
        /// The bound.
        limit: u32,
    },
    /// A jump would have to reach over 32 kB and nothing near it can help.
    #[error("a two-way jump would have to reach too far")]
    JumpTooFar,
    /// The stack or the local variables would need more than 65,535 slots.
    #[error("it would need more than 65535 slots for its stack or its local variables")]
    TooManySlots,
    /// Its records would need numbers that are used up.
    #[error("there are no record numbers left for it")]
    NoNumbersLeft,
    /// A handler that protects itself from its start on and is also reached without an exception, or
    /// protects the whole of itself: nothing can be recorded where it begins.
    #[error("a handler in it protects itself in a way that paths cannot follow")]
    ProtectsItself,
    /// A jump target has no frame though the method has frames.
    #[error("there is no stack map frame at pc {pc}, where a jump leads")]
    NoFrame {
        /// The target.
        pc: u32,
    },
    /// An edit names a point that the method does not have, or its code may not stand there.
    #[error("an edit does not fit the method: {0}")]
    BadEdit(&'static str),
}
