//! Losses: where each buffer lost something, and how much.
//!
//! ```text
//! buffer of cpu 0     sample sample | full: 5 could not be written | LOST 5, sample ... sample | full: 3 | end
//!                            ^ from          gap of 5 events         ^ to               ^ from    gap of 3
//! at the end of the file      LOST_SAMPLES id a: 6, id b: 2
//! ```
//!
//! The kernel counts what does not fit into a buffer twice: once for the buffer, which the next record
//! that fits reports as LOST (whatever event it is of: the id in it is that of the record, not of what
//! was lost), and once for each event, which perf reads when it ends and appends as LOST_SAMPLES with a
//! time of 0. So these are the same losses, reported by position and by event, and must not be added.
//! What LOST_SAMPLES has more than LOST was lost after the last record of its buffer, where no record
//! came to report it. Measured on recordings with one page a buffer: 125,650 by either, per buffer and
//! in all; and for a command that ends in the middle of a burst 5,050 by LOST, 10,317 by LOST_SAMPLES.
//!
//! perf before 6.1 appends no totals, so what was lost at the very end is unknown there. LOST_SAMPLES
//! with a time come from the kernel and report samples that the processor dropped: these count by
//! themselves. Those which a filter (BPF) dropped are no loss.
//!
//! Both count records, so a lost COMM or MMAP counts like a lost sample.

use std::collections::BTreeMap;

use model::Lost;

use super::events::Buffer;
use crate::limits;

/// One loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loss {
    pub(super) buffer: Buffer,
    /// The number of the sample behind which it lies, among all records; `None`: before all of its buffer.
    pub(super) after: Option<u64>,
    pub(super) from: Option<u64>,
    pub(super) to: Option<u64>,
    pub(super) lost: Lost,
}

/// What is known of one buffer up to now.
#[derive(Debug, Default)]
struct Account {
    /// The newest sample: time and number.
    newest: Option<(u64, u64)>,
    /// The time of the oldest sample.
    oldest: Option<u64>,
    has_samples: bool,
    /// Time of the newest record of any kind.
    seen: Option<u64>,
    /// By LOST.
    declared: u64,
    /// By LOST_SAMPLES at the end.
    total: Option<u64>,
    /// The loss after which no record was seen yet.
    open: Option<usize>,
    /// The last loss, to which those beyond the limit are added.
    last: Option<usize>,
}

/// Collects the losses of all buffers.
#[derive(Debug, Default)]
pub(super) struct Losses {
    accounts: BTreeMap<Buffer, Account>,
    losses: Vec<Loss>,
    /// Losses that have no position of their own.
    pub(super) crowded: u64,
    /// Totals whose buffer is not recorded, in the order of the buffers.
    unplaced: Vec<u64>,
}

/// The outcome.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// All buffers that have samples or losses, in order.
    pub(super) buffers: Vec<Buffer>,
    /// By the record behind which they lie.
    pub(super) losses: Vec<Loss>,
    /// Losses that no record reports but switches show, for recordings of all threads.
    pub(super) undeclared: Vec<Loss>,
    /// Of each buffer with samples the times of its first and last one.
    pub(super) spans: BTreeMap<Buffer, (u64, u64)>,
    /// Buffers of which LOST says more than LOST_SAMPLES: both numbers.
    pub(super) contradictions: Vec<(Buffer, u64, u64)>,
}

impl Ledger {
    /// Adds what is missing without a record; how often.
    pub(super) fn add_undeclared(&mut self) -> usize {
        let count = self.undeclared.len();
        self.losses.append(&mut self.undeclared);
        self.losses.sort_by_key(|loss| loss.after);
        count
    }
}

impl Losses {
    /// A sample, and its number among all records.
    #[inline]
    pub(super) fn sample(&mut self, buffer: Buffer, time: Option<u64>, order: u64) {
        let (_, account) = account(&mut self.accounts, buffer);
        account.has_samples = true;
        account.see(time, &mut self.losses);
        let time = time.unwrap_or(0);
        account.oldest = Some(account.oldest.map_or(time, |oldest| oldest.min(time)));
        if account.newest.is_none_or(|(newest, _)| newest <= time) {
            account.newest = Some((time, order));
        }
    }

    /// Any record of a buffer; perf itself writes some with a time of 0, which say nothing.
    pub(super) fn record(&mut self, buffer: Buffer, time: Option<u64>) {
        if time.is_some_and(|time| time != 0) {
            let (_, account) = account(&mut self.accounts, buffer);
            account.see(time, &mut self.losses);
        }
    }

    /// A LOST record: `count` records did not fit before `time`.
    pub(super) fn lost(&mut self, buffer: Buffer, time: Option<u64>, count: u64) {
        let (_, account) = account(&mut self.accounts, buffer);
        account.declared = account.declared.saturating_add(count);
        self.dropped(buffer, time, count);
    }

