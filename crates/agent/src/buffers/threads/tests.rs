//! What threads are given when they ask: a few stories, and all orders of events against a plain model.

mod any_order;

use super::*;
use crate::buffers::pool::Slot;

/// Threads and slots that do as asked, and report the result.
///
/// ```text
/// begin drop|wait|bounded S L   a recording with so many small and large slots       end      it ends
/// T asks               a thread asks for a slot; it takes part from then on   T ends   it ends
/// ready, missing       the oldest range that is being made ready is, or cannot be had
/// T gets               the same, and it makes ready what it has to
/// more                 the writer names the slots that it makes ready next
/// write                the writer takes the oldest full slot, writes it and gives it back
/// T wrote              a thread has written what it was to write by itself
/// T writes             it gets a slot and has written the one before
/// slow                 who writes has to wait for the disk
/// in vain disk|processors   a thread has waited as long as it may, for this
/// T loses N            it writes so many words where nobody reads
/// lost                 to the disk and to the processors
/// x N COMMAND          so many times
/// ```
struct Story {
    threads: Threads,
    pool: Pool,
    coming: VecDeque<Range>,
    /// What threads write by themselves.
    own: HashMap<i64, Slot>,
}

impl Story {
    fn new() -> Story {
        let pool = Pool::reserve().unwrap();
        Story { threads: Threads::default(), pool, coming: VecDeque::new(), own: HashMap::new() }
    }

    fn begin(&mut self, small: u32, large: u32, when_full: WhenFull) {
        let sizes = [(4 << 10, small), (128 << 10, large)].map(|(bytes, slots)| SlotSize { bytes, slots });
        self.threads.begin(&sizes, when_full, Encoding::Paths);
    }

    fn ask(&mut self, tid: i64) -> String {
        if !self.threads.by_tid.contains_key(&tid) {
            self.threads.meet(tid, Ref::NULL, Ref::NULL, false);
        }
        let answer = self.threads.ask(tid, 0, &self.pool, 0);
        let own = self.writes(tid, answer.own);
        let given = match answer.given {
            Some(Given::Wait { .. }) => "waits".to_owned(),
            Some(Given::Write) => return own,
            Some(Given::Make(range)) => self.comes(Some(range)),
            Some(Given::Words { .. }) => match self.threads.by_tid[&tid].target {
                Target::Slot(slot) => name(slot),
                other => format!("{other:?}"),
            },
            None => "is not known".to_owned(),
        };
        if own.is_empty() { given } else { given + " and " + &own }
    }

    fn writes(&mut self, tid: i64, own: Option<Job>) -> String {
        let Some(own) = own else { return String::new() };
        assert!(self.own.insert(tid, own.slot).is_none());
        format!("writes {}", name(own.slot))
    }

    fn comes(&mut self, range: Option<Range>) -> String {
        let Some(range) = range else { return "nothing".to_owned() };
        self.coming.push_back(range);
        format!("makes {} from {}", range.count, name(range.first))
    }

    /// Does this; what it gave.
    fn run(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse().unwrap();
        match words[..] {
            ["begin", when_full, small, large] => {
                let when_full = match when_full {
                    "drop" => WhenFull::Drop,
                    "wait" => WhenFull::Wait,
                    "bounded" => WhenFull::Bounded,
                    _ => panic!("{line}"),
                };
                self.begin(number(small) as u32, number(large) as u32, when_full);
            }
            ["end"] => drop(self.threads.end(0)),
            ["ready" | "missing"] => {
                self.threads.made(self.coming.pop_front().unwrap(), words[0] == "ready");
            }
            ["more"] => {
                let range = self.threads.name_more();
                return self.comes(range);
            }
            ["write"] => {
                let job = self.threads.full.pop_front().unwrap();
                self.threads.is_writing = true;
                self.threads.done(job.slot, &self.pool, false);
            }
            ["slow"] => self.threads.disk_is_slow = true,
            ["in", "vain", what] => {
                self.threads.wait_no_more(if what == "disk" { Awaited::Disk } else { Awaited::Processor });
            }
            ["lost"] => return format!("{:?}", self.threads.lost_to),
            [tid, "loses", count] => {
                let scratch = self.threads.by_tid[&number(tid)].scratch.as_ref().unwrap().words().0;
                self.pool.store(scratch, &vec![7; number(count) as usize]);
            }
            [tid, "writes"] => {
                self.run(&format!("{tid} gets"));
                self.run(&format!("{tid} wrote"));
            }
            [tid, "wrote"] => {
                let slot = self.own.remove(&number(tid)).unwrap();
                self.threads.wrote(slot, true);
            }
            ["x", times, ..] => {
                let command = words[2..].join(" ");
                let given: Vec<String> = (0..number(times)).map(|_| self.run(&command)).collect();
                return given.last().unwrap().clone();
            }
            [_, "gets"] => loop {
                let given = self.run(&line.replace("gets", "asks"));
                if !given.starts_with("makes") {
                    return given;
                }
                self.run("ready");
            },
            [tid, "asks"] => return self.ask(number(tid)),
            [tid, "ends"] => {
                let (_, own) = self.threads.leave_for_ever(number(tid), 0, &self.pool, 0).unwrap();
                return self.writes(number(tid), own);
            }
            _ => panic!("{line}"),
        }
        String::new()
    }
}

