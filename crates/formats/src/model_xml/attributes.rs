//! Attributes that nothing reads: most are misspelt.

use roxmltree::{Document, Node};

use super::context::Context;

/// The attributes of the elements in which a misspelt one changes what a model means.
const KNOWN: [(&str, &[&str]); 28] = [
    ("abandonState", &["id"]),
    ("action", &["id"]),
    ("begin", VALUE),
    ("condition", &["operator", "type"]),
    ("definedValue", &["name", "value", "color"]),
    ("duration", VALUE),
    ("elapsedTime", &["unit"]),
    ("end", VALUE),
    ("equal", &["since", "value"]),
    ("eventHandler", &["eventName"]),
    ("field", &["name"]),
    ("final", &["id"]),
    ("fsm", &["id", "initial", "multiple", "consuming"]),
    ("futureTime", VALUE),
    ("less", &["since", "value"]),
    ("location", &["id"]),
    ("mappingGroup", &["id"]),
    ("more", &["since", "value"]),
    ("patternHandler", &["initial"]),
    ("precondition", &["event", "cond"]),
    ("state", &["id"]),
    ("stateAttribute", &["type", "value"]),
    ("stateValue", VALUE),
    ("storedField", &["id", "alias"]),
    ("test", &["id"]),
    ("timerange", &["unit"]),
    ("transition", &["event", "cond", "target", "action", "saveStoredFields", "clearStoredFields"]),
    ("segField", &["name", "type", "value"]),
];

const VALUE: &[&str] =
    &["type", "value", "increment", "update", "stack", "forcedType", "mappingGroup", "id", "scriptEngine"];

/// Notes each attribute that its element does not have. Those of other namespaces are extensions.
pub(super) fn check(context: &mut Context, document: &Document<'_>) {
    let is_known = |node: &Node<'_, '_>| node.is_element() && node.tag_name().namespace().is_none();
    for node in document.descendants().filter(is_known) {
        let name = node.tag_name().name();
        let Some((_, known)) = KNOWN.iter().find(|(element, _)| *element == name) else { continue };
        for attribute in node.attributes().filter(|attribute| attribute.namespace().is_none()) {
            if !known.contains(&attribute.name()) {
                let attribute = attribute.name();
                context.note(node, format!("`{name}` has no attribute `{attribute}`: it was ignored."));
            }
        }
    }
}
