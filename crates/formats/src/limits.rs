//! Every bound that a parser of this crate keeps, so that no input can make it eat the machine.
//!
//! Each is far above what tracers write and far below what hurts. A parser that meets one of them
//! says so in a finding that names the limit.

/// Findings kept for one trace; further ones are counted and dropped.
pub const FINDINGS: usize = 1_000;

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

/// Largest CTF metadata in bytes, as it lies in the file. LTTng kernel traces have half a megabyte.
pub const CTF_METADATA: u64 = 16 << 20;

/// Declarations (fields, types, labels, path elements) that one CTF metadata may always have; it may
/// have one more for every [`CTF_TEXT_PER_CLASS`] bytes of its text.
pub const CTF_CLASSES: u64 = 131_072;

/// See [`CTF_CLASSES`]. Field classes that all traces of a session have after every named structure
/// was put in where it is used are bounded in the same way, which stops structures that double.
pub const CTF_TEXT_PER_CLASS: u64 = 16;

/// How deep structures, variants, arrays and parentheses of CTF metadata may nest, by name or in
/// place. Parser and decoder recurse this deep.
pub const CTF_NESTING: u32 = 64;

/// Longest string literal of CTF metadata, in bytes.
pub const CTF_LITERAL: usize = 65_536;

/// Largest alignment of a CTF field, in bits. Tracers write 64 at most.
pub const CTF_ALIGNMENT: u64 = 1 << 20;

/// Widest CTF integer, in bits: what [`model::Value`] holds.
pub const CTF_INTEGER: u64 = 128;

/// Largest fixed size of a CTF field, in bits. Far above any file, it only keeps sums from wrapping.
pub const CTF_FIELD: u64 = 1 << 48;

/// Fields that are referenced as length or tag, in one CTF trace. Each stream keeps their values.
pub const CTF_REFERENCES: usize = 16_384;

/// Values and brackets that a CTF event may hand to a sink beyond [`CTF_WORK_PER_BIT`]: without a
/// bound an event of one bit could carry endless arrays of elements without size.
pub const CTF_WORK: u64 = 256;

/// See [`CTF_WORK`]: values and brackets for each bit of the event.
pub const CTF_WORK_PER_BIT: u64 = 64;

/// How much of a stream file is read at once, in bytes. A window grows beyond it only for an event
/// that is larger.
pub const CTF_WINDOW: usize = 256 << 10;

/// Complaints of one kind about one stream that are told one by one; further ones are counted.
pub const CTF_SAME_COMPLAINTS: u64 = 3;

/// Bytes of a pattern file. The longest of the original has 150 kB.
pub const PATTERN_BYTES: usize = 2 << 20;

/// Elements, and attributes, of a pattern file in all. The parser needs about 100 bytes for each.
pub const PATTERN_NODES: usize = 40_000;

/// Attributes of one element of a pattern file; the parser compares them pairwise.
pub const PATTERN_ATTRIBUTES: usize = 32;

/// How deep the elements of a pattern file may nest; its readers recurse this deep.
pub const PATTERN_DEPTH: usize = 64;

/// Steps that one action may do, those of the actions that it calls included.
pub const PATTERN_STEPS: usize = 4_096;

/// States of one machine.
pub const PATTERN_STATES: usize = 1_024;
