//! What a model says as JSON, for programs.
//!
//! ```text
//! {"analyses":[{"id":"locks","label":"","kind":"stateProvider",
//!               "machines":[{"id":"Locks/*","states":["HELD","FREE"],
//!                            "instances":[{"events":["take"],"by":["lock"],"except":[]}],
//!                            "transitions":[{"from":"FREE","events":["take"],"if":[],"to":"HELD"}]}],
//!               "left_out":[{"line":3,"sentence":"..."}]}],
//!  "views":[{"id":"v","label":"","kind":"timeGraphView","analyses":["locks"],"paths":["Locks/*"]}]}
//! ```
//!
//! The machines are those that `check` runs: of a state provider they are made of what is written. No
//! `events` means every event. Conditions are in words.

use formats::model_xml::ModelFile;
use inference::derive::{Derived, derive};
use model::machine::{Machine, Pattern, View, ViewKind};

use super::json::Json;
use super::model_words::{Names, condition, source, states};

pub(crate) fn render(file: &ModelFile) -> Vec<u8> {
    let mut json = Json::default();
    json.object(|json| {
        json.key("analyses")
            .array(&file.patterns, |json, pattern| json.object(|json| analysis(json, pattern)));
        json.key("views").array(&file.views, |json, view| json.object(|json| shown(json, view)));
    });
    json.out.push(b'\n');
    json.out
}

fn analysis(json: &mut Json, pattern: &Pattern) {
    json.key("id").text(&pattern.id);
    json.key("label").text(&pattern.label);
    json.key("kind").text(if pattern.machines.is_empty() { "stateProvider" } else { "pattern" });
    let (derived, names) = (derive(pattern), Names::of(pattern));
    let started = derived.pattern.started.iter().filter_map(|index| derived.pattern.machines.get(*index));
    json.key("machines").array(started, |json, of| json.object(|json| machine(json, &derived, of, &names)));
    json.key("left_out").array(&derived.remarks, |json, remark| {
        json.object(|json| {
            json.key("line").number(remark.spot.line);
            json.key("sentence").text(&remark.sentence);
        });
    });
}

fn machine(json: &mut Json, derived: &Derived, machine: &Machine, names: &Names<'_>) {
    json.key("id").text(&machine.id);
    json.key("states").array(states(machine), |json, (_, name)| json.text(name));
    json.key("instances").array(machine.keys.iter().flatten(), |json, rule| {
        json.object(|json| {
            json.key("events").array(&rule.events.names, |json, name| json.text(name));
            json.key("by").array(&rule.sources, |json, of| json.text(&source(of)));
            json.key("except").array(&rule.except, |json, name| json.text(name));
        });
    });
    let all = machine.states.iter().flat_map(|state| state.transitions.iter().map(move |one| (state, one)));
    json.key("transitions").array(all, |json, (from, transition)| {
        let tests = transition.tests.iter().filter_map(|test| derived.pattern.tests.get(*test));
        json.object(|json| {
            json.key("from").text(&from.id);
            json.key("events").array(&transition.events.names, |json, name| json.text(name));
            json.key("if").array(tests, |json, test| json.text(&condition(&test.condition, names)));
            json.key("to").text(machine.states.get(transition.target).map_or("", |state| &state.id));
        });
    });
}

fn shown(json: &mut Json, view: &View) {
    json.key("id").text(&view.id);
    json.key("label").text(&view.label);
    json.key("kind").text(match view.kind {
        ViewKind::TimeGraph => "timeGraphView",
        ViewKind::Chart => "xyView",
    });
    json.key("analyses").array(&view.analyses, |json, id| json.text(id));
    json.key("paths").array(&view.paths, |json, path| json.text(path));
}
