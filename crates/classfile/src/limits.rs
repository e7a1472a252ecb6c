//! Every bound of this crate, and why it is where it is. They keep hostile class files (a chain of
//! 65,535 frames with 65,535 locals, 65,535 handlers over 65,535 blocks) from taking memory or time;
//! classes from compilers stay two orders of magnitude below.

/// The longest code a class file can hold (JVM specification 4.7.3): one less than 65,536.
pub const MAX_CODE: u32 = 65_535;

/// HotSpot compiles no method with more bytes of code than this (`-XX:HugeMethodLimit` with
/// `-XX:+DontCompileHugeMethods`, the default). A method pushed over it would run in the
/// interpreter for ever, so it is left alone instead.
pub const COMPILE_LIMIT: u32 = 8_000;

/// Exception edges of one graph, each pair of block and handler counted once. The largest method
/// of the JDK has a few thousand.
pub const MAX_EXCEPTION_EDGES: usize = 1 << 17;

/// Work to find the exception edges: handlers times blocks that they cover.
pub const MAX_EXCEPTION_WORK: usize = 1 << 24;

/// Verification types of all frames of one method, written out (4 bytes each, so 8 MiB).
pub const MAX_FRAME_TYPES: usize = 1 << 21;

/// Element values inside each other in an annotation. Annotations cannot nest by more than the
/// source code does; a thousand levels would only serve to exhaust the stack.
pub const MAX_ANNOTATION_DEPTH: u32 = 64;

/// Passes over the code while jumps grow, until all that may still grow are grown at once.
pub const MAX_LAYOUT_PASSES: u32 = 64;
