//! `/api/inference/long`: losses whose events are not listed.

use inference::model::{LongLoss, RunningTime};
use model::Scalar;
use viewer::api::inference::{LongLoss as LossAnswer, LongLosses, LongThread};
use viewer::api::{Handled, Parameters};

use super::super::session::Session;
use super::super::timeline::{Index, RowKind};
use super::ready;

/// Losses of one answer.
const MOST: usize = 200;

/// Those in an interval of time.
pub(super) fn losses(session: &Session, asked: &Parameters<'_>) -> Handled<LongLosses> {
    let found = ready(session)?;
    let (from, to) = session.timeline.range(asked);
    let inside = |long: &&LongLoss| long.from.0 <= to && long.to.0 >= from;
    let all = || found.answer.long_losses.iter().filter(inside);
    session.timeline.with_original(|index| {
        Ok(LongLosses {
            all: all().count(),
            losses: all().take(MOST).map(|long| loss(index, long)).collect(),
        })
    })
}

fn loss(index: &Index, long: &LongLoss) -> LossAnswer {
    let offset = |time: i64| time.saturating_sub(index.start());
    LossAnswer {
        cpu: long.cpu,
        from: offset(long.from.0),
        to: offset(long.to.0),
        switches: long.switches,
        threads: long.running.iter().map(|one| thread(index, one)).collect(),
        others: long.others.clone(),
    }
}

fn thread(index: &Index, one: &RunningTime) -> LongThread {
    let key = one.instance.as_ref().map(|who| match who {
        Scalar::Number(number) => number.to_string(),
        Scalar::Text(text) => text.clone(),
    });
    let row = key.as_ref().and_then(|key| index.find(RowKind::Thread, key));
    let name = row.and_then(|row| index.rows.get(row)).map(|row| row.name.clone());
    LongThread {
        name: name.filter(|name| !name.is_empty()).or(key),
        row,
        mean: one.mean,
        usual: one.usual,
        probability: one.band.clone(),
    }
}
