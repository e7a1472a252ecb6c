//! Colours, where standard output wants them: not in a pipe, not with `NO_COLOR`.

use anstyle::{AnsiColor, Style};

/// What a piece of text is, from which its colour follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Plain,
    /// A heading.
    Title,
    /// An explanation beside the matter.
    Quiet,
    /// A loop.
    Loop,
    /// Something missing or damaged.
    Bad,
    /// Not decided yet.
    Open,
}

/// Whether to colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    is_on: bool,
}

impl Paint {
    /// As standard output wants it.
    pub(crate) fn for_stdout() -> Paint {
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        Paint { is_on: choice != anstream::ColorChoice::Never }
    }

    #[cfg(test)]
    pub(crate) fn off() -> Paint {
        Paint { is_on: false }
    }

    /// `text` in the colour of `ink`. The text must be harmless already.
    pub(crate) fn dip(self, ink: Ink, text: &str) -> String {
        let style = match ink {
            _ if !self.is_on => return text.to_owned(),
            Ink::Plain => return text.to_owned(),
            Ink::Title => Style::new().bold(),
            Ink::Quiet => Style::new().dimmed(),
            Ink::Loop => AnsiColor::Cyan.on_default(),
            Ink::Bad => AnsiColor::Red.on_default().bold(),
            Ink::Open => AnsiColor::Yellow.on_default(),
        };
        format!("{style}{text}{style:#}")
    }
}
