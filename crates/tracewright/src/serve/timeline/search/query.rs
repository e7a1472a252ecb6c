//! What is searched for: a name, and conditions on fields.
//!
//! ```text
//! sched_switch               events called so; * for any letters, | for either: sched_wak*|sched_switch
//! next_comm=java ret<0       the field has this value, or one below it:  =  !=  <  <=  >  >=
//! comm~jav  ~jav  "a b"      the text of this field, or of any, contains these letters, capital or not
//! cpu=3                      the CPU of the event, where it has no field called so
//! ```
//!
//! All must hold. A text with spaces or signs stands in quotation marks.

use std::cmp::Ordering;

use model::machine::EventPattern;
use model::{Alphabet, Event, Symbol, Value};

use crate::views::event_text;

/// Letters of a query.
const LONGEST: usize = 1000;
/// Conditions of a query.
const MOST: usize = 20;

/// A query that was understood.
#[derive(Debug)]
pub(super) struct Query {
    /// What the event is called; empty: anything.
    pub(super) names: EventPattern,
    pub(super) conditions: Vec<Condition>,
}

/// What must hold of a field.
#[derive(Debug)]
pub(super) struct Condition {
    /// Its name; `None`: of any field.
    pub(super) field: Option<String>,
    test: Test,
}

#[derive(Debug)]
enum Test {
    /// Equal, or else different.
    Equals(Literal, bool),
    /// Compares so with the number.
    Compares(fn(Ordering) -> bool, Number),
    /// Contains this text, in small letters.
    Contains(String),
}

#[derive(Debug)]
struct Literal {
    text: String,
    /// What it is as a number, unless it stood in quotation marks.
    number: Option<Number>,
}

#[derive(Debug, PartialEq, Clone, Copy)]
enum Number {
    Whole(i128),
    Real(f64),
}

impl Number {
    fn parse(text: &str) -> Option<Number> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let hexadecimal = digits.strip_prefix("0x").and_then(|digits| i128::from_str_radix(digits, 16).ok());
        let is_plain = digits.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.');
        let whole = || text.parse().ok().map(Number::Whole);
        let real = || text.parse().ok().filter(|real: &f64| real.is_finite()).map(Number::Real);
        let found = hexadecimal.and_then(|whole| whole.checked_mul(sign)).map(Number::Whole);
        found.or_else(|| if is_plain { whole().or_else(real) } else { None })
    }

    /// How a value compares with it; `None` where it is no number.
    fn compare(self, value: &Value<'_>) -> Option<Ordering> {
        match (*value, self) {
            (Value::Unsigned(value, _), Number::Whole(number)) => {
                Some(i128::try_from(value).map_or(Ordering::Greater, |value| value.cmp(&number)))
            }
            (Value::Signed(value, _) | Value::Enum(value, _), Number::Whole(number)) => {
                Some(value.cmp(&number))
            }
            (Value::Unsigned(value, _), Number::Real(number)) => (value as f64).partial_cmp(&number),
            (Value::Signed(value, _) | Value::Enum(value, _), Number::Real(number)) => {
                (value as f64).partial_cmp(&number)
            }
            (Value::Float(value), Number::Whole(number)) => value.partial_cmp(&(number as f64)),
            (Value::Float(value), Number::Real(number)) => value.partial_cmp(&number),
            _ => None,
        }
    }
}

