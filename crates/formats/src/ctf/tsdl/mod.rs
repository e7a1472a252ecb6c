//! TSDL, the language of CTF 1.8 metadata (CTF 1.8.3 specification, section 7 and appendix C).
//!
//! A parser by recursive descent that declares classes while it reads, as C does: a name must be
//! known where it is used, so no type can contain itself. References between fields (lengths and
//! tags) are only noted; they mean something where a class is used, see `compile.rs`.
//!
//! It refuses at the first fault, with its offset in the text. It never recurses deeper than
//! [`limits::CTF_NESTING`] and never declares more than its budget allows.

mod attribute;
mod blocks;
mod declarator;
mod expression;
mod leaf;
mod lexer;
pub(super) mod metadata;
mod scope;
mod types;

use lexer::{Lexer, Token};
use metadata::{Class, ClassId, Metadata, Remark};
use scope::Scopes;

use crate::limits;

/// Why metadata cannot be used: one sentence, and where in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) at: usize,
    pub(super) sentence: String,
}

impl Refusal {
    pub(super) fn new(at: usize, sentence: impl Into<String>) -> Self {
        Refusal { at, sentence: sentence.into() }
    }
}

/// Reads metadata text.
pub(super) fn parse(text: &[u8]) -> Result<Metadata, Refusal> {
    Parser::new(text)?.everything()
}

