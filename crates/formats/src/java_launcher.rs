//! The arguments of the `java` launcher, as far as they say how large the stacks of threads are.
//!
//! Recorded methods have larger frames, so a recorded program needs larger stacks for the same depth. What it asked
//! for is scaled by [`GROWTH`], and so is the default where it asked for nothing:
//!
//! ```text
//! java -cp a.jar shop.Main              ->  java -Xss8192k -cp a.jar shop.Main
//! java -Xss2m @options shop.Main        ->  java -Xss16384k @options shop.Main
//! java -XX:ThreadStackSize=512 -jar a   ->  java -Xss8192k -XX:ThreadStackSize=4096 -jar a
//! ```
//!
//! The main thread is made by the launcher, which knows `-Xss` alone; all others by the virtual machine, for which the
//! last one of both options counts. Threads of the compiler have an option of their own, which is left as it is.
//! `_JAVA_OPTIONS`, which the virtual machine reads last, is not looked at.
//! Source: the manual page of `java` ("JDK_JAVA_OPTIONS", "java Command-Line Argument Files").

use std::borrow::Cow;

/// How much more stack a recorded program gets.
///
/// Frames that the same compiler made grow by 1.2 (interpreter) to 3.5 times (C2, of small methods that it put into
/// each other before, and that are too long for that now). Where the compiler comes later to a recorded method than it
/// would to a plain one, frames of the first compiler are in the place of those of the second: up to 7.7 times. Only
/// memory that is used counts, and 8 MB are what threads of other programs have by default.
pub const GROWTH: u64 = 8;

/// The stack of a thread that nobody asked a size for.
const DEFAULT: u64 = if cfg!(target_arch = "aarch64") { 2 << 20 } else { 1 << 20 };
/// The virtual machine takes no larger ones.
const MOST: u64 = 1 << 30;
/// The arguments of one file; a longer one is not looked into.
const MOST_TOKENS: usize = 100_000;

/// Options whose value is the next argument.
const WITH_VALUE: [&[u8]; 16] = [
    b"-cp",
    b"-classpath",
    b"--class-path",
    b"-p",
    b"--module-path",
    b"--upgrade-module-path",
    b"--add-modules",
    b"--limit-modules",
    b"--add-exports",
    b"--add-opens",
    b"--add-reads",
    b"--patch-module",
    b"--enable-native-access",
    b"--describe-module",
    b"-d",
    b"--source",
];

/// What the launcher and the virtual machine read before the arguments.
#[derive(Debug, Clone, Copy, Default)]
pub struct Environment<'e> {
    /// `JAVA_TOOL_OPTIONS`.
    pub tool_options: &'e [u8],
    /// `JDK_JAVA_OPTIONS`.
    pub launcher_options: &'e [u8],
}

/// Sizes in bytes that were asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Asked {
    /// Of the main thread.
    main: Option<u64>,
    /// Of all others.
    threads: Option<u64>,
}

impl Asked {
    /// Takes notice of an option; whether it is one of the two.
    fn by(&mut self, option: &[u8]) -> bool {
        let xss = option.strip_prefix(b"-Xss").or_else(|| option.strip_prefix(b"-ss")).and_then(size);
        let flag = option.strip_prefix(b"-XX:ThreadStackSize=").and_then(size);
        if let Some(bytes) = xss {
            *self = Asked { main: Some(bytes), threads: Some(bytes) };
        } else if let Some(kilobytes) = flag {
            self.threads = Some(kilobytes.saturating_mul(1 << 10));
        }
        xss.or(flag).is_some()
    }

    /// The options that ask for more.
    fn scaled(self) -> Vec<Vec<u8>> {
        let scale = |asked: Option<u64>| {
            let asked = asked.filter(|&bytes| bytes > 0).unwrap_or(DEFAULT);
            // In whole kilobytes, as one of the options wants them.
            asked.saturating_mul(GROWTH).min(MOST.max(asked)).div_ceil(1 << 10)
        };
        let (main, threads) = (scale(self.main), scale(self.threads));
        let mut options = vec![format!("-Xss{main}k").into_bytes()];
        if threads != main {
            options.push(format!("-XX:ThreadStackSize={threads}").into_bytes());
        }
        options
    }
}

