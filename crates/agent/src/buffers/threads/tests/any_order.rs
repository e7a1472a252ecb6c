//! All orders of what threads, those who make slots ready, and the writer do, against a plain model.
//!
//! The model knows of each slot where it is. What must hold: a slot is never in two hands and only used
//! when it is ready; none is lost; words are lost only when no slot can be had that is meant for them,
//! and never where threads wait while one is coming; and where the writer is behind, threads write by themselves.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::super::asking::{ALONE, ENOUGH_FOR_WRITER, MOST_LAG};
use super::*;

/// Where slots are, by their numbers.
#[derive(Default)]
struct Model {
    /// All that this recording has.
    all: BTreeSet<u32>,
    unnamed: BTreeSet<u32>,
    /// Those that were made ready.
    ready: BTreeSet<u32>,
    /// What threads write to, in this recording.
    held: BTreeMap<i64, u32>,
    /// What threads may still write to, since an earlier one.
    late: BTreeMap<i64, u32>,
    /// What the writer has before it.
    full: Vec<u32>,
    /// What threads write by themselves.
    own: BTreeMap<i64, u32>,
    /// How many slots in a row a thread has written so since the writer was behind.
    alone: BTreeMap<i64, u32>,
}

impl Model {
    fn is_free(&self, slot: u32) -> bool {
        let in_hands = self.held.values().chain(self.late.values()).chain(self.own.values());
        let is_in_hands = in_hands.copied().any(|other| other == slot);
        self.ready.contains(&slot) && !is_in_hands && !self.full.contains(&slot)
    }

    fn has_free(&self, is_small: bool) -> bool {
        let fits = |slot: &u32| Pool::is_small(Slot(*slot)) == is_small;
        self.all.iter().copied().filter(fits).any(|slot| self.is_free(slot))
    }

    /// Whether some are free or could be made ready.
    fn can_have(&self, is_small: bool) -> bool {
        let fits = |slot: &u32| Pool::is_small(Slot(*slot)) == is_small;
        self.unnamed.iter().any(fits) || self.has_free(is_small)
    }
}

struct World {
    story: Story,
    model: Model,
    /// What is being made ready: by a thread or by the writer, in which recording.
    making: Vec<(Option<i64>, Range, u32)>,
    waits: bool,
    is_on: bool,
    lost: u32,
    waited: u32,
    written: u32,
    first: u32,
}

impl World {
    fn name(&mut self, who: Option<i64>) {
        let range = self.story.coming.pop_front().unwrap();
        let recording = self.story.threads.recording;
        for slot in range.first.0..range.first.0 + range.count {
            assert!(self.model.unnamed.remove(&slot), "{slot} was named before");
        }
        self.making.push((who, range, recording));
    }

    fn ask(&mut self, tid: i64) {
        let model = &mut self.model;
        let chunks =
            self.story.threads.by_tid.get(&tid).map_or((0, 0), |known| (known.recording, known.next));
        let is_few = chunks.0 != self.story.threads.recording || chunks.1 < 4;
        let filled = model.held.remove(&tid);
        model.late.remove(&tid);
        let may_be_refused = !is_few && model.full.len() >= MOST_LAG && self.story.threads.slots.has_large();
        let given = self.story.ask(tid);
        self.pass_on(tid, filled, given.starts_with("writes"));
        if given.starts_with("makes") {
            assert!(self.is_on);
            return self.name(Some(tid));
        }
        let model = &mut self.model;
        if given.starts_with("writes") {
            assert!(self.is_on && !model.has_free(false), "{given} before it takes a large one");
            assert!(may_be_refused || !model.has_free(true), "{given} before it takes a small one");
            self.first += 1;
            return;
        }
        if let Target::Slot(slot) = self.story.threads.by_tid[&tid].target {
            assert!(self.is_on && model.is_free(slot.0), "{given} is not free");
            model.held.insert(tid, slot.0);
            return;
        }
        if !self.is_on {
            assert_eq!(given, "After");
            return;
        }
        // It has none. Was there really none for it?
        let is_coming = self.making.iter().any(|(.., recording)| *recording == self.story.threads.recording);
        let is_written = !model.full.is_empty() || !model.own.is_empty();
        assert_eq!(given == "waits", self.waits && (is_coming || is_written), "{given}");
        assert!(!model.can_have(false), "{given} with large ones");
        assert!(may_be_refused || !model.can_have(true), "{given} with small ones");
        if given == "waits" {
            self.waited += 1;
        } else {
            self.lost += 1;
        }
    }

    /// Who writes what a thread has filled: itself if the writer is behind or was lately, or if it has no other slot;
    /// never if it would have to wait for the disk.
    fn pass_on(&mut self, tid: i64, filled: Option<u32>, has_none: bool) {
        let (model, own) = (&mut self.model, self.story.own.get(&tid));
        let Some(slot) = filled else { return assert!(own.is_none()) };
        let may_write = self.is_on && (self.waits || !self.story.threads.disk_is_slow);
        let is_lagging = model.full.len() >= ENOUGH_FOR_WRITER;
        let alone = model.alone.entry(tid).or_default();
        let is_own = may_write && (is_lagging || *alone > 0 || has_none);
        assert_eq!(own, is_own.then_some(&Slot(slot)));
        if may_write {
            *alone = if is_lagging { ALONE } else { alone.saturating_sub(1) };
        }
        if is_own {
            model.own.insert(tid, slot);
            self.written += 1;
        } else {
            model.full.push(slot);
        }
    }

