//! Certificates: the reason why a program hangs, as one line of text.
//!
//! ```text
//! VQAiBAiAAg 1 turning 92a35ec87d09dfab
//! VYgQIECAAg 15 repeats 1 bfe9697e982fdcff
//! ZgoCQhGBUIBlqA 512 closed 2 1 1 9600d971f816e450
//! program        |   claim        digest
//!                blocks run before
//! ```
//!
//! What the claims mean, and what the numbers of a closure are (reach, exact, modulus, and where positions count a
//! period), is written
//! in `docs/bb-6x6.md`, from which others can write a checker of their own. A closure is not
//! listed: it is the smallest one, so the numbers name it, and the checker builds it again.
//!
//! A change of this format changes [`check`](super::check()) and that document with it; old
//! certificates are made anew by running the proof again.

use serde::{Serialize, Serializer};

/// Why a program hangs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The program, possibly with cells that no run of it meets left open.
    pub program: String,
    /// How many blocks have run at the moment that the claim is about.
    pub after: u64,
    /// What is claimed of that moment.
    pub claim: Claim,
    /// A hash of the rest. It distinguishes a damaged text from a false claim and refuses damage that
    /// happens to make another true claim; against a forger it is no help, and none is needed,
    /// since the claim itself is checked.
    pub digest: String,
}

/// What holds from some moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The block due turns for ever without touching the tape.
    Turning,
    /// The next blocks are repeated for ever.
    Repeats {
        /// How many.
        period: u64,
    },
    /// All that may be seen around the data pointer, at this closeness, is closed under what the
    /// program does, and none of it is an end.
    Closed {
        /// How many values are in view on each side of the data pointer.
        reach: u8,
        /// Values up to this size are seen exactly.
        exact: u8,
        /// Others by sign and by remainder modulo this.
        modulus: u8,
        /// Positions are seen modulo this; 1 if not at all.
        period: u8,
    },
}

/// Why a text is not a certificate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It has not the parts of one.
    #[error("not of the form PROGRAM BLOCKS turning | repeats N | closed N N N [N] DIGEST")]
    Form,
    /// A number is not written as one.
    #[error("'{0}' is not a number as certificates write it")]
    Number(String),
}

impl Certificate {
    /// A certificate with its digest.
    pub fn new(program: String, after: u64, claim: Claim) -> Self {
        let mut certificate = Certificate { program, after, claim, digest: String::new() };
        certificate.digest = certificate.expected_digest();
        certificate
    }

    /// The line up to the digest.
    fn body(&self) -> String {
        let Certificate { program, after, claim, .. } = self;
        match claim {
            Claim::Turning => format!("{program} {after} turning"),
            Claim::Repeats { period } => format!("{program} {after} repeats {period}"),
            Claim::Closed { reach, exact, modulus, period: 1 } => {
                format!("{program} {after} closed {reach} {exact} {modulus}")
            }
            Claim::Closed { reach, exact, modulus, period } => {
                format!("{program} {after} closed {reach} {exact} {modulus} {period}")
            }
        }
    }

    /// The digest that belongs to the rest: 64-bit FNV-1a of its text, in hexadecimal.
    pub fn expected_digest(&self) -> String {
        let hash = self.body().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    /// Its text, without the end of the line.
    pub fn to_line(&self) -> String {
        format!("{} {}", self.body(), self.digest)
    }

    /// Reads the text of a certificate. There is one text for one certificate.
    pub fn from_line(text: &str) -> Result<Self, ReadError> {
        let parts: Vec<&str> = text.split(' ').collect();
        let (program, after, claim, digest) = match parts.as_slice() {
            [program, after, "turning", digest] => (program, after, Claim::Turning, digest),
            [program, after, "repeats", period, digest] => {
                (program, after, Claim::Repeats { period: number(period)? }, digest)
            }
            [program, after, "closed", reach, exact, modulus, digest] => {
                let (reach, exact, modulus) = (number(reach)?, number(exact)?, number(modulus)?);
                (program, after, Claim::Closed { reach, exact, modulus, period: 1 }, digest)
            }
            [program, after, "closed", reach, exact, modulus, period, digest] if *period != "1" => {
                let (reach, exact, modulus) = (number(reach)?, number(exact)?, number(modulus)?);
                (program, after, Claim::Closed { reach, exact, modulus, period: number(period)? }, digest)
            }
            _ => return Err(ReadError::Form),
        };
        let (program, digest) = ((*program).to_owned(), (*digest).to_owned());
        Ok(Certificate { program, after: number(after)?, claim, digest })
    }

    /// The reason in one sentence.
    pub fn sentence(&self) -> String {
        let after = self.after;
        match self.claim {
            Claim::Turning => format!("after {after} blocks it loops forever without touching the tape"),
            Claim::Repeats { period: 1 } => format!("after {after} blocks it repeats one block for ever"),
            Claim::Repeats { period } => {
                format!("after {after} blocks it repeats the same {period} blocks for ever")
            }
            Claim::Closed { reach: 0, .. } => format!(
                "after {after} blocks only blocks that work on can be reached, whatever the tape holds"
            ),
            Claim::Closed { reach: 1, .. } => format!(
                "after {after} blocks all it can ever see next to the data pointer is known, and none of it is an end"
            ),
            Claim::Closed { reach, .. } => format!(
                "after {after} blocks all it can ever see up to {reach} cells around the data pointer is known, and none of it is an end"
            ),
        }
    }
}

impl Serialize for Certificate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_line())
    }
}

/// A number in digits, without a sign or a zero in front.
fn number<T: std::str::FromStr>(text: &str) -> Result<T, ReadError> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain).ok_or_else(|| ReadError::Number(text.to_owned()))
}
