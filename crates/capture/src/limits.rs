//! Every bound that reading a capture keeps, so that no capture can make it eat the machine.
//!
//! Each is far above what the recorder writes and far below what hurts.

/// Diagnostics kept for one capture; further ones are counted and dropped.
pub const DIAGNOSTICS: usize = 1_000;

/// Bytes of one frame of a capture's `code`, as it lies there and expanded. A class and its description
/// by the recorder stay below a few million; in memory each takes about fifteen times as much.
pub const BODY: usize = 8 << 20;

/// Bytes of the words of one chunk of a capture. The recorder's have a quarter of a million.
pub const CHUNK: usize = 16 << 20;

/// Threads of one capture, and chunks, marks and losses of all of them.
pub const THREADS: usize = 1 << 20;

/// See [`THREADS`].
pub const CHUNKS: usize = 16 << 20;

/// Classes, and methods, of one capture; the JDK has 30,000 and 250,000.
pub const METHODS: usize = 8 << 20;

/// Times that the clock of a capture found a thread somewhere else, in all threads: 32 bytes of memory each. A thread
/// that is always busy has two millions of them in the first half an hour, and about as many more each time that
/// it has run nearly three times as long.
pub const TICKS: usize = 8 << 20;

/// Calls of a capture whose values are read. The recorder keeps no more than 256 MiB of values.
pub const VALUES: usize = 4 << 20;

/// Tasks of a capture that are read. The recorder keeps no more than 64 MiB of them.
pub const TASKS: usize = 4 << 20;

/// Values of one call: a method has at most 255 parameters.
pub const CALL_VALUES: usize = 256;

/// Frames that a thread of a capture may have open at once. The deepest recursion in a thread with
/// the default stack has about 50,000.
pub const DEPTH: usize = 4 << 20;

/// Frames in all stack samples of a capture: more, and the older half of the samples is forgotten.
pub const SAMPLED_FRAMES: usize = 4 << 20;

/// Silent ends of paths that may follow one another in a frame of a capture; more are a damaged numbering.
pub const SILENT: usize = 64;

/// Blocks of the paths through methods that are kept to be given again, in each thread that is read.
pub const PATH_BLOCKS: usize = 16 << 20;

/// How far down the open frames a word that does not fit is looked for, at least; further only as
/// often as other words did fit.
pub const SEARCH: usize = 64;
