//! Why a class file, or one method of it, could not be understood.
//!
//! Offsets count from the first byte of the class file; `pc` counts from the first byte of the
//! code of a method.

/// What is wrong with the bytes. One sentence each, with the offset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes end, or an enclosing length ends, before the value that belongs there.
    #[error("the bytes end too early: {wanted} bytes are needed at offset {at}, {available} are left")]
    Truncated {
        /// Where the value should be.
        at: usize,
        /// How many bytes it takes.
        wanted: usize,
        /// How many there are.
        available: usize,
    },
    /// The first four bytes are not `CAFEBABE`.
    #[error("this is not a class file: it begins with {found:#010x} instead of 0xcafebabe")]
    NotAClassFile {
        /// The four bytes as a number.
        found: u32,
    },
    /// The constant pool holds a kind of constant that no version up to JDK 25 defines, so its
    /// length is unknown and nothing after it can be found.
    #[error("constant {index} at offset {at} has the unknown kind {tag}")]
    UnknownConstant {
        /// Its index.
        index: u16,
        /// Its kind.
        tag: u8,
        /// Where it stands.
        at: usize,
    },
    /// An index names no constant.
    #[error("there is no constant {index}; the pool has {count} entries")]
    NoSuchConstant {
        /// The index.
        index: u16,
        /// The pool's count, one more than its last index.
        count: u16,
    },
    /// An index names a constant of another kind than its use demands.
    #[error("constant {index} is not a {wanted}")]
    WrongConstant {
        /// The index.
        index: u16,
        /// The kind that was needed.
        wanted: &'static str,
    },
    /// No room for another constant: a pool has at most 65,534.
    #[error("the constant pool is full: its {count} entries leave no room for another")]
    PoolFull {
        /// The pool's count.
        count: u16,
    },
    /// A constant text is longer than the 65,535 bytes that its length field can say.
    #[error("a text of {length} bytes is too long for a constant; at most 65535 fit")]
    TextTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A method or field descriptor does not follow the grammar.
    #[error("the descriptor is malformed at byte {at}")]
    BadDescriptor {
        /// The byte of the descriptor.
        at: usize,
    },
    /// The code of a method is empty or longer than 65,535 bytes.
    #[error("the code at offset {at} has {length} bytes; 1 to 65535 are possible")]
    BadCodeLength {
        /// Where the code should begin.
        at: usize,
        /// Its length.
        length: u32,
    },
    /// An opcode that no class file may use.
    #[error("there is no instruction {opcode:#04x} (pc {pc})")]
    UnknownOpcode {
        /// The byte.
        opcode: u8,
        /// Its position.
        pc: u32,
    },
    /// An instruction reaches over the end of the code.
    #[error("the instruction at pc {pc} is cut off by the end of the code")]
    CutOff {
        /// Its position.
        pc: u32,
    },
    /// A switch whose bounds or pairs make no sense.
    #[error("the switch at pc {pc} has impossible bounds")]
    BadSwitch {
        /// Its position.
        pc: u32,
    },
    /// A jump, a handler or a protected range points outside the code or between instructions.
    #[error("pc {pc} refers to pc {target}, where no instruction begins")]
    NoInstructionThere {
        /// The instruction (or, for the exception table, the range) that refers.
        pc: u32,
        /// Where it points.
        target: i64,
    },
    /// The last instruction would run over the end of the code.
    #[error("the code runs over its end: the last instruction, at pc {pc}, falls through")]
    FallsOffTheEnd {
        /// The last instruction.
        pc: u32,
    },
    /// A `StackMapTable` that does not follow the grammar or does not fit its method.
    #[error("the StackMapTable is malformed at offset {at}")]
    BadStackMap {
        /// Where.
        at: usize,
    },
    /// A bound of [`crate::limits`] was reached; real compilers stay far below.
    #[error("the method has more than {limit} {what}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
    /// A method index that the class does not have.
    #[error("the class has no method number {index}")]
    NoSuchMethod {
        /// The index.
        index: usize,
    },
}

/// The result of reading class files.
pub type Result<T> = std::result::Result<T, Error>;
