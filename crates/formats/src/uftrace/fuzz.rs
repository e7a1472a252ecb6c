//! Entry for fuzzing: a folder as one text of bytes, and nothing may go wrong but diagnostics.
//!
//! ```text
//! for each file   length of the name u8 | name | length u32, little endian | bytes
//! ```

use model::FlowSource;
use source::NamedSource;

use super::Recording;

/// Steps that are read at most.
const STEPS: usize = 1 << 20;

/// The files of an input; a length beyond the end means the rest.
pub fn split(mut input: &[u8]) -> Vec<NamedSource> {
    let mut files = vec![];
    while let Some((&length, rest)) = input.split_first() {
        let (name, rest) = rest.split_at(usize::from(length).min(rest.len()));
        let Some((size, rest)) = rest.split_first_chunk::<4>() else { break };
        let (bytes, rest) = rest.split_at((u32::from_le_bytes(*size) as usize).min(rest.len()));
        let name = String::from_utf8_lossy(name).into_owned();
        files.push(NamedSource { name, source: Box::new(bytes.to_vec()) });
        input = rest;
    }
    files
}

/// The other way round.
pub fn join(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = vec![];
    for (name, bytes) in files {
        out.push(name.len() as u8);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(bytes);
    }
    out
}

/// Reads all that is there. Gives back a number that depends on all that was read.
pub fn fuzz_uftrace(input: &[u8]) -> u64 {
    let Ok(recording) = Recording::open(split(input)) else { return 1 };
    let mut count = recording.diagnostics().len() as u64 + recording.code().methods.len() as u64;
    for thread in 0..recording.threads().len() {
        let mut flow = recording.flow(thread);
        let mut steps = 0;
        while steps < STEPS && flow.next_step().is_some() {
            steps += 1;
        }
        count += steps as u64;
    }
    count
}
