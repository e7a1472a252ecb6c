//! Anchors: a thin, content-chosen selection of the positions of the tail, one selection per scale.
//!
//! The positions that arrive at a scale are the anchors of the scale below (on scale 0: all positions).
//! For each of them, look at the window of `width` units that ends there: the arrival in it whose
//! word, the `2 * width` units up to it, has the smallest hash is an anchor (the leftmost on a
//! tie). Three things follow:
//!
//! - what is chosen depends on nothing but the units of the window and the `2 * width` before it,
//!   so both halves of a square choose the same positions in their middle;
//! - two neighbours are less than `2 * width` apart, whatever the hashes are;
//! - words of `2 * width` units inside a square-free tail do not repeat within `2 * width` units,
//!   so hashes in a window differ and about two of `width + 1` positions are chosen: all scales
//!   together hold about one anchor per unit.
//!
//! (Minimizers, as sequence comparison calls them, stacked.) A choice is known at the latest
//! `2 * width` units after its position.

use super::hash::WordLength;

/// The anchors of one scale.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    /// Units in a window.
    pub(super) width: usize,
    /// The length of the hashed word.
    pub(super) word: WordLength,
    /// How much of the tail's end must repeat if an anchor and its twin stand in a square.
    pub(super) reach: WordLength,
    /// The indices, in the tail, of the chosen positions. Ascending.
    pub(super) positions: Vec<u32>,
    /// The hashes of the words that end there.
    hashes: Vec<u32>,
    window: Window,
}

/// The part of a scale that later units change other than by appending.
#[derive(Debug, Clone)]
pub(super) struct State {
    chosen: usize,
    window: Window,
}

/// Where a scale stands.
#[derive(Debug, Clone, Default)]
struct Window {
    /// Positions and hashes that the current window may hold, and some before it.
    arrivals: Vec<(u32, u32)>,
    /// Index of the first arrival inside the window.
    first: usize,
    /// Index of the smallest hash inside the window.
    smallest: usize,
    /// How many anchors of the scale below have arrived.
    taken: usize,
    /// Anchors before this index are too old to be paired with new ones.
    oldest: usize,
    /// Anchors from this index on are too young to be paired with new ones.
    youngest: usize,
}

impl Scale {
    pub(super) fn new(width: usize) -> Self {
        Scale {
            width,
            word: WordLength::new(2 * width),
            reach: WordLength::new(3 * width),
            positions: Vec::new(),
            hashes: Vec::new(),
            window: Window::default(),
        }
    }

    /// What [`Scale::restore`] needs to come back to this moment.
    pub(super) fn state(&self) -> State {
        State { chosen: self.positions.len(), window: self.window.clone() }
    }

    /// Forgets all that came after `state` was taken.
    pub(super) fn restore(&mut self, state: &State) {
        self.positions.truncate(state.chosen);
        self.hashes.truncate(state.chosen);
        self.window.clone_from(&state.window);
    }

    /// Says that all anchors of the scale below, `count` of them, have arrived; gives how many had
    /// before.
    pub(super) fn take_up_to(&mut self, count: usize) -> usize {
        std::mem::replace(&mut self.window.taken, count)
    }

    pub(super) fn clear(&mut self) {
        self.positions.clear();
        self.hashes.clear();
        let mut arrivals = std::mem::take(&mut self.window.arrivals);
        arrivals.clear();
        self.window = Window { arrivals, ..Window::default() };
    }

