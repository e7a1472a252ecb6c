//! What [`FlowEvents`] makes of captures.

use model::flow_events::{FlowEvents, FlowItem};
use model::{EventSource, Item};

use crate::{CODE, Capture, OPEN, STEPS, fixture, fuzz};

/// All that comes; `choose` picks which of the two methods is called next.
fn taken(bytes: &[u8], mut choose: impl FnMut() -> bool) -> (Vec<String>, u64) {
    let [code, steps, open] = fuzz::split(bytes);
    let mut files = vec![(CODE, code), (STEPS, steps)];
    files.extend((!open.is_empty()).then_some((OPEN, open)));
    let Ok(capture) = Capture::open(fixture::sources(&files)) else { return (vec![], 0) };
    let (mut source, mut out, mut repeated) = (FlowEvents::new(Box::new(capture)), vec![], 0);
    loop {
        if choose() {
            match source.next_flow_item() {
                None => return (out, repeated),
                Some(FlowItem::Gap(gap)) => out.push(format!("{gap:?}")),
                Some(FlowItem::Blocks(stream, blocks, times)) => {
                    repeated += u64::from(times > 1);
                    let iteration = blocks.iter().map(|symbol| format!("{stream:?} {symbol:?}"));
                    (0..times).for_each(|_| out.extend(iteration.clone()));
                }
            }
        } else {
            match source.next_item() {
                None => return (out, repeated),
                Some(Item::Gap(gap)) => out.push(format!("{gap:?}")),
                Some(Item::Event(event)) => out.push(format!("{:?} {:?}", event.stream, event.symbol)),
            }
        }
    }
}

#[test]
fn many_at_a_time_are_the_same_blocks() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/capture");
    let (mut all, mut repeated) = (0, 0);
    for file in std::fs::read_dir(corpus).unwrap() {
        let path = file.unwrap().path();
        // Its loops make more iterations than fit into memory one by one.
        if path.ends_with("blocks-and-paths") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let (items, _) = taken(&bytes, || false);
        all += items.len();
        let (got, runs) = taken(&bytes, || true);
        repeated += runs;
        assert!(got == items, "{}", path.display());
        let mut rng = fixture::Rng(all as u64 + 1);
        assert!(taken(&bytes, || rng.roll(2) == 0).0 == items, "{}, mixed", path.display());
    }
    assert!(all > 400 && repeated > 0, "{all} blocks, {repeated} runs of several iterations");
}

/// What was half taken of the thread before is forgotten.
#[test]
fn a_thread_goes_on_from_a_record() {
    let mut rng = fixture::Rng(7);
    let program = fixture::Program::random(&mut rng, 5);
    let threads = [(); 2].map(|()| fixture::run(&program, &mut rng, 900));
    let mut steps = vec![];
    (1..)
        .zip(&threads)
        .for_each(|(serial, thread)| fixture::steps_file(&mut steps, serial, &thread.words, 50));
    let capture =
        || Capture::open(fixture::sources(&[(CODE, program.code_file(2)), (STEPS, steps.clone())])).unwrap();
    // All blocks of a thread by their methods.
    let rest = |source: &mut FlowEvents, thread: u32| {
        let (mut blocks, mut gaps) = (vec![], 0);
        while let Some(item) = source.next_item() {
            match item {
                Item::Event(event) if event.stream.0 == thread => {
                    let symbol = event.symbol;
                    blocks.push(source.block_of(symbol));
                }
                Item::Gap(gap) if gap.stream.0 == thread => gaps += 1,
                _ => break,
            }
        }
        (blocks, gaps)
    };
    let mut whole = FlowEvents::new(Box::new(capture()));
    assert!(whole.seek(1, 0));
    let (all, gaps) = rest(&mut whole, 1);
    assert!(gaps == 0 && all.len() > 500, "{gaps} gaps, {} blocks", all.len());
    for record in [0, 49, 50, 451, 899, 5_000] {
        let mut source = FlowEvents::new(Box::new(capture()));
        (0..record % 7).for_each(|_| _ = source.next_item());
        assert!(source.seek(1, record));
        let (blocks, gaps) = rest(&mut source, 1);
        assert_eq!(gaps, u32::from(record >= 50), "record {record}");
        assert!(all.ends_with(&blocks) && !blocks.is_empty(), "record {record}");
        assert_eq!(blocks.len() == all.len(), record < 50, "record {record}");
    }
    assert!(!whole.seek(2, 0), "there is no third thread");
}
