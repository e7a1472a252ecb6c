//! Computes the expressions of scripts, by the rules of JavaScript as far as they are expressions.
//!
//! Whole numbers stay exact where JavaScript would round them (times in nanoseconds have more digits
//! than its numbers hold). What cannot be computed is no value.

use std::cmp::Ordering;

use model::machine::Expression;
use model::machine::script::{Binary, Function, Unary};

/// A value on its way through an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    None,
    Truth(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

use Operand::{None as Null, Number, Text, Truth, Whole};

/// The longest text that an expression may make, in bytes.
const LONGEST: usize = 64 << 10;

/// The value of an expression whose names have these values. Recurses as deep as the expression nests,
/// which its parser bounds.
pub(super) fn compute(expression: &Expression, names: &[Operand]) -> Operand {
    match expression {
        Expression::Whole(number) => Whole(*number),
        Expression::Number(number) => Number(*number),
        Expression::Text(text) => Text(text.clone()),
        Expression::Truth(truth) => Truth(*truth),
        Expression::Null => Null,
        Expression::Name(index) => names.get(*index).cloned().unwrap_or(Null),
        Expression::Unary(operator, operand) => unary(*operator, &compute(operand, names)),
        Expression::Binary(Binary::And, left, right) => {
            let left = compute(left, names);
            if left.is_true() { compute(right, names) } else { left }
        }
        Expression::Binary(Binary::Or, left, right) => {
            let left = compute(left, names);
            if left.is_true() { left } else { compute(right, names) }
        }
        Expression::Binary(operator, left, right) => {
            binary(*operator, &compute(left, names), &compute(right, names))
        }
        Expression::Choice(question, then, otherwise) => {
            let branch = if compute(question, names).is_true() { then } else { otherwise };
            compute(branch, names)
        }
        Expression::Call(function, arguments) => {
            let arguments: Vec<Operand> = arguments.iter().map(|argument| compute(argument, names)).collect();
            call(*function, &arguments)
        }
    }
}

impl Operand {
    fn is_true(&self) -> bool {
        match self {
            Null => false,
            Truth(truth) => *truth,
            Whole(number) => *number != 0,
            Number(number) => *number != 0.0 && !number.is_nan(),
            Text(text) => !text.is_empty(),
        }
    }

    /// As a number: a whole one where that is exact.
    fn number(&self) -> Operand {
        match self {
            Null => Whole(0),
            Truth(truth) => Whole(i64::from(*truth)),
            Whole(_) | Number(_) => self.clone(),
            Text(text) => {
                let text = text.trim();
                match text.parse::<i64>() {
                    Ok(number) => Whole(number),
                    Err(_) if text.is_empty() => Whole(0),
                    Err(_) => Number(text.parse().unwrap_or(f64::NAN)),
                }
            }
        }
    }

    fn float(&self) -> f64 {
        match self.number() {
            Whole(number) => number as f64,
            Number(number) => number,
            _ => f64::NAN,
        }
    }

    /// The 32 bits that JavaScript's bit operators see.
    fn bits(&self) -> i32 {
        match self.number() {
            Whole(number) => number as i32,
            Number(number) if number.is_finite() => number.trunc().rem_euclid(4_294_967_296.0) as u32 as i32,
            _ => 0,
        }
    }

    fn text(&self) -> String {
        match self {
            Null => "null".to_owned(),
            Truth(truth) => truth.to_string(),
            Whole(number) => number.to_string(),
            Number(number) => number.to_string(),
            Text(text) => text.clone(),
        }
    }
}

fn whole_or(number: f64) -> Operand {
    // Beyond this a float does not say which whole number it means.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT { Whole(number as i64) } else { Number(number) }
}

fn unary(operator: Unary, operand: &Operand) -> Operand {
    match operator {
        Unary::Not => Truth(!operand.is_true()),
        Unary::Plus => operand.number(),
        Unary::Complement => Whole(i64::from(!operand.bits())),
        Unary::Minus => match operand.number() {
            Whole(number) => number.checked_neg().map_or_else(|| Number(-(number as f64)), Whole),
            other => Number(-other.float()),
        },
    }
}

fn binary(operator: Binary, left: &Operand, right: &Operand) -> Operand {
    let exact = |exact: fn(i64, i64) -> Option<i64>, float: fn(f64, f64) -> f64| {
        if let (Whole(a), Whole(b)) = (left.number(), right.number())
            && let Some(result) = exact(a, b)
        {
            return Whole(result);
        }
        Number(float(left.float(), right.float()))
    };
    let ordered = |fits: fn(Ordering) -> bool| Truth(order(left, right).is_some_and(fits));
    match operator {
        Binary::Add => match (left, right) {
            (Text(_), _) | (_, Text(_)) => joined(&left.text(), &right.text()),
            _ => exact(i64::checked_add, |a, b| a + b),
        },
        Binary::Subtract => exact(i64::checked_sub, |a, b| a - b),
        Binary::Multiply => exact(i64::checked_mul, |a, b| a * b),
        Binary::Remainder => exact(i64::checked_rem, |a, b| a % b),
        Binary::Divide => {
            let exact = |a: i64, b: i64| (a.checked_rem(b)? == 0).then(|| a / b);
            match (left.number(), right.number()) {
                (Whole(a), Whole(b)) => {
                    exact(a, b).map_or_else(|| Number(left.float() / right.float()), Whole)
                }
                _ => whole_or(left.float() / right.float()),
            }
        }
        Binary::Equal { strict } => Truth(equal(left, right, strict)),
        Binary::NotEqual { strict } => Truth(!equal(left, right, strict)),
        Binary::Less => ordered(Ordering::is_lt),
        Binary::LessOrEqual => ordered(Ordering::is_le),
        Binary::Greater => ordered(Ordering::is_gt),
        Binary::GreaterOrEqual => ordered(Ordering::is_ge),
        Binary::BitAnd => Whole(i64::from(left.bits() & right.bits())),
        Binary::BitOr => Whole(i64::from(left.bits() | right.bits())),
        Binary::BitXor => Whole(i64::from(left.bits() ^ right.bits())),
        Binary::ShiftLeft => Whole(i64::from(left.bits().wrapping_shl(right.bits() as u32))),
        Binary::ShiftRight => Whole(i64::from(left.bits().wrapping_shr(right.bits() as u32))),
        Binary::ShiftRightUnsigned => {
            Whole(i64::from((left.bits() as u32).wrapping_shr(right.bits() as u32)))
        }
        // Decided before the right side was computed.
        Binary::And | Binary::Or => Null,
    }
}

fn joined(left: &str, right: &str) -> Operand {
    if left.len() + right.len() > LONGEST { Null } else { Text(left.to_owned() + right) }
}

fn equal(left: &Operand, right: &Operand, strict: bool) -> bool {
    match (left, right) {
        (Null, Null) => true,
        (Null, _) | (_, Null) => false,
        (Text(a), Text(b)) => a == b,
        (Truth(a), Truth(b)) => a == b,
        (Whole(_) | Number(_), Whole(_) | Number(_)) => order(left, right) == Some(Ordering::Equal),
        _ if strict => false,
        _ => order(&left.number(), &right.number()) == Some(Ordering::Equal),
    }
}

fn order(left: &Operand, right: &Operand) -> Option<Ordering> {
    if let (Text(a), Text(b)) = (left, right) {
        return Some(a.cmp(b));
    }
    match (left.number(), right.number()) {
        (Whole(a), Whole(b)) => Some(a.cmp(&b)),
        (a, b) => a.float().partial_cmp(&b.float()),
    }
}

fn call(function: Function, given: &[Operand]) -> Operand {
    let first = given.first().unwrap_or(&Null);
    let text = || first.text();
    let second = || given.get(1).map(Operand::text).unwrap_or_default();
    let rounded = |round: fn(f64) -> f64| match first.number() {
        Number(number) => whole_or(round(number)),
        whole => whole,
    };
    match function {
        Function::Abs => match first.number() {
            Whole(number) => number.checked_abs().map_or_else(|| Number((number as f64).abs()), Whole),
            other => Number(other.float().abs()),
        },
        Function::Ceil => rounded(f64::ceil),
        Function::Floor => rounded(f64::floor),
        Function::Round => rounded(|number| (number + 0.5).floor()),
        Function::Max => extreme(given, Ordering::Greater),
        Function::Min => extreme(given, Ordering::Less),
        Function::Number => first.number(),
        Function::ParseInt => parse_int(&text(), given.get(1)),
        Function::Text => Text(text()),
        Function::Length => Whole(text().encode_utf16().count() as i64),
        Function::IndexOf => {
            let text = text();
            let before = text.find(&second()).and_then(|at| text.get(..at));
            Whole(before.map_or(-1, |before| before.encode_utf16().count() as i64))
        }
        Function::Substring => {
            let letters: Vec<u16> = text().encode_utf16().collect();
            let index = |given: Option<&Operand>, or: usize| {
                given.map_or(or, |given| given.float().clamp(0.0, letters.len() as f64) as usize)
            };
            let (from, to) = (index(given.get(1), 0), index(given.get(2), letters.len()));
            let inside = letters.get(from.min(to)..from.max(to)).unwrap_or_default();
            Text(String::from_utf16_lossy(inside))
        }
        Function::StartsWith => Truth(text().starts_with(&second())),
        Function::EndsWith => Truth(text().ends_with(&second())),
        Function::Includes => Truth(text().contains(&second())),
        Function::ToLowerCase => Text(text().to_lowercase()),
        Function::ToUpperCase => Text(text().to_uppercase()),
    }
}

fn extreme(given: &[Operand], wanted: Ordering) -> Operand {
    let mut best = given.first().map_or(Null, Operand::number);
    for other in given.iter().skip(1).map(Operand::number) {
        match order(&other, &best) {
            Some(found) if found == wanted => best = other,
            Some(_) => {}
            None => return Number(f64::NAN),
        }
    }
    best
}

/// The whole number with which a text begins.
fn parse_int(text: &str, base: Option<&Operand>) -> Operand {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let base = base.map_or(0, |base| base.float() as u32);
    let (base, digits) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(rest) if base == 0 || base == 16 => (16, rest),
        _ => (if base == 0 { 10 } else { base }, digits),
    };
    if !(2..=36).contains(&base) {
        return Number(f64::NAN);
    }
    let length = digits.find(|letter: char| !letter.is_digit(base)).unwrap_or(digits.len());
    let number = digits.get(..length).and_then(|digits| i64::from_str_radix(digits, base).ok());
    number.map_or(Number(f64::NAN), |number| Whole(sign * number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(left: Expression, right: Expression) -> Expression {
        Expression::Binary(Binary::Add, Box::new(left), Box::new(right))
    }

    #[test]
    fn whole_numbers_stay_exact() {
        let sum = add(Expression::Name(0), Expression::Whole(2));
        assert_eq!(compute(&sum, &[Whole(1_457_113_582_794_565_804)]), Whole(1_457_113_582_794_565_806));
        assert_eq!(compute(&sum, &[Text("1".into())]), Text("12".into()));
        assert_eq!(compute(&sum, &[Number(0.5)]), Number(2.5));
        assert_eq!(compute(&sum, &[Whole(i64::MAX)]), Number(i64::MAX as f64 + 2.0));
        assert_eq!(compute(&sum, &[]), Whole(2));
    }

    #[test]
    fn division_and_comparison_are_those_of_javascript() {
        assert_eq!(binary(Binary::Divide, &Whole(7), &Whole(2)), Number(3.5));
        assert_eq!(binary(Binary::Divide, &Whole(8), &Whole(2)), Whole(4));
        assert_eq!(binary(Binary::Divide, &Whole(1), &Whole(0)), Number(f64::INFINITY));
        assert_eq!(binary(Binary::Less, &Text("10".into()), &Text("9".into())), Truth(true));
        assert_eq!(binary(Binary::Less, &Text("10".into()), &Whole(9)), Truth(false));
        assert!(equal(&Text("5".into()), &Whole(5), false) && !equal(&Text("5".into()), &Whole(5), true));
        assert!(!equal(&Null, &Whole(0), false) && equal(&Null, &Null, true));
    }

    #[test]
    fn functions_of_numbers_and_texts() {
        assert_eq!(call(Function::Floor, &[Number(-1.5)]), Whole(-2));
        assert_eq!(call(Function::Max, &[Whole(1), Number(2.5), Text("2".into())]), Number(2.5));
        assert_eq!(call(Function::ParseInt, &[Text(" 0x1f, more".into())]), Whole(31));
        assert_eq!(
            call(Function::Substring, &[Text("sys_open".into()), Whole(4), Whole(99)]),
            Text("open".into())
        );
        assert_eq!(call(Function::IndexOf, &[Text("öpen".into()), Text("n".into())]), Whole(3));
    }
}
