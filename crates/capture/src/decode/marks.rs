//! Where marks are among the words of a thread.

use crate::contents::{Capture, Thread};

/// The marks of a capture that are still to come in one thread.
pub(super) struct Marks {
    /// The next one last: chunk and words in it, and the index among the marks of the capture.
    coming: Vec<((u32, usize), u32)>,
}

impl Marks {
    /// All of them. A mark lists the threads that ran; another one had ended by then or was still to begin.
    pub(super) fn of(capture: &Capture, thread: &Thread) -> Marks {
        let mut coming = vec![];
        for (mark, index) in capture.marks.iter().zip(0..) {
            let listed = mark.positions.iter().find(|(serial, _)| *serial == thread.serial);
            let position = match (listed, thread.time()) {
                (Some((_, (chunk, words))), _) => (*chunk, *words as usize),
                (None, Some((first, _))) if first < mark.time.0 => (u32::MAX, usize::MAX),
                (None, _) => (0, 0),
            };
            coming.push((position, index));
        }
        // Damage may have put them out of order; each thread meets them in the order of the capture.
        for index in 1..coming.len() {
            coming[index].0 = coming[index].0.max(coming[index - 1].0);
        }
        coming.reverse();
        Marks { coming }
    }

    /// The next mark, if it is not behind this position.
    pub(super) fn next_at(&mut self, position: (u32, usize)) -> Option<u32> {
        let (_, index) = self.coming.pop_if(|(at, _)| *at <= position)?;
        Some(index)
    }

    /// How many words of this chunk lie before the next mark, if that is in it.
    pub(super) fn words_before(&self, chunk: u32) -> Option<usize> {
        self.coming.last().filter(|((number, _), _)| *number == chunk).map(|((_, words), _)| *words)
    }
}
