//! Options: what the file says of its machine, its buffers and their losses.

use super::at::At;
use crate::limits;
use std::collections::BTreeMap;

/// The pages of one CPU: where they begin in the file, and how many bytes they have there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OfCpu {
    pub(super) cpu: u32,
    pub(super) offset: u64,
    pub(super) size: u64,
}

/// A buffer of the kernel: the one that has no name, or an instance.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) cpus: Vec<OfCpu>,
    pub(super) is_compressed: bool,
    pub(super) page: Option<u32>,
}

/// Ticks of the processor to ns: times, shift, to add.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticks {
    pub(super) multiplier: u32,
    pub(super) shift: u32,
    pub(super) offset: u64,
}

/// All options that mean something here.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) buffers: Vec<Buffer>,
    /// Of version 6: name and where the buffer is described.
    pub(super) buffers_6: Vec<(String, u64)>,
    /// What a CPU of a buffer lost, by its own count.
    pub(super) lost: BTreeMap<(String, u32), u64>,
    /// Of whose CPUs the statistics are that come next.
    statistics_of: String,
    pub(super) uname: Option<String>,
    pub(super) tracer: Option<String>,
    pub(super) offset: i64,
    pub(super) ticks: Option<Ticks>,
    pub(super) clock: Option<String>,
    /// Sections by their identifiers.
    pub(super) sections: BTreeMap<u16, u64>,
    /// What is in the file and not read.
    pub(super) passed: Vec<&'static str>,
}

impl Options {
    /// Those of version 6, up to the one that ends them.
    pub(super) fn read_6(&mut self, at: &mut At<'_>) -> Option<()> {
        loop {
            let id = u16::from_le_bytes(at.bytes(2)?.try_into().ok()?);
            if id == 0 {
                return Some(());
            }
            let size = at.u32()?;
            let data = at.bytes(size.into())?;
            if id == 3 {
                let mut data = At { source: &data, offset: 0 };
                if let (Some(offset), Some(name)) = (data.u64(), data.text())
                    && self.buffers_6.len() < limits::TRACE_DAT_BUFFERS
                {
                    self.buffers_6.push((name, offset));
                }
            } else {
                self.take(id, &data);
            }
        }
    }

    /// The list of the CPUs of a buffer in version 6.
    pub(super) fn buffer_6(&mut self, name: String, at: &mut At<'_>, cpus: u32) -> Option<()> {
        let mut buffer = Buffer { name, ..Buffer::default() };
        for cpu in 0..cpus {
            let (offset, size) = (at.u64()?, at.u64()?);
            if size > 0 {
                buffer.cpus.push(OfCpu { cpu, offset, size });
            }
        }
        self.buffers.push(buffer);
        Some(())
    }

    /// One option of either version.
    pub(super) fn take(&mut self, id: u16, data: &[u8]) {
        let text = || String::from_utf8_lossy(data).trim_matches(['\0', '\n', ' ']).to_owned();
        let mut at = At { source: &data, offset: 0 };
        match id {
            2 => self.statistics(&text()),
            3 => drop(self.buffer(&mut at)),
            5 => self.uname = Some(text()),
            7 => self.offset = text().parse().unwrap_or(0),
            9 => self.tracer = Some(format!("trace-cmd {}", text())),
            12 => self.passed.push(
                "The times of this file are to be brought together with those of a host, which is not done",
            ),
            14 => {
                if let (Some(multiplier), Some(shift), Some(offset)) = (at.u32(), at.u32(), at.u64()) {
                    self.ticks = Some(Ticks { multiplier, shift, offset });
                }
            }
            16..=18 | 21 => {
                if let Some(offset) = at.u64() {
                    self.sections.insert(id, offset);
                }
            }
            22 => self.passed.push("Text of a latency tracer is not read"),
            _ => {}
        }
    }

    /// `CPU: 0`, `overrun: 12168` and others, a line each.
    fn statistics(&mut self, text: &str) {
        if let Some(name) = text.strip_prefix("Buffer: ") {
            self.statistics_of = name.trim().to_owned();
            return;
        }
        let number = |key: &str| -> Option<u64> {
            text.lines().find_map(|line| line.trim().strip_prefix(key))?.trim().parse().ok()
        };
        let Some(cpu) = number("CPU:").and_then(|cpu| u32::try_from(cpu).ok()) else { return };
        let lost = ["overrun:", "commit overrun:", "dropped events:"].map(|key| number(key).unwrap_or(0));
        if self.lost.len() < limits::FTRACE_STREAMS {
            let lost = lost.iter().fold(0u64, |sum, lost| sum.saturating_add(*lost));
            self.lost.insert((self.statistics_of.clone(), cpu), lost);
        }
    }

    /// A buffer of version 7.
    fn buffer(&mut self, at: &mut At<'_>) -> Option<()> {
        let section = at.u64()?;
        let (name, clock) = (at.text()?, at.text()?);
        let (page, cpus) = (at.u32()?, at.u32()?);
        self.clock.get_or_insert(clock);
        let mut buffer = Buffer { name, page: Some(page), ..Buffer::default() };
        for _ in 0..cpus {
            let of_cpu = OfCpu { cpu: at.u32()?, offset: at.u64()?, size: at.u64()? };
            if of_cpu.size > 0 {
                buffer.cpus.push(of_cpu);
            }
        }
        if self.buffers.len() < limits::TRACE_DAT_BUFFERS {
            // Whether it is compressed stands in the head of its section, which is read when all options are.
            self.buffers_6.push((String::new(), section));
            self.buffers.push(buffer);
        }
        Some(())
    }
}
