//! Which code is the program's own, and which is that of libraries.
//!
//! ```text
//! --own=shop     what somebody names
//! --own          the classes of folders, as a build leaves them, and of the application in an archive of Spring Boot
//!                or of a web server
//!                else the classes of the archive that the main class comes from
//!                else the package of the main class, where it is not known where classes come from
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use classfile::filters::Pattern;
use model::code::Class;
use model::origin::is_built;
use model::{ClassId, FlowSource};

use crate::exit::{Result, Stop};
use crate::numbers::grouped;

/// Which methods are of libraries.
pub(crate) struct Libraries {
    /// By the number of a method.
    pub(crate) methods: Vec<bool>,
    /// What counts as the program's own.
    pub(crate) own: String,
}

/// `own`: what names the program's own classes, as `--include` does; for an empty one see the head of this file.
pub(crate) fn of(recording: &dyn FlowSource, own: &[String]) -> Result<Libraries> {
    let (mut is_own, mut names) = (vec![false; recording.code().classes.len()], vec![]);
    for text in own {
        let (these, name) = match text.as_str() {
            "" => by_itself(recording)?,
            text => (named(recording, text), text.to_owned()),
        };
        is_own.iter_mut().zip(these).for_each(|(is_own, this)| *is_own |= this);
        names.push(name);
    }
    let names = names.join(", ");
    if !is_own.contains(&true) {
        return Stop::failed(format!("no class that was recorded is the program's own: {names} names none"));
    }
    Ok(all_but(recording, &is_own, &names))
}

/// The default where no --include was given: classes of folders are own, if there are others, too.
pub(crate) fn by_themselves(recording: &dyn FlowSource) -> Option<Libraries> {
    if recording.trace().environment.iter().any(|(key, _)| key == "include") {
        return None;
    }
    let (is_own, names) = from(recording, is_built).filter(|(is_own, _)| is_own.contains(&false))?;
    Some(all_but(recording, &is_own, &names))
}

fn all_but(recording: &dyn FlowSource, is_own: &[bool], names: &str) -> Libraries {
    let is_of_library = |class: ClassId| !is_own.get(class.0 as usize).copied().unwrap_or(false);
    let methods = recording.code().methods.iter().map(|method| is_of_library(method.class)).collect();
    let count = is_own.iter().filter(|is_own| **is_own).count() as u64;
    let classes = if count == 1 { "class" } else { "classes" };
    Libraries { methods, own: format!("{} {classes} of {names}", grouped(count)) }
}

/// By class: whether it comes from where it is wanted, and where all these come from; `None` if none does.
fn from(recording: &dyn FlowSource, is_wanted: impl Fn(&str) -> bool) -> Option<(Vec<bool>, String)> {
    let origin = |class: &'_ Class| -> Option<Arc<str>> {
        class.origin.clone().filter(|origin| !is_of_jdk(&class.name) && is_wanted(origin))
    };
    let of_class: Vec<_> = recording.code().classes.iter().map(origin).collect();
    let origins: BTreeSet<&str> = of_class.iter().flatten().map(|origin| &**origin).collect();
    let names = origins.into_iter().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| (of_class.iter().map(Option::is_some).collect(), names))
}

/// By class: whether a pattern names it.
fn named(recording: &dyn FlowSource, pattern: &str) -> Vec<bool> {
    let own = Pattern::new(pattern);
    recording.code().classes.iter().map(|class| own.names_class(&class.name)).collect()
}

/// The program's own classes where nobody names them, and what they have in common.
fn by_itself(recording: &dyn FlowSource) -> Result<(Vec<bool>, String)> {
    let main = main(recording);
    let main_class = || recording.code().classes.iter().find(|class| Some(class.name.as_str()) == main);
    let archive = main_class().and_then(|class| class.origin.as_deref());
    let is_archive = |origin: &str| match (archive, main) {
        (Some(archive), _) => origin == archive,
        (None, Some(main)) => main.ends_with(".jar") && file_name(origin) == file_name(main),
        (None, None) => false,
    };
    if let Some(found) = from(recording, is_built).or_else(|| from(recording, is_archive)) {
        return Ok(found);
    }
    let package = package_of_main(main)?;
    Ok((named(recording, &package), package))
}

/// Whether this class, with dots, belongs to Java itself.
pub(crate) fn is_of_jdk(class: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun."].iter().any(|package| class.starts_with(package))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The main class, or the archive that was run.
fn main(recording: &dyn FlowSource) -> Option<&str> {
    let mut environment = recording.trace().environment.iter();
    environment.find(|(key, _)| key == "main").map(|(_, main)| main.as_str())
}

/// The first two parts of the package of the main class; one of the default package stands for itself and the classes in it.
fn package_of_main(main: Option<&str>) -> Result<String> {
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
