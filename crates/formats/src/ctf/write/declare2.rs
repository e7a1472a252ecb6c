//! What is added to metadata of CTF 2: the same classes as in `declare.rs`, as fragments of JSON.

use serde_json::{Value, json};

use super::declare::{Kind, Shapes};

impl Shapes<'_> {
    /// The fragments to append.
    pub(super) fn declare_version_2(&self, stream: u64, clock: &str, with_cpu: bool) -> String {
        let time = |role: &str| number(64, &[role]);
        let mut context = vec![
            member("timestamp_begin", time("default-clock-timestamp")),
            member("timestamp_end", time("packet-end-default-clock-timestamp")),
            member("content_size", number(64, &["packet-content-length"])),
            member("packet_size", number(64, &["packet-total-length"])),
        ];
        if with_cpu {
            context.push(member("cpu_id", number(32, &[])));
        }
        let header = vec![
            member("id", number(16, &["event-record-class-id"])),
            member("timestamp", time("default-clock-timestamp")),
        ];
        let mut fragments = vec![json!({
            "type": "data-stream-class",
            "id": stream,
            "name": "added by Tracewright: concluded, not recorded",
            "default-clock-class-id": clock,
            "packet-context-field-class": structure(context),
            "event-record-header-field-class": structure(header),
            "event-record-common-context-field-class": structure(members(&self.context)),
        })];
        for (number, (name, fields)) in self.in_order.iter().enumerate() {
            fragments.push(json!({
                "type": "event-record-class",
                "id": number,
                "data-stream-class-id": stream,
                "name": name,
                "payload-field-class": structure(members(fields)),
            }));
        }
        fragments.iter().map(|fragment| format!("\x1e{fragment}\n")).collect()
    }
}

fn structure(members: Vec<Value>) -> Value {
    json!({"type": "structure", "minimum-alignment": 8, "member-classes": members})
}

fn member(name: &str, class: Value) -> Value {
    json!({"name": name, "field-class": class})
}

/// A number without sign, in the byte order in which all that is added is written.
fn number(bits: u32, roles: &[&str]) -> Value {
    let kind = "fixed-length-unsigned-integer";
    let mut class = json!({"type": kind, "length": bits, "byte-order": "little-endian", "alignment": 8});
    if !roles.is_empty()
        && let Some(class) = class.as_object_mut()
    {
        class.insert("roles".into(), json!(roles));
    }
    class
}

fn members(members: &[(&str, Kind)]) -> Vec<Value> {
    let mut names: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for (name, kind) in members {
        let (length, order, align) = (64, "little-endian", 8);
        let numeric =
            |kind: &str| json!({"type": kind, "length": length, "byte-order": order, "alignment": align});
        let class = match kind {
            Kind::Number => numeric("fixed-length-signed-integer"),
            Kind::Float => numeric("fixed-length-floating-point-number"),
            Kind::Text => json!({"type": "null-terminated-string"}),
        };
        let mut name = (*name).to_owned();
        while names.contains(&name) {
            name.push('_');
        }
        all.push(member(&name, class));
        names.push(name);
    }
    all
}
