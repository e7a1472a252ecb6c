//! Steps with readings of a clock, and what is known of the calls then.

use model::Lost;

use super::*;

/// `A` enters method 1, `a` leaves; `.` is a block, `?` a loss; a number is a reading in ms, behind a slash the processor time used.
pub(super) fn collect(text: &str) -> Collected {
    let code = CodeMap::default();
    let mut times = Times::new(&code, 1_000_000);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let first = word.bytes().next().unwrap_or(0);
        let method = MethodId(u32::from(first.to_ascii_lowercase().saturating_sub(b'a')) + 1);
        let step = match first {
            b'A'..=b'Z' => FlowStep::Enter { method, how: Entered::Call },
            b'a'..=b'z' => FlowStep::Leave { how: Left::Returned },
            b'.' => FlowStep::Blocks { blocks: &[0], times: 1 },
            b'!' => FlowStep::Leave { how: Left::Unseen },
            b'?' => FlowStep::Gap { lost: Lost::Unknown },
            b'@' => FlowStep::Moment(Timestamp(word[1..].parse::<i64>().unwrap() * 1_000_000)),
            _ => {
                let (time, used) = word.split_once('/').unwrap_or((word, ""));
                let time = Timestamp(time.parse::<i64>().unwrap() * 1_000_000);
                let used = used.parse::<u64>().ok().map(|used| used * 1_000_000);
                FlowStep::Clock(ClockReading { from: time, to: time, used })
            }
        };
        times.observe(&step);
    }
    times.finish()
}

/// For each call its method, its length and what it is off by at most, what of it is its own, and what it waited: ms.
fn calls(text: &str) -> String {
    let ms = |ns: i64| ns as f64 / 1e6;
    let all = collect(text).calls.into_iter().map(|call| {
        let name = char::from(b'A' + call.method.0 as u8 - 1);
        let length = call.length();
        let waiting = call.waiting().map_or(String::new(), |waiting| {
            format!(" waiting {}±{}", ms(waiting.value), ms(waiting.within))
        });
        format!("{name} {}±{} own {}{waiting}", ms(length.value), ms(length.within), ms(call.own()))
    });
    all.collect::<Vec<_>>().join(", ")
}

#[test]
fn a_call_lies_between_the_readings_around_its_ends() {
    assert_eq!(calls("5 A . 6 . 18 a 19"), "A 13±1 own 13");
    assert_eq!(calls("5 A . a 6 A . a 7"), "", "between two readings nothing is known");
    assert_eq!(calls("5 A . a 19"), "", "bounds that are too wide say nothing");
    assert_eq!(calls("5 A . 6 . 7 ! 8"), "", "nor does an end that was lost");
    assert_eq!(calls("A . 6 . 18 a 19"), "", "nor a beginning before all readings");
    assert_eq!(
        calls("@4 A . 6 . 18 a @20"),
        "A 14±2 own 14",
        "at both ends the moments of the recording help"
    );
    assert_eq!(calls("@4 A . . a @20"), "", "where no clock looked nothing is said");
}

#[test]
fn what_calls_within_took_is_not_their_callers_own() {
    assert_eq!(calls("0 A . 1 . 10 B . 11 . 20 b . 21 . 30 a 31"), "B 10±1 own 10, A 30±1 own 20");
    // Several end between two readings, one of which is not known.
    assert_eq!(
        calls("0 A B C . 1 . 10 c b D . 11 . 20 d a 21"),
        "C 10±1 own 10, B 10±1 own 0, D 10±1 own 10, A 20±1 own 0"
    );
}

#[test]
fn what_was_not_used_of_a_processor_was_waiting() {
    assert_eq!(calls("0/100 A . 1/101 . 10/110 a . 11/111"), "A 10±1 own 10 waiting 0±1");
    assert_eq!(calls("0/100 A . 1/101 10 a . 11/102"), "A 10±1 own 10 waiting 9±2");
    assert_eq!(calls("0/100 A . 1 10 a . 11/102"), "A 10±1 own 10", "where it is not known, nothing is said");
}

#[test]
fn calls_of_one_chain_are_counted_together() {
    let collected = collect("0 A . 1 B . b . B . 2 . 8 b . 9 . B . 10 . 20 b . 21 . a 22");
    let a = key(0, None, MethodId(1));
    let b = collected.of(key(a, None, MethodId(2))).unwrap();
    assert_eq!((b.calls, b.timed, b.longest), (3, 2, 11_000_000));
    assert_eq!(b.length, Known { value: 18_000_000, within: 2_000_000 });
    assert_eq!((b.waiting, b.is_open), (None, false));
    assert_eq!(collected.of(a).unwrap().calls, 1);
    assert_eq!(collected.of(key(0, None, MethodId(2))), None);
    assert_eq!(collected.calls.iter().map(|call| call.position).collect::<Vec<_>>(), [3, 7, 0]);
}

#[test]
fn what_was_lost_lies_between_two_readings() {
    let ms = |time: Option<i64>| time.map(|ns| ns / 1_000_000);
    let losses = collect("? 5 A . ? . 6 . a 7 ?").losses;
    let losses: Vec<_> = losses.iter().map(|loss| (ms(loss.from), ms(loss.to))).collect();
    assert_eq!(losses, [(None, Some(5)), (Some(5), Some(6)), (Some(7), None)]);
}
