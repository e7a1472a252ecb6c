//! A sentence on methods that the recorder stopped recording.

use model::Throttled;

use crate::numbers::{counted, grouped};

/// `5 methods from some moment on, about 83,000,000 calls; info lists them`; `None` where all went on being recorded.
pub(super) fn sentence(throttled: &[Throttled]) -> Option<String> {
    if throttled.is_empty() {
        return None;
    }
    let calls = throttled.iter().map(|throttled| throttled.calls).sum::<Option<u64>>();
    let calls = calls.map_or("calls not known".to_owned(), |calls| format!("about {} calls", grouped(calls)));
    let methods = counted(throttled.len() as u64, "method");
    Some(format!("{methods} from some moment on, {calls}; info lists them"))
}

#[cfg(test)]
mod tests {
    use model::{MethodId, Timestamp};

    use super::*;

    #[test]
    fn the_sum_of_all_calls_is_stated_where_it_is_known() {
        let throttled = |calls| Throttled { method: MethodId(0), since: Timestamp(1), share: 500, calls };
        assert_eq!(sentence(&[]), None);
        let known = "1 method from some moment on, about 1,200 calls; info lists them";
        assert_eq!(sentence(&[throttled(Some(1200))]).as_deref(), Some(known));
        let unknown = "2 methods from some moment on, calls not known; info lists them";
        assert_eq!(sentence(&[throttled(Some(1200)), throttled(None)]).as_deref(), Some(unknown));
    }
}
