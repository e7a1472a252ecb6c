//! What a repaired layer owes to inferred events: wherever it differs from the original, it was concluded.

use analyses::timeline::{Index, Lane, State, StateId};

/// The layer `repaired` with its rows and states numbered as in `original` as far as those go, and with
/// states that differ from the original marked as inferred.
pub(in crate::serve) fn compare(original: &Index, repaired: Index) -> Index {
    let mut out = Index::like(original);
    out.incoherences = repaired.incoherences;
    for row in &repaired.rows {
        let number = out.row(row.kind, &row.key);
        let other = original.find(row.kind, &row.key).and_then(|row| original.rows.get(row));
        let lane = mark(original, &mut out, &row.lane, &repaired.states.all, other.map(|row| &row.lane));
        if let Some(target) = out.rows.get_mut(number) {
            (target.lane, target.parent) = (lane, row.parent.clone());
            target.name.clone_from(&row.name);
        }
    }
    for incoherence in &mut out.incoherences {
        // Its row was numbered by the layer that is gone.
        incoherence.row = None;
    }
    out
}

fn mark(original: &Index, out: &mut Index, lane: &Lane, states: &[State], other: Option<&Lane>) -> Lane {
    let mut marked = Lane::default();
    for (from, value, to) in (0..lane.len()).filter_map(|change| lane.get(change)) {
        let Some(state) = states.get(usize::from(value)) else { continue };
        let plain = out.states.number(state.clone());
        let mut number = |is_inferred| match is_inferred {
            true => out.states.number(State { is_inferred, ..state.clone() }),
            false => plain,
        };
        let is_same = |held: Option<StateId>| {
            held.and_then(|held| original.states.all.get(usize::from(held))).is_some_and(|held| held == state)
        };
        let at = other.and_then(|other| other.index_at(from));
        let held = at.and_then(|at| Some(other?.get(at)?.1));
        marked.change(from, number(!is_same(held)));
        let later = other.map(|other| other.from(at.map_or(0, |at| at + 1)));
        for (time, held) in later.into_iter().flatten().take_while(|(time, _)| to.is_none_or(|to| *time < to))
        {
            marked.change(time.max(from), number(!is_same(Some(held))));
        }
    }
    marked
}