    /// A thread has written what it had filled. Where it had no other slot it asks for one then.
    fn wrote(&mut self, tid: i64) {
        if self.model.own.remove(&tid).is_some() {
            self.story.run(&format!("{tid} wrote"));
        }
    }

    fn more(&mut self) {
        if self.story.run("more") != "nothing" {
            self.name(None);
        }
    }

    /// Somebody has made slots ready, or could not.
    fn made(&mut self, at: usize, is_ready: bool) {
        let (who, range, recording) = self.making.swap_remove(at);
        if recording == self.story.threads.recording {
            if is_ready {
                self.model.ready.extend(range.first.0..range.first.0 + range.count);
            } else {
                self.model.unnamed.clear();
            }
        }
        self.story.threads.made(range, is_ready);
        if let Some(tid) = who {
            self.ask(tid);
        }
    }

    fn write(&mut self) {
        if !self.model.full.is_empty() {
            self.model.full.remove(0);
            self.story.run("write");
        }
    }

    fn end_thread(&mut self, tid: i64) {
        if !self.story.threads.by_tid.contains_key(&tid) {
            return;
        }
        let filled = self.model.held.remove(&tid);
        self.model.late.remove(&tid);
        self.story.run(&format!("{tid} ends"));
        self.pass_on(tid, filled, false);
        self.wrote(tid);
        self.model.alone.remove(&tid);
    }

    fn end(&mut self, is_written: bool) {
        self.story.run("end");
        self.is_on = false;
        let model = &mut self.model;
        let held = std::mem::take(&mut model.held);
        model.full.extend(held.values());
        model.late.extend(held);
        // It waits for them.
        (0..6).for_each(|tid| self.wrote(tid));
        while is_written && !self.model.full.is_empty() {
            self.write();
        }
        self.story.threads.abandon();
        self.model.full.clear();
    }

    fn begin(&mut self, random: &mut Rng) {
        let (small, large) = ([0, 10, 90, 200][random.usize(..4)], [0, 3, 20, 70][random.usize(..4)]);
        self.waits = random.bool();
        let when_full = if self.waits { WhenFull::Wait } else { WhenFull::Drop };
        self.story.begin(small, large, when_full);
        self.story.threads.disk_is_slow = random.bool();
        self.is_on = true;
        let model = &mut self.model;
        model.all = (0..small).chain((0..large).map(|slot| Pool::FIRST_LARGE.0 + slot)).collect();
        model.unnamed = model.all.clone();
        model.ready.clear();
        model.alone.clear();
    }

    /// One more thing happens.
    fn step(&mut self, random: &mut Rng, writer: u32) {
        let tid = i64::from(random.u32(..6));
        let is_making = self.making.iter().any(|(who, ..)| *who == Some(tid));
        let is_busy = is_making || self.model.own.contains_key(&tid);
        match random.u32(..100) {
            0 if self.is_on => {
                self.is_on = false;
                self.story.threads.is_on = false;
            }
            1 => {
                self.end(random.u32(..4) > 0);
                self.begin(random);
            }
            2..6 if !is_busy => self.end_thread(tid),
            6..16 if !self.making.is_empty() => {
                let at = random.usize(..self.making.len());
                self.made(at, random.u32(..40) > 0);
            }
            16..20 => self.more(),
            20..22 => self.story.threads.disk_is_slow = random.bool(),
            22..50 if self.model.own.contains_key(&tid) => self.wrote(tid),
            roll if roll < 22 + writer => self.write(),
            _ if !is_busy => self.ask(tid),
            _ => {}
        }
    }

    /// Everything is written and made ready, and all threads end. Then others get each slot.
    fn settle(&mut self) {
        while !self.making.is_empty() {
            self.made(0, true);
        }
        (0..6).for_each(|tid| self.wrote(tid));
        (0..6).for_each(|tid| self.end_thread(tid));
        while !self.model.full.is_empty() {
            self.write();
        }
        let mut others = 100..;
        loop {
            let other = others.next().unwrap();
            self.ask(other);
            if !self.making.is_empty() {
                self.made(0, true);
            }
            self.wrote(other);
            // It is refused only when there is none.
            if !self.model.held.contains_key(&other) {
                break;
            }
        }
    }
}

#[test]
fn whatever_the_order_no_slot_is_in_two_hands_and_none_is_lost() {
    let (mut lost, mut waited, mut given, mut written, mut first) = (0, 0, 0, 0, 0);
    for seed in 1..=400_u64 {
        let mut random = Rng::with_seed(seed);
        let mut world = World {
            story: Story::new(),
            model: Model::default(),
            making: Vec::new(),
            waits: false,
            is_on: false,
            lost: 0,
            waited: 0,
            written: 0,
            first: 0,
        };
        world.begin(&mut random);
        let writer = [5, 20, 40][random.usize(..3)];
        (0..600).for_each(|_| world.step(&mut random, writer));
        world.settle();
        (lost, waited) = (lost + world.lost, waited + world.waited);
        (written, first) = (written + world.written, first + world.first);
        given += world.model.held.len();
    }
    // All that may come has come.
    let all = [lost, waited, given as u32, written, first];
    assert!(all.iter().all(|&count| count > 1000), "{all:?}");
}
