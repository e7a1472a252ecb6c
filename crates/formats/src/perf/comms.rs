//! Names of threads over time, as COMM and FORK records report them.
//!
//! ```text
//! COMM   | pid u32 | tid u32 | name 0 ... |
//! FORK   | pid u32 | parent pid u32 | tid u32 | parent tid u32 | time u64 |    a child is called like its parent
//! ```

use std::collections::HashMap;

use crate::limits;

use super::bytes::Cursor;
use super::record::kind;
use crate::tracepoint::decode::until_zero;

/// Bytes of the longest name that the kernel keeps.
const LONGEST: usize = 16;

/// The name of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comm {
    text: [u8; LONGEST],
    len: u8,
}

impl Comm {
    fn new(text: &[u8]) -> Self {
        let mut comm = Comm { text: [0; LONGEST], len: text.len().min(LONGEST) as u8 };
        for (to, from) in comm.text.iter_mut().zip(text) {
            *to = *from;
        }
        comm
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.text.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// The names of all threads at one moment.
#[derive(Debug, Default)]
pub(super) struct Comms {
    names: HashMap<i32, Comm>,
}

impl Comms {
    pub(super) fn of(&self, tid: Option<i32>) -> Option<Comm> {
        self.names.get(&tid?).copied()
    }

    /// Takes a COMM or FORK record; others and damaged ones change nothing.
    pub(super) fn take(&mut self, record: u32, body: &[u8]) {
        let mut cursor = Cursor::new(body);
        let mut take = || match record {
            kind::COMM => {
                cursor.u32()?;
                let tid = cursor.u32()? as i32;
                Some((tid, Comm::new(until_zero(cursor.rest))))
            }
            kind::FORK => {
                cursor.u64()?;
                let (tid, parent) = (cursor.u32()? as i32, cursor.u32()? as i32);
                Some((tid, self.of(Some(parent))?))
            }
            _ => None,
        };
        if let Some((tid, comm)) = take()
            && (self.names.len() < limits::PERF_THREADS || self.names.contains_key(&tid))
        {
            self.names.insert(tid, comm);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_called_like_its_parent_until_it_gets_a_name() {
        let mut comms = Comms::default();
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let shell = [words(&[7, 7]), b"shell\0\0\0".to_vec()].concat();
        comms.take(kind::COMM, &shell);
        comms.take(kind::FORK, &words(&[8, 7, 8, 7, 0, 0]));
        comms.take(kind::FORK, &words(&[9, 6, 9, 6, 0, 0]));
        let name = |comms: &Comms, tid| comms.of(Some(tid)).map(|comm| comm.bytes().to_vec());
        assert_eq!(name(&comms, 8).as_deref(), Some(&b"shell"[..]));
        assert_eq!(name(&comms, 9), None);
        comms.take(kind::COMM, &[words(&[8, 8]), b"a name that is far too long".to_vec()].concat());
        assert_eq!(name(&comms, 8).as_deref(), Some(&b"a name that is f"[..]));
        comms.take(kind::COMM, &shell[..5]);
        assert_eq!(name(&comms, 7).as_deref(), Some(&b"shell"[..]));
    }
}
