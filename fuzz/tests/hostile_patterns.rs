//! Pattern files made to be expensive: refused, or read, in 16 MiB and at once (50 ms is the promise that
//! the benchmark holds; here, hardly optimised and on a busy machine, it is two seconds).
//!
//! One test in a file of its own: the memory of the whole process is what is counted.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const TOO_LONG: Duration = Duration::from_secs(2);
const MOST: usize = 16 << 20;

#[test]
fn expensive_patterns_stay_cheap() {
    let mut wrong = Vec::new();
    for hostile in fuzz::hostile::patterns() {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        let found = formats::model_xml::read("hostile.xml", hostile.text.as_bytes());
        if let Ok(file) = &found {
            for pattern in &file.patterns {
                let names = ["sched_switch", "syscall_entry_read"];
                std::hint::black_box(formats::model_xml::check::against_trace("hostile.xml", pattern, names));
            }
        }
        let is_refused = found.is_err();
        drop(found);
        let (took, used) = (start.elapsed(), MEMORY.peak_usage() - before);
        let (name, size) = (hostile.name, hostile.text.len() >> 10);
        let line = format!("{name}: {size} KiB, {took:.1?}, {} KiB, refused: {is_refused}", used >> 10);
        println!("{line}");
        if is_refused != hostile.is_refused || took > TOO_LONG || used > MOST {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
