//! Writes a large CTF 1.8 trace for the benchmark: four streams with packets of 64 KiB.
//!
//! Its shape is that of a kernel trace: many small events of a few types, streams that must be
//! merged event by event. The same number of events gives the same bytes.
//!
//! ```text
//! packet   magic u32 | stream u32 | begin u64 | end u64 | content bits u64 | packet bits u64 | cpu u32
//! event    id u16 | time u64 | fields of the type
//! ```

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::sh::{Outcome, Trouble};

const STREAMS: u32 = 4;
const PACKET: usize = 1 << 16;
const HEAD: usize = 44;

const METADATA: &str = r#"/* CTF 1.8 */
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace {
  major = 1; minor = 8; byte_order = le;
  packet.header := struct { uint32_t magic; uint32_t stream_id; };
};
env { tracer_name = "tracewright bench"; };
clock { name = clock; freq = 1000000000; offset_s = 1600000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.clock.value; } := time_t;
stream {
  id = 0;
  packet.context := struct {
    time_t timestamp_begin; time_t timestamp_end; uint64_t content_size; uint64_t packet_size; uint32_t cpu_id;
  };
  event.header := struct { uint16_t id; time_t timestamp; };
};
event { name = "switch"; id = 0; stream_id = 0; fields := struct { string prev; int32_t prev_tid; int32_t next_tid; }; };
event { name = "enter"; id = 1; stream_id = 0; fields := struct { uint32_t number; uint64_t address; uint64_t size; }; };
event { name = "exit"; id = 2; stream_id = 0; fields := struct { int32_t result; }; };
event { name = "tick"; id = 3; stream_id = 0; fields := struct { }; };
"#;

/// The same in CTF 2: of the packets above not a byte is different.
fn metadata_version_2() -> String {
    let number = |bits: u32, signed: bool, roles: &[&str]| {
        let kind = if signed { "signed" } else { "unsigned" };
        let mut class = json!({
            "type": format!("fixed-length-{kind}-integer"), "length": bits, "byte-order": "little-endian",
            "alignment": 8
        });
        if !roles.is_empty() {
            class["roles"] = json!(roles);
        }
        class
    };
    let members = |list: &[(&str, Value)]| {
        let list: Vec<Value> =
            list.iter().map(|(name, class)| json!({ "name": name, "field-class": class })).collect();
        json!({ "type": "structure", "member-classes": list })
    };
    let text = json!({ "type": "null-terminated-string" });
    let (word, long, signed) = (number(32, false, &[]), number(64, false, &[]), number(32, true, &[]));
    let event = |id: u32, name: &str, fields: &[(&str, Value)]| json!({ "type": "event-record-class", "id": id, "name": name, "payload-field-class": members(fields) });
    let packet_header = members(&[
        ("magic", number(32, false, &["packet-magic-number"])),
        ("stream_id", number(32, false, &["data-stream-class-id"])),
    ]);
    let packet_context = members(&[
        ("timestamp_begin", number(64, false, &["default-clock-timestamp"])),
        ("timestamp_end", number(64, false, &["packet-end-default-clock-timestamp"])),
        ("content_size", number(64, false, &["packet-content-length"])),
        ("packet_size", number(64, false, &["packet-total-length"])),
        ("cpu_id", word.clone()),
    ]);
    let event_header = members(&[
        ("id", number(16, false, &["event-record-class-id"])),
        ("timestamp", number(64, false, &["default-clock-timestamp"])),
    ]);
    let fragments = [
        json!({ "type": "preamble", "version": 2 }),
        json!({
            "type": "trace-class", "environment": { "tracer_name": "tracewright bench" },
            "packet-header-field-class": packet_header
        }),
        json!({
            "type": "clock-class", "id": "clock", "frequency": 1_000_000_000, "origin": "unix-epoch",
            "offset-from-origin": { "seconds": 1_600_000_000 }
        }),
        json!({
            "type": "data-stream-class", "id": 0, "default-clock-class-id": "clock",
            "packet-context-field-class": packet_context, "event-record-header-field-class": event_header
        }),
        event(0, "switch", &[("prev", text), ("prev_tid", signed.clone()), ("next_tid", signed.clone())]),
        event(1, "enter", &[("number", word), ("address", long.clone()), ("size", long)]),
        event(2, "exit", &[("result", signed)]),
        event(3, "tick", &[]),
    ];
    fragments.iter().map(|fragment| format!("\x1e{fragment}\n")).collect()
}

/// Which metadata a trace has; its streams are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Ctf18,
    Ctf2,
}

/// Writes the trace into `folder`, unless it is there.
pub(crate) fn write(folder: &Path, events: u32, version: Version) -> Outcome {
    let done = folder.join("metadata");
    if done.exists() {
        return Ok(());
    }
    let work = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        for stream in 0..STREAMS {
            let file = std::fs::File::create(folder.join(format!("stream_{stream}")))?;
            write_stream(std::io::BufWriter::new(file), stream, events / STREAMS)?;
        }
        // Last, because its existence shows that the trace is complete.
        match version {
            Version::Ctf18 => std::fs::write(&done, METADATA),
            Version::Ctf2 => std::fs::write(&done, metadata_version_2()),
        }
    };
    work().map_err(|error| Trouble::CannotDo(format!("{}: {error}", folder.display())))
}

fn write_stream(mut file: impl Write, cpu: u32, events: u32) -> std::io::Result<()> {
    let mut body = Vec::with_capacity(PACKET);
    let (mut begin, mut time) = (0_u64, 0_u64);
    for number in 0..events {
        time = u64::from(number) * 1_000 + u64::from(cpu) * 250;
        let mut event = Vec::with_capacity(48);
        write_event(&mut event, number, time, cpu);
        if HEAD + body.len() + event.len() > PACKET {
            write_packet(&mut file, &mut body, begin, time - 1, cpu)?;
            begin = time;
        }
        body.extend_from_slice(&event);
    }
    write_packet(&mut file, &mut body, begin, time, cpu)?;
    file.flush()
}

fn write_event(out: &mut Vec<u8>, number: u32, time: u64, cpu: u32) {
    let kind = [1_u16, 2, 1, 2, 3, 1, 2, 0][number as usize % 8];
    out.extend(kind.to_le_bytes());
    out.extend(time.to_le_bytes());
    match kind {
        0 => {
            out.extend(format!("worker-{}\0", number % 100).bytes());
            out.extend((1_000 + cpu).to_le_bytes());
            out.extend((2_000 + cpu).to_le_bytes());
        }
        1 => {
            out.extend((number % 300).to_le_bytes());
            out.extend((0x7F00_0000_0000 + u64::from(number)).to_le_bytes());
            out.extend(4_096_u64.to_le_bytes());
        }
        2 => out.extend((number as i32 % 7 - 3).to_le_bytes()),
        _ => {}
    }
}

fn write_packet(
    file: &mut impl Write,
    body: &mut Vec<u8>,
    begin: u64,
    end: u64,
    cpu: u32,
) -> std::io::Result<()> {
    let mut packet = Vec::with_capacity(PACKET);
    packet.extend(0xC1FC_1FC1_u32.to_le_bytes());
    packet.extend(0_u32.to_le_bytes());
    for number in [begin, end, (HEAD + body.len()) as u64 * 8, PACKET as u64 * 8] {
        packet.extend(number.to_le_bytes());
    }
    packet.extend(cpu.to_le_bytes());
    packet.append(body);
    packet.resize(PACKET, 0);
    file.write_all(&packet)
}
