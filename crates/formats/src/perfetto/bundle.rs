//! A bundle: what the kernel wrote on one CPU, as far as it was read at once.
//!
//! ```text
//! bundle   1 cpu   2 event*   3 something was lost before it   4 switches and wakings in columns
//! event    1 ns   2 thread   N what event number N carries
//! columns  5 names*   1 times (differences)   2 state of who leaves   3 next thread   4 its priority   6 its name
//!                     7 times  8 thread  9 cpu  10 priority  11 name
//! ```
//!
//! Columns do not say who leaves: it is who came last on that CPU.

use super::proto::{Message, Wire, numbers};
use crate::limits;

/// One event, as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    /// Where its message lies among what is kept.
    Message {
        at: u64,
        length: u32,
    },
    Switch {
        prev: Option<Thread>,
        state: i64,
        next: Thread,
    },
    Waking {
        thread: Thread,
        cpu: u32,
    },
}

/// A thread of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) tid: i32,
    pub(super) prio: i32,
    /// The number of its name among all.
    pub(super) comm: u32,
}

/// The parts of a bundle.
#[derive(Debug, Default)]
pub(super) struct Bundle<'a> {
    pub(super) cpu: u32,
    pub(super) has_lost: bool,
    pub(super) columns: Option<&'a [u8]>,
    pub(super) is_whole: bool,
}

impl<'a> Bundle<'a> {
    /// Everything but the events.
    pub(super) fn parse(bytes: &'a [u8]) -> Bundle<'a> {
        let mut bundle = Bundle::default();
        let mut message = Message::new(bytes);
        for field in message.by_ref() {
            match field {
                (1, Wire::Number(cpu)) => bundle.cpu = cpu as u32,
                (3, Wire::Number(has)) => bundle.has_lost = has != 0,
                (4, Wire::Bytes(columns)) => bundle.columns = Some(columns),
                _ => {}
            }
        }
        bundle.is_whole = message.is_whole;
        bundle
    }

    /// Its events.
    pub(super) fn events(bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        Message::new(bytes).filter_map(|field| match field {
            (2, Wire::Bytes(event)) => Some(event),
            _ => None,
        })
    }
}

/// The columns, by the numbers of their fields.
#[derive(Debug, Default)]
pub(super) struct Columns<'a> {
    pub(super) names: Vec<&'a [u8]>,
    columns: [Vec<u64>; 12],
}

impl<'a> Columns<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Columns<'a> {
        let mut columns = Columns::default();
        for (number, wire) in Message::new(bytes) {
            match (number, wire) {
                (5, Wire::Bytes(name)) => {
                    if columns.names.len() < limits::PERFETTO_TRACKS {
                        columns.names.push(name);
                    }
                }
                (5, _) => {}
                (number, wire) => {
                    if let Some(column) = columns.columns.get_mut(number as usize) {
                        column.extend(numbers(wire));
                    }
                }
            }
        }
        columns
    }

    fn at(&self, column: usize, row: usize) -> Option<u64> {
        self.columns.get(column)?.get(row).copied()
    }

    /// Switches in their order: time, state of who leaves, who comes, and the number of its name.
    pub(super) fn switches(&self) -> impl Iterator<Item = (u64, i64, i32, i32, usize)> + '_ {
        let mut time = 0u64;
        (0..).map_while(move |row| {
            time = time.wrapping_add(self.at(1, row)?);
            let (state, tid, prio) = (self.at(2, row)?, self.at(3, row)?, self.at(4, row)?);
            Some((time, state.cast_signed(), tid as i32, prio as i32, self.at(6, row)? as usize))
        })
    }

    /// Wakings in their order: time, thread, priority, CPU, and the number of its name.
    pub(super) fn wakings(&self) -> impl Iterator<Item = (u64, i32, i32, u32, usize)> + '_ {
        let mut time = 0u64;
        (0..).map_while(move |row| {
            time = time.wrapping_add(self.at(7, row)?);
            let (tid, cpu, prio) = (self.at(8, row)?, self.at(9, row)?, self.at(10, row)?);
            Some((time, tid as i32, prio as i32, cpu as u32, self.at(11, row)? as usize))
        })
    }
}
