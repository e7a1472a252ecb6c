//! Every bound that a parser of this crate keeps, so that no input can make it eat the machine.
//!
//! Each is far above what tracers write and far below what hurts. A parser that meets one of them
//! says so in a finding that names the limit.

/// Diagnostics kept for one trace; further ones are counted and dropped.
pub const DIAGNOSTICS: usize = 1_000;

/// Bytes of one event line. The longest line a tracer's event made here was below 100 kB.
pub const LINE_BYTES: usize = 4 << 20;

/// Values on one event line.
pub const LINE_VALUES: usize = 200_000;

/// How deep the values of an event line may nest.
pub const LINE_DEPTH: usize = 64;

/// Different event names, and different streams, in a file of event lines. Further ones are read
/// under one common name.
pub const LINE_NAMES: usize = 100_000;

/// Bytes of one token of a history.
pub const TOKEN_BYTES: usize = 64 << 10;

/// Different tokens of a history.
pub const TOKENS: usize = 10_000_000;

/// What stands in all rules and histories of a file that `loops --json` wrote, and names of symbols.
pub const LOOPS_PARTS: usize = 1 << 27;

/// Largest CTF metadata in bytes, as it lies in the file. LTTng kernel traces have half a megabyte.
pub const CTF_METADATA: u64 = 16 << 20;

/// Declarations (fields, types, labels, path elements) that one CTF metadata may always have; it may
/// have one more for every [`CTF_TEXT_PER_CLASS`] bytes of its text.
pub const CTF_CLASSES: u64 = 131_072;

/// See [`CTF_CLASSES`]. Field classes that all traces of a session have after every named structure
/// was put in where it is used are bounded in the same way, which stops structures that double.
pub const CTF_TEXT_PER_CLASS: u64 = 16;

/// Diagnostics that are made of one CTF metadata text.
pub const CTF_REMARKS: usize = 32;

/// How deep structures, variants, arrays and parentheses of CTF metadata may nest, by name or in
/// place. Parser and decoder recurse this deep.
pub const CTF_NESTING: u32 = 64;

/// Longest string literal of CTF metadata, in bytes.
pub const CTF_LITERAL: usize = 65_536;

/// Largest alignment of a CTF field, in bits. Tracers write 64 at most.
pub const CTF_ALIGNMENT: u64 = 1 << 20;

/// Widest CTF integer, in bits. Those that [`model::Value`] does not hold are handed out as digits.
pub const CTF_INTEGER: u64 = 1 << 16;

/// Largest fixed size of a CTF field, in bits. Far above any file, it only keeps sums from wrapping.
pub const CTF_FIELD: u64 = 1 << 48;

/// Fields that are referenced as length or tag, in one CTF trace. Each stream keeps their values.
pub const CTF_REFERENCES: usize = 16_384;

/// Values and brackets that a CTF event may hand to a sink beyond [`CTF_WORK_PER_BIT`]: without a
/// bound an event of one bit could carry endless arrays of elements without size.
pub const CTF_WORK: u64 = 128;

/// See [`CTF_WORK`]: values and brackets for each bit of the event.
pub const CTF_WORK_PER_BIT: u64 = 8;

/// How much of a stream file is read at once, in bytes. A window grows beyond it only for an event
/// that is larger.
pub const CTF_WINDOW: usize = 256 << 10;
/// The same while packets are skipped: more than their headers take.
pub const CTF_SKIM: usize = 4 << 10;

/// Diagnostics of one kind about one stream that are reported one by one; further ones are counted.
pub const CTF_SAME_DIAGNOSTICS: u64 = 3;

/// Longest header and context of a CTF packet, in bytes. LTTng's take a hundred.
pub const CTF_PACKET_START: u64 = 65_536;

/// How often a CTF stream file is searched for the next packet behind bytes that are none.
pub const CTF_SEARCHES: u64 = 1_000;

/// Gaps of a CTF stream that are kept before they are handed out: a file may be all empty packets.
pub const CTF_GAPS: usize = 64;

/// Events that one perf.data may have. `perf record -e 'syscalls:*'` asks for 700.
pub const PERF_EVENTS: usize = 16_384;

/// Identifiers of events in one perf.data, one for each event and buffer.
pub const PERF_IDS: u64 = 1 << 20;

