//! Loss: what the counters of packets say to be missing.
//!
//! ```text
//! packet          k                       k+1
//! time        ....|begin        end|      |begin          end|
//! counter     events_discarded = 10       events_discarded = 17
//!                                  |<---- 7 events lost ---->|      (Lost::Events)
//! number      packet_seq_num = 3          packet_seq_num = 6
//!                                  |<- 2 ->|                        (Lost::Packets)
//! ```
//!
//! Where the tracer numbers packets from 0, those before the first one that is there are lost, too.
//! `events_discarded` counts from the start of the stream. What was lost between two packets may
//! have been lost before the first event of the later one or after its last: LTTng closes a packet
//! when there is room again.

use model::{Lost, Timestamp};

use super::packet::Packet;

/// The counters of the packets before.
#[derive(Debug, Default)]
pub(super) struct Counters {
    previous: Option<Previous>,
    /// The number of the first packet of the stream, where that is known.
    pub(super) first: Option<u64>,
}

#[derive(Debug)]
struct Previous {
    begins: Option<Timestamp>,
    ends: Option<Timestamp>,
    discarded: Option<u64>,
    sequence: Option<u64>,
}

/// One loss, and the time that it lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loss {
    pub(super) lost: Lost,
    pub(super) from: Option<Timestamp>,
    pub(super) to: Option<Timestamp>,
}

/// What is to be reported where a packet begins.
#[derive(Debug, Default)]
pub(super) struct Boundary {
    pub(super) packets: Option<Loss>,
    pub(super) events: Option<Loss>,
    /// Code and sentence, at most one of each kind.
    pub(super) anomalies: Vec<(&'static str, String)>,
}

impl Counters {
    /// When the last packet ended.
    pub(super) fn ended(&self) -> Option<Timestamp> {
        self.previous.as_ref().and_then(|previous| previous.ends)
    }

    /// Takes the next packet of the stream.
    pub(super) fn next(&mut self, packet: &Packet) -> Boundary {
        let mut boundary = Boundary::default();
        let previous = self.previous.take();
        let from = previous.as_ref().and_then(|previous| previous.ends);
        let before = previous.as_ref().and_then(|previous| previous.discarded);
        if let Some(now) = packet.discarded {
            // A stream starts to count at 0, so the first packet reports a loss before it.
            match difference(before.unwrap_or(0), now, packet.discarded_bits) {
                Some(0) => {}
                Some(count) => {
                    boundary.events = Some(Loss { lost: Lost::Events(count), from, to: packet.ends });
                }
                None => {
                    let before = before.unwrap_or(0);
                    let what = format!(
                        "The counter of discarded events goes back from {before} to {now}, \
                         so how many were lost here is unknown."
                    );
                    boundary.anomalies.push(("ctf-discarded-backwards", what));
                }
            }
        }
        if let (None, Some(first), Some(now)) = (&previous, self.first, packet.sequence)
            && now > first
        {
            boundary.packets = Some(Loss { lost: Lost::Packets(now - first), from, to: packet.begins });
        }
        if let Some(previous) = previous {
            if let (Some(before), Some(now)) = (previous.sequence, packet.sequence) {
                if now <= before {
                    let what = format!("The packet after number {before} has the number {now}.");
                    boundary.anomalies.push(("ctf-packet-number", what));
                } else if now - before > 1 {
                    let lost = Lost::Packets(now - before - 1);
                    boundary.packets = Some(Loss { lost, from, to: packet.begins });
                }
            }
            if let (Some(begins), Some(ended)) = (packet.begins, previous.ends.max(previous.begins))
                && begins < ended
            {
                let what =
                    format!("A packet begins {} ns before the one before it ends.", ended.since(begins));
                boundary.anomalies.push(("ctf-packet-backwards", what));
            }
        }
        if let (Some(begins), Some(ends)) = (packet.begins, packet.ends)
            && ends < begins
        {
            let what = format!("A packet ends {} ns before it begins.", begins.since(ends));
            boundary.anomalies.push(("ctf-packet-ends-early", what));
        }
        self.previous = Some(Previous {
            begins: packet.begins,
            ends: packet.ends.or(packet.begins),
            discarded: packet.discarded.or(before),
            sequence: packet.sequence,
        });
        boundary
    }
}

/// How much a counter of `bits` bits grew. A counter narrower than 64 bits that falls from the
/// uppermost quarter of its range into the lowest one wrapped; any other decrease is `None`.
fn difference(before: u64, now: u64, bits: u32) -> Option<u64> {
    if now >= before {
        return Some(now - before);
    }
    let range = 1u64.checked_shl(bits).filter(|_| bits < 64)?;
    let wrapped = before >= range - range / 4 && now < range / 4;
    wrapped.then(|| (range - before).saturating_add(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_counters_wrap_and_wide_ones_never() {
        assert_eq!(difference(3, 10, 64), Some(7));
        assert_eq!(difference(10, 3, 64), None);
        assert_eq!(difference(u64::MAX, 3, 64), None);
        assert_eq!(difference(0xFFFF_FFFE, 3, 32), Some(5));
        assert_eq!(difference(0x8000_0000, 3, 32), None);
        assert_eq!(difference(0xFFFF_FFFE, 0x7000_0000, 32), None);
    }

    fn packet(begins: i64, ends: i64, discarded: u64, sequence: u64) -> Packet {
        Packet {
            begins: Some(Timestamp(begins)),
            ends: Some(Timestamp(ends)),
            discarded: Some(discarded),
            discarded_bits: 64,
            sequence: Some(sequence),
            ..Packet::default()
        }
    }

    #[test]
    fn packets_before_the_first_are_lost_where_numbers_begin_at_0() {
        let mut counters = Counters { first: Some(0), ..Counters::default() };
        let lost = Loss { lost: Lost::Packets(7), from: None, to: Some(Timestamp(10)) };
        assert_eq!(counters.next(&packet(10, 20, 0, 7)).packets, Some(lost));
        assert_eq!(counters.next(&packet(30, 40, 0, 8)).packets, None);
        assert_eq!(
            Counters { first: Some(0), ..Counters::default() }.next(&packet(10, 20, 0, 0)).packets,
            None
        );
    }

    #[test]
    fn both_kinds_of_loss_at_one_boundary() {
        let mut counters = Counters::default();
        let first = counters.next(&packet(10, 20, 4, 7));
        let (from, to) = (None, Some(Timestamp(20)));
        assert_eq!(first.events, Some(Loss { lost: Lost::Events(4), from, to }));
        assert_eq!(first.packets, None);
        let second = counters.next(&packet(30, 40, 9, 10));
        let from = Some(Timestamp(20));
        assert_eq!(second.events, Some(Loss { lost: Lost::Events(5), from, to: Some(Timestamp(40)) }));
        assert_eq!(second.packets, Some(Loss { lost: Lost::Packets(2), from, to: Some(Timestamp(30)) }));
        let third = counters.next(&packet(35, 50, 3, 10));
        assert_eq!(third.events, None);
        let codes: Vec<_> = third.anomalies.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, ["ctf-discarded-backwards", "ctf-packet-number", "ctf-packet-backwards"]);
    }
}
