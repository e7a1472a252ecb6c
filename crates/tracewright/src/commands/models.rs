//! `tracewright models`: which models are built in, and what one of them says.

use crate::cli;
use crate::exit::{Outcome, Result, Stop};
use crate::models::{BUILT_IN, built_in};
use crate::output::Output;
use crate::views::json::Json;
use crate::views::table::Table;

pub(crate) fn run(options: &cli::machines::Models) -> Result<Outcome> {
    let mut output = Output::default();
    if let Some(name) = &options.show {
        let Some(model) = built_in(name) else {
            let names: Vec<&str> = BUILT_IN.iter().map(|model| model.name).collect();
            return Stop::failed(format!("no model is called {name}; there are: {}", names.join(", ")));
        };
        output.buffer = model.xml.into();
    } else if options.json {
        output.buffer = json();
    } else {
        let mut table = Table::new("ll");
        for model in BUILT_IN {
            table.row([model.name, model.about]);
        }
        for line in table.lines("") {
            output.buffer.extend_from_slice(line.as_bytes());
            output.buffer.push(b'\n');
        }
    }
    output.flush()?;
    Ok(Outcome::Complete)
}

/// `{"models":[{"name":"kernel","about":"..."}]}`, the default first.
fn json() -> Vec<u8> {
    let mut json = Json::default();
    json.object(|json| {
        json.key("models").array(BUILT_IN, |json, model| {
            json.object(|json| {
                json.key("name").text(model.name);
                json.key("about").text(model.about);
            });
        });
    });
    json.out.push(b'\n');
    json.out
}
