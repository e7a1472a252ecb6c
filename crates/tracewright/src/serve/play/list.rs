//! `/api/list`: calls by their number, however many there are.

use std::sync::Arc;

use analyses::replay::{Kind, Measure, NodeId, Path, Wanted};
use model::code::MethodId;

use super::recording::{Recording, package};
use super::state::{entered, left};
use super::{bad, ready};
use crate::serve::api::Handled;
use crate::serve::http::{Reply, Request};
use crate::serve::session::Session;
use crate::views::json::Json;

/// Rows of one answer.
const ROWS: u64 = 400;

/// Which calls are listed.
#[derive(Debug)]
pub(super) struct Filter {
    /// Those of classes of this package and of packages inside it; empty: all.
    package: String,
    /// Those in the first iteration of each loop.
    pub(super) first_iterations: bool,
}

impl Filter {
    pub(super) fn of(request: &Request) -> Filter {
        Filter {
            package: request.query("package").unwrap_or_default(),
            first_iterations: request.query("first").as_deref() == Some("true"),
        }
    }

    fn wants(&self, recording: &Recording, method: MethodId) -> bool {
        let package = package(recording.names(method).0);
        match package.strip_prefix(self.package.as_str()) {
            Some(rest) => self.package.is_empty() || rest.is_empty() || rest.starts_with('.'),
            None => false,
        }
    }

    /// The measure of the calls that are listed.
    pub(super) fn measure(&self, recording: &Recording) -> Arc<Measure> {
        if self.package.is_empty() && !self.first_iterations {
            return recording.calls.clone();
        }
        recording.measures.get(&format!("rows {} {}", self.first_iterations, self.package), || {
            let wanted = Wanted {
                frame: &|method| self.wants(recording, method),
                block: None,
                first_iterations: self.first_iterations,
            };
            Measure::of(&recording.replay, &wanted)
        })
    }
}

/// The way to the beginning of the call at `place` of a path.
pub(super) fn call_at(recording: &Recording, path: &Path, place: usize) -> Option<Path> {
    let mut places = path.places.get(..=place)?.to_vec();
    let last = places.last_mut()?;
    (last.item, last.copy) = (recording.replay.items(last.node).len(), 0);
    let position = last.begin;
    Some(Path { places, position })
}

/// The row of the innermost open call at the end of `path` that is listed, or the last row before.
pub(super) fn row_of(recording: &Recording, root: NodeId, rows: &Measure, path: &Path) -> Option<u64> {
    let (replay, blocks) = (&recording.replay, &recording.blocks);
    for frame in replay.frames(blocks, path).iter().rev() {
        let call = call_at(recording, path, frame.place)?;
        let row = replay.rank(rows, &call);
        if replay.select(root, blocks, rows, row).is_some_and(|found| found == call) {
            return Some(row);
        }
    }
    rows.of_node(root).checked_sub(1).map(|last| replay.rank(rows, path).saturating_sub(1).min(last))
}

pub(super) fn answer(session: &Session, request: &Request) -> Handled {
    let recording = ready(session)?;
    let (Some(from), Some(count)) = (request.number("from"), request.number("count")) else {
        return Err(bad());
    };
    let Some(root) = request.number("thread").and_then(|thread| recording.root(thread)) else {
        return Err(bad());
    };
    let rows = Filter::of(request).measure(&recording);
    let total = rows.of_node(root);
    let to = from.saturating_add(count.min(ROWS)).min(total);
    // The row of a position of Play, when it is asked for.
    let row = request
        .number("position")
        .and_then(|position| recording.seek(root, position))
        .and_then(|path| row_of(&recording, root, &rows, &path));
    let mut json = Json::default();
    json.object(|json| {
        json.key("total").number(total);
        json.key("row").number_or_null(row);
        json.key("from").number(from);
        let found = (from..to).filter_map(|row| {
            recording.replay.select(root, &recording.blocks, &rows, row).map(|path| (row, path))
        });
        json.key("rows").array(found, |json, (row, path)| describe(&recording, json, row, &path));
    });
    Ok(Reply::json(json.out))
}

fn describe(recording: &Recording, json: &mut Json, row: u64, path: &Path) {
    let replay = &recording.replay;
    let Some(place) = path.places.last() else { return json.null() };
    let Kind::Frame { method, entered: how, left: end } = replay.kind(place.node) else {
        return json.null();
    };
    let is_frame = |node: NodeId| matches!(replay.kind(node), Kind::Frame { .. });
    let depth = path.places.iter().filter(|place| is_frame(place.node)).count();
    let (class, name) = recording.names(method);
    let known = recording.code.method(method);
    let line = known.and_then(|method| method.blocks.iter().find_map(|block| block.lines.first()));
    let file = known.and_then(|method| recording.code.class(method.class)?.source_file.as_deref());
    json.object(|json| {
        json.key("row").number(row);
        json.key("at").number(path.position);
        json.key("depth").number(depth.saturating_sub(1));
        json.key("method").number(method.0);
        json.key("class").text(class);
        json.key("name").text(name);
        json.key("file").text_or_null(file);
        json.key("line").number_or_null(line);
        json.key("how").text(entered(how));
        json.key("left").text(left(end));
        json.key("blocks").number(recording.blocks.of_node(place.node));
        json.key("calls").number(recording.calls.of_node(place.node).saturating_sub(1));
        // The innermost loop around the call, in the frame that calls it.
        let around = path.places.iter().rev().skip(1).take_while(|place| !is_frame(place.node));
        let iterations = around.filter(|place| replay.kind(place.node).has_iterations()).find_map(|place| {
            let items = replay.items(place.node);
            let iterations = recording.blocks.iterations_before(replay, place.node, items.len());
            let before = recording.blocks.iterations_before(replay, place.node, place.item);
            let looks = u64::from(recording.last_look(place.node).is_some());
            // What turned once tells no more than that it stands in a loop.
            (iterations - looks > 1).then_some((before + place.copy, iterations - looks))
        });
        json.key("iteration").number_or_null(iterations.map(|iteration| iteration.0));
        json.key("iterations").number_or_null(iterations.map(|iteration| iteration.1));
    });
}
