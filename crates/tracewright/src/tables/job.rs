//! A table of many inputs: read side by side, written or handed out in their order.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use super::batch::{Batch, Batcher};
use super::output::TableFile;
use super::{Asked, Column, Format, Share};
use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::part::Part;
use crate::process::{self, note};

/// Batches that wait to be written, of an input that is read alone or by several threads.
const WAITING: usize = 4;
/// Batches of an input that wait while those of an earlier one are written: most inputs that one thread reads have
/// fewer, so it goes on to the next one. They are about a MB each.
const AHEAD: usize = 64;
/// Bytes of a piece of memory that is larger than any column of a batch, and not larger than what glibc adapts to.
const LARGE: usize = 16 << 20;

/// What became of the inputs.
pub(crate) struct Read {
    /// How many could not be read.
    pub(crate) failed: usize,
    /// Whether something is missing of any.
    pub(crate) is_incomplete: bool,
}

/// Writes the table; `jobs` inputs are read at a time.
pub(crate) fn run(
    asked: &Asked<'_>,
    inputs: &[PathBuf],
    file: Option<&Path>,
    format: Format,
    jobs: usize,
) -> Result<Outcome> {
    let columns = asked.columns();
    let mut output = TableFile::create(file, &columns, format)?;
    let read = read(asked, inputs, &columns, format, jobs, |batch| output.write(&batch))?;
    if read.failed == inputs.len() {
        return Stop::failed("none of the inputs could be read");
    }
    output.finish()?;
    Ok(Outcome::new(read.is_incomplete, false))
}

/// Reads the inputs and hands out their batches in the order of the inputs, until `take` fails.
pub(crate) fn read(
    asked: &Asked<'_>,
    inputs: &[PathBuf],
    columns: &[Column],
    format: Format,
    jobs: usize,
    mut take: impl FnMut(Batch) -> Result<()>,
) -> Result<Read> {
    if jobs > 1 {
        keep_freed_memory();
    }
    let (mut shares, mut receivers) = (vec![], vec![]);
    for input in inputs {
        let of = asked.readers(input, jobs, inputs.len());
        let waiting = if of == 1 && inputs.len() > 1 && jobs > 1 { AHEAD } else { WAITING };
        let (senders, of_input): (Vec<_>, Vec<_>) = (0..of).map(|_| sync_channel(waiting)).unzip();
        let share = |(number, sender)| (input, Share { number, of }, Mutex::new(Some(sender)));
        shares.extend(senders.into_iter().enumerate().map(share));
        receivers.push(of_input);
    }
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let is_incomplete = AtomicBool::new(false);
    let work = &|| {
        while let Some((input, share, sender)) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
            let sender: Option<SyncSender<Batch>> =
                sender.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(sender) = sender else { continue };
            let shown = input.to_string_lossy();
            let mut rows = Batcher::new(&shown, columns, format, sender);
            match asked.fill(input, *share, &mut rows) {
                Ok(incomplete) => is_incomplete.fetch_or(incomplete, Ordering::Relaxed),
                // Nobody takes rows any more.
                Err(Stop::Unread) => return,
                Err(Stop::Failed(_)) if !share.is_first() => true,
                Err(Stop::Failed(sentence)) => {
                    failed.fetch_add(1, Ordering::Relaxed);
                    note(format_args!("{}", plain(&sentence)));
                    // All parts together have one such row.
                    let is_reported_here = asked.part.as_ref().is_none_or(Part::is_first);
                    if is_reported_here && rows.error(&sentence, columns.len()).is_err() {
                        return;
                    }
                    true
                }
            };
            if rows.finish().is_err() {
                return;
            }
        }
    };
    let written: Result<()> = std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, shares.len().max(1)) {
            let guest = process::guest();
            scope.spawn(|| process::within(guest, work));
        }
        // Whoever still sends finds nobody there and stops, when writing fails.
        let receivers = receivers;
        receivers.iter().try_for_each(|of_input| take_blocks(of_input, &mut take))
    });
    written?;
    let failed = failed.into_inner();
    Ok(Read { failed, is_incomplete: failed > 0 || is_incomplete.into_inner() })
}

/// Has glibc keep what batches leave behind for the next ones. By default it returns memory to the system as soon as a
/// batch is written, which costs a tenth of the time on two cores. It returns less once a large piece was freed.
fn keep_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
}

/// Takes the batches of an input: a block of each share after the other, until one has no further.
fn take_blocks(shares: &[Receiver<Batch>], take: &mut impl FnMut(Batch) -> Result<()>) -> Result<()> {
    for share in shares.iter().cycle() {
        let mut is_empty = true;
        loop {
            match share.recv() {
                Ok(Batch::BlockEnd) => break,
                Ok(batch) => take(batch)?,
                Err(_) if is_empty => return Ok(()),
                // This was the last block.
                Err(_) => break,
            }
            is_empty = false;
        }
    }
    Ok(())
}
