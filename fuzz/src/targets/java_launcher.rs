//! Arguments of the `java` launcher: whatever they are, none but those about stacks are changed.

use formats::java_launcher::{Environment, with_larger_stacks};

/// Takes the lines for arguments, and all of them for the content of each file that is named among them.
///
/// # Panics
/// When arguments that gave larger stacks once give other ones the second time, or one was lost.
pub fn run(input: &[u8]) {
    let arguments: Vec<Vec<u8>> = input.split(|&byte| byte == b'\n').take(50).map(<[u8]>::to_vec).collect();
    let environment = Environment { tool_options: input, launcher_options: input };
    with_larger_stacks(&arguments, environment, |_| Some(input.to_vec()));
    let larger = with_larger_stacks(&arguments, Environment::default(), |_| None);
    let is_asking = |argument: &&Vec<u8>| {
        argument.starts_with(b"-Xss")
            || argument.starts_with(b"-ss")
            || argument.starts_with(b"-XX:ThreadStackSize=")
    };
    let others =
        |all: &[Vec<u8>]| all.iter().filter(|argument| !is_asking(argument)).cloned().collect::<Vec<_>>();
    assert_eq!(others(&larger), others(&arguments), "an argument was lost");
}
