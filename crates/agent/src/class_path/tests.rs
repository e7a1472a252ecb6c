//! Archives made here, in a folder of the test's own.

use super::{ClassPath, Place};
use crate::temporary::Temporary;

/// Name and content.
type Entry<'e> = (&'e str, &'e [u8]);

/// An archive with these entries, none of them compressed.
fn archive(entries: &[Entry<'_>]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let half = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
    let word = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    for (name, content) in entries {
        let at = bytes.len();
        let mut common = [half(20), half(0), half(0), half(0), half(0)].concat();
        common.extend(crc32fast::hash(content).to_le_bytes());
        common.extend([word(content.len()), word(content.len())].concat());
        common.extend([half(name.len()), half(0)].concat());
        bytes.extend([b"PK\x03\x04", &common[..], name.as_bytes(), content].concat());
        directory.extend([b"PK\x01\x02", &half(20)[..], &common, &[0; 10], &word(at)].concat());
        directory.extend(name.as_bytes());
    }
    let (at, length, count) = (bytes.len(), directory.len(), half(entries.len()));
    bytes.append(&mut directory);
    bytes.extend([b"PK\x05\x06", &[0; 4][..], &count, &count, &word(length), &word(at), &[0; 2]].concat());
    bytes
}

fn folder(name: &str) -> Temporary {
    let folder = Temporary::new(name);
    std::fs::create_dir(folder.0.join("lib")).unwrap();
    folder
}

impl Temporary {
    fn put(&self, name: &str, entries: &[Entry<'_>]) {
        std::fs::write(self.0.join(name), archive(entries)).unwrap();
    }

    /// The class path of these, and where it has `shop.Baker` and `shop.Oven`: archive and bytes.
    fn find(&self, elements: &[&str]) -> Option<[Option<(usize, u32)>; 2]> {
        let elements: Vec<String> =
            elements.iter().map(|element| self.0.join(element).to_str().unwrap().to_owned()).collect();
        let names = ["shop.Baker", "shop.Oven"];
        let found = ClassPath::search(&elements.join(":"), names.into_iter())?;
        Some(names.map(|name| found.find(name).map(|place| (place.archive, place.size))))
    }
}

const BAKER: &str = "shop/Baker.class";
const OVEN: &str = "shop/Oven.class";

#[test]
fn the_first_archive_counts_and_those_that_it_names_come_before_the_next() {
    let folder = folder("order");
    let manifest = b"Manifest-Version: 1.0\r\nclass-path: lib/two.jar lib/nobody.jar \r\n  ./lib/../lib/thr\r\n ee.jar\r\n\r\n\
        Name: x\r\nClass-Path: http://elsewhere/\r\n";
    folder.put("one.jar", &[("META-INF/MANIFEST.MF", manifest)]);
    folder.put("lib/two.jar", &[("META-INF/MANIFEST.MF", b"Class-Path: four.jar\n")]);
    folder.put("lib/four.jar", &[(OVEN, b"4")]);
    folder.put("lib/three.jar", &[(OVEN, b"33"), (BAKER, b"333")]);
    folder.put("last.jar", &[(OVEN, b"last"), (BAKER, b"last one")]);
    let found = folder.find(&["one.jar", "nobody.jar", "last.jar"]);
    assert_eq!(found, Some([Some((3, 3)), Some((2, 1))]));
    assert_eq!(folder.find(&["last.jar", "one.jar"]), Some([Some((0, 8)), Some((0, 4))]));
    let search = ClassPath::search(folder.0.join("last.jar").to_str().unwrap(), ["shop.Oven"].into_iter());
    let search = search.unwrap();
    let place = search.find("shop.Oven").unwrap();
    assert_eq!(place, Place { archive: 0, crc: crc32fast::hash(b"last"), size: 4 });
    assert_eq!(search.path(0), folder.0.join("last.jar").to_str());
    assert_eq!((search.find("shop.Baker"), search.path(1)), (None, None), "not asked for; no such archive");
}

#[test]
fn of_a_class_that_may_be_another_one_nothing_is_said() {
    let folder = folder("unsure");
    let others: [(&str, &[Entry<'_>]); 5] = [
        ("twice", &[(BAKER, b"1"), (OVEN, b"2"), (BAKER, b"3")]),
        ("versions", &[("META-INF/versions/11/shop/Baker.class", b"11"), (BAKER, b"1"), (OVEN, b"2")]),
        ("versions behind", &[(BAKER, b"1"), (OVEN, b"2"), ("meta-inf/versions/9/shop/Baker.class", b"9")]),
        ("version alone", &[("META-INF/versions/11/shop/Baker.class", b"11"), (OVEN, b"2")]),
        ("another version", &[("META-INF/versions/11/shop/Other.class", b"11"), (OVEN, b"2")]),
    ];
    folder.put("last.jar", &[(BAKER, b"last one")]);
    for (name, entries) in others {
        folder.put("some.jar", entries);
        let baker = if name == "another version" { Some((1, 8)) } else { None };
        assert_eq!(folder.find(&["some.jar", "last.jar"]), Some([baker, Some((0, 1))]), "{name}");
    }
    for signature in ["META-INF/SHOP.SF", "META-INF/shop.rsa", "meta-inf/X.Dsa", "META-INF/S.EC"] {
        folder.put("some.jar", &[(signature, b""), (BAKER, b"1")]);
        assert_eq!(folder.find(&["some.jar", "last.jar"]), Some([None, None]), "{signature}");
    }
}

#[test]
fn where_an_archive_may_lead_elsewhere_nothing_is_said_at_all() {
    let folder = folder("nothing");
    let with = |manifest: &str| {
        folder.put("some.jar", &[("META-INF/MANIFEST.MF", manifest.as_bytes()), (BAKER, b"1")]);
        folder.find(&["some.jar"]).is_some()
    };
    assert!(with("Class-Path: \n"));
    for element in ["lib/", "file:lib/a.jar", "lib/a%20b.jar", "a.jar?b", "a\\b.jar", "/../../a.jar", "lib"] {
        assert!(!with(&format!("Class-Path: {element}\n")), "{element}");
    }
    let index = b"JarIndex-Version: 1.0\n\nindex.jar\nshop\n\ngone.jar\nshop\n";
    folder.put("index.jar", &[("META-INF/INDEX.LIST", index), (BAKER, b"1")]);
    assert!(folder.find(&["index.jar"]).is_some());
    let named = b"Class-Path: gone.jar\n";
    folder
        .put("index.jar", &[("META-INF/INDEX.LIST", index), ("META-INF/MANIFEST.MF", named), (BAKER, b"1")]);
    folder.put(
        "other.jar",
        &[("META-INF/INDEX.LIST", b"\r\n\r\nother.jar\r\nshop\r\n\r\ngood.jar\r\nshop\r\n")],
    );
    folder
        .put("manifests.jar", &[("META-INF/MANIFEST.MF", b""), ("META-INF/Manifest.mf", b""), (BAKER, b"1")]);
    folder.put("good.jar", &[(BAKER, b"1")]);
    std::fs::write(folder.0.join("text.jar"), "no archive").unwrap();
    let mut bytes = archive(&[(BAKER, b"1")]);
    let end = bytes.len() - 30;
    bytes.insert(end, 7);
    std::fs::write(folder.0.join("odd.jar"), bytes).unwrap();
    assert!(folder.find(&["good.jar"]).is_some());
    for other in ["index.jar", "other.jar", "manifests.jar", "lib", "text.jar", "odd.jar"] {
        assert_eq!(folder.find(&["good.jar", other]), None, "{other}");
    }
    let good = folder.0.join("good.jar");
    assert!(
        ClassPath::search(&format!("{}:", good.display()), ["a"].into_iter()).is_none(),
        "the own folder"
    );
}

#[test]
fn a_path_that_is_another_one_in_a_url_is_not_told() {
    let folder = folder("place");
    folder.put("a shop.jar", &[(BAKER, b"1")]);
    let path = folder.0.join("a shop.jar");
    let found = ClassPath::search(path.to_str().unwrap(), ["shop.Baker"].into_iter()).unwrap();
    assert!(found.find("shop.Baker").is_some());
    assert_eq!(found.path(0), None);
}
