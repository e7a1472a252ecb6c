//! Constant expressions: numbers with signs, the four operations and parentheses.

use super::lexer::{Token, shown};
use super::{Parser, Refusal};

impl Parser<'_> {
    /// A constant, computed in 128 bits; overflow is refused.
    pub(super) fn constant(&mut self) -> Result<i128, Refusal> {
        let mut left = self.product()?;
        loop {
            let at = self.at;
            let plus = self.is(b'+');
            if !plus && !self.is(b'-') {
                return Ok(left);
            }
            self.next()?;
            let right = self.product()?;
            let sum = if plus { left.checked_add(right) } else { left.checked_sub(right) };
            left = sum.ok_or_else(|| Refusal::new(at, "A constant does not fit into 128 bits."))?;
        }
    }

    fn product(&mut self) -> Result<i128, Refusal> {
        let mut left = self.factor()?;
        loop {
            let at = self.at;
            let Token::Sign(sign @ (b'*' | b'/' | b'%')) = self.token else { return Ok(left) };
            self.next()?;
            let right = self.factor()?;
            let result = match sign {
                b'*' => left.checked_mul(right),
                b'/' => left.checked_div(right),
                _ => left.checked_rem(right),
            };
            let why = "A constant divides by zero or does not fit into 128 bits.";
            left = result.ok_or_else(|| Refusal::new(at, why))?;
        }
    }

    fn factor(&mut self) -> Result<i128, Refusal> {
        let at = self.at;
        let overflow = || Refusal::new(at, "A constant does not fit into 128 bits.");
        // A loop, not a recursion: a long row of signs must not use up the stack.
        let (mut negative, mut inverted) = (false, false);
        loop {
            match self.token {
                Token::Sign(b'-') if !inverted => negative = !negative,
                Token::Sign(b'~') if !inverted => inverted = true,
                Token::Sign(b'+') => {}
                _ => break,
            }
            self.next()?;
        }
        let mut value = match self.token {
            Token::Number(number) => {
                self.next()?;
                i128::try_from(number).map_err(|_| overflow())?
            }
            Token::Sign(b'(') => {
                self.enter()?;
                self.next()?;
                let value = self.constant()?;
                self.expect(b')', "after an expression")?;
                self.leave();
                value
            }
            Token::Word(word) => {
                let word = shown(word.as_bytes());
                return self.refuse(format!("Expected a number, found the word `{word}`."));
            }
            _ => return self.refuse(format!("Expected a number, found {}.", self.found())),
        };
        if inverted {
            value = !value;
        }
        if negative {
            value = value.checked_neg().ok_or_else(overflow)?;
        }
        Ok(value)
    }
}