    /// Takes in the next position of the scale below with the hash of its word, and says whether that
    /// made an anchor of it or of one before it.
    #[inline]
    pub(super) fn arrive(&mut self, position: u32, hash: u32) -> bool {
        let Window { arrivals, first, smallest, .. } = &mut self.window;
        if *first >= 32 {
            // What lies before the window is of no use any more.
            arrivals.drain(..*first);
            *smallest -= (*first).min(*smallest);
            *first = 0;
        }
        let newest = arrivals.len();
        arrivals.push((position, hash));
        while (position - arrivals[*first].0) as usize >= self.width {
            *first += 1;
        }
        if *smallest < *first {
            *smallest = *first;
            for index in *first..newest {
                if arrivals[index].1 < arrivals[*smallest].1 {
                    *smallest = index;
                }
            }
        }
        if hash < arrivals[*smallest].1 {
            *smallest = newest;
        }
        let (position, hash) = arrivals[*smallest];
        let chosen = self.positions.last() != Some(&position);
        if chosen {
            self.positions.push(position);
            self.hashes.push(hash);
        }
        chosen
    }

    /// The twins of the newest anchor: those with its hash that lie `8 * width` (included) to
    /// `16 * width` units before it, oldest first.
    #[inline]
    pub(super) fn twins(&mut self) -> impl Iterator<Item = u32> + '_ {
        let Scale { positions, hashes, window, .. } = self;
        let newest = positions.len() - 1;
        let (position, hash) = (positions[newest] as usize, hashes[newest]);
        while position - positions[window.oldest] as usize >= 16 * self.width {
            window.oldest += 1;
        }
        window.youngest = window.youngest.max(window.oldest);
        while position - positions[window.youngest] as usize >= 8 * self.width {
            window.youngest += 1;
        }
        let range = window.oldest..window.youngest;
        let (positions, hashes) = (&*positions, &*hashes);
        // Almost always there is none; asking for any at all is a loop without branches.
        let any = hashes[range.clone()].iter().fold(false, |any, &other| any | (other == hash));
        let range = if any { range } else { 0..0 };
        range.filter(move |&index| hashes[index] == hash).map(|index| positions[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    const WIDTH: usize = 16;

    /// The definition: of the arrivals less than [`WIDTH`] before the last one, the leftmost with the smallest hash.
    fn smallest(arrivals: &[(u32, u32)]) -> (u32, u32) {
        let &(last, _) = arrivals.last().unwrap();
        let window = arrivals.iter().filter(|(position, _)| ((last - position) as usize) < WIDTH);
        *window.min_by_key(|(_, hash)| *hash).unwrap()
    }

    /// Arrivals at random, few hashes so that many are equal; now and then some are taken back.
    #[test]
    fn anchors_and_twins_are_those_of_the_definition() {
        let mut rng = Rng::with_seed(3);
        for hashes in [2, 30, 1_000, 1 << 32] {
            let mut scale = Scale::new(WIDTH);
            let mut arrivals: Vec<(u32, u32)> = vec![];
            let mut anchors: Vec<(u32, u32)> = vec![];
            let mut earlier = (scale.state(), 0, 0);
            for _ in 0..3_000 {
                let position = arrivals.last().map_or(40, |(position, _)| position + 1 + rng.u32(..6));
                let hash = rng.u64(..hashes) as u32;
                arrivals.push((position, hash));
                let anchor = smallest(&arrivals);
                let is_new = anchors.last() != Some(&anchor);
                assert_eq!(scale.arrive(position, hash), is_new);
                if is_new {
                    let is_twin = |other: &(u32, u32)| {
                        let distance = (anchor.0 - other.0) as usize;
                        other.1 == anchor.1 && (8 * WIDTH..16 * WIDTH).contains(&distance)
                    };
                    let twins: Vec<u32> = anchors
                        .iter()
                        .filter(|other| is_twin(other))
                        .map(|(position, _)| *position)
                        .collect();
                    anchors.push(anchor);
                    assert_eq!(scale.twins().collect::<Vec<u32>>(), twins);
                }
                assert!(scale.positions.iter().eq(anchors.iter().map(|(position, _)| position)));
                if rng.u64(..50) == 0 {
                    scale.restore(&earlier.0);
                    arrivals.truncate(earlier.1);
                    anchors.truncate(earlier.2);
                }
                if rng.u64(..50) == 0 {
                    earlier = (scale.state(), arrivals.len(), anchors.len());
                }
            }
        }
    }
}
