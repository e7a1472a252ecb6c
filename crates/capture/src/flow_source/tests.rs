//! What [`FlowEvents`] makes of captures.

use model::flow_events::{FlowEvents, FlowItem};
use model::{EventSource, Item};

use crate::{CODE, Capture, OPEN, STEPS, fixture, fuzz};

/// All that comes; which of the two ways is asked next is what `choose` says.
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
