//! Story: a recording summarized in few scenes. A scene is one call: its lines, loops by their variants, what it called.
//!
//! ```text
//! tree of calls ── firsts: each different call once, where it ran first      equal calls are one
//!               ── hidden: getters, bridges, set-up, by rule                 shown as a count
//!               ── ranking: which calls are scenes, the best first           a budget is a prefix of it
//!               ── story: so many of them in the order of execution
//!                    scene 1  main          1 of main
//!                    scene 2    sell        5 calls: variants of its loop, each with its count
//!                    scene 3      bake      between 2 and 3 nothing passes
//!                      ...                  between 3 and 4: 812 calls as in scene 3, 40 getters, 3 calls in no scene
//! ```
//!
//! - What brings most for each scene that it costs comes next: lines, variants of loops, methods and exceptions that no
//!   scene has shown. So a longer story has all scenes of a shorter one.
//! - Each call in a story has its caller in it. Callers that show nothing new are [`StoryCall`]s without being scenes.
//! - Whatever is below the entry is a scene, or is counted where the story passes it: the calls of both add up to the
//!   calls that ran, and each method is a scene or listed by [`Story::untold`]. A scene of a method has all variants of its loops,
//!   those of other calls of it as well ([`Ranking::variants`]).
//!
//! The work follows the size of the tree, not of the run.

mod entry;
mod firsts;
mod gains;
mod hidden;
mod made;
mod ranking;
mod scenes;
#[cfg(test)]
mod tests;
mod variants;

pub use entry::{Entry, Moment, Positions};
pub use hidden::{Hidden, hidden};
pub use made::{Made, made};
pub use ranking::{Options, Ranking, SourceLines, Weight};
pub use scenes::{Fate, Passed, Story, StoryCall, Untold};
pub use variants::{LoopVariants, Variant};
