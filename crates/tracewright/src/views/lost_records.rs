//! Records that were lost and are inferred, in words.

use analyses::replay::Inferred;

use crate::numbers::counted;

/// `3 records were lost here; what they recorded is inferred, 87 % sure`.
pub(crate) fn sentence(inferred: Inferred) -> String {
    let records = counted(u64::from(inferred.records), "record");
    let (was, them) = if inferred.records == 1 { ("was", "it") } else { ("were", "they") };
    format!("{records} {was} lost here; what {them} recorded is inferred, {}", sure(inferred))
}

/// How sure that is.
fn sure(inferred: Inferred) -> String {
    match inferred.is_only_way() {
        true => "the only way that fits".to_owned(),
        false => format!("{} % sure", inferred.percent),
    }
}
