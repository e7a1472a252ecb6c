//! Classes that an earlier run had are defined without the loader of the class path, and are what it would have
//! loaded: the same with all that belongs to them, and what stands in the archives now.

use std::fs::{self, File};
use std::path::Path;

use crate::jdk::{Program, program_of, shown};
use crate::shelf::CLASS;
use crate::show;

/// Sixty classes, each with one above it, and what the program can see of them. With an argument it waits first
/// until the last one is there, although nothing named it.
fn source(value: u32) -> String {
    let parts = (0..60).map(|number| {
        let above =
            CLASS.replace("class PartNUMBER", "class PartNUMBER extends AboveNUMBER implements Valued");
        let own = format!("class AboveNUMBER {{ public int value() {{ return {}; }} }}", value + number);
        (above + &own).replace("NUMBER", &number.to_string())
    });
    format!("{MAIN}interface Valued {{ int value(); }}{}", parts.collect::<String>())
}

const MAIN: &str = "
package shop;
public class Direct {
    static boolean comes() throws Exception {
        var find = ClassLoader.class.getDeclaredMethod(\"findLoadedClass\", String.class);
        find.setAccessible(true);
        long end = System.nanoTime() + 60_000_000_000L;
        while (System.nanoTime() < end) {
            if (find.invoke(Direct.class.getClassLoader(), \"shop.Part59\") != null) return true;
            Thread.sleep(5);
        }
        return false;
    }
    public static void main(String[] a) throws Exception {
        if (a.length > 0 && !comes()) System.out.println(\"not there\");
        for (int i = 0; i < 60; i++) {
            Class<?> part = Class.forName(\"shop.Part\" + i);
            var made = part.getDeclaredConstructor();
            made.setAccessible(true);
            var domain = part.getProtectionDomain();
            System.out.println(part + \" \" + ((Valued) made.newInstance()).value() + \" \" + part.getPackage()
                + \" \" + part.getPackage().getImplementationTitle() + \" \" + domain.getCodeSource() + \" \"
                + (domain == part.getSuperclass().getProtectionDomain()) + \" \" + part.getModule().isNamed()
                + \" \" + part.getSigners() + \" \" + part.getClassLoader().getClass() + \" \" + part.getResource(\"Part1.class\"));
        }
    }
}
";

/// Where one processor has to do for all, nothing is done ahead.
fn program() -> Option<Program> {
    let has_processors = std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
    let program = program_of("Direct", &source(1000)).filter(|_| has_processors)?;
    fs::write(program.folder.join("manifest"), "Implementation-Title: The shop\n").unwrap();
    program.jar(&["cfm0", "shop.jar", "manifest", "shop"]);
    Some(program)
}

const CLASS_PATH: &str = "front.jar:shop.jar";

impl Program {
    fn jar(&self, arguments: &[&str]) {
        let made = self.tool("jar").args(arguments).output().unwrap();
        assert!(made.status.success(), "{made:?}");
    }

    /// Compiles the classes with another value into a folder.
    fn compile(&self, value: u32, folder: &str) {
        fs::create_dir_all(self.folder.join(folder)).unwrap();
        fs::write(self.folder.join(folder).join("Direct.java"), source(value)).unwrap();
        let file = format!("{folder}/Direct.java");
        let done = self.tool("javac").args(["-g", "-d", folder, &file]).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    /// Which Java the JDK is of.
    fn version(&self) -> String {
        let told = shown(&self.tool("javac").arg("-version").output().unwrap());
        told.split(|letter: char| !letter.is_ascii_digit()).find(|part| !part.is_empty()).unwrap().to_owned()
    }

    /// What it prints, unrecorded.
    fn plain(&self) -> String {
        let mut java = self.tool("java");
        shown(&java.args(["-cp", CLASS_PATH, "shop.Direct"]).output().unwrap())
    }

    /// What it prints, recorded.
    fn traced(&self, name: &str, waits: &[&str]) -> String {
        let java = self.tool("java");
        let mut command = self.tracewright(&["record", "-o", name, "--"]);
        command.arg(java.get_program()).args(["--add-opens", "java.base/java.lang=ALL-UNNAMED"]);
        let output = command.args(["-cp", CLASS_PATH, "shop.Direct"]).args(waits).output().unwrap();
        let capture = show::open(&self.folder.join(name));
        assert!(capture.diagnostics.is_empty(), "{name}: {:?}", capture.diagnostics);
        shown(&output)
    }
}

/// The first bytes of the class file of the last class in an archive in which nothing is compressed are others, and
/// its directory does not say so.
fn damage_the_last_class(archive: &Path) {
    let mut bytes = fs::read(archive).unwrap();
    let name = b"shop/Part59.class";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    let magic = bytes[at..].windows(4).position(|window| window == [0xca, 0xfe, 0xba, 0xbe]).unwrap();
    bytes[at + magic] = 0;
    fs::write(archive, bytes).unwrap();
}

#[test]
fn they_are_what_the_loader_would_have_loaded_and_it_is_not_asked() {
    let Some(program) = program() else { return };
    let plain = program.plain();
    assert!(plain.contains("class shop.Part59 1059 package shop The shop (file:"), "{plain}");
    assert_eq!(program.traced("first", &[]), plain);
    assert_eq!(program.traced("second", &["wait"]), plain);
    // Where the loader cannot load a class any more, nobody can have asked it.
    damage_the_last_class(&program.folder.join("shop.jar"));
    let damaged = program.plain();
    assert!(damaged.contains("ClassFormatError"), "{damaged}");
    assert_eq!(program.traced("third", &["wait"]), plain);
    let mut fresh = program.tracewright(&["record", "--fresh", "-o", "fresh", "--"]);
    let fresh = fresh.arg(program.tool("java").get_program()).args(["-cp", CLASS_PATH, "shop.Direct"]);
    assert!(shown(&fresh.output().unwrap()).contains("ClassFormatError"));
}

#[test]
fn what_stands_in_the_archives_now_is_loaded() {
    let Some(program) = program() else { return };
    let archive = program.folder.join("shop.jar");
    let (bytes, time) = (fs::read(&archive).unwrap(), fs::metadata(&archive).unwrap().modified().unwrap());
    let plain = program.plain();
    assert_eq!(program.traced("first", &[]), plain);
    let mut number = 0;
    let mut is_followed = |what: &str, with: &str| {
        let now = program.plain();
        assert!(now != plain && now.contains(with), "{what}: {now}");
        number += 1;
        assert_eq!(program.traced(&format!("changed-{number}"), &["wait"]), now, "{what}");
    };

    // As long as before, and as old.
    program.compile(2000, "changed");
    program.jar(&["cfm0", "shop.jar", "manifest", "-C", "changed", "shop"]);
    File::options().write(true).open(&archive).unwrap().set_modified(time).unwrap();
    assert_eq!(fs::metadata(&archive).unwrap().len(), bytes.len() as u64);
    is_followed("another archive", "class shop.Part59 2059 ");

    // What was not there comes before it.
    fs::write(&archive, &bytes).unwrap();
    program.jar(&["cf0", "front.jar", "-C", "changed", "shop/Above7.class"]);
    is_followed("an archive before it", "class shop.Part7 2007 ");
    fs::remove_file(program.folder.join("front.jar")).unwrap();

    // The same through a manifest.
    fs::write(program.folder.join("named"), "Class-Path: lib/patch.jar\n").unwrap();
    fs::create_dir(program.folder.join("lib")).unwrap();
    program.jar(&["cfm0", "front.jar", "named", "manifest"]);
    program.jar(&["cf0", "lib/patch.jar", "-C", "changed", "shop/Above8.class"]);
    is_followed("an archive that another names", "class shop.Part8 2008 ");
    fs::remove_file(program.folder.join("front.jar")).unwrap();

    // Another one for this version of Java.
    fs::write(program.folder.join("versions"), "Implementation-Title: The shop\nMulti-Release: true\n")
        .unwrap();
    program.jar(&[
        "cfm0",
        "shop.jar",
        "versions",
        "shop",
        "--release",
        &program.version(),
        "-C",
        "changed",
        "shop/Above9.class",
    ]);
    is_followed("another version", "class shop.Part9 2009 ");
}