/// The options for `JAVA_TOOL_OPTIONS` alone, where the arguments are not known.
pub fn larger_stacks(environment: Environment<'_>) -> Vec<Vec<u8>> {
    let mut asked = Asked::default();
    for option in tokens(environment.tool_options).unwrap_or_default() {
        asked.by(&option);
    }
    let threads = asked.threads;
    Asked { main: threads, threads }.scaled()
}

/// The arguments (behind the program's name) that give larger stacks. `read` gives the content of a file of arguments.
pub fn with_larger_stacks(
    arguments: &[Vec<u8>],
    environment: Environment<'_>,
    read: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Vec<Vec<u8>> {
    let mut asked = Asked::default();
    for option in tokens(environment.tool_options).unwrap_or_default() {
        asked.by(&option);
    }
    // The launcher never sees what only the virtual machine reads.
    asked.main = None;
    for option in tokens(environment.launcher_options).unwrap_or_default() {
        asked.by(&option);
    }
    let mut retained: Vec<Cow<'_, [u8]>> = Vec::with_capacity(arguments.len() + 2);
    let mut state = State::Options;
    let mut reads_files = true;
    for argument in arguments {
        let file = argument.strip_prefix(b"@").filter(|name| !name.starts_with(b"@"));
        let file = file.filter(|_| reads_files && state != State::Program);
        if let Some(inside) = file.and_then(&read).and_then(|content| tokens(&content)) {
            let mut changed = false;
            let mut without: Vec<Cow<'_, [u8]>> = Vec::new();
            for option in inside {
                let is_asking = state == State::Options && asked.by(&option);
                state = state.after(&option);
                changed |= is_asking;
                if !is_asking {
                    // What a file names by an `@` is no other file.
                    let escape: &[u8] = if option.starts_with(b"@") { b"@" } else { b"" };
                    without.push(Cow::Owned([escape, &option].concat()));
                }
            }
            match changed {
                true => retained.append(&mut without),
                false => retained.push(Cow::Borrowed(argument)),
            }
            continue;
        }
        reads_files &= argument != b"--disable-@files";
        let is_asking = state == State::Options && asked.by(argument);
        state = state.after(argument);
        if !is_asking {
            retained.push(Cow::Borrowed(argument));
        }
    }
    let mut all = asked.scaled();
    all.extend(retained.into_iter().map(Cow::into_owned));
    all
}

/// What the next argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// An option, or what to run.
    Options,
    /// The value of an option.
    Value,
    /// The value of an option that says what to run.
    Main,
    /// For the program.
    Program,
}

impl State {
    fn after(self, argument: &[u8]) -> State {
        match self {
            State::Options if argument == b"-m" || argument == b"--module" => State::Main,
            State::Options if argument.starts_with(b"--module=") => State::Program,
            State::Options if WITH_VALUE.contains(&argument) => State::Value,
            State::Options if argument.starts_with(b"-") => State::Options,
            State::Value => State::Options,
            State::Options | State::Main | State::Program => State::Program,
        }
    }
}

