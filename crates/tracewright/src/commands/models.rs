//! `tracewright models`: lists the models that are built in, and describes a model.

use crate::cli;
use crate::exit::{Outcome, Result, Stop};
use crate::models::{self, BUILT_IN, built_in};
use crate::output::Output;
use crate::paint::Paint;
use crate::reports::{self, BuiltInModels, ModelReport};
use crate::views::model_text;
use crate::views::table::Table;

pub(crate) fn run(options: &cli::machines::Models) -> Result<Outcome> {
    let mut output = Output::default();
    if let Some(name) = &options.show {
        let Some(model) = built_in(name) else {
            let names: Vec<&str> = BUILT_IN.iter().map(|model| model.name).collect();
            return Stop::failed(format!("no model is called {name}; there are: {}", names.join(", ")));
        };
        output.buffer = model.xml.into();
    } else if let Some(name) = &options.model {
        let file = models::read(name)?;
        models::print_diagnostics(&file.diagnostics);
        output.buffer = match options.json {
            true => reports::json(&ModelReport::of(&file)),
            false => model_text::render(name, &file, Paint::for_stdout()).into(),
        };
    } else if options.json {
        output.buffer = reports::json(&BuiltInModels::all());
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