    /// Samples that never came to the buffer, up to `time`.
    pub(super) fn dropped(&mut self, buffer: Buffer, time: Option<u64>, count: u64) {
        if count > 0 {
            self.add(buffer, time.filter(|time| *time != 0), Lost::Events(count), true);
        }
    }

    /// A total from the end of the file.
    pub(super) fn total(&mut self, buffer: Option<Buffer>, count: u64) {
        match buffer {
            Some(buffer) => {
                let (_, account) = account(&mut self.accounts, buffer);
                account.total = Some(account.total.unwrap_or(0).saturating_add(count));
            }
            None if self.unplaced.len() < limits::PERF_BUFFERS => self.unplaced.push(count),
            None => {
                if let Some(last) = self.unplaced.last_mut() {
                    *last = last.saturating_add(count);
                }
            }
        }
    }

    fn add(&mut self, buffer: Buffer, to: Option<u64>, lost: Lost, is_open: bool) {
        let next = self.losses.len();
        let (buffer, account) = account(&mut self.accounts, buffer);
        if next >= limits::PERF_LOSSES
            && let Some(loss) = account.last.and_then(|last| self.losses.get_mut(last))
        {
            self.crowded += 1;
            if let (Lost::Events(sum), Lost::Events(more)) = (&mut loss.lost, lost) {
                *sum = sum.saturating_add(more);
                loss.to = to;
            }
            return;
        }
        account.open = is_open.then_some(next);
        account.last = Some(next);
        let from = account.seen;
        let after = account.newest.map(|(_, order)| order);
        self.losses.push(Loss { buffer, after, from, to: to.map(|to| to.max(from.unwrap_or(0))), lost });
    }

    /// The file ends here. If it `is_cut`, every buffer may have lost more.
    pub(super) fn finish(mut self, is_cut: bool) -> Ledger {
        self.locate_totals();
        let mut ledger = Ledger::default();
        let ends: Vec<(Buffer, u64, Option<u64>)> = self
            .accounts
            .iter()
            .map(|(buffer, account)| (*buffer, account.declared, account.total))
            .collect();
        for (buffer, declared, total) in ends {
            match total.map(|total| total.checked_sub(declared)) {
                Some(Some(0)) | None => {}
                Some(Some(more)) => self.add(buffer, None, Lost::Events(more), false),
                Some(None) => {
                    ledger.contradictions.push((buffer, declared, total.unwrap_or(0)));
                }
            }
            if is_cut {
                self.add(buffer, None, Lost::Unknown, false);
            }
        }
        if is_cut && self.accounts.is_empty() {
            self.add(Buffer::Unknown, None, Lost::Unknown, false);
        }
        let span = |account: &Account| Some((account.oldest?, account.newest?.0));
        ledger.spans = self.accounts.iter().filter_map(|(buffer, one)| Some((*buffer, span(one)?))).collect();
        let is_stream = |(_, account): &(&Buffer, &Account)| account.has_samples || account.last.is_some();
        ledger.buffers = self.accounts.iter().filter(is_stream).map(|(buffer, _)| *buffer).collect();
        // Stable, so losses at one place stay in their order.
        self.losses.sort_by_key(|loss| loss.after);
        ledger.losses = self.losses;
        ledger
    }

    /// Finds buffers for the totals that name none: perf writes those that are not 0 in the order of
    /// the buffers. If as many buffers may have them, they belong to these; else it is not known where
    /// what they have more than was declared was lost.
    fn locate_totals(&mut self) {
        if self.unplaced.is_empty() {
            return;
        }
        let totals = std::mem::take(&mut self.unplaced);
        let could = |account: &&mut Account| account.total.is_none() && account.declared > 0;
        let has_samples = |account: &&mut Account| account.total.is_none() && account.has_samples;
        let declaring = self.accounts.values_mut().filter(could).count();
        let mut candidates: Vec<&mut Account> = match declaring == totals.len() {
            true => self.accounts.values_mut().filter(could).collect(),
            false => self.accounts.values_mut().filter(has_samples).collect(),
        };
        let fits = candidates.len() == totals.len()
            && candidates.iter().zip(&totals).all(|(account, total)| account.declared <= *total);
        if fits {
            for (account, total) in candidates.iter_mut().zip(totals) {
                account.total = Some(total);
            }
            return;
        }
        let declared = self.accounts.values().filter(|account| account.total.is_none());
        let declared: u64 = declared.fold(0, |sum, account| sum.saturating_add(account.declared));
        let total = totals.iter().fold(0u64, |sum, total| sum.saturating_add(*total));
        let (_, account) = account(&mut self.accounts, Buffer::Unknown);
        // Its own LOST records are among `declared`.
        account.total = Some(total.saturating_sub(declared).saturating_add(account.declared));
    }
}

