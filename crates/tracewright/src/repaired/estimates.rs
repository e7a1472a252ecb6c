//! What a repaired trace has for losses whose events are not listed: how probable it is, in each part of the time of such
//! a loss, that each instance ran. Estimates are events of their own kind, so that no reader takes them for what happened.

use formats::ctf::write::{Added, Cell};
use inference::model::{LongLoss, Scalar};
use model::Timestamp;

use crate::answer::Answer;

/// The name of the events.
const NAME: &str = "state_estimate";
/// The state that is estimated.
const STATE: &str = "running";
/// Stands for all instances that are not listed.
const OTHERS: &str = "others";
/// Stands for: no instance ran.
const NONE: &str = "none";

/// How probable it is that an instance ran in a part of the time of a loss.
pub(super) struct Estimate {
    /// The declared loss, an index into the list of them.
    loss: usize,
    cpu: u32,
    instance: String,
    from: Timestamp,
    to: Timestamp,
    probability: f64,
    /// How long it ran in the whole of the loss, in ns: from and to, in nine of ten such intervals.
    running: Option<(u64, u64)>,
}

/// All estimates of an answer, by loss, instance and time.
pub(super) fn of(answer: &Answer) -> Vec<Estimate> {
    answer.long_losses.iter().flat_map(of_loss).collect()
}

fn of_loss(long: &LongLoss) -> Vec<Estimate> {
    let instances = long.running.iter().map(|one| {
        let name = match &one.instance {
            None => NONE.to_owned(),
            Some(Scalar::Number(number)) => number.to_string(),
            Some(Scalar::Text(text)) => text.to_string(),
        };
        (name, &one.band, Some(one.usual))
    });
    let mut all = Vec::new();
    for (instance, band, running) in instances.chain([(OTHERS.to_owned(), &long.others, None)]) {
        for (part, probability) in band.iter().enumerate() {
            all.push(Estimate {
                loss: long.window,
                cpu: long.cpu,
                instance: instance.clone(),
                from: border(long, part, band.len()),
                to: border(long, part + 1, band.len()),
                probability: *probability,
                running,
            });
        }
    }
    all
}

/// When a part of a loss begins.
fn border(long: &LongLoss, part: usize, parts: usize) -> Timestamp {
    let length = i128::from(long.to.0) - i128::from(long.from.0);
    let offset = length * part as i128 / parts.max(1) as i128;
    Timestamp(i64::try_from(i128::from(long.from.0) + offset).unwrap_or(long.to.0))
}

impl Estimate {
    /// As an event at the beginning of its part.
    pub(super) fn added<'a>(&'a self, answer: &'a Answer, by: &'a str) -> Added<'a> {
        let bound = |bound: Option<u64>| {
            Cell::Number(bound.map_or(-1, |bound| i64::try_from(bound).unwrap_or(i64::MAX)))
        };
        Added {
            name: NAME,
            time: self.from,
            cpu: Some(self.cpu),
            context: vec![
                ("inferred_by", Cell::Text(by)),
                ("inferred_with", Cell::Text(&answer.model)),
                ("inferred_from", Cell::Number(self.from.0)),
                ("inferred_to", Cell::Number(self.to.0)),
                ("inferred_probability", Cell::Float(self.probability)),
                ("inferred_machine", Cell::Text("")),
                ("inferred_instance", Cell::Text(&self.instance)),
                ("inferred_alternatives", Cell::Text("")),
            ],
            fields: vec![
                ("loss", Cell::Number(i64::try_from(self.loss).unwrap_or(i64::MAX))),
                ("instance", Cell::Text(&self.instance)),
                ("state", Cell::Text(STATE)),
                ("probability", Cell::Float(self.probability)),
                ("running_min", bound(self.running.map(|(from, _)| from))),
                ("running_max", bound(self.running.map(|(_, to)| to))),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use inference::model::RunningTime;

    use super::*;

    #[test]
    fn each_part_of_a_loss_has_an_estimate_of_each_instance() {
        let one = |instance, band: &[f64]| RunningTime {
            instance,
            usual: (2, 7),
            mean: 5,
            most: 9,
            band: band.to_vec(),
        };
        let long = LongLoss {
            window: 3,
            cpu: 1,
            from: Timestamp(100),
            to: Timestamp(111),
            switches: (1, 4),
            running: vec![one(Some(Scalar::Number(7)), &[0.25, 0.5]), one(None, &[0.5, 0.5])],
            others: vec![0.25, 0.0],
            intervals: 40,
        };
        let answer = Answer { engine: "joint", long_losses: vec![long], ..Answer::default() };
        let estimates = of(&answer);
        let line = |one: &Estimate| {
            format!("{} {}..{} {} {:?}\n", one.instance, one.from.0, one.to.0, one.probability, one.running)
        };
        let text: String = estimates.iter().map(line).collect();
        expect_test::expect![[r#"
            7 100..105 0.25 Some((2, 7))
            7 105..111 0.5 Some((2, 7))
            none 100..105 0.5 Some((2, 7))
            none 105..111 0.5 Some((2, 7))
            others 100..105 0.25 None
            others 105..111 0 None
        "#]]
        .assert_eq(&text);
        let added = estimates[0].added(&answer, "tracewright joint");
        assert_eq!((added.name, added.time, added.cpu), ("state_estimate", Timestamp(100), Some(1)));
    }
}
