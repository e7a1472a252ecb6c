//! `/api/story...`: a recording in few scenes.
//!
//! ```text
//! entry  t1, m17, c42 ── weight: own code, libraries, hidden ── Ranking, remembered
//!                     ── so many scenes, and extra calls     ── Story ─┬─ list     scenes, and what passes between them
//!                                                                      ├─ scene    one of them
//!                                                                      └─ untold   methods that have none
//! ```

mod entries;
mod list;
mod scene;
#[cfg(test)]
mod tests;
mod untold;
mod weight;

use std::sync::{Arc, Mutex, PoisonError};

use analyses::replay::NodeId;
use analyses::story::{Entry, Options, Positions, Ranking, Story};
use model::code::{BlockId, MethodId};
use viewer::Reply;
use viewer::api::story::{CALL, SCENE, STORY, StoryStatus, UNTOLD};
use viewer::api::{Handled, Parameters, Route};

use super::play::recording::Recording;
use super::session::Session;
use crate::views::code_names::{comes_round, line_key};

/// Scenes of a story where the request has no number.
const SCENES: usize = 300;
/// Rankings and extra calls that are remembered and taken.
const REMEMBERED: usize = 6;
const EXTRA: usize = 200;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![
        STORY.answered_by(story),
        SCENE.answered_by(scene::answer),
        UNTOLD.answered_by(untold::answer),
        CALL.answered_by(scene::call_of_line),
    ]
}

/// What this part keeps in the session: the rankings that were asked for lately, by entry.
#[derive(Debug, Default)]
pub(crate) struct Part(Mutex<Vec<(Entry, Arc<Ranking>)>>);

impl Part {
    fn ranking(&self, recording: &Recording, entry: Entry) -> Arc<Ranking> {
        // Whoever asks for the same meanwhile waits for it.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = known.iter().position(|(of, _)| *of == entry) {
            let one = known.remove(at);
            let ranking = one.1.clone();
            known.push(one);
            return ranking;
        }
        let lines = |method: MethodId, block: BlockId| line_key(&recording.code, method, block);
        let source = |method: MethodId, block: BlockId, hear: &mut dyn FnMut(u32)| {
            let block = recording.code.method(method).and_then(|method| method.blocks.get(block as usize));
            block.into_iter().flat_map(|block| &block.lines).for_each(|&line| hear(u32::from(line)));
        };
        let comes_round = |method, index, block| comes_round(&recording.code, method, index, block);
        let weights = weight::Weights::of(recording, entry);
        let weight = |method| weights.of_method(method);
        let options = Options { lines: &lines, source: &source, comes_round: &comes_round, weight: &weight };
        let ranking = Arc::new(Ranking::of(&recording.replay, &recording.blocks, entry, options));
        if known.len() >= REMEMBERED {
            known.remove(0);
        }
        known.push((entry, ranking.clone()));
        ranking
    }
}

/// A story and what it was made of.
struct Asked {
    recording: Arc<Recording>,
    name: String,
    entry: Entry,
    ranking: Arc<Ranking>,
    story: Story,
    positions: Positions,
}

impl Asked {
    /// The story that a request is about.
    fn of(session: &Session, recording: Arc<Recording>, asked: &Parameters<'_>) -> Handled<Asked> {
        let (name, entry, ranking) = ranking(session, &recording, asked)?;
        let scenes = asked.number::<usize>("scenes").unwrap_or(SCENES).max(1);
        let with = asked.text("with").unwrap_or_default();
        let with: Vec<NodeId> =
            with.split(',').take(EXTRA).filter_map(|number| number.parse().ok().map(NodeId)).collect();
        let (replay, blocks) = (&recording.replay, &recording.blocks);
        let story = Story::of(&ranking, replay, blocks, &recording.calls, scenes, &with);
        let positions = Positions::of(replay, blocks);
        Ok(Asked { name, entry, ranking, story, positions, recording })
    }

    /// The serial number of the thread of a position, its index, and the position in it.
    fn moment(&self, begin: u64) -> (u32, usize, u64) {
        let moment = self.positions.moment(begin);
        let serial = self.recording.replay.threads.get(moment.thread).map_or(0, |thread| thread.serial);
        (serial, moment.thread, moment.at)
    }
}

/// What a request is about.
fn ranking(
    session: &Session,
    recording: &Recording,
    asked: &Parameters<'_>,
) -> Handled<(String, Entry, Arc<Ranking>)> {
    let (name, entry) = match asked.text("entry").filter(|entry| !entry.is_empty()) {
        Some(name) => {
            let entry = entries::parse(recording, &name).ok_or_else(no_entry)?;
            (name, entry)
        }
        None => entries::best(&session.overview, recording).ok_or_else(no_entry)?,
    };
    Ok((name, entry, session.story.ranking(recording, entry)))
}

fn no_entry() -> Reply {
    Reply::refusal(404, "There is no such thread, method or call in this recording.\n")
}

fn story(session: &Session, asked: &Parameters<'_>) -> Handled<StoryStatus> {
    let Some((job, recording)) = session.play.read() else {
        return Err(Reply::refusal(404, "This is no recording of control flow.\n"));
    };
    let story = match recording {
        Some(recording) => Some(list::list(session, &Asked::of(session, recording, asked)?)),
        None => None,
    };
    Ok(StoryStatus { job, story })
}
