//! Archives of tar.

use std::io::Read;

use formats::tar::{begins, read};

/// Reads every member to its end; no name leads out of the folder into which it would be unpacked.
pub fn run(input: &[u8]) {
    let mut archive = read(input);
    std::hint::black_box(begins(input));
    while let Ok(Some(member)) = archive.next_member() {
        let is_inside = |part: &[u8]| !matches!(part, b"" | b"." | b"..") && !part.contains(&0);
        assert!(member.name.is_empty() || member.name.split(|byte| *byte == b'/').all(is_inside));
        // A size is only declared; what is handed out is there.
        let given = std::io::copy(&mut archive.by_ref().take(1 << 20), &mut std::io::sink());
        assert!(
            given.is_err() || given.is_ok_and(|given| given <= member.size && given <= input.len() as u64)
        );
    }
}
