//! Prefetching: this thread reads and takes from each event what the engine asks for, another one
//! runs the engine. Batches go back and forth, so memory is that of a few of them.

use std::sync::mpsc::sync_channel;

use inference::{Batch, Intake, Joint};
use model::{EventSource, Gap};

use crate::exit::{Result, Stop};

/// Batches on their way: one is filled, one is worked on, the others even out what takes longer.
const BATCHES: usize = 8;

/// Feeds `joint` with all of `source`; `lost` is called for each loss, `passed` after each batch.
pub(super) fn run(
    mut joint: Joint,
    mut intake: Intake,
    source: &mut dyn EventSource,
    lost: &mut dyn FnMut(&Gap, &dyn EventSource),
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<Joint> {
    let (full, to_do) = sync_channel::<Batch>(BATCHES);
    let (done, empty) = sync_channel::<Batch>(BATCHES);
    std::thread::scope(|scope| {
        let engine = std::thread::Builder::new().name("engine".into()).spawn_scoped(scope, move || {
            for mut batch in to_do {
                joint.take(&batch);
                batch.clear();
                // Nobody wants it back at the end.
                let _ = done.send(batch);
            }
            joint
        });
        let Ok(engine) = engine else { return Stop::failed("the system has no thread to spare") };
        let mut made = 0;
        loop {
            let mut batch = match empty.try_recv() {
                Ok(batch) => batch,
                Err(_) if made < BATCHES => {
                    made += 1;
                    Batch::default()
                }
                // The engine ended, which only a panic does.
                Err(_) => match empty.recv() {
                    Ok(batch) => batch,
                    Err(_) => break,
                },
            };
            let goes_on = intake.fill(source, &mut batch, lost);
            passed(source);
            if full.send(batch).is_err() || !goes_on {
                break;
            }
        }
        drop(full);
        match engine.join() {
            Ok(joint) => Ok(joint),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
