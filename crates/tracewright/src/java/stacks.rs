//! Larger stacks for a program that is about to be recorded, see [`formats::java_launcher`].

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use formats::java_launcher::{Environment, larger_stacks, with_larger_stacks};

/// A file of arguments that is larger is left to the launcher.
const MOST_ARGUMENTS: u64 = 1 << 20;

const TOOL_OPTIONS: &str = "JAVA_TOOL_OPTIONS";
const LAUNCHER_OPTIONS: &str = "JDK_JAVA_OPTIONS";

/// The arguments of a `java` launcher with larger stacks.
pub(crate) fn enlarged(arguments: &[OsString]) -> Vec<OsString> {
    let [tool, launcher] = [TOOL_OPTIONS, LAUNCHER_OPTIONS].map(value);
    let environment = Environment { tool_options: tool.as_bytes(), launcher_options: launcher.as_bytes() };
    let arguments: Vec<Vec<u8>> = arguments.iter().map(|argument| argument.as_bytes().to_vec()).collect();
    let enlarged = with_larger_stacks(&arguments, environment, |name| read(OsStr::from_bytes(name)));
    enlarged.into_iter().map(OsString::from_vec).collect()
}

/// The variables, and what they have to be, of a program that starts a `java`: by the first the virtual machine's
/// threads get their stacks, by the second the launcher's main thread. The launcher's counts for all, so it asks for no
/// less than the first.
pub(crate) fn variables() -> [(&'static str, OsString); 2] {
    let mut before = OsString::new();
    [TOOL_OPTIONS, LAUNCHER_OPTIONS].map(|name| {
        let mut value = value(name);
        before.push(" ");
        before.push(&value);
        let environment = Environment { tool_options: before.as_bytes(), launcher_options: b"" };
        for option in larger_stacks(environment) {
            if !value.is_empty() {
                value.push(" ");
            }
            value.push(OsString::from_vec(option));
        }
        (name, value)
    })
}

fn value(name: &str) -> OsString {
    std::env::var_os(name).unwrap_or_default()
}

fn read(path: &OsStr) -> Option<Vec<u8>> {
    use std::io::Read;
    let file = std::fs::File::open(path).ok()?;
    let about = file.metadata().ok().filter(|about| about.is_file() && about.len() <= MOST_ARGUMENTS)?;
    let mut content = Vec::with_capacity(usize::try_from(about.len()).ok()?);
    file.take(MOST_ARGUMENTS).read_to_end(&mut content).ok()?;
    Some(content)
}