fn name(slot: Slot) -> String {
    if Pool::is_small(slot) {
        format!("small {}", slot.0)
    } else {
        format!("large {}", slot.0 - Pool::FIRST_LARGE.0)
    }
}

/// Runs a story: lines of a command and, after `->`, what it gives.
fn check(lines: &str) {
    let mut story = Story::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (command, expected) = line.split_once(" -> ").unwrap_or((line, ""));
        assert_eq!(story.run(command), expected, "{line}");
    }
}

#[test]
fn a_thread_that_finds_no_slot_makes_some_ready_by_itself() {
    check(
        "begin drop 40 3
        slow
        1 asks -> makes 16 from small 0
        ready
        1 asks -> small 0
        x 15 2 asks -> small 15
        2 asks -> makes 2 from large 0
        3 asks -> makes 16 from small 16
        ready
        x 2 2 asks -> large 1
        2 asks -> makes 1 from large 2
        3 asks -> makes 8 from small 32
        ready
        3 asks -> small 16
        ready
        2 asks -> large 2
        x 2 2 asks -> small 18",
    );
}

#[test]
fn who_waits_waits_for_what_another_makes_ready_and_loses_nothing() {
    check(
        "begin wait 16 0
        1 asks -> makes 16 from small 0
        2 asks -> waits
        ready
        1 asks -> small 0
        2 asks -> small 1
        x 14 2 asks -> small 15
        2 asks -> writes small 15
        3 asks -> waits
        2 wrote
        2 asks -> small 15
        3 asks -> waits
        write
        3 asks -> small 1
        x 13 write
        2 asks -> small 14",
    );
}

#[test]
fn after_a_wait_in_vain_nobody_waits_until_a_slot_was_written() {
    check(
        "begin bounded 16 0
        slow
        1 gets -> small 0
        x 14 1 gets -> small 14
        2 gets -> small 15
        1 asks -> waits
        3 asks -> waits
        in vain disk
        1 asks -> Scratch
        1 loses 5
        3 asks -> Scratch
        1 asks -> Scratch
        lost -> [5, 0]
        write
        1 asks -> small 0
        1 asks -> waits
        in vain processors
        1 asks -> Scratch
        1 loses 7
        write
        1 asks -> small 1
        lost -> [5, 7]
        x 14 write
        1 asks -> small 0",
    );
}

#[test]
fn who_loses_words_does_not_wait_for_what_another_makes_ready() {
    check(
        "begin drop 16 0
        1 asks -> makes 16 from small 0
        2 asks -> Scratch
        ready
        2 asks -> small 0",
    );
}

#[test]
fn what_cannot_be_had_leaves_what_there_is() {
    check(
        "begin wait 80 20
        more -> makes 64 from small 0
        more -> makes 8 from large 0
        1 asks -> makes 16 from small 64
        missing
        ready
        1 asks -> large 0
        missing
        more -> nothing
        x 7 1 asks -> large 7
        1 asks -> writes large 7
        1 wrote
        1 asks -> large 7
        2 asks -> waits",
    );
}

