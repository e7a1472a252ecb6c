//! Entries for fuzzing: bytes in, and nothing may go wrong but diagnostics.

use super::Reader;
use crate::fuzzing::read_all;
use source::NamedSource;

/// Metadata with every kind of class, for [`fuzz_stream`].
pub const RICH_METADATA: &str = r#"/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := u8;
typealias integer { size = 16; align = 8; byte_order = be; } := u16be;
typealias integer { size = 32; align = 8; } := u32;
typealias integer { size = 64; align = 8; } := u64;
typealias integer { size = 64; align = 8; map = clock.c.value; } := time64;
typealias integer { size = 27; align = 1; map = clock.c.value; } := time27;
typealias integer { size = 8; align = 8; encoding = UTF8; } := utf8;
trace {
  major = 1; minor = 8; byte_order = le; uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f";
  packet.header := struct { u32 magic; u8 stream_id; };
};
clock { name = c; freq = 1000; offset_s = 5; offset = 7; };
stream {
  id = 0;
  packet.context := struct {
    time64 timestamp_begin; time64 timestamp_end; u32 content_size; u32 packet_size;
    u32 events_discarded; u32 packet_seq_num; u8 cpu_id;
  };
  event.header := struct {
    enum : integer { size = 5; align = 1; } { compact = 0 ... 30, extended = 31 } id;
    variant <id> {
      struct { time27 timestamp; } compact;
      struct { u32 id; time64 timestamp; } extended;
    } v;
  } align(8);
  event.context := struct { u8 n; };
};
stream { id = 1; event.context := struct { string s; }; };
event { name = "ints"; id = 0; stream_id = 0; fields := struct {
  integer { size = 3; align = 1; signed = true; } a; integer { size = 128; } b; u16be c;
  integer { size = 64; align = 64; byte_order = be; base = 16; } d; }; };
event { name = "arrays"; id = 1; stream_id = 0; fields := struct {
  u8 len; u16be many[len]; utf8 text[len]; struct { u8 k; string each[k]; } nested[len]; u8 matrix[2][3]; }; };
event { name = "variants"; id = 2; stream_id = 0; fields := struct {
  enum : u8 { A, B, C = 5 ... 9 } tag;
  variant <tag> { string A; struct { u8 x; u8 y[x]; } B; floating_point { exp_dig = 8; mant_dig = 24; } C; } v; }; };
event { name = "empty"; id = 3; stream_id = 0; };
event { name = "outside"; id = 40; stream_id = 0; fields := struct {
  struct {} nothing[stream.event.context.n]; u8 some[n]; string end; }; };
event { name = "bare"; id = 0; stream_id = 1; };
"#;

/// The first four bytes (little endian) are the length of the metadata; the rest is split there.
/// Gives back a number that depends on all that was read.
pub fn fuzz_metadata(bytes: &[u8]) -> u64 {
    let Some((len, rest)) = bytes.split_first_chunk::<4>() else { return 0 };
    let len = (u32::from_le_bytes(*len) as usize).min(rest.len());
    let (metadata, stream) = rest.split_at(len);
    read(metadata, stream)
}

/// Bytes of a stream under [`RICH_METADATA`].
pub fn fuzz_stream(bytes: &[u8]) -> u64 {
    read(RICH_METADATA.as_bytes(), bytes)
}

fn read(metadata: &[u8], stream: &[u8]) -> u64 {
    let file = |name: &str, bytes: &[u8]| NamedSource { name: name.into(), source: Box::new(bytes.to_vec()) };
    let Ok(mut reader) = Reader::open(vec![file("metadata", metadata), file("stream", stream)]) else {
        return 1;
    };
    read_all(&mut reader, &["end", "v", "d", "text"])
}