impl Query {
    /// Reads a query.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub(super) fn parse(text: &str) -> Result<Query, String> {
        if text.chars().count() > LONGEST {
            return Err(format!("A query has at most {LONGEST} letters."));
        }
        let mut query = Query { names: EventPattern::default(), conditions: vec![] };
        for word in words(text)? {
            if word.operator.is_some() || word.is_quoted {
                if query.conditions.len() == MOST {
                    return Err(format!("A query has at most {MOST} conditions."));
                }
                query.conditions.push(condition(word)?);
            } else if query.names.is_any() {
                query.names = EventPattern::parse(&word.left);
            } else {
                return Err(format!(
                    "\"{}\" is a second name, and an event has one: write {}|{} for either of them.",
                    word.left,
                    query.names.names.join("|"),
                    word.left
                ));
            }
        }
        match query.names.is_any() && query.conditions.is_empty() {
            true => Err("Write the name of an event, or a field with its value: next_comm=java.".into()),
            false => Ok(query),
        }
    }

    /// Why no event of these names can be found, as a sentence.
    pub(super) fn unknown_name(&self, alphabet: &Alphabet) -> Option<String> {
        let unknown = self.names.names.iter().find(|pattern| {
            let pattern = EventPattern { names: vec![(*pattern).clone()] };
            !alphabet.names().any(|name| pattern.matches(name))
        })?;
        let wanted = unknown.trim_matches('*').to_lowercase();
        let close = |name: &&str| !wanted.is_empty() && name.to_lowercase().contains(&wanted);
        let close: Vec<&str> = alphabet.names().filter(close).take(4).collect();
        Some(match close.is_empty() {
            true => format!(
                "No event of this trace is called \"{unknown}\"; write ~{unknown} to find it in a field."
            ),
            false => format!(
                "No event of this trace is called \"{unknown}\"; *{wanted}* finds {} and whatever else contains it.",
                close.join(", ")
            ),
        })
    }

    /// Whether an event called so may be meant.
    pub(super) fn allows(&self, alphabet: &Alphabet, symbol: Symbol) -> bool {
        self.names.matches(alphabet.name(symbol))
    }

    /// Whether all conditions hold of an event; `seen`: of which conditions some event had the field.
    pub(super) fn holds(&self, event: &Event<'_>, seen: &mut [bool]) -> bool {
        let mut fields = None;
        self.conditions.iter().zip(seen).all(|(condition, seen)| match &condition.field {
            None => {
                *seen = true;
                let text = fields.get_or_insert_with(|| event_text::fields(event).to_lowercase());
                matches!(&condition.test, Test::Contains(wanted) if text.contains(wanted.as_str()))
            }
            Some(field) => {
                let of_cpu = || {
                    let cpu = event.cpu.filter(|_| field == "cpu");
                    cpu.map(|cpu| Value::Unsigned(cpu.into(), model::Base::Decimal))
                };
                let Some(value) = event.fields.get(field).or_else(of_cpu) else { return false };
                *seen = true;
                condition.test.holds(&value)
            }
        })
    }
}

impl Test {
    fn holds(&self, value: &Value<'_>) -> bool {
        match self {
            Test::Equals(literal, is_equal) => literal.equals(value) == *is_equal,
            Test::Compares(fits, number) => number.compare(value).is_some_and(fits),
            Test::Contains(wanted) => text_of(value).to_lowercase().contains(wanted.as_str()),
        }
    }
}

impl Literal {
    fn equals(&self, value: &Value<'_>) -> bool {
        if let Some(number) = self.number
            && let Some(order) = number.compare(value)
        {
            return order == Ordering::Equal;
        }
        match value {
            Value::Text(text) => *text == self.text.as_bytes(),
            Value::Enum(_, label) => *label == Some(&*self.text),
            Value::Bool(_) | Value::Null => text_of(value) == self.text,
            _ => false,
        }
    }
}

fn text_of(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
        Value::Enum(value, label) => label.map_or_else(|| value.to_string(), str::to_owned),
        Value::Unsigned(value, _) => value.to_string(),
        Value::Signed(value, _) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null => "null".to_owned(),
    }
}

/// A word of a query: a name, or what stands on both sides of an operator.
#[derive(Debug, Default)]
struct Word {
    left: String,
    operator: Option<&'static str>,
    right: String,
    /// Whether anything of the last side stood in quotation marks.
    is_quoted: bool,
}

/// Longer ones first.
const OPERATORS: [&str; 7] = ["!=", "<=", ">=", "=", "<", ">", "~"];

fn words(text: &str) -> Result<Vec<Word>, String> {
    let (mut words, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let mut word = Word::default();
        while let Some(letter) = rest.chars().next().filter(|letter| !letter.is_whitespace()) {
            let operator = OPERATORS.into_iter().find(|operator| rest.starts_with(operator));
            let side = if word.operator.is_some() { &mut word.right } else { &mut word.left };
            if letter == '"' {
                rest = quoted(&rest[1..], side)?;
                word.is_quoted = true;
            } else if let Some(operator) = operator.filter(|_| word.operator.is_none()) {
                if word.is_quoted {
                    return Err(format!(
                        "The name of a field before \"{operator}\" stands without quotation marks."
                    ));
                }
                word.operator = Some(operator);
                rest = &rest[operator.len()..];
            } else {
                side.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
        words.push(word);
        rest = rest.trim_start();
    }
    Ok(words)
}

/// Reads up to the end of a quotation, whose beginning is passed, and returns what follows it.
fn quoted<'t>(text: &'t str, out: &mut String) -> Result<&'t str, String> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok(&text[at + 1..]),
            '\\' => out.extend(letters.next().map(|(_, letter)| letter)),
            letter => out.push(letter),
        }
    }
    Err("A quotation mark has no second one that ends the text.".into())
}

