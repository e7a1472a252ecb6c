//! Certificates, one a line: read, written again, and checked as far as that is quick.

use busybeaver::proof::{Certificate, Claim, check};

/// Blocks that are run; the checker itself runs a thousand times as many in as much more time.
const BLOCKS: u64 = 10_000;

/// Reads and checks each line, also with the digest that its claim should have, or no changed claim would ever be
/// looked at.
///
/// # Panics
/// When a certificate is not read as it was written.
pub fn run(input: &[u8]) {
    for line in String::from_utf8_lossy(input).lines().take(64) {
        let Ok(mut certificate) = Certificate::from_line(line) else { continue };
        let again = Certificate::from_line(&certificate.to_line());
        assert!(
            again.is_ok_and(|again| again == certificate),
            "a certificate was not read as it was written"
        );
        std::hint::black_box(certificate.sentence());
        let period = if let Claim::Repeats { period } = certificate.claim { period } else { 0 };
        if certificate.after <= BLOCKS && period <= BLOCKS {
            std::hint::black_box(check(&certificate).is_ok());
            certificate.digest = certificate.expected_digest();
            std::hint::black_box(check(&certificate).is_ok());
        }
    }
}