/// Reads the blocks before the first fault, for metadata that is known to be cut; says where and
/// what the fault was.
pub(super) fn parse_prefix(text: &[u8]) -> (Metadata, Option<Refusal>) {
    match Parser::new(text) {
        Ok(mut parser) => {
            parser.cut = Some(None);
            loop {
                match parser.block() {
                    Ok(true) => {}
                    Ok(false) => return (parser.out, parser.cut.flatten()),
                    Err(refusal) => return (parser.out, Some(refusal)),
                }
            }
        }
        Err(refusal) => (Metadata::default(), Some(refusal)),
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token<'t>,
    /// Where `token` starts.
    at: usize,
    scopes: Scopes,
    out: Metadata,
    /// For each class how deep it nests, itself included.
    depths: Vec<u32>,
    open: u32,
    /// How many declarations it may have, and how many of them are left.
    limit: u64,
    budget: u64,
    /// The text is known to be cut; a fault of the lexer is kept here and ends the text, so that the
    /// block before it, which looked one token ahead, is not lost.
    cut: Option<Option<Refusal>>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t [u8]) -> Result<Self, Refusal> {
        let mut lexer = Lexer::new(text);
        let (at, token) = lexer.next()?;
        let limit = limits::CTF_CLASSES + text.len() as u64 / limits::CTF_TEXT_PER_CLASS;
        let (scopes, out) = (Scopes::default(), Metadata::default());
        Ok(Parser {
            lexer,
            token,
            at,
            scopes,
            out,
            depths: Vec::new(),
            open: 0,
            limit,
            budget: limit,
            cut: None,
        })
    }

    fn everything(mut self) -> Result<Metadata, Refusal> {
        while self.block()? {}
        Ok(self.out)
    }

    /// Notes what is odd; `is_forbidden` if the format does not allow it.
    fn remark(&mut self, at: usize, is_forbidden: bool, sentence: String) {
        if self.out.remarks.len() < limits::CTF_REMARKS {
            self.out.remarks.push(Remark { at, is_forbidden, sentence });
        }
    }

    /// Reports an attribute that the grammar does not have. It costs a diagnostic, not the trace.
    fn unknown(&mut self, attribute: &attribute::Attribute, of: &str) {
        let name: String = attribute.name.chars().take(40).collect();
        self.remark(attribute.at, true, format!("The attribute `{name}` of {of} is unknown."));
    }

    /// Reports a keyword that stands for a name. Where it does its meaning is clear, so the trace is read.
    fn reserve(&mut self, at: usize, name: &str) {
        if lexer::is_keyword(name) {
            self.remark(at, true, format!("`{name}` is a keyword of TSDL and cannot be a name."));
        }
    }

    fn refuse<T>(&self, sentence: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal::new(self.at, sentence))
    }

    /// Steps over the current token and gives it back.
    fn next(&mut self) -> Result<Token<'t>, Refusal> {
        let old = self.token;
        (self.at, self.token) = match (self.lexer.next(), &mut self.cut) {
            (Err(refusal), Some(fault)) => {
                let at = refusal.at;
                *fault = Some(refusal);
                (at, Token::End)
            }
            (next, _) => next?,
        };
        Ok(old)
    }

    /// The token after the current one.
    fn peek_token(&self) -> Result<Token<'t>, Refusal> {
        let mut lexer = self.lexer;
        Ok(lexer.next()?.1)
    }

    fn is(&self, sign: u8) -> bool {
        self.token == Token::Sign(sign)
    }

    fn is_word(&self, word: &str) -> bool {
        self.token == Token::Word(word)
    }

    /// Steps over `sign` if it is there.
    fn accept(&mut self, sign: u8) -> Result<bool, Refusal> {
        let there = self.is(sign);
        if there {
            self.next()?;
        }
        Ok(there)
    }

    fn accept_word(&mut self, word: &str) -> Result<bool, Refusal> {
        let there = self.is_word(word);
        if there {
            self.next()?;
        }
        Ok(there)
    }

    fn expect(&mut self, sign: u8, location: &str) -> Result<(), Refusal> {
        if self.accept(sign)? {
            return Ok(());
        }
        self.refuse(format!("Expected `{}` {location}, found {}.", char::from(sign), self.found()))
    }

    fn word(&mut self, what: &str) -> Result<&'t str, Refusal> {
        match self.token {
            Token::Word(word) => {
                self.next()?;
                Ok(word)
            }
            _ => self.refuse(format!("Expected {what}, found {}.", self.found())),
        }
    }

    /// The current token for a sentence.
    fn found(&self) -> String {
        match self.token {
            Token::Word(word) => format!("`{}`", lexer::shown(word.as_bytes())),
            Token::Number(number) => format!("`{number}`"),
            Token::Literal(raw) => format!("\"{}\"", lexer::shown(raw)),
            Token::Sign(sign) => format!("`{}`", char::from(sign)),
            Token::Becomes => "`:=`".into(),
            Token::Ellipsis => "`...`".into(),
            Token::End => "the end of the metadata".into(),
        }
    }

    /// Pays for one declaration.
    fn spend(&mut self) -> Result<(), Refusal> {
        match self.budget.checked_sub(1) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => self.refuse(format!(
                "The metadata declares more than {} fields, types and labels, the most that is read.",
                self.limit
            )),
        }
    }

    /// Enters one more pair of brackets.
    fn enter(&mut self) -> Result<(), Refusal> {
        self.open += 1;
        if self.open <= limits::CTF_NESTING {
            return Ok(());
        }
        self.refuse(format!("Brackets nest deeper than {}, the most that is read.", limits::CTF_NESTING))
    }

    fn leave(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// Adds a class, and refuses it when named classes made it too deep.
    fn declare(&mut self, class: Class) -> Result<ClassId, Refusal> {
        self.spend()?;
        let depth = |id: &ClassId| self.depths.get(*id as usize).copied().unwrap_or(0);
        let below = match &class {
            Class::Struct { members, .. } | Class::Variant { options: members, .. } => {
                members.iter().map(|member| depth(&member.class)).max().unwrap_or(0)
            }
            Class::Array { element, .. } | Class::Sequence { element, .. } => depth(element),
            _ => 0,
        };
        if below >= limits::CTF_NESTING {
            let limit = limits::CTF_NESTING;
            return self.refuse(format!("Types nest deeper than {limit}, the most that is read."));
        }
        let id = self.out.classes.len() as ClassId;
        self.out.classes.push(class);
        self.depths.push(below + 1);
        Ok(id)
    }
}
