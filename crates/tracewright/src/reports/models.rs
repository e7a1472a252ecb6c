//! What `models --json` prints.
//!
//! ```text
//! {"analyses":[{"id":"locks","label":"","kind":"stateProvider",
//!               "machines":[{"id":"Locks/*","states":["HELD","FREE"],
//!                            "instances":[{"events":["take"],"by":["lock"],"except":[]}],
//!                            "transitions":[{"from":"FREE","events":["take"],"if":[],"to":"HELD"}]}],
//!               "left_out":[{"line":3,"sentence":"..."}]}],
//!  "views":[{"id":"v","label":"","kind":"timeGraphView","analyses":["locks"],"paths":["Locks/*"]}]}
//! ```

use formats::model_xml::ModelFile;
use inference::derive::{Derived, derive};
use model::machine::{Machine, Pattern, View, ViewKind};
use serde::Serialize;

use crate::models::BUILT_IN;
use crate::views::model_words::{Names, condition, source, states};

/// The answer of `models`: which are built in, the default first.
#[derive(Debug, Serialize)]
pub(crate) struct BuiltInModels {
    models: Vec<BuiltIn>,
}

#[derive(Debug, Serialize)]
struct BuiltIn {
    name: &'static str,
    about: &'static str,
}

impl BuiltInModels {
    pub(crate) fn all() -> Self {
        let one = |model: &crate::models::BuiltIn| BuiltIn { name: model.name, about: model.about };
        Self { models: BUILT_IN.iter().map(one).collect() }
    }
}

/// The answer of `models --model FILE`.
#[derive(Debug, Serialize)]
pub(crate) struct ModelReport {
    analyses: Vec<Analysis>,
    views: Vec<Shown>,
}

#[derive(Debug, Serialize)]
struct Analysis {
    id: String,
    label: String,
    kind: &'static str,
    /// Those that `check` runs: of a state provider they are made of what is written.
    machines: Vec<OneMachine>,
    left_out: Vec<LeftOut>,
}

#[derive(Debug, Serialize)]
struct OneMachine {
    id: String,
    states: Vec<String>,
    /// Those in which an instance comes into being, and those in which it may stay for ever; left out where the
    /// model has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    begins: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ends: Vec<String>,
    instances: Vec<Instance>,
    transitions: Vec<Transition>,
}

/// No `events` means every event.
#[derive(Debug, Serialize)]
struct Instance {
    events: Vec<String>,
    by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<String>,
    except: Vec<String>,
}

/// Conditions are in words.
#[derive(Debug, Serialize)]
struct Transition {
    from: String,
    events: Vec<String>,
    r#if: Vec<String>,
    to: String,
}

#[derive(Debug, Serialize)]
struct LeftOut {
    line: u32,
    sentence: String,
}

#[derive(Debug, Serialize)]
struct Shown {
    id: String,
    label: String,
    kind: &'static str,
    analyses: Vec<String>,
    paths: Vec<String>,
}

impl ModelReport {
    pub(crate) fn of(file: &ModelFile) -> Self {
        let view = |view: &View| Shown {
            id: view.id.clone(),
            label: view.label.clone(),
            kind: match view.kind {
                ViewKind::TimeGraph => "timeGraphView",
                ViewKind::Chart => "xyView",
            },
            analyses: view.analyses.clone(),
            paths: view.paths.clone(),
        };
        Self {
            analyses: file.patterns.iter().map(Analysis::of).collect(),
            views: file.views.iter().map(view).collect(),
        }
    }
}

impl Analysis {
    fn of(pattern: &Pattern) -> Self {
        let (derived, names) = (derive(pattern), Names::of(pattern));
        let started = derived.pattern.started.iter();
        let machines = started.filter_map(|index| derived.pattern.machines.get(*index));
        Self {
            id: pattern.id.clone(),
            label: pattern.label.clone(),
            kind: if pattern.machines.is_empty() { "stateProvider" } else { "pattern" },
            machines: machines.map(|machine| OneMachine::of(&derived, machine, &names)).collect(),
            left_out: { derived.remarks.iter() }
                .map(|remark| LeftOut { line: remark.spot.line, sentence: remark.sentence.clone() })
                .collect(),
        }
    }
}

impl OneMachine {
    fn of(derived: &Derived, machine: &Machine, names: &Names<'_>) -> Self {
        let tests = |tests: &[usize]| {
            let tests = tests.iter().filter_map(|test| derived.pattern.tests.get(*test));
            tests.map(|test| condition(&test.condition, names)).collect()
        };
        let all = machine.states.iter().flat_map(|from| from.transitions.iter().map(move |one| (from, one)));
        Self {
            id: machine.id.clone(),
            states: states(machine).map(|(_, name)| name.to_owned()).collect(),
            begins: { machine.states.iter() }
                .filter(|state| state.begins)
                .map(|state| state.id.clone())
                .collect(),
            ends: { machine.states.iter() }
                .filter(|state| state.ends)
                .map(|state| state.id.clone())
                .collect(),
            instances: { machine.keys.iter().flatten() }
                .map(|rule| Instance {
                    events: rule.events.names.clone(),
                    by: rule.sources.iter().map(source).collect(),
                    within: rule.within.clone(),
                    except: rule.except.clone(),
                })
                .collect(),
            transitions: all
                .map(|(from, transition)| Transition {
                    from: from.id.clone(),
                    events: transition.events.names.clone(),
                    r#if: tests(&transition.tests),
                    to: machine.states.get(transition.target).map_or(String::new(), |state| state.id.clone()),
                })
                .collect(),
        }
    }
}
