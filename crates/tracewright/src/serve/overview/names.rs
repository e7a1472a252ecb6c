//! Methods as the page writes them.

use model::code::{BlockId, MethodId};

use crate::escape::plain;
use crate::serve::play::method::cut;
use crate::serve::play::recording::Recording;
use crate::views::code_names::{file, lines, short_ranges};

/// `bake`, and what people write for the special names; see `title` in `web/src/play/api.ts`.
pub(in crate::serve) fn title(recording: &Recording, method: MethodId) -> String {
    let (class, name) = recording.names(method);
    let simple = class.rsplit('.').next().unwrap_or(class);
    let lambda = name
        .strip_prefix("lambda$")
        .and_then(|rest| rest.rsplit_once('$'))
        .filter(|(_, number)| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()));
    let title = match (name, lambda) {
        ("<init>", _) => format!("new {}", simple.rsplit('$').next().unwrap_or(simple)),
        ("<clinit>", _) => format!("{simple} is set up"),
        (_, Some((within, _))) => format!("lambda in {within}"),
        (name, None) => name.to_owned(),
    };
    plain(&cut(&title)).into_owned()
}

/// `Oven` of `shop.Oven`; nested classes as `Oven.Door`; with packages where it is ambiguous.
pub(in crate::serve) fn class(recording: &Recording, method: MethodId) -> String {
    let (class, _) = recording.names(method);
    plain(&cut(&recording.class_labels.get(class))).into_owned()
}

/// `Oven` of `shop.Oven`, whatever others are called: people type it so.
fn bare_class(recording: &Recording, method: MethodId) -> String {
    let (class, _) = recording.names(method);
    plain(&cut(&class.rsplit('.').next().unwrap_or(class).replace('$', "."))).into_owned()
}

/// The names of a method with its class, without packages where they are not needed, in small letters.
fn with_class(recording: &Recording, method: MethodId) -> impl Iterator<Item = String> {
    let (_, name) = recording.names(method);
    let (name, title) = (name.to_owned(), title(recording, method));
    let classes = [class(recording, method), bare_class(recording, method)].into_iter();
    classes.flat_map(move |class| {
        [format!("{class}.{name}"), format!("{class}.{title}"), format!("{title} {class}")]
            .map(|written| written.to_lowercase())
    })
}

/// Whether a text, in small letters, is in one of the names of a method with its class.
pub(in crate::serve) fn is_written(recording: &Recording, method: MethodId, text: &str) -> bool {
    with_class(recording, method).any(|written| written.contains(text))
}

/// Whether a text, in small letters, is all of a name.
pub(in crate::serve) fn is_name(recording: &Recording, method: MethodId, text: &str) -> bool {
    let (owner, name) = recording.names(method);
    let others = [
        name.to_owned(),
        format!("{owner}.{name}"),
        title(recording, method),
        class(recording, method),
        bare_class(recording, method),
    ];
    with_class(recording, method)
        .chain(others.map(|written| written.to_lowercase()))
        .any(|written| written == text)
}

/// `Oven.java:12-14`: the lines of some blocks; of none, those of the whole method.
pub(in crate::serve) fn place(recording: &Recording, method: MethodId, blocks: &[BlockId]) -> String {
    let known = recording.code.method(method);
    let name = file(&recording.code, method).map(|name| plain(&cut(name)).into_owned());
    let lines = match blocks {
        [] => {
            let all = known.map_or(&[][..], |method| &method.blocks);
            let all = || all.iter().flat_map(|block| block.lines.iter().copied());
            match (all().min(), all().max()) {
                (Some(first), Some(last)) if first < last => format!("{first}-{last}"),
                (Some(only), _) => only.to_string(),
                _ => String::new(),
            }
        }
        blocks => short_ranges(&lines(known, blocks)),
    };
    match (name, lines.is_empty()) {
        (Some(name), true) => name,
        (Some(name), false) => format!("{name}:{lines}"),
        (None, true) => String::new(),
        (None, false) => format!("line {lines}"),
    }
}

/// `Oven.java:12`: where a block ends, which is where it calls or throws; without a block only the file.
pub(in crate::serve) fn location_of_call(
    recording: &Recording,
    method: MethodId,
    block: Option<BlockId>,
) -> String {
    let line = block
        .and_then(|block| recording.code.method(method)?.blocks.get(block as usize)?.lines.last().copied());
    let name = file(&recording.code, method).map_or_else(String::new, |name| plain(&cut(name)).into_owned());
    match line {
        Some(line) if name.is_empty() => format!("line {line}"),
        Some(line) => format!("{name}:{line}"),
        None => name,
    }
}