/// A number with a unit, as the virtual machine reads it.
fn size(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let shift = match unit {
        b"" => 0,
        b"k" | b"K" => 10,
        b"m" | b"M" => 20,
        b"g" | b"G" => 30,
        b"t" | b"T" => 40,
        _ => return None,
    };
    str::from_utf8(number).ok()?.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// The arguments in a file of them, or in a variable; `None` if there are too many.
fn tokens(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut all, mut token): (Vec<Vec<u8>>, Option<Vec<u8>>) = (Vec::new(), None);
    let mut quote = None;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', Some(_)) => match bytes.next() {
                // The line goes on in the next one, behind its spaces.
                Some(b'\n' | b'\r') => while bytes.next_if(u8::is_ascii_whitespace).is_some() {},
                Some(escaped) => {
                    let meant = match escaped {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'f' => b'\x0c',
                        other => other,
                    };
                    token.get_or_insert_default().push(meant);
                }
                None => {}
            },
            (byte, Some(open)) if byte == open => quote = None,
            (b'\n' | b'\r', Some(_)) => quote = None,
            (b'"' | b'\'', None) => {
                token.get_or_insert_default();
                quote = Some(byte);
            }
            (b'#', None) if token.is_none() => while bytes.next_if(|&byte| byte != b'\n').is_some() {},
            (byte, None) if byte.is_ascii_whitespace() => all.extend(token.take()),
            (byte, _) => token.get_or_insert_default().push(byte),
        }
        if all.len() > MOST_TOKENS {
            return None;
        }
    }
    all.extend(token);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tool: &str, launcher: &str, arguments: &str, expected: &str) {
        let arguments: Vec<Vec<u8>> = arguments.split(' ').map(|word| word.as_bytes().to_vec()).collect();
        let environment =
            Environment { tool_options: tool.as_bytes(), launcher_options: launcher.as_bytes() };
        let files: [(&[u8], &[u8]); 3] = [
            (b"small", b"# -Xss9m\n-Xss256k -cp \"a \\\n   b\" @c"),
            (b"plain", b"-cp 'x y'\n"),
            (b"main", b"-ea\nshop.Main -Xss9m"),
        ];
        let read = |name: &[u8]| files.iter().find(|file| file.0 == name).map(|file| file.1.to_vec());
        let all = with_larger_stacks(&arguments, environment, read);
        let all: Vec<String> = all.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        assert_eq!(all.join(" "), expected, "{tool:?} {launcher:?}");
    }

    #[cfg(not(target_arch = "aarch64"))]
    #[test]
    fn what_is_asked_for_is_scaled_and_so_is_the_default() {
        for (tool, launcher, arguments, expected) in [
            ("", "", "-cp a shop.Main", "-Xss8192k -cp a shop.Main"),
            ("", "", "-Xss2m -ea shop.Main -Xss1m", "-Xss16384k -ea shop.Main -Xss1m"),
            ("", "", "-Xss2m -Xss512k -jar a.jar", "-Xss4096k -jar a.jar"),
            ("", "", "-XX:ThreadStackSize=512 A", "-Xss8192k -XX:ThreadStackSize=4096 A"),
            ("", "", "-XX:ThreadStackSize=512 -Xss1m A", "-Xss8192k A"),
            ("", "", "-Xss1500 A", "-Xss12k A"),
            ("", "", "-Xss1g A", "-Xss1048576k A"),
            ("", "", "-Xss512m A", "-Xss1048576k A"),
            ("", "", "-Xss0 A", "-Xss8192k A"),
            ("", "", "-Xssmany A", "-Xss8192k -Xssmany A"),
            // A value of another option, and what stands behind the program's name.
            ("", "", "-cp -Xss2m A", "-Xss8192k -cp -Xss2m A"),
            ("", "", "-p lib -m shop/shop.Main -Xss2m", "-Xss8192k -p lib -m shop/shop.Main -Xss2m"),
            ("", "", "--module=shop -Xss2m", "-Xss8192k --module=shop -Xss2m"),
            ("-Xss2m", "", "A", "-Xss8192k -XX:ThreadStackSize=16384 A"),
            ("-Xss2m", "", "-Xss512k A", "-Xss4096k A"),
            ("", "-Xss2m", "A", "-Xss16384k A"),
            ("", "-Xss2m", "-XX:ThreadStackSize=256 A", "-Xss16384k -XX:ThreadStackSize=2048 A"),
            ("", "", "@plain A", "-Xss8192k @plain A"),
            ("", "", "@small A -Xss1m", "-Xss2048k -cp a b @@c A -Xss1m"),
            ("", "", "--disable-@files @small A", "-Xss8192k --disable-@files @small A"),
            ("", "", "@@small -Xss1m", "-Xss8192k @@small -Xss1m"),
            ("", "", "@main -Xss1m", "-Xss8192k @main -Xss1m"),
            ("", "", "@nowhere -Xss1m", "-Xss8192k @nowhere -Xss1m"),
        ] {
            check(tool, launcher, arguments, expected);
        }
        let asked = larger_stacks(Environment { tool_options: b"-ea -Xss2m", launcher_options: b"" });
        assert_eq!(asked, [b"-Xss16384k"]);
    }
}
