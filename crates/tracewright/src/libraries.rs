//! Which code is the program's own, and which is that of libraries.

use classfile::filters::Pattern;
use model::FlowSource;

use crate::exit::{Result, Stop};

/// By the number of a method: whether it is of a library. `own`: what names the program's own classes, as `--include` does; an
/// empty one stands for the package of the main class, or, where that has more than two parts, for its first two.
pub(crate) fn methods(recording: &dyn FlowSource, own: &[String]) -> Result<Vec<bool>> {
    let mut patterns = vec![];
    for text in own {
        patterns.push(Pattern::new(&if text.is_empty() {
            package_of_main(recording)?
        } else {
            text.clone()
        }));
    }
    let code = recording.code();
    let classes: Vec<bool> =
        code.classes.iter().map(|class| !patterns.iter().any(|own| own.names_class(&class.name))).collect();
    if !classes.contains(&false) {
        return Stop::failed(format!(
            "no class that was recorded is the program's own: {} names none",
            patterns.iter().map(Pattern::text).collect::<Vec<_>>().join(", ")
        ));
    }
    let is_of_library = |class: model::code::ClassId| classes.get(class.0 as usize).copied().unwrap_or(true);
    Ok(code.methods.iter().map(|method| is_of_library(method.class)).collect())
}

/// The main class of a default package stands for itself and the classes in it.
fn package_of_main(recording: &dyn FlowSource) -> Result<String> {
    let environment = recording.trace().environment.iter();
    let main = environment.filter(|(key, _)| key == "main").map(|(_, main)| main.as_str()).next();
    let Some(main) = main.filter(|main| !main.contains('/') && !main.ends_with(".jar")) else {
        return Stop::failed(
            "the recording does not say which its main class is: name the program's own code, --own=shop"
                .to_owned(),
        );
    };
    Ok(match main.rsplit_once('.') {
        None => format!("{main}*"),
        Some((package, _)) => package.split('.').take(2).collect::<Vec<_>>().join("."),
    })
}
