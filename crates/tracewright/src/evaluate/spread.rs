//! Jobs on all processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::exit::Result;
use crate::process;

/// Does `count` jobs on all processors; the results are in the order of the jobs. After a failure no
/// further job is begun, and the failure stands last.
pub(super) fn spread<T: Send>(count: usize, job: impl Fn(usize) -> Result<T> + Sync) -> Vec<Result<T>> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(count);
    let (next, guest) = (AtomicUsize::new(0), process::guest());
    let results: Mutex<Vec<(usize, Result<T>)>> = Mutex::new(Vec::with_capacity(count));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                process::within(guest.clone(), || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            return;
                        }
                        let result = job(number);
                        if result.is_err() {
                            next.store(count, Ordering::Relaxed);
                        }
                        results
                            .lock()
                            .unwrap_or_else(std::sync::PoisonError::into_inner)
                            .push((number, result));
                    }
                })
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
