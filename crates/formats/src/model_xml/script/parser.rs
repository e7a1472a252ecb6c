//! Signs to an expression, by precedence.

use model::machine::Expression;
use model::machine::script::{Binary, Function, Unary};

use super::lexer::{Token, tokens};
use crate::limits::MODEL_DEPTH;

/// The expression that a text is; `names` are those that it may use. The error says what is wrong.
pub(in crate::model_xml) fn parse(text: &str, names: &[&str]) -> Result<Expression, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, names, depth: 0 };
    let expression = parser.choice()?;
    while parser.takes(";") {}
    match parser.tokens.get(parser.at) {
        None => Ok(expression),
        Some(token) => Err(format!("{} is not expected here", shown(token))),
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    names: &'t [&'t str],
    /// Brackets and choices in one another: the parser recurses this deep.
    depth: usize,
}

/// Operators by precedence, the weakest first.
const LEVELS: &[&[(&str, Binary)]] = &[
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[
        ("===", Binary::Equal { strict: true }),
        ("!==", Binary::NotEqual { strict: true }),
        ("==", Binary::Equal { strict: false }),
        ("!=", Binary::NotEqual { strict: false }),
    ],
    &[
        ("<=", Binary::LessOrEqual),
        (">=", Binary::GreaterOrEqual),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[(">>>", Binary::ShiftRightUnsigned), ("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

/// Functions by name, with the fewest and the most values that they are given.
const FUNCTIONS: &[(&str, Function, usize, usize)] = &[
    ("Math.abs", Function::Abs, 1, 1),
    ("Math.ceil", Function::Ceil, 1, 1),
    ("Math.floor", Function::Floor, 1, 1),
    ("Math.round", Function::Round, 1, 1),
    ("Math.max", Function::Max, 1, 8),
    ("Math.min", Function::Min, 1, 8),
    ("Number", Function::Number, 1, 1),
    ("parseFloat", Function::Number, 1, 1),
    ("parseInt", Function::ParseInt, 1, 2),
    ("String", Function::Text, 1, 1),
];

/// Methods by name, with the fewest and the most values that they are given besides the text.
const METHODS: &[(&str, Function, usize, usize)] = &[
    ("toString", Function::Text, 0, 0),
    ("indexOf", Function::IndexOf, 1, 1),
    ("substring", Function::Substring, 1, 2),
    ("startsWith", Function::StartsWith, 1, 1),
    ("endsWith", Function::EndsWith, 1, 1),
    ("includes", Function::Includes, 1, 1),
    ("toLowerCase", Function::ToLowerCase, 0, 0),
    ("toUpperCase", Function::ToUpperCase, 0, 0),
];

impl Parser<'_> {
    fn sign(&self) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) => Some(sign),
            _ => None,
        }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_next = self.sign() == Some(sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(format!("a `{sign}` is missing")) }
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MODEL_DEPTH {
            return Err(format!("it nests deeper than {MODEL_DEPTH}"));
        }
        Ok(())
    }

    fn choice(&mut self) -> Result<Expression, String> {
        self.deeper()?;
        let question = self.binary(0)?;
        let expression = if self.takes("?") {
            let then = self.choice()?;
            self.expect(":")?;
            Expression::Choice(Box::new(question), Box::new(then), Box::new(self.choice()?))
        } else {
            question
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn binary(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut chain = 0;
        while let Some(sign) = self.sign()
            && let Some((_, operator)) = operators.iter().find(|(known, _)| *known == sign)
        {
            // A chain hangs to the left, and whoever computes it recurses along it.
            chain += 1;
            if chain > MODEL_DEPTH {
                return Err(format!("more than {MODEL_DEPTH} operators stand in a row"));
            }
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expression::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        let operator = match self.sign() {
            Some("-") => Unary::Minus,
            Some("+") => Unary::Plus,
            Some("!") => Unary::Not,
            Some("~") => Unary::Complement,
            _ => return self.postfix(),
        };
        self.at += 1;
        self.deeper()?;
        let operand = self.unary()?;
        self.depth -= 1;
        Ok(Expression::Unary(operator, Box::new(operand)))
    }

    /// A value with the methods that are called on it.
    fn postfix(&mut self) -> Result<Expression, String> {
        let mut value = self.primary()?;
        let mut chain = 0;
        while self.takes(".") {
            chain += 1;
            if chain > MODEL_DEPTH {
                return Err(format!("more than {MODEL_DEPTH} methods stand in a row"));
            }
            let Some(Token::Word(name)) = self.tokens.get(self.at) else {
                return Err("a name is missing after `.`".to_owned());
            };
            self.at += 1;
            if name == "length" {
                value = Expression::Call(Function::Length, vec![value]);
                continue;
            }
            let Some(&(_, function, fewest, most)) = METHODS.iter().find(|(known, ..)| known == name) else {
                return Err(unknown(name));
            };
            let mut arguments = vec![value];
            arguments.extend(self.arguments(name, fewest, most)?);
            value = Expression::Call(function, arguments);
        }
        Ok(value)
    }

    fn arguments(&mut self, name: &str, fewest: usize, most: usize) -> Result<Vec<Expression>, String> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            if arguments.len() == most {
                return Err(format!("`{name}` is given too many values"));
            }
            arguments.push(self.choice()?);
        }
        if arguments.len() < fewest {
            return Err(format!("`{name}` is given too few values"));
        }
        Ok(arguments)
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let token = self.tokens.get(self.at).ok_or("it ends too early")?;
        self.at += 1;
        Ok(match token {
            Token::Whole(number) => Expression::Whole(*number),
            Token::Number(number) => Expression::Number(*number),
            Token::Text(text) => Expression::Text(text.clone()),
            Token::Sign("(") => {
                let inner = self.choice()?;
                self.expect(")")?;
                inner
            }
            Token::Sign(_) => return Err(format!("{} is not expected here", shown(token))),
            Token::Word(word) => match &**word {
                "true" => Expression::Truth(true),
                "false" => Expression::Truth(false),
                "null" | "undefined" => Expression::Null,
                name => match self.names.iter().position(|known| *known == name) {
                    Some(location) => Expression::Name(location),
                    None => return self.function(name),
                },
            },
        })
    }

    fn function(&mut self, word: &str) -> Result<Expression, String> {
        let mut name = word.to_owned();
        if word == "Math" && self.takes(".") {
            let Some(Token::Word(inner)) = self.tokens.get(self.at) else {
                return Err("a name is missing after `.`".to_owned());
            };
            self.at += 1;
            name = format!("Math.{inner}");
        }
        let Some(&(_, function, fewest, most)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            return Err(unknown(&name));
        };
        Ok(Expression::Call(function, self.arguments(&name, fewest, most)?))
    }
}

fn unknown(name: &str) -> String {
    format!("`{name}` is neither a value of the script nor a function that is known here")
}

fn shown(token: &Token) -> String {
    match token {
        Token::Whole(number) => format!("`{number}`"),
        Token::Number(number) => format!("`{number}`"),
        Token::Text(text) => format!("the text `{text}`"),
        Token::Word(word) => format!("`{word}`"),
        Token::Sign(sign) => format!("`{sign}`"),
    }
}
