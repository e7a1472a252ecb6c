//! Who runs where, and who is off, behind what was concluded to be lost.

use super::belief::{ANY, Belief};
use super::instances::{Ix, NOWHERE};
use super::runner::Runner;
use super::shared::Shared;
use crate::state_set::StateSet;

impl Runner {
    /// This one runs there now, with this belief if any is better than what is known.
    pub(super) fn runs(&mut self, number: u32, who: Ix, belief: Option<Belief>) {
        let on = self.on();
        if let Some(cpu) = self.cpus.get_mut(number as usize) {
            cpu.running = who;
        }
        if let Some(one) = self.watched.instances.get_mut(who) {
            one.on = number;
            let set = belief.map_or(on, |belief| belief.set.and(on));
            one.belief = Belief {
                set: if set.is_empty() { on } else { set },
                open: belief.map_or(ANY, |belief| belief.open),
            };
        }
    }

    /// Somebody left the CPU by an event that was lost.
    pub(super) fn left(
        &mut self,
        shared: &mut Shared,
        (ix, number): (Ix, u32),
        from: i64,
        belief: Belief,
        told: Option<usize>,
    ) {
        let (off, on) = (self.off(), self.on());
        let leaves = self.handover().and_then(|(_, leaves, _)| self.watched.rules.row(leaves));
        let behind = leaves.and_then(|row| row.anew(on)).map_or(off, |step| step.after.set);
        let belief = if belief.set.is_empty() { Belief::of(behind) } else { belief };
        let Some(one) = self.watched.instances.get_mut(ix) else { return };
        if one.on != NOWHERE && one.on != number {
            // It was seen elsewhere since, without more: it never stopped being ready.
            if let Some(told) = told {
                shared.resolve(told, off, &self.watched.rules);
            }
            return;
        }
        if one.on == NOWHERE && one.time > from {
            // Another stream has told of it since.
            one.belief.open = belief.open;
            if let Some(told) = told {
                shared.resolve(told, self.woken_from(shared), &self.watched.rules);
            }
            return;
        }
        (one.on, one.cpu, one.target) = (NOWHERE, number, NOWHERE);
        (one.moved, one.pending) = (from, told);
        one.belief = belief;
    }

    /// States that an event elsewhere takes an instance out of, so that it is ready.
    pub(super) fn woken_from(&self, _: &Shared) -> StateSet {
        let (on, off) = (self.on(), self.off());
        let lost = self.watched.rules.lost.iter();
        let wakes = lost.filter(|arc| {
            matches!(arc.part, super::plan::Part::Field(_))
                && !arc.to.and(off).is_empty()
                && !on.has(arc.from)
                && !self.watched.rules.shape.initial.has(arc.from)
        });
        let from = wakes.fold(StateSet::default(), |set, arc| set.or(StateSet::one(arc.from)));
        let only = from.and(off.others());
        if only.is_empty() { from } else { only }
    }

    /// It left its CPU unseen and was seen off it at this moment.
    pub(super) fn was_woken(&mut self, shared: &mut Shared, ix: Ix, woken: i64) {
        let (from, off) = (self.woken_from(shared), self.off());
        let Some(one) = self.watched.instances.get_mut(ix) else { return };
        if one.on != NOWHERE {
            return;
        }
        if let Some(told) = one.pending.take() {
            shared.resolve(told, from, &self.watched.rules);
        }
        let ready = self.watched.rules.ready_behind(one.belief.set.and(from));
        let set = if ready.and(off).is_empty() { off } else { ready.and(off) };
        (one.belief.set, one.moved) = (set, woken);
    }
}