impl Account {
    /// There is a record of this time.
    #[inline]
    fn see(&mut self, time: Option<u64>, losses: &mut [Loss]) {
        let Some(time) = time.filter(|time| *time != 0) else { return };
        self.seen = self.seen.max(Some(time));
        if let Some(open) = self.open.take()
            && let Some(loss) = losses.get_mut(open)
        {
            loss.to = loss.to.min(Some(time).max(loss.from));
        }
    }
}

/// The account of `buffer`, or the common one of all that are too many.
#[inline]
fn account(accounts: &mut BTreeMap<Buffer, Account>, buffer: Buffer) -> (Buffer, &mut Account) {
    let is_full = accounts.len() >= limits::PERF_BUFFERS;
    let buffer = if is_full && !accounts.contains_key(&buffer) { Buffer::Unknown } else { buffer };
    (buffer, accounts.entry(buffer).or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Buffer = Buffer::Cpu(1);
    const TWO: Buffer = Buffer::Cpu(2);

    fn lost(ledger: &Ledger) -> Vec<(Buffer, Option<u64>, Lost)> {
        ledger.losses.iter().map(|loss| (loss.buffer, loss.after, loss.lost)).collect()
    }

    /// Two buffers with two samples each, 5 records lost between those of the first.
    fn losses() -> Losses {
        let mut losses = Losses::default();
        losses.sample(ONE, Some(10), 100);
        losses.sample(TWO, Some(11), 200);
        losses.lost(ONE, Some(21), 5);
        losses.sample(ONE, Some(20), 300);
        losses.sample(TWO, Some(22), 400);
        losses
    }

    #[test]
    fn lost_and_totals_are_the_same_losses() {
        let between =
            Loss { buffer: ONE, after: Some(100), from: Some(10), to: Some(20), lost: Lost::Events(5) };
        assert_eq!(losses().finish(false).losses, [between]);
        let mut same = losses();
        same.total(Some(ONE), 3);
        same.total(Some(ONE), 2);
        assert_eq!(same.finish(false).losses, [between]);
        let mut more = losses();
        more.total(Some(ONE), 12);
        more.total(Some(TWO), 4);
        let following = Loss { after: Some(300), from: Some(20), to: None, lost: Lost::Events(7), ..between };
        let other = Loss { buffer: TWO, after: Some(400), from: Some(22), to: None, lost: Lost::Events(4) };
        assert_eq!(more.finish(false).losses, [between, following, other]);
        let mut less = losses();
        less.total(Some(ONE), 4);
        let ledger = less.finish(false);
        assert_eq!((ledger.losses, ledger.contradictions), (vec![between], vec![(ONE, 5, 4)]));
    }

    #[test]
    fn totals_without_a_buffer_find_theirs_or_are_lost_nobody_knows_where() {
        // One buffer declares a loss and one total is there: the same buffer.
        let mut one = losses();
        one.total(None, 6);
        let expected = vec![(ONE, Some(100), Lost::Events(5)), (ONE, Some(300), Lost::Events(1))];
        assert_eq!(lost(&one.finish(false)), expected);
        // Two totals, and two buffers have samples.
        let mut two = losses();
        two.total(None, 5);
        two.total(None, 8);
        let expected = vec![(ONE, Some(100), Lost::Events(5)), (TWO, Some(400), Lost::Events(8))];
        assert_eq!(lost(&two.finish(false)), expected);
        // Nothing fits: only the sum is known.
        let mut odd = losses();
        odd.total(None, 2);
        odd.total(None, 8);
        let expected = vec![(Buffer::Unknown, None, Lost::Events(5)), (ONE, Some(100), Lost::Events(5))];
        assert_eq!(lost(&odd.finish(false)), expected);
    }

    #[test]
    fn a_cut_file_may_lack_more_of_every_buffer() {
        let ledger = losses().finish(true);
        let expected = vec![
            (ONE, Some(100), Lost::Events(5)),
            (ONE, Some(300), Lost::Unknown),
            (TWO, Some(400), Lost::Unknown),
        ];
        assert_eq!(lost(&ledger), expected);
        assert_eq!(ledger.buffers, [ONE, TWO]);
        let nothing_else = vec![(Buffer::Unknown, None, Lost::Unknown)];
        assert_eq!(lost(&Losses::default().finish(true)), nothing_else);
    }

    #[test]
    fn losses_beyond_the_limit_are_added_up() {
        let mut losses = losses();
        for number in 0..limits::PERF_LOSSES as u64 {
            losses.lost(ONE, Some(100 + number), 1);
        }
        let crowded = losses.crowded;
        let ledger = losses.finish(false);
        let sum: u64 =
            ledger.losses.iter().map(|loss| if let Lost::Events(n) = loss.lost { n } else { 0 }).sum();
        assert_eq!((sum, crowded), (limits::PERF_LOSSES as u64 + 5, 1));
    }
}
