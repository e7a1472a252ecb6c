//! The end of a recording: some tracers stop CPU by CPU, and event by event.

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::shared::Shared;
use crate::estimate::losses::marks::What;

impl CpuMonitor {
    /// Takes back what contradicts only a CPU that was not recorded any more. Somebody who is seen elsewhere while it
    /// seems to run there left it behind the last of its events, and nobody knows whether anything was recorded then.
    /// The same where no handover was recorded any more, on any CPU: those may have been switched off first.
    pub(crate) fn forget_ends(&mut self, shared: &mut Shared) {
        let mut gone = Vec::new();
        let switches = shared.marks.iter().filter(|mark| matches!(mark.what, What::Switch { .. }));
        let last_switch = switches.map(|mark| mark.time).max();
        for (number, cpu) in (0u32..).zip(&mut self.cpus) {
            let Some(uncertainty) = cpu.uncertainty else { continue };
            let Some(found) = shared.incoherences.get(uncertainty).filter(|found| found.window.is_none())
            else {
                continue;
            };
            let is_over = shared.last_of.get(&number).is_none_or(|last| *last < found.time.0);
            let is_after_all = last_switch.is_some_and(|last| last < found.time.0);
            if is_over && cpu.left_by == found.time.0 || is_after_all {
                gone.push(uncertainty);
                cpu.uncertainty = None;
            }
        }
        if gone.is_empty() {
            return;
        }
        gone.sort_unstable();
        let mut index = 0;
        shared.incoherences.retain(|_| {
            index += 1;
            gone.binary_search(&(index - 1)).is_err()
        });
        for known in shared.inferred.iter_mut().filter_map(|event| event.inconsistency.as_mut()) {
            *known -= gone.partition_point(|gone| gone < known);
        }
    }
}