fn condition(word: Word) -> Result<Condition, String> {
    let Word { left, operator, right, is_quoted } = word;
    let Some(operator) = operator else {
        return Ok(Condition { field: None, test: Test::Contains(left.to_lowercase()) });
    };
    if left.is_empty() && operator != "~" {
        return Err(format!("The name of a field is missing before \"{operator}\"."));
    }
    if right.is_empty() && (!is_quoted || operator == "~") {
        return Err(format!(
            "The value is missing after \"{left}{operator}\"; \"\" stands for an empty text."
        ));
    }
    let number = Number::parse(&right).filter(|_| !is_quoted);
    let compares = |fits: fn(Ordering) -> bool| match number {
        Some(number) => Ok(Test::Compares(fits, number)),
        None => Err(format!("\"{operator}\" compares numbers, and \"{right}\" is not a number.")),
    };
    let test = match operator {
        "<" => compares(Ordering::is_lt)?,
        "<=" => compares(Ordering::is_le)?,
        ">" => compares(Ordering::is_gt)?,
        ">=" => compares(Ordering::is_ge)?,
        "~" => Test::Contains(right.to_lowercase()),
        operator => Test::Equals(Literal { text: right, number }, operator == "="),
    };
    Ok(Condition { field: (!left.is_empty()).then_some(left), test })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use model::Base;

    use super::*;

    fn check(query: &str, expected: Expect) {
        expected.assert_eq(&Query::parse(query).expect_err(query));
    }

    #[test]
    fn a_wrong_query_is_one_sentence() {
        check("", expect!["Write the name of an event, or a field with its value: next_comm=java."]);
        check(
            "a b",
            expect![[r#""b" is a second name, and an event has one: write a|b for either of them."#]],
        );
        check("=3", expect![[r#"The name of a field is missing before "="."#]]);
        check("ret<", expect![[r#"The value is missing after "ret<"; "" stands for an empty text."#]]);
        check("ret<few", expect![[r#""<" compares numbers, and "few" is not a number."#]]);
        check("ret<\"3\"", expect![[r#""<" compares numbers, and "3" is not a number."#]]);
        check("comm=\"java", expect!["A quotation mark has no second one that ends the text."]);
        check("\"comm\"=1", expect![[r#"The name of a field before "=" stands without quotation marks."#]]);
        check(&"x".repeat(1001), expect!["A query has at most 1000 letters."]);
        check(&"a=1 ".repeat(21), expect!["A query has at most 20 conditions."]);
    }

    #[test]
    fn a_field_is_compared_by_what_it_holds() {
        let text = |text: &'static str| Value::Text(text.as_bytes());
        let natural = |value| Value::Unsigned(value, Base::Decimal);
        let whole = |value| Value::Signed(value, Base::Decimal);
        for (query, value, holds) in [
            ("f=java", text("java"), true),
            ("f=java", text("javac"), false),
            ("f!=java", text("javac"), true),
            ("f~AV", text("javac"), true),
            ("f=\"a \\\"b\"", text("a \"b"), true),
            ("f=\"\"", text(""), true),
            ("f=a=b", text("a=b"), true),
            ("f=3", natural(3), true),
            ("f=0x1F", natural(31), true),
            ("f=3", text("3"), true),
            ("f=\"3\"", natural(3), false),
            ("f<0", whole(-1), true),
            ("f<0", natural(0), false),
            ("f<=-1", whole(-1), true),
            ("f>1.5", natural(2), true),
            ("f>=2", Value::Float(2.0), true),
            ("f>2", natural(u128::MAX), true),
            ("f<0", text("-1"), false),
            ("f=open", Value::Enum(4, Some("open")), true),
            ("f=4", Value::Enum(4, Some("open")), true),
            ("f=true", Value::Bool(true), true),
            ("f=null", Value::Null, true),
            ("f=nan", Value::Float(f64::NAN), false),
        ] {
            let query_read = Query::parse(query).unwrap_or_else(|problem| panic!("{query}: {problem}"));
            assert_eq!(query_read.conditions[0].test.holds(&value), holds, "{query} {value:?}");
        }
    }

    #[test]
    fn names_that_do_not_occur_are_answered_with_those_that_do() {
        let mut alphabet = Alphabet::default();
        for name in ["sched_switch", "sched_wakeup", "timer"] {
            alphabet.intern(name);
        }
        let problem = |query| Query::parse(query).ok().and_then(|query: Query| query.unknown_name(&alphabet));
        for known in ["timer", "sched_*", "*|timer", "ret<0", "timer|sched_wak*"] {
            assert_eq!(problem(known), None, "{known}");
        }
        expect![[r#"No event of this trace is called "Sched"; *sched* finds sched_switch, sched_wakeup and whatever else contains it."#]]
            .assert_eq(&problem("Sched").unwrap());
        expect![[r#"No event of this trace is called "java"; write ~java to find it in a field."#]]
            .assert_eq(&problem("timer|java").unwrap());
    }
}