#[test]
fn the_writer_keeps_as_many_free_as_are_in_use() {
    check(
        "begin drop 512 256
        slow
        more -> makes 64 from small 0
        more -> makes 8 from large 0
        more -> nothing
        x 2 ready
        more -> nothing
        x 4 1 asks -> small 3
        x 3 1 asks -> large 2
        more -> nothing
        1 asks -> large 3
        more -> makes 8 from large 8
        more -> nothing
        ready
        x 4 1 asks -> large 7
        more -> makes 8 from large 16
        ready
        x 12 1 asks -> large 19
        more -> makes 8 from large 24
        more -> makes 8 from large 32
        more -> makes 8 from large 40
        more -> nothing
        x 3 ready",
    );
}

#[test]
fn where_fewer_words_have_room_more_is_made_ready_first() {
    check(
        "begin drop 512 256
        slow
        x 2 more -> makes 8 from large 0
        x 2 ready
        x 4 1 asks -> small 3
        x 8 1 asks -> large 7
        x 4 2 asks -> small 7
        x 4 3 asks -> small 11
        x 4 4 asks -> small 15
        x 4 5 asks -> small 19
        x 4 6 asks -> small 23
        x 4 7 asks -> small 27
        x 4 8 asks -> small 31
        more -> makes 8 from large 8
        more -> makes 64 from small 64",
    );
}

#[test]
fn what_was_named_for_an_earlier_recording_counts_for_nothing() {
    check(
        "begin wait 16 2
        1 asks -> makes 16 from small 0
        end
        begin wait 16 2
        2 asks -> makes 16 from small 0
        ready
        1 asks -> makes 2 from large 0
        1 asks -> waits
        missing
        1 asks -> waits
        ready
        1 asks -> large 0",
    );
}

#[test]
fn a_slot_that_a_late_thread_holds_is_given_out_when_it_is_left_and_ready() {
    let late = "begin drop 16 0
        1 asks -> makes 16 from small 0
        ready
        x 2 1 asks -> small 1
        end
        x 2 write
        begin drop 16 0
        slow
        2 asks -> makes 16 from small 0
        ";
    let others = "x 1 2 asks -> small 0
        x 14 2 asks -> small 15
        2 asks -> Scratch";
    // It stays the late thread's, and comes back at its end.
    check(&[late, "ready\n", others, "\n1 ends\n2 asks -> small 1"].concat());
    // The late thread leaves it before it is ready again.
    check(&[late, "1 ends\nready\nx 16 2 asks -> small 15\n2 asks -> Scratch"].concat());
    // And it never is.
    check(&[late, "missing\n1 ends\n2 asks -> Scratch"].concat());
}

#[test]
fn a_thread_ahead_of_the_writer_has_all_large_slots_before_it_is_lent_small_ones() {
    check(
        "begin drop 104 70
        slow
        x 2 more -> makes 8 from large 0
        x 2 ready
        x 4 1 asks -> small 3
        x 8 1 asks -> large 7
        x 21 1 asks -> small 24
        1 asks -> makes 2 from large 8
        ready
        x 62 1 gets -> large 69
        x 78 1 gets -> small 102
        1 gets -> Scratch
        2 gets -> small 103
        3 gets -> Scratch
        x 10 write
        x 6 1 gets -> large 0
        1 gets -> Scratch
        3 gets -> small 3
        x 169 write
        x 70 1 gets -> large 6
        1 gets -> small 102",
    );
}

#[test]
fn where_there_are_only_small_slots_a_thread_gets_them_all() {
    check(
        "begin drop 100 0
        slow
        x 100 1 gets -> small 99
        1 gets -> Scratch",
    );
}

#[test]
fn where_the_writer_is_behind_who_fills_a_slot_writes_it_and_has_the_next_one_before() {
    check(
        "begin drop 4 40
        x 17 1 gets -> large 12
        1 gets -> large 13 and writes large 12
        1 wrote
        1 gets -> large 12 and writes large 13
        1 wrote
        x 16 write
        1 gets -> large 11 and writes large 12
        1 wrote
        x 3 1 writes
        1 gets -> large 11",
    );
}
