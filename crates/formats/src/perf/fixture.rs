//! Writes small files as perf does, for tests: records in the order of the calls, the rest by itself.
//!
//! Three tracepoints on two CPUs are known; event number n has the identifiers 10 n + 1 (buffer of
//! CPU 0) and 10 n + 2 (CPU 1). All samples have pid, tid, time, id, cpu and what the tracepoint wrote.

pub(super) const SWITCH: u64 = 1;
pub(super) const ENTER: u64 = 2;
pub(super) const ODD: u64 = 3;

const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const ID: u64 = 1 << 6;
const CPU: u64 = 1 << 7;
const RAW: u64 = 1 << 10;

const HEADER: usize = 104;
const ATTRIBUTE: usize = 128 + 16;

const TEXTS: [(&str, &str); 3] = [
    (
        "sched",
        "name: sched_switch\nID: 1\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
         \tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
         \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
         \tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\
         \tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\
         \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
    ),
    (
        "raw_syscalls",
        "name: sys_enter\nID: 2\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
         \tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n\
         \tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\nprint fmt: \"%lx\", REC->args[0]\n",
    ),
    (
        "test",
        "name: odd\nID: 3\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
         \tfield:__data_loc char[] path;\toffset:8;\tsize:4;\tsigned:0;\n\
         \tfield:__rel_loc u16[] numbers;\toffset:12;\tsize:4;\tsigned:0;\n\
         \tfield:s8 small;\toffset:16;\tsize:1;\tsigned:1;\n\
         \tfield:void * address;\toffset:24;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n",
    ),
];

/// What a file is made of.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) events: Vec<u64>,
    pub(super) records: Vec<u8>,
    pub(super) features: Vec<(u32, Vec<u8>)>,
}

impl File {
    /// With sched_switch, sys_enter and an event of every kind of field.
    pub(super) fn new() -> File {
        let events = vec![SWITCH, ENTER, ODD];
        let features = vec![
            (1, tracing_data()),
            (3, text("host")),
            (5, text("6.1")),
            (6, text("x86_64")),
            (11, [1u32.to_le_bytes().to_vec(), text("perf")].concat()),
        ];
        let file = File { events, records: vec![], features };
        let index = [1u64, 2, 3].iter().flat_map(|event| [(event * 10 + 1, 0), (event * 10 + 2, 1)]);
        let index: Vec<[u64; 4]> = index.map(|(id, cpu)| [id, cpu, cpu, u64::MAX]).collect();
        file.index(&index)
    }

    /// A record of any kind.
    pub(super) fn record(mut self, kind: u32, body: &[u8]) -> File {
        self.records.extend(kind.to_le_bytes());
        self.records.extend([0, 0]);
        self.records.extend((body.len() as u16 + 8).to_le_bytes());
        self.records.extend(body);
        self
    }

    /// ID_INDEX: id, number, cpu, tid.
    pub(super) fn index(self, entries: &[[u64; 4]]) -> File {
        self.record(69, &[words(&[entries.len() as u64]), words(entries.as_flattened())].concat())
    }

    pub(super) fn sample(self, event: u64, time: u64, cpu: u64, tid: u32, raw: &[u8]) -> File {
        let id = event * 10 + 1 + cpu;
        // perf fills up what the tracepoint wrote so that records stay aligned.
        let size = (raw.len() + 4).next_multiple_of(8) - 4;
        let mut body = words(&[u64::from(tid) << 32 | 7, time, id, cpu]);
        body.extend((size as u32).to_le_bytes());
        body.extend(raw);
        body.resize(32 + 4 + size, 0);
        self.record(9, &body)
    }

    pub(super) fn switch(self, time: u64, cpu: u64, prev: u32, state: u64, next: u32) -> File {
        let mut raw = vec![1, 0, 0, 0];
        raw.extend(prev.to_le_bytes());
        raw.extend(*b"before\0\0\0\0\0\0\0\0\0\0");
        raw.extend(u64::from(prev).to_le_bytes());
        raw.extend(state.to_le_bytes());
        raw.extend(*b"behind\0garbage!!");
        raw.extend(next.to_le_bytes());
        self.sample(SWITCH, time, cpu, prev, &raw)
    }

    pub(super) fn enter(self, time: u64, cpu: u64, tid: u32, call: u64) -> File {
        let raw = [vec![2, 0, 0, 0], tid.to_le_bytes().to_vec(), words(&[call, 1, 2, 3, 4, 5, 6])].concat();
        self.sample(ENTER, time, cpu, tid, &raw)
    }

