//! Entry for fuzzing: bytes in, and nothing may go wrong but diagnostics.
//!
//! The input is the three files of a capture in one: `length of code u32 | length of steps u32 | code
//! | steps | open`. It is read as it is, and once more with all checksums made right: else hardly any
//! changed byte would come further than to them.

use model::FlowStep;

use super::frame::{CRC, MAGIC, START, head_bytes};
use super::{CODE, Capture, OPEN, STEPS};
use source::NamedSource;
use source::bytes::u32_at;

/// The files of an input.
pub fn split(input: &[u8]) -> [Vec<u8>; 3] {
    let rest = input.get(8..).unwrap_or_default();
    let (code, rest) = rest.split_at((u32_at(input, 0) as usize).min(rest.len()));
    let (steps, open) = rest.split_at((u32_at(input, 4) as usize).min(rest.len()));
    [code, steps, open].map(<[u8]>::to_vec)
}

/// An input made of files.
pub fn join(code: &[u8], steps: &[u8], open: &[u8]) -> Vec<u8> {
    let mut out = vec![];
    out.extend_from_slice(&(code.len() as u32).to_le_bytes());
    out.extend_from_slice(&(steps.len() as u32).to_le_bytes());
    [code, steps, open].iter().for_each(|file| out.extend_from_slice(file));
    out
}

/// Makes the checksums of all frames right that can be walked to.
fn repair(file: &mut [u8]) {
    let mut at = 0;
    while at + START <= file.len() {
        if file[at..at + 2] != MAGIC {
            at += 1;
            continue;
        }
        let body_at = at + START + head_bytes(file[at + 2]) + CRC;
        let end = body_at + u32_at(file, at + 4) as usize;
        let Some(body) = file.get(body_at..end) else {
            at += 1;
            continue;
        };
        let crc = crc32fast::hash(body).to_le_bytes();
        file[at + 8..at + 12].copy_from_slice(&crc);
        let crc = crc32fast::hash(&file[at..body_at - CRC]).to_le_bytes();
        file[body_at - CRC..body_at].copy_from_slice(&crc);
        at = end;
    }
}

/// Reads all that is there. Gives back a number that depends on it.
pub fn fuzz_capture(input: &[u8]) -> u64 {
    let [mut code, mut steps, open] = split(input);
    let as_it_is = read([&code, &steps, &open]);
    repair(&mut code);
    repair(&mut steps);
    as_it_is.wrapping_add(read([&code, &steps, &open]))
}

fn read(files: [&[u8]; 3]) -> u64 {
    let named = [CODE, STEPS, OPEN].into_iter().zip(files);
    let named =
        named.map(|(name, bytes)| NamedSource { name: name.to_owned(), source: Box::new(bytes.to_vec()) });
    let Ok(capture) = Capture::open(named.collect()) else { return 1 };
    let mut count = capture.diagnostics.len() as u64;
    for thread in &capture.threads {
        let (mut flow, mut depth) = (capture.flow(thread), 0u64);
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { .. } => depth += 1,
                // A frame that was never entered would end here: frames nest, whatever the words.
                FlowStep::Leave { .. } => depth -= 1,
                FlowStep::Blocks { blocks, .. } => {
                    assert!(depth > 0 && !blocks.is_empty(), "blocks without a frame");
                    count += blocks.len() as u64;
                }
                FlowStep::Catch { .. } => assert!(depth > 0, "a handler without a frame"),
                FlowStep::Inferred { .. } | FlowStep::Observed => {}
                FlowStep::Gap { .. }
                | FlowStep::Moment(_)
                | FlowStep::Clock(_)
                | FlowStep::Mark(_)
                | FlowStep::Values(_)
                | FlowStep::Task(_) => {}
            }
        }
        assert_eq!(depth, 0, "a frame stays open");
    }
    (0..capture.code.classes.len() as u32).for_each(|class| {
        count += capture.class_bytes(model::ClassId(class)).map_or(0, |bytes| bytes.len() as u64);
    });
    count
}
