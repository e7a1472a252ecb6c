//! A capture: what the recorder for Java writes, one folder for each recording.
//!
//! ```text
//! NAME.capture/   mode 0700, files 0600; little-endian throughout
//!   code    frames, appended: who runs, what can run, what happened on the side     records.rs
//!   steps   frames, appended: chunks, each the words of one thread for a while      chunk.rs
//!   open    the pool of chunks that are being filled, and the last bytes of `code`
//!           and `steps`, mapped into the program                                    pool.rs
//!
//! frame      | 'T' 'W' kind u8 flags u8 | len u32 | crc of the body u32 | head ... | crc of all before u32 | body |
//!              head: in `code` what class.rs draws, in `steps` what chunk.rs draws, mostly nothing;
//!              len is that of the body                                               frame.rs
//!              flags: 1 the body is compressed: its length before that u32, then one LZ4 block
//!              2 before that, the words of the chunk are expressed by a dictionary      dictionary.rs
//!              4 and 8 how many words a unit of the dictionary has: 1, 2, 4 or 8
//!
//! kind  code: 1 header  3 left alone  4 thread  5 mark  6 loss  7 end  9 running  10 samples
//!       11 class  12 class file  13 stacks  14 ticks  15 values  17 tasks  19 throttled
//!       steps: 16 chunk
//!
//! numbers of a body are LEB128, strings a length and UTF-8                           bytes.rs
//! words of a chunk are u32, never 0                                                  words.rs
//! ```
//!
//! What the recorder guarantees, so that a kill at any moment leaves a capture that can be read:
//! - What is appended to `code` and `steps` stands in `open` first and is written there when it is much: many small
//!   writes take four times as long. Both files end with a whole frame, unless the system ends in the middle of
//!   a write.
//! - A class stands in `code` before its first word can be written anywhere. Its class file, which no
//!   word needs, may follow some time later.
//! - A slot of `open` is given its head before its first word, and words go into it in order, so the
//!   first zero word is its end. It is recycled only when its words stand in `steps`; in between they
//!   are in both, and the reader takes one of them by thread and number.
//! - What it had to drop is counted: in the head of the next chunk of that thread, or in a loss.
//! - When all is written, `end` is appended and `open` removed.
//!
//! The first frame of `code` is the header, and the first number in it the version of all of this,
//! [`VERSION`]. A reader refuses a version that it does not know. New kinds of frames and further
//! numbers at the end of a body are no new version: readers skip kinds that they do not know and
//! ignore what follows in a body. Anything else raises the version, and a kept capture of each
//! released version stays in the tests.
//!
//! Writing is pure: everything here appends to a `Vec<u8>`; the agent does the rest. Reading: open.rs
//! walks the files and finds the chunks of each thread, decode/ makes steps of their words. The caller
//! gives the bytes and keeps them unchanged. What is damaged becomes a diagnostic, what is missing a gap.

mod call_values;
pub mod chunk;
pub mod class_cache;
mod contents;
#[doc(hidden)]
pub mod damage;
pub mod decode;
mod dictionary;
#[doc(hidden)]
pub mod fixture;
mod flow_source;
pub mod frame;
#[doc(hidden)]
pub mod fuzz;
pub mod limits;
pub mod methods;
pub mod open;
pub mod paths;
pub mod pool;
mod pool_slots;
pub mod records;
mod source_map;
mod tail;
mod tasks;
mod thread_ticks;
mod thread_words;
mod throttled;
mod walk;
pub mod words;

pub use contents::{Capture, ClassAbout, Thread};
pub use decode::Flow;
pub use open::Error;

pub use chunk::{ChunkHead, ChunkWriter};
pub use records::{
    BlockParts, CallParts, ClassFileRecord, ClassParts, ClassRecord, Encoding, End, Header, Loss, MethodHead,
    MethodRecord, MethodWriter, Skipped, StacksRecord, TaskRecord, ThreadRecord, ThreadTick, ThrottleRecord,
    Tick, TickWriter, ValuesRecord, pack_class_file, put_class, put_class_file, put_mark, put_origin,
    put_running, put_running_samples, put_throttled, unpack_class_file,
};

pub use frame::{Packed, PackedBytes};

/// The version of the format that is written and read here: that of the first release.
pub const VERSION: u32 = 1;

/// The files of a capture, by name.
pub const FILES: [&str; 3] = [CODE, STEPS, OPEN];

/// Everything about the program and the recording.
pub const CODE: &str = "code";

/// The completed chunks.
pub const STEPS: &str = "steps";

/// The pool of chunks that are being filled.
pub const OPEN: &str = "open";
