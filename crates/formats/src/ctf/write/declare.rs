//! What is added to the metadata: one stream class, and an event class for each name and set of
//! fields among the added events.

use std::collections::HashMap;
use std::fmt::Write;

use super::{Added, Cell};

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Number,
    Float,
    Text,
}

/// The declaration of an event class, by which it is identified: its name and its fields.
pub(super) type Shape<'a> = (&'a str, Vec<(&'a str, Kind)>);

/// The event classes of the added events.
#[derive(Debug)]
pub(super) struct Shapes<'a> {
    pub(super) context: Vec<(&'a str, Kind)>,
    numbers: HashMap<Shape<'a>, u16>,
    pub(super) in_order: Vec<Shape<'a>>,
}

impl<'a> Shapes<'a> {
    pub(super) fn of(events: &[Added<'a>]) -> Result<Shapes<'a>, String> {
        let context = events.first().map_or_else(Vec::new, |event| kinds(&event.context));
        let mut shapes = Shapes { context, numbers: HashMap::new(), in_order: Vec::new() };
        for event in events {
            if kinds(&event.context) != shapes.context {
                return Err("The events to be added differ in their context.".into());
            }
            let shape = (event.name, kinds(&event.fields));
            if !shapes.numbers.contains_key(&shape) {
                let number = u16::try_from(shapes.in_order.len())
                    .map_err(|_| "More than 65,536 kinds of events would be added.")?;
                shapes.numbers.insert(shape.clone(), number);
                shapes.in_order.push(shape);
            }
        }
        Ok(shapes)
    }

    pub(super) fn number(&self, event: &Added<'a>) -> u16 {
        self.numbers.get(&(event.name, kinds(&event.fields))).copied().unwrap_or(0)
    }

    /// The text to append.
    pub(super) fn declare(&self, stream: u64, clock: &str, with_cpu: bool) -> String {
        let time = format!("integer {{ size = 64; align = 8; signed = false; map = clock.{clock}.value; }}");
        let size = "integer { size = 64; align = 8; signed = false; }";
        let mut out = format!(
            "\n\n/* Added by Tracewright: what follows was concluded, not recorded. */\nstream {{\n\tid = {stream};\n\
             \tevent.header := struct {{\n\t\tinteger {{ size = 16; align = 8; signed = false; }} id;\n\t\t{time} timestamp;\n\t}} align(8);\n\
             \tpacket.context := struct {{\n\t\t{time} timestamp_begin;\n\t\t{time} timestamp_end;\n\t\t{size} content_size;\n\t\t{size} packet_size;\n"
        );
        if with_cpu {
            out += "\t\tinteger { size = 32; align = 8; signed = false; } cpu_id;\n";
        }
        out += "\t} align(8);\n\tevent.context := struct {\n";
        members(&mut out, &self.context);
        out += "\t} align(8);\n};\n";
        for (number, (name, fields)) in self.in_order.iter().enumerate() {
            _ = write!(
                out,
                "\nevent {{\n\tname = {};\n\tid = {number};\n\tstream_id = {stream};\n\tfields := struct {{\n",
                literal(name)
            );
            members(&mut out, fields);
            out += "\t} align(8);\n};\n";
        }
        out
    }
}

fn kinds<'a>(cells: &[(&'a str, Cell<'a>)]) -> Vec<(&'a str, Kind)> {
    let kind = |cell: &Cell<'_>| match cell {
        Cell::Number(_) => Kind::Number,
        Cell::Float(_) => Kind::Float,
        Cell::Text(_) => Kind::Text,
    };
    cells.iter().map(|(name, cell)| (*name, kind(cell))).collect()
}

fn members(out: &mut String, members: &[(&str, Kind)]) {
    let mut names: Vec<String> = Vec::new();
    for (name, kind) in members {
        let class = match kind {
            Kind::Number => "integer { size = 64; align = 8; signed = true; }",
            Kind::Float => "floating_point { exp_dig = 11; mant_dig = 53; align = 8; }",
            Kind::Text => "string",
        };
        let mut name = identifier(name);
        while names.contains(&name) {
            name.push('_');
        }
        _ = writeln!(out, "\t\t{class} {name};");
        names.push(name);
    }
}

/// `name` as it may stand in TSDL, with the underscore that readers take off.
fn identifier(name: &str) -> String {
    let letters = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' });
    std::iter::once('_').chain(letters).collect()
}

fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        if matches!(letter, '"' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push('"');
    out
}
