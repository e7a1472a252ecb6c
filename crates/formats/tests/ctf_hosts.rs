//! Traces of several hosts in one folder: their clocks are brought together by the messages between them.

mod ctf_fixture;

use ctf_fixture::{Bytes, Trace};
use expect_test::{Expect, expect};
use model::EventSource;

/// Metadata of a host whose kernel records sent and received segments.
fn metadata(host: &str) -> String {
    format!(
        "/* CTF 1.8 */
        typealias integer {{ size = 8; align = 8; }} := u8;
        typealias integer {{ size = 32; align = 8; }} := u32;
        typealias integer {{ size = 64; align = 8; }} := u64;
        trace {{ major = 1; minor = 8; byte_order = le; }};
        env {{ hostname = \"{host}\"; }};
        clock {{ name = c; }};
        typealias integer {{ size = 64; align = 8; map = clock.c.value; }} := time;
        stream {{ event.header := struct {{ u8 id; time timestamp; }}; }};
        event {{ id = 0; name = inet_sock_local_out; fields := struct {{ u32 seq; u32 ack_seq; u8 flags; }}; }};
        event {{ id = 1; name = inet_sock_local_in; fields := struct {{ u32 seq; u32 ack_seq; u8 flags; }}; }};
        event {{ id = 2; name = other; fields := struct {{ u32 x; }}; }};
        "
    )
}

/// The events of a host: at a time on its own clock, whether something is received, and which segment.
fn stream(events: &[(u64, u8, u32)]) -> Vec<u8> {
    let mut bytes = Bytes::little();
    for (time, kind, segment) in events {
        bytes = bytes.u8(*kind).u64(*time).u32(*segment);
        if *kind < 2 {
            bytes = bytes.u32(9).u8(0x18);
        }
    }
    bytes.done()
}

/// A host, and its events as [`stream`] takes them.
type Host<'a> = (&'a str, &'a [(u64, u8, u32)]);

fn check(hosts: &[Host<'_>], expected: Expect) {
    let mut trace = Trace::default();
    for (host, events) in hosts {
        trace = trace
            .file(&format!("{host}/metadata"), metadata(host).into_bytes())
            .file(&format!("{host}/s"), stream(events));
    }
    let Ok(reader) = trace.open() else { return expected.assert_eq(&trace.show()) };
    let clocks: Vec<String> = reader
        .traces()
        .iter()
        .filter_map(|trace| {
            let clock = trace.host_clock.as_ref()?;
            let (host, to) = (trace.host.as_deref()?, &clock.reference);
            Some(format!("{host}: {:.0} ns to {to}, {} messages\n", clock.ahead, clock.messages))
        })
        .collect();
    expected.assert_eq(&(trace.show() + &clocks.concat()));
}

#[test]
fn what_is_received_comes_after_what_was_sent() {
    // The clock of b is 5,000 ahead of that of a; a segment takes 100.
    check(
        &[
            ("a", &[(1_000, 0, 1), (2_000, 2, 7), (3_200, 1, 2), (9_000, 0, 3)]),
            ("b", &[(6_100, 1, 1), (8_100, 0, 2), (14_100, 1, 3)]),
        ],
        expect![[r#"
            0: 1000 inet_sock_local_out seq=1 ack_seq=9 flags=24
            1: 1100 inet_sock_local_in seq=1 ack_seq=9 flags=24
            0: 2000 other x=7
            1: 3100 inet_sock_local_out seq=2 ack_seq=9 flags=24
            0: 3200 inet_sock_local_in seq=2 ack_seq=9 flags=24
            0: 9000 inet_sock_local_out seq=3 ack_seq=9 flags=24
            1: 9100 inet_sock_local_in seq=3 ack_seq=9 flags=24
            b: -5000 ns to a, 3 messages
        "#]],
    );
}

#[test]
fn a_host_beyond_another_and_one_of_which_nothing_is_known() {
    check(
        &[
            ("a", &[(1_000, 0, 1), (3_000, 1, 2)]),
            ("b", &[(6_100, 1, 1), (7_900, 0, 2), (8_000, 0, 3), (9_000, 1, 4)]),
            ("c", &[(100, 1, 3), (900, 0, 4)]),
            ("d", &[(5, 0, 77), (7, 2, 1)]),
        ],
        expect![[r#"
            3: 5 inet_sock_local_out seq=77 ack_seq=9 flags=24
            3: 7 other x=1
            0: 1000 inet_sock_local_out seq=1 ack_seq=9 flags=24
            1: 1100 inet_sock_local_in seq=1 ack_seq=9 flags=24
            1: 2900 inet_sock_local_out seq=2 ack_seq=9 flags=24
            0: 3000 inet_sock_local_in seq=2 ack_seq=9 flags=24
            1: 3000 inet_sock_local_out seq=3 ack_seq=9 flags=24
            2: 3100 inet_sock_local_in seq=3 ack_seq=9 flags=24
            2: 3900 inet_sock_local_out seq=4 ack_seq=9 flags=24
            1: 4000 inet_sock_local_in seq=4 ack_seq=9 flags=24
            ctf-host-clock-unknown d/metadata:0 The clock of the host d cannot be brought to that of a: no message of it to or from another host of the trace was recorded.
            b: -5000 ns to a, 2 messages
            c: 3000 ns to a, 2 messages
        "#]],
    );
}
