//! A CTF trace in an archive of tar: the same answers as from its folder, and nothing is left of what was unpacked.

use std::path::Path;

use crate::util::{Folder, folder};

/// A folder with a trace, and one for what is unpacked.
fn with_trace() -> Folder {
    let folder = folder().with("copies/none", "");
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/traces");
    let ran = folder.shell(&format!("cp -r {}/lossy trace", traces.display()));
    assert_eq!(ran.code, 0, "{ran}");
    folder
}

fn is_nothing_left(folder: &Folder) -> bool {
    std::fs::read_dir(folder.path.join("copies")).unwrap().count() == 1
}

#[test]
fn an_archive_is_read_as_its_folder_is() {
    let folder = with_trace();
    for (pack, name) in [
        ("tar --format=ustar -cf", "ustar.tar"),
        ("tar --format=pax -czf", "pax.tar.gz"),
        ("tar --format=gnu --zstd -cf", "gnu.tar.zst"),
    ] {
        if folder.shell(&format!("{pack} {name} trace")).code != 0 {
            testing::skip(format!("{pack} does not work here"));
            continue;
        }
        for command in ["info", "events", "loops", "hangs", "check", "states"] {
            let expected = folder.run(&format!("{command} trace"));
            let named = |text: &str| {
                text.replace("tracewright: trace", "tracewright: NAME").replacen("trace\n", "NAME\n", 1)
            };
            for (line, shown) in [(format!("{command} {name}"), name), (format!("{command} - < {name}"), "-")]
            {
                let ran = folder.shell(&format!("TMPDIR=copies tracewright {line}"));
                let shown = |text: &str| {
                    let text = text.replace(&format!("tracewright: {shown}"), "tracewright: NAME");
                    text.replacen(&format!("{name}\n"), "NAME\n", 1).replacen("stdin\n", "NAME\n", 1)
                };
                assert_eq!(
                    (ran.code, shown(&ran.out), shown(&ran.err)),
                    (expected.code, named(&expected.out), named(&expected.err)),
                    "{line}"
                );
                assert!(is_nothing_left(&folder), "{line}");
            }
        }
    }
}

#[test]
fn what_leads_out_of_an_archive_is_refused() {
    let folder = with_trace();
    folder.shell("ln -s /etc/passwd trace/link; mkfifo trace/fifo; tar -cf link.tar trace/link; tar -cf fifo.tar trace/fifo");
    folder.shell(
        "echo text > outside; cd trace; tar -cPf ../up.tar ../outside; tar -cPf ../absolute.tar $PWD/ust",
    );
    folder.shell("tar -cf empty.tar outside; tar -cf cut.tar trace/ust; truncate -s 5000 cut.tar");
    for (name, sentence) in [
        ("link.tar", "cannot open link.tar: the archive holds `trace/link`, which is a link\n"),
        ("fifo.tar", "cannot open fifo.tar: the archive holds `trace/fifo`, which is a device or a FIFO\n"),
        (
            "up.tar",
            "cannot open up.tar: the archive holds `../outside`, whose name leads out of the archive\n",
        ),
        ("absolute.tar", "whose name is absolute\n"),
        ("empty.tar", "empty.tar holds no CTF trace: no file below it is called `metadata`"),
        ("cut.tar", "cannot open cut.tar: the archive is damaged at byte "),
    ] {
        let ran = folder.shell(&format!("TMPDIR=copies tracewright info {name}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{name}: {ran}");
        assert!(ran.err.contains(sentence), "{name}: {ran}");
        assert!(is_nothing_left(&folder), "{name}");
    }
}

#[test]
fn a_signal_leaves_nothing_unpacked() {
    let folder = with_trace();
    folder.shell("tar -cf trace.tar trace");
    // The end of the archive does not come, so it waits with part of it unpacked.
    let line = "(head -c 5000 trace.tar; sleep 2) | TMPDIR=copies timeout -s TERM 1 tracewright info -";
    let ran = folder.shell(line);
    assert_ne!(ran.code, 0, "{ran}");
    assert!(is_nothing_left(&folder), "{ran}");
}
