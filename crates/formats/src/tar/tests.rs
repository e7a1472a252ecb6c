//! Archives made here; what the `tar` of the system makes is read by the tests of the program.

use super::*;

/// A header of POSIX with its sum.
fn header(name: &str, kind: u8, size: &str) -> Vec<u8> {
    let mut block = vec![0; BLOCK];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[124..124 + size.len()].copy_from_slice(size.as_bytes());
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    summed(block)
}

fn summed(mut block: Vec<u8>) -> Vec<u8> {
    block[148..156].fill(b' ');
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

fn member(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = header(name, kind, &format!("{:o}", content.len()));
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    bytes
}

/// A line for each member, and the sentence at which reading stopped.
fn listed(bytes: &[u8]) -> String {
    let (mut archive, mut lines) = (Archive::new(bytes), String::new());
    let result = list(&mut archive, &mut lines);
    // It stays at its end.
    assert!(matches!(archive.next_member(), Ok(None)) || matches!(result, Err(Error::Io(_))));
    result.map_or_else(|error| format!("{lines}{error}\n"), |()| lines.clone())
}

fn list(archive: &mut Archive<&[u8]>, lines: &mut String) -> Result<(), Error> {
    while let Some(member) = archive.next_member()? {
        let mut content = vec![];
        archive.read_to_end(&mut content)?;
        assert_eq!(content.len() as u64, member.size);
        let (name, content) = (String::from_utf8_lossy(&member.name), String::from_utf8_lossy(&content));
        *lines += &format!("{:?} {name} {content}\n", member.kind);
    }
    Ok(())
}

#[test]
fn names_come_in_three_forms() {
    let long = format!("{}/metadata", "long".repeat(40));
    let record = format!(" path={long}\n");
    let record = format!("{}{record}", record.len() + 3);
    let mut split = header("metadata", b'0', "2");
    split[345..348].copy_from_slice(b"a/b");
    let mut gnu = header("metadata", b'0', "0");
    gnu[257..265].copy_from_slice(b"ustar  \0");
    gnu[345..348].copy_from_slice(b"123");
    let archive = [
        member("./", b'5', b""),
        member("./sub/", b'0', b""),
        summed(split),
        [&b"hi"[..], &[0; BLOCK - 2]].concat(),
        summed(gnu),
        member("headers", b'x', record.as_bytes()),
        member("short", b'0', b"pax"),
        member("././@LongLink", b'L', format!("{long}\0").as_bytes()),
        member("short", 0, b"gnu"),
        member("pax_global_header", b'g', b"16 comment=abcd\n"),
        member(".//last/./file", b'7', &[b'x'; BLOCK]),
        vec![0; 2 * BLOCK],
        b"what follows is not read".to_vec(),
    ];
    let expected = format!(
        "Folder  \nFolder sub \nFile a/b/metadata hi\nFile metadata \nFile {long} pax\nFile {long} gnu\nFile last/file {}\n",
        "x".repeat(BLOCK)
    );
    assert_eq!(listed(&archive.concat()), expected);
}

#[test]
fn what_leads_elsewhere_is_refused() {
    for (name, kind, sentence) in [
        ("/etc/passwd", b'0', "the archive holds `/etc/passwd`, whose name is absolute"),
        ("a/../../b", b'0', "the archive holds `a/../../b`, whose name leads out of the archive"),
        ("..", b'5', "the archive holds `..`, whose name leads out of the archive"),
        ("metadata", b'2', "the archive holds `metadata`, which is a link"),
        ("metadata", b'1', "the archive holds `metadata`, which is a link to another member"),
        ("null", b'3', "the archive holds `null`, which is a device or a FIFO"),
        ("fifo", b'6', "the archive holds `fifo`, which is a device or a FIFO"),
        ("holes", b'S', "the archive holds `holes`, which has holes (a sparse file)"),
        (".", b'0', "the archive holds `.`, which is no name of a file"),
        ("more", b'M', "the archive holds `more`, which is neither a file nor a folder"),
    ] {
        let archive = [member("first", b'0', b"1"), member(name, kind, b""), vec![0; BLOCK]].concat();
        assert_eq!(listed(&archive), format!("File first 1\n{sentence}\n"));
    }
    let deep = "d/".repeat(limits::TAR_DEPTH);
    assert!(!listed(&member(&deep[..98], b'5', b"")).contains("too deep"));
    let deep = format!("{deep}x\0");
    let archive = [member("", b'L', deep.as_bytes()), member("x", b'0', b"")].concat();
    assert!(listed(&archive).ends_with("which lies too deep in folders\n"));
    let holes = [member("", b'x', b"22 GNU.sparse.major=1\n"), member("x", b'0', b"")].concat();
    assert!(listed(&holes).ends_with("`x`, which has holes (a sparse file)\n"));
}

#[test]
fn what_is_damaged_is_told_with_its_place() {
    let whole = [member("first", b'0', b"1"), member("second", b'0', &[b'2'; 600]), vec![0; BLOCK]].concat();
    assert_eq!(listed(&whole), format!("File first 1\nFile second {}\n", "2".repeat(600)));
    let cut = "File first 1\nthe archive is damaged at byte 1700: it ends in the middle of a member\n";
    assert_eq!(listed(&whole[..1700]), cut);
    let mut odd = whole.clone();
    odd[1024] = b'S';
    let damaged = "File first 1\nthe archive is damaged at byte 1024: a member should begin there\n";
    assert_eq!(listed(&odd), damaged);
    let records = [member("", b'x', b"99 path=x\n"), member("x", b'0', b"")].concat();
    assert!(listed(&records).ends_with("a record about a member is cut\n"));
    let size = summed(header("x", b'0', "12a"));
    assert!(listed(&size).ends_with("a size is not a number\n"));
    let mut huge = header("x", b'0', "");
    huge[124..136].copy_from_slice(b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff");
    assert!(listed(&summed(huge)).ends_with("it ends in the middle of a member\n"));
    let long = [header("x", b'x', "7777777777"), vec![b'x'; BLOCK]].concat();
    assert!(listed(&long).ends_with("what is said about a member is too long\n"));
}

#[test]
fn an_archive_is_known_by_its_first_block() {
    let archive = member("first", b'0', b"1");
    assert!(begins(&archive) && begins(&archive[..BLOCK]) && !begins(&archive[..BLOCK - 1]));
    assert!(!begins(&vec![0; BLOCK]) && !begins(&archive[1..]));
}