/// How much of a header section of a perf.data is read, in bytes. Tracing data of all events of a
/// kernel with its symbols have ten million.
pub const PERF_SECTION: u64 = 32 << 20;

/// Fields of one tracepoint. Real ones have up to forty.
pub const PERF_FIELDS: usize = 128;

/// How much of a perf.data is read at once, in bytes. The largest record has 65,535.
pub const PERF_WINDOW: usize = 256 << 10;

/// Records of a perf.data that may wait to be put in order, and their bytes. A round of a machine with
/// 128 CPUs and full buffers has half a million.
pub const PERF_WAITING: usize = 2_000_000;

/// See [`PERF_WAITING`].
pub const PERF_WAITING_BYTES: usize = 128 << 20;

/// Buffers of a perf.data, one for each CPU or thread. What further ones hold is read as one.
pub const PERF_BUFFERS: usize = 65_536;

/// Losses of a perf.data that keep a place of their own; further ones are added to the last of their
/// buffer.
pub const PERF_LOSSES: usize = 500_000;

/// Bytes that compressed records of a perf.data may have, beyond [`PERF_RATIO`] times what they were compressed to.
pub const PERF_INFLATED: u64 = 8 << 20;

/// See [`PERF_INFLATED`]. Real ones have nine.
pub const PERF_RATIO: u64 = 256;

/// Threads of which a perf.data may give the name.
pub const PERF_THREADS: usize = 262_144;

/// Diagnostics of one kind about a perf.data that are reported one by one; further ones are counted.
pub const PERF_SAME_DIAGNOSTICS: u64 = 3;
/// Bytes of a model file. The longest of the original has 150 kB.
pub const MODEL_BYTES: usize = 2 << 20;

/// Elements, and attributes, of a model file in all; also `<`, `=` and what splits names, wherever they
/// stand. The parser needs about 100 bytes for each.
pub const MODEL_NODES: usize = 40_000;

/// Attributes of one element of a model file; the parser compares them pairwise.
pub const MODEL_ATTRIBUTES: usize = 32;

/// How deep the elements of a model file may nest; its readers recurse this deep.
pub const MODEL_DEPTH: usize = 64;

/// Steps that one action may do, those of the actions that it calls included.
pub const MODEL_STEPS: usize = 4_096;

/// Rows of a view that are kept, and bytes of the path of a row under which further ones are read.
pub const MODEL_VIEW_ROWS: usize = 1_024;

/// See [`MODEL_VIEW_ROWS`].
pub const MODEL_VIEW_PATH: usize = 4_096;

/// States of one machine.
pub const MODEL_STATES: usize = 1_024;

/// Bytes of one tag of an XML trace.
pub const XML_TAG_BYTES: usize = 1 << 20;

/// Fields of one event of an XML trace, and elements of one field.
pub const XML_FIELDS: usize = 4_096;

/// Bytes of the directory of an archive with source text; that of the JDK has two million.
pub const ARCHIVE_DIRECTORY: usize = 64 << 20;

/// Bytes of a file of choices. One for the founding text's trace, with nothing decided, has 6 MB.
pub const CHOICES_BYTES: usize = 128 << 20;

/// Notes of one trace: more than anybody reads.
pub const NOTES: usize = 1_000;

/// Characters of one note.
pub const NOTE_LETTERS: usize = 2_000;

/// Bytes of a file of notes: as many as there may be, all of their characters of four bytes, and names of rows.
pub const NOTES_BYTES: usize = 16 << 20;

/// The largest window of a zstd frame, in bytes, which is held in memory. Level 19 has 8 MiB; files made with `--ultra`
/// or `--long` may have more and have to be decompressed first.
pub const ZSTD_WINDOW: u64 = 32 << 20;

/// Bytes of the `info` of a recording of uftrace that are read: asked for all arguments it has 100 kB.
pub const UFTRACE_INFO: usize = 4 << 20;

/// Bytes of a table of symbols, and of every other text of a recording of uftrace. That of Chromium has 40 million.
pub const UFTRACE_TEXT: usize = 256 << 20;

/// Threads, and sessions, of a recording of uftrace.
pub const UFTRACE_TASKS: usize = 65_536;

/// Functions that ran in a recording of uftrace, and addresses in one session.
pub const UFTRACE_FUNCTIONS: usize = 1_000_000;

