//! Entry for fuzzing: bytes in, and nothing may go wrong but diagnostics.

/// Reads a file and all its steps. Gives back a number that depends on all that was read.
pub fn fuzz_chrome(bytes: &[u8]) -> u64 {
    let Ok(recording) = super::read("trace.json", bytes) else { return 1 };
    let mut count = recording.diagnostics().len() as u64 + recording.code().methods.len() as u64;
    for thread in 0..recording.threads().len() {
        let mut flow = recording.flow(thread);
        while flow.next_step().is_some() {
            count += 1;
        }
    }
    count
}