    pub(super) fn comm(self, time: u64, tid: u32, name: &str) -> File {
        let mut body = [7u32.to_le_bytes(), tid.to_le_bytes()].concat();
        body.extend(name.bytes());
        body.resize((body.len() + 1).next_multiple_of(8), 0);
        self.record(3, &[body, trailer(time, 0, 0)].concat())
    }

    pub(super) fn lost(self, time: u64, cpu: u64, count: u64) -> File {
        let id = SWITCH * 10 + 1 + cpu;
        self.record(2, &[words(&[id, count]), trailer(time, id, cpu)].concat())
    }

    /// LOST_SAMPLES as perf writes it at the end.
    pub(super) fn total(self, id: u64, count: u64) -> File {
        self.record(13, &[words(&[count]), trailer(0, id, 0)].concat())
    }

    pub(super) fn round(self) -> File {
        self.record(68, &[])
    }

    /// The same, written to a pipe.
    pub(super) fn bytes_of_pipe(&self) -> Vec<u8> {
        let mut pipe = File { events: vec![], records: vec![], features: vec![] };
        for event in &self.events {
            let ids = words(&[event * 10 + 1, event * 10 + 2]);
            pipe = pipe.record(64, &[attribute(*event), ids].concat());
        }
        for (number, feature) in &self.features {
            match number {
                1 => {
                    pipe = pipe.record(66, &(feature.len() as u64).to_le_bytes());
                    pipe.records.extend(feature);
                    pipe.records
                        .resize(pipe.records.len() + feature.len().next_multiple_of(8) - feature.len(), 0);
                }
                _ => pipe = pipe.record(80, &[words(&[(*number).into()]), feature.clone()].concat()),
            }
        }
        [b"PERFILE2".to_vec(), words(&[16]), pipe.records, self.records.clone()].concat()
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let ids = HEADER;
        let attributes = ids + self.events.len() * 16;
        let data = attributes + self.events.len() * ATTRIBUTE;
        let mut header = b"PERFILE2".to_vec();
        header.extend(words(&[HEADER as u64, ATTRIBUTE as u64]));
        header.extend(words(&[attributes as u64, (self.events.len() * ATTRIBUTE) as u64]));
        header.extend(words(&[data as u64, self.records.len() as u64, 0, 0]));
        let bits = self.features.iter().fold(0u64, |bits, (feature, _)| bits | 1 << feature);
        header.extend(words(&[bits, 0, 0, 0]));
        for event in &self.events {
            header.extend(words(&[event * 10 + 1, event * 10 + 2]));
        }
        for (number, event) in self.events.iter().enumerate() {
            header.extend(attribute(*event));
            header.extend(words(&[(ids + number * 16) as u64, 16]));
        }
        header.extend(&self.records);
        let mut at = header.len() + self.features.len() * 16;
        for (_, feature) in &self.features {
            header.extend(words(&[at as u64, feature.len() as u64]));
            at += feature.len();
        }
        header.extend(self.features.iter().flat_map(|(_, feature)| feature));
        header
    }
}

/// 128 bytes.
fn attribute(event: u64) -> Vec<u8> {
    let mut attribute = [2u32.to_le_bytes(), 128u32.to_le_bytes()].concat();
    attribute.extend(words(&[event, 1, TID | TIME | ID | CPU | RAW, 4 | 16, 1 << 18]));
    attribute.resize(128, 0);
    attribute
}

pub(super) fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn trailer(time: u64, id: u64, cpu: u64) -> Vec<u8> {
    words(&[7 << 32 | 7, time, id, cpu])
}

fn text(text: &str) -> Vec<u8> {
    let mut bytes = 16u32.to_le_bytes().to_vec();
    bytes.extend(text.bytes());
    bytes.resize(20, 0);
    bytes
}

fn tracing_data() -> Vec<u8> {
    let mut bytes = b"\x17\x08\x44tracing0.6\0\0\x08\0\x10\0\0".to_vec();
    for name in [&b"header_page\0"[..], b"header_event\0"] {
        bytes.extend(name);
        bytes.extend(words(&[3]));
        bytes.extend(b"...");
    }
    bytes.extend(0u32.to_le_bytes());
    bytes.extend((TEXTS.len() as u32).to_le_bytes());
    for (system, text) in TEXTS {
        bytes.extend(system.bytes());
        bytes.push(0);
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(words(&[text.len() as u64]));
        bytes.extend(text.bytes());
    }
    bytes
}
