//! The order of streams: which of them has the earliest event?

/// A heap of streams by (time, number). The usual case, in which the earliest stream stays the
/// earliest after its next event, costs two comparisons.
#[derive(Debug, Default)]
pub(super) struct Order {
    heap: Vec<(i64, u32)>,
}

impl Order {
    /// The earliest stream.
    #[inline]
    pub(super) fn first(&self) -> Option<u32> {
        self.heap.first().map(|&(_, stream)| stream)
    }

    pub(super) fn add(&mut self, key: i64, stream: u32) {
        self.heap.push((key, stream));
        let mut at = self.heap.len() - 1;
        while at > 0 {
            let above = (at - 1) / 2;
            if self.heap.get(above) <= self.heap.get(at) {
                break;
            }
            self.heap.swap(above, at);
            at = above;
        }
    }

    /// The earliest stream has a new key.
    #[inline]
    pub(super) fn update_first(&mut self, key: i64) {
        if let Some(first) = self.heap.first_mut() {
            first.0 = key;
        }
        self.sink();
    }

    /// The earliest stream has ended.
    pub(super) fn remove_first(&mut self) {
        if !self.heap.is_empty() {
            self.heap.swap_remove(0);
        }
        self.sink();
    }

    #[inline]
    fn sink(&mut self) {
        let mut at = 0;
        while let Some(&own) = self.heap.get(at) {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let smaller = match (self.heap.get(left), self.heap.get(right)) {
                (Some(one), Some(other)) if other < one => (right, *other),
                (Some(one), _) => (left, *one),
                _ => return,
            };
            if own <= smaller.1 {
                return;
            }
            self.heap.swap(at, smaller.0);
            at = smaller.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_come_by_time_and_then_by_number() {
        let mut order = Order::default();
        let mut keys: Vec<Vec<i64>> =
            vec![vec![5, 5, 9], vec![1, 5, 2], vec![], vec![i64::MIN, 7], vec![5], vec![3, 4, 5, 6]];
        for stream in keys.iter_mut() {
            stream.reverse();
        }
        for (stream, list) in keys.iter_mut().enumerate() {
            if let Some(key) = list.pop() {
                order.add(key, stream as u32);
            }
        }
        let mut seen = Vec::new();
        while let Some(stream) = order.first() {
            seen.push(stream);
            match keys[stream as usize].pop() {
                Some(key) => order.update_first(key),
                None => order.remove_first(),
            }
        }
        assert_eq!(seen, [3, 1, 5, 5, 0, 0, 1, 1, 4, 5, 5, 3, 0]);
    }
}
