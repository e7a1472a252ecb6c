//! Every example trace, cut at 500 lengths of each file and with 2,000 flipped bytes: it is read
//! without a panic, within five seconds and in 64 MiB and four times its size.
//!
//! One test in a file of its own: the memory of the whole process is what is counted.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use formats::ctf::Reader;
use fuzz::mutate::Rng;
use model::{EventSource, FieldSink, Item, Scope, Value};
use peak_alloc::PeakAlloc;
use source::NamedSource;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const CUTS: usize = 500;
const FLIPS: usize = 2_000;
const TOO_LONG: Duration = Duration::from_secs(5);

type Files = Vec<(String, Rc<[u8]>)>;

#[test]
fn damaged_traces_do_no_harm() {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/traces");
    let mut names: Vec<PathBuf> = std::fs::read_dir(traces).unwrap().map(|e| e.unwrap().path()).collect();
    names.retain(|path| path.is_dir());
    names.sort();
    assert_eq!(names.len(), 3);
    for folder in names {
        let mut files = Files::new();
        collect(&folder, &folder, &mut files);
        files.sort();
        let whole = events_in(&files, &|| "undamaged".to_owned());
        assert!(whole > 2_000, "{}: only {whole} events", folder.display());
        cut(&folder, &files);
        flip(&folder, &files);
    }
}

/// Each file in turn at lengths that are spread evenly, both ends included.
fn cut(folder: &Path, files: &Files) {
    for (index, (name, bytes)) in files.iter().enumerate() {
        for step in 0..CUTS {
            let len = bytes.len() * step / (CUTS - 1);
            let mut damaged = files.clone();
            damaged[index].1 = bytes[..len].into();
            events_in(&damaged, &|| format!("{}: {name} cut to {len} bytes", folder.display()));
        }
    }
}

/// One byte at a time, anywhere in the trace.
fn flip(folder: &Path, files: &Files) {
    let mut rng = Rng(1);
    let sizes: Vec<usize> = files.iter().map(|file| file.1.len()).collect();
    for _ in 0..FLIPS {
        let mut at = rng.below(sizes.iter().sum());
        let mut index = 0;
        while at >= sizes[index] {
            at -= sizes[index];
            index += 1;
        }
        let value = rng.draw() as u8;
        let mut damaged = files.clone();
        let mut bytes = damaged[index].1.to_vec();
        bytes[at] ^= value.max(1);
        damaged[index].1 = bytes.into();
        events_in(&damaged, &|| {
            format!("{}: byte {at} of {} ^ {value:#x}", folder.display(), files[index].0)
        });
    }
}

/// Reads everything, looks at every field, and holds the bounds.
fn events_in(files: &Files, what: &dyn Fn() -> String) -> u64 {
    let size = files.iter().map(|file| file.1.len()).sum();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let source = |(name, bytes): &(String, Rc<[u8]>)| NamedSource {
        name: name.clone(),
        source: Box::new(bytes.clone()),
    };
    let mut events = 0;
    let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let Ok(mut reader) = Reader::open(files.iter().map(source).collect()) else { return };
        while let Some(item) = reader.next_item() {
            if let Item::Event(event) = item {
                events += 1;
                event.fields.visit(Scope::Context, &mut Nothing);
                event.fields.visit(Scope::Payload, &mut Nothing);
            }
        }
    }));
    let memory = MEMORY.peak_usage() - before;
    assert!(read.is_ok(), "{}: panic", what());
    assert!(start.elapsed() < TOO_LONG, "{}: {:?}", what(), start.elapsed());
    assert!(memory <= fuzz::memory_bound(size), "{}: {memory} bytes", what());
    events
}

/// Takes every field and keeps none.
struct Nothing;

impl FieldSink for Nothing {
    fn value(&mut self, _: &str, value: Value<'_>) {
        std::hint::black_box(value);
    }
    fn begin_struct(&mut self, _: &str) {}
    fn begin_array(&mut self, _: &str, _: u64) {}
    fn end(&mut self) {}
}

fn collect(root: &Path, folder: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.push((name, std::fs::read(&path).unwrap().into()));
        }
    }
}