/// How much of the records of a thread is read at once, in bytes.
pub const UFTRACE_WINDOW: usize = 256 << 10;

/// Bytes of the values of one call that uftrace writes at most, with room to spare.
pub const UFTRACE_VALUES: usize = 4_096;

/// Characters of the name of a function, mangled and as it is shown.
pub const UFTRACE_NAME: usize = 4_096;

/// Bytes of one trace event in JSON. A screenshot that Chrome puts into one has a megabyte.
pub const CHROME_VALUE: usize = 64 << 20;

/// Diagnostics about trace events that make no sense; further ones are counted.
pub const CHROME_DIAGNOSTICS: usize = 100;

/// Kinds of trace events that are left out and counted apart.
pub const CHROME_KINDS: usize = 100;

/// Fields of one event in a text of ftrace, and elements of one field.
pub const FTRACE_FIELDS: usize = 256;

/// Lines of a text of ftrace that wait until losses are reported, and their bytes.
pub const FTRACE_WAITING: usize = 65_536;

/// See [`FTRACE_WAITING`].
pub const FTRACE_WAITING_BYTES: usize = 16 << 20;

/// Streams of a text of ftrace, one for each CPU and instance. What further ones have is read as one.
pub const FTRACE_STREAMS: usize = 65_536;

/// Lines that are not events and are reported one by one; further ones are counted.
pub const FTRACE_SAME_DIAGNOSTICS: u64 = 3;

/// Bytes of one packet of Perfetto, and of what one deflated packet is inflated to. Real ones have up to a megabyte.
pub const PERFETTO_PACKET: usize = 64 << 20;

/// Bytes that deflated packets of one trace may be inflated to, beyond [`PERFETTO_RATIO`] times what was read of it.
pub const PERFETTO_INFLATED: u64 = 8 << 20;

/// See [`PERFETTO_INFLATED`]. Real ones have six.
pub const PERFETTO_RATIO: u64 = 32;

/// Sequences of a trace of Perfetto that are kept apart.
pub const PERFETTO_SEQUENCES: usize = 65_536;

/// Names that the sequences of a trace of Perfetto may give in all, and threads in columns.
pub const PERFETTO_NAMES: usize = 1_000_000;

/// Bytes of one name.
pub const PERFETTO_NAME: usize = 4_096;

/// Tracks, processes and threads of a trace of Perfetto, each.
pub const PERFETTO_TRACKS: usize = 262_144;

/// Clocks of a trace of Perfetto, and of one snapshot.
pub const PERFETTO_CLOCKS: usize = 4_096;

/// Events of the kernel in a trace of Perfetto.
pub const PERFETTO_EVENTS: usize = 200_000_000;

/// Malformed packets that are reported one by one; further ones are counted.
pub const PERFETTO_SAME_DIAGNOSTICS: u64 = 3;

/// Bytes of one section of a trace.dat beside its pages, decompressed too, and of what pages are decompressed to at
/// once. Formats of all events of a kernel have two million.
pub const TRACE_DAT_SECTION: u64 = 32 << 20;

/// The largest page of the kernel's ring buffer, in bytes.
pub const TRACE_DAT_PAGE: u32 = 1 << 20;

/// How many bytes of pages are read at once for each CPU.
pub const TRACE_DAT_WINDOW: usize = 64 << 10;

/// Buffers, and sections of options, of a trace.dat.
pub const TRACE_DAT_BUFFERS: usize = 1_024;

/// Bytes that decompressed pages of all CPUs may have at one time, beyond twice the size of the file. trace-cmd
/// compresses 40 kB at once.
pub const TRACE_DAT_DECOMPRESSED: u64 = 16 << 20;

/// Segments of TCP that are kept while clocks of hosts are compared, for each of sending and receiving.
pub const CTF_MESSAGES: usize = 1 << 18;

/// Members of an archive of tar, headers that are about others included.
pub const TAR_MEMBERS: usize = 200_000;

/// Bytes of the name of a member of an archive of tar: as long as systems allow.
pub const TAR_NAME: usize = 4_096;

/// Folders in which a member of an archive of tar may lie.
pub const TAR_DEPTH: usize = 64;

/// Bytes that an archive of tar may say about one member.
pub const TAR_RECORDS: u64 = 64 << 10;
