//! Overview: what the threads of a recording did, folded, and asked for line by line.
//!
//! ```text
//! /api/overview          where it began, the kinds of threads, packages, exceptions   by work
//! /api/overview/inside   the lines inside a line: k0 is a kind of thread, k0.3 the fourth line in it, m17 all calls of a method
//! /api/overview/place    where the first call or loop of a line ran, and its source
//! ```
//!
//! The number of a line is the same each time the same recording is opened.

mod method;
mod tree;

pub use method::{Classes, Hit, HitKind, MethodCalls, MethodLink, MethodWork, SearchResult, SearchResults};
pub use tree::{
    Beginning, BeginningKind, Exception, FoldedLine, FoldedLines, LineKind, Overview, PackageWork, Place,
    PlaceRow, Way, Whole,
};

use super::{Endpoint, Kind, Parameter, needed, optional};

const ENTRY: Parameter = needed("entry", Kind::Text, "The line: k0.3.1, or m17.0");
const METHOD: Parameter = needed("id", Kind::Integer, "Number of the method");

/// The recording as a whole.
pub const OVERVIEW: Endpoint<Overview> =
    Endpoint::get("/api/overview", "Where a recording began and what did most, once it has been read", &[]);
/// Some lines.
pub const INSIDE: Endpoint<FoldedLines> = Endpoint::get(
    "/api/overview/inside",
    "The lines inside a line of the folded tree",
    &[
        ENTRY,
        optional("from", Kind::Integer, "First line"),
        optional("count", Kind::Integer, "Number of lines, at most 200"),
    ],
);
/// Down where the work is.
pub const HEAVIEST: Endpoint<Way> = Endpoint::get(
    "/api/overview/heaviest",
    "From a line on into the line with the most work, as long as that is at least half of it",
    &[ENTRY],
);
/// Down to a call.
pub const FIRST: Endpoint<Way> =
    Endpoint::get("/api/overview/first", "The lines that lead to the first call of a method", &[METHOD]);
/// Where a line ran first.
pub const PLACE: Endpoint<Place> = Endpoint::get(
    "/api/overview/place",
    "Where the first of what a line reports ran, and the source that ran there",
    &[ENTRY],
);
/// All about a method.
pub const CALLS: Endpoint<MethodCalls> = Endpoint::get(
    "/api/overview/method",
    "Who called a method, how often and from which lines, and what it called",
    &[METHOD],
);
/// What ran of a package.
pub const CLASSES: Endpoint<Classes> = Endpoint::get(
    "/api/overview/classes",
    "The methods of a package that ran, those that ran most blocks first",
    &[needed("package", Kind::Text, "The package; empty for the one without a name")],
);
/// Words.
pub const SEARCH: Endpoint<SearchResults> = Endpoint::get(
    "/api/overview/search",
    "What has a text: threads, packages, classes, methods as they are shown, marks; or lines of source that ran",
    &[
        needed("query", Kind::Text, "The text; capital letters make no difference; at most 200 bytes"),
        optional("source", Kind::Boolean, "Look through the source that ran instead of names"),
    ],
);

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&OVERVIEW);
    document.add(&INSIDE);
    document.add(&HEAVIEST);
    document.add(&FIRST);
    document.add(&PLACE);
    document.add(&CALLS);
    document.add(&CLASSES);
    document.add(&SEARCH);
}
