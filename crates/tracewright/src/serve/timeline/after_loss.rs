//! Rows of which nothing was seen after a loss: what they did since then is not known.
//!
//! The engine widens what it knows of a thread when it sees it again. One that is never seen again would keep the state
//! that it had before the loss up to the end of the trace. Only a state that stays on its CPU is safe from what other
//! CPUs lost, and who has ended does nothing any more.

use analyses::timeline::{Index, Runner, State};

use super::RowKind;
use super::wait::Meanings;
use viewer::api::timeline::Doing;

/// Ends the states of such rows where the loss begins. To be called once all of the trace was read.
pub(super) fn forget(index: &mut Index, meanings: &Meanings) {
    for row in 0..index.rows.len() {
        if let Some((time, kind)) = unseen_since(index, meanings, row) {
            let unknown = index.states.number(State { kind, names: vec![], is_inferred: false });
            if let Some(row) = index.rows.get_mut(row) {
                row.lane.change(time, unknown);
            }
        }
    }
}

/// The beginning of the first loss after the last change of a row that may have changed it unseen.
fn unseen_since(index: &Index, meanings: &Meanings, number: usize) -> Option<(i64, RowKind)> {
    let row = index.rows.get(number)?;
    let (changed, state, _) = row.lane.get(row.lane.len().checked_sub(1)?)?;
    let state = index.states.all.get(usize::from(state)).filter(|state| !state.names.is_empty())?;
    let cpu = match (row.kind, meanings.doing(state)) {
        (RowKind::Cpu | RowKind::Interrupts, _) => Some(row.key.parse().ok()?),
        (RowKind::Thread, Doing::Over) | (RowKind::Machine | RowKind::Track, _) => return None,
        (RowKind::Thread, Doing::Runs) => {
            let is_it = |runner| u32::try_from(number).is_ok_and(|row| runner == Runner::Row(row));
            index.on_cpu.iter().find(|(_, lane)| is_it(lane.at(changed))).map(|(cpu, _)| *cpu)
        }
        (RowKind::Thread, _) => None,
    };
    let concerns = |of: Option<u32>| cpu.is_none() || of.is_none() || of == cpu;
    let losses = index.losses.iter().filter(|loss| concerns(loss.cpu)).flat_map(|loss| &loss.intervals);
    // Where a loss begins before the last change it may still lie after it.
    let after = losses.filter(|(_, to)| to.is_none_or(|to| to > changed));
    let since = after.map(|(from, _)| from.map_or(changed, |from| from.max(changed))).min()?;
    Some((since.saturating_add(1), row.kind))
}
