//! Certificates: the reason why a program hangs, as data.
//!
//! ```text
//! {"program": "VYgQIECAAg", "after": 12, "claim": {"repeats": {"period": 4}}, "digest": "..."}
//! {"program": "Zvr+UsG4G5r1vw", "after": 0, "claim": {"closed": {
//!     "exact": 1, "modulus": 1, "reach": 1,
//!     "views": ["0.0 1 1 1", "23.2 0 3 1", ...], "left": ["1", "3"], "right": ["1"]}}, "digest": "..."}
//! ```
//!
//! All claims are about the moment at which `after` blocks have run. Values in a closure are one
//! character each, `0`-`9` then `a`-`v`: with `e` for `exact` and `m` for `modulus`, number `n` up
//! to `2e` is the value `n - e`; the next `m` numbers are all larger values, by their remainder
//! modulo `m`; the `m` after them all smaller ones, by remainder. A view is the block due, a dot,
//! how many moves of its shift are left (0 if it is no shift), the value at the data pointer, and
//! the values to the left and to the right of it, nearest first. All lists are sorted and hold
//! nothing that is not needed, so that there is one text for one closure.
//!
//! A change of this format changes [`check`](super::check()) with it; old certificates are made anew
//! by running the proof again.

use serde::{Deserialize, Serialize};

/// Why a program hangs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The program, possibly with cells that no run of it meets left open.
    pub program: String,
    /// How many blocks have run at the moment that the claim is about.
    pub after: u64,
    /// What is claimed of that moment.
    pub claim: Claim,
    /// A hash of the rest. It tells a damaged text from a false claim and refuses damage that
    /// happens to make another true claim; against a forger it is no help, and none is needed,
    /// since the claim itself is checked.
    pub digest: String,
}

/// What holds from some moment on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Claim {
    /// The block due turns for ever without touching the tape.
    Turning {},
    /// The next blocks are repeated for ever.
    Repeats {
        /// How many.
        period: u64,
    },
    /// All that may be seen around the data pointer is listed, and none of it is an end.
    Closed {
        /// Values up to this size are seen exactly.
        exact: u8,
        /// Others by sign and by remainder modulo this.
        modulus: u8,
        /// How many values are in view on each side of the data pointer.
        reach: u8,
        /// The views.
        views: Vec<String>,
        /// The words to the left, nearest value first.
        left: Vec<String>,
        /// The words to the right, nearest value first.
        right: Vec<String>,
    },
}

impl Certificate {
    /// A certificate with its digest.
    pub fn new(program: String, after: u64, claim: Claim) -> Self {
        let mut certificate = Certificate { program, after, claim, digest: String::new() };
        certificate.digest = certificate.expected_digest();
        certificate
    }

    /// The digest that belongs to the rest: 64-bit FNV-1a of its JSON text, in hexadecimal.
    pub fn expected_digest(&self) -> String {
        let rest = serde_json::to_string(&(&self.program, self.after, &self.claim)).unwrap_or_default();
        let hash = rest.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    /// Its JSON text.
    pub fn to_json(&self) -> String {
        // A struct of numbers and strings always has a JSON text.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the JSON text of a certificate.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The reason in one sentence.
    pub fn sentence(&self) -> String {
        let after = self.after;
        match &self.claim {
            Claim::Turning {} => format!("after {after} blocks it turns for ever without touching the tape"),
            Claim::Repeats { period: 1 } => format!("after {after} blocks it repeats one block for ever"),
            Claim::Repeats { period } => {
                format!("after {after} blocks it repeats the same {period} blocks for ever")
            }
            Claim::Closed { reach: 0, views, .. } => format!(
                "after {after} blocks only blocks that work on can be reached, whatever the tape holds ({} pairs of block and value)",
                views.len()
            ),
            Claim::Closed { reach, views, .. } => format!(
                "after {after} blocks all it can ever see up to {reach} cells around the data pointer is one of {} views, and none is an end",
                views.len()
            ),
        }
    }
}
