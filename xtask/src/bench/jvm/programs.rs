//! Real programs: h2, antlr4 and ecj once they are warm, saxon and jython from start to end, these beside
//! JaCoCo as well. Their jars are those of Debian packages; where one is missing, its program is left out
//! with a word.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use serde_json::json;

use super::java::{BLOCKS, CALLS, Jvm, Mode, PATHS, Program, folder};
use super::{Size, jacoco, paper, row};
use crate::bench::measure::{median, median_ratio};
use crate::bench::table::Table;
use crate::sh::{self, Outcome, Trouble};

const JARS: &str = "/usr/share/java";

/// A program that is measured once it is warm.
struct Steady {
    name: &'static str,
    package: &'static str,
    /// The first is the program's own.
    jars: &'static [&'static str],
    /// How much slower paths may be.
    most: f64,
    /// So many runs go by before the virtual machine's compilers have come to rest, or nearly so: with a recorder
    /// they have more to do, so a program that is measured too soon shows more of them than of the recorder. It is
    /// where a run no longer becomes faster: antlr4 takes 14 ms at first, 11 after 1,000 runs, and 8.5 from 2,000
    /// to 4,000.
    warm: usize,
    /// In a pass.
    runs: usize,
}

const STEADY: [Steady; 3] = [
    Steady {
        name: "h2",
        package: "libh2-java",
        jars: &["h2", "jts-core", "slf4j-api"],
        most: 4.0,
        warm: 60,
        runs: 2,
    },
    Steady {
        name: "antlr4",
        package: "antlr4",
        jars: &[
            "antlr4",
            "antlr4-runtime",
            "antlr3-runtime",
            "stringtemplate4",
            "treelayout",
            "icu4j",
            "javax.json",
        ],
        most: 2.0,
        warm: 2000,
        runs: 30,
    },
    Steady { name: "ecj", package: "libecj-java", jars: &["ecj"], most: 1.6, warm: 400, runs: 4 },
];

/// Passes for each round of the kernels: one run shows little, and neighbours are compared.
const PASSES: usize = 5;

/// Name, Debian package, jars, arguments; `@` stands for the folder.
const SHORT: [(&str, &str, &[&str], &[&str]); 2] = [
    ("saxon", "libsaxonhe-java", &["Saxon-HE"], &["net.sf.saxon.Transform", "-s:@/d.xml", "-xsl:@/d.xsl"]),
    (
        "jython",
        "jython",
        &[
            "jython",
            "antlr3-runtime",
            "guava",
            "jnr-constants",
            "jnr-ffi",
            "jnr-netdb",
            "jnr-posix",
            "jffi",
            "asm-all",
            "icu4j",
            "commons-compress",
            "antlr",
            "jline",
        ],
        &["org.python.util.jython", "@/p.py"],
    ),
];
/// A whole short run may take so much longer. It was 1.35 while the recorder defined a program's classes before the
/// program asked for them, which touched more of the program than a quicker start is worth.
const START_UP: f64 = 1.5;
/// So many pairs of short runs for each run of the other ways.
const PAIRS: usize = 5;

/// Rows for what is there.
pub(super) fn run(table: &mut Table, own: &Program, size: Size) -> Outcome {
    for program in STEADY {
        if let Some(jars) = found(program.name, program.package, program.jars) {
            steady(table, &program, Path::new(&own.class_path), &jars, size)?;
        }
    }
    run_short(table, own, size)
}

/// Those that are run from start to end.
pub(super) fn run_short(table: &mut Table, _: &Program, size: Size) -> Outcome {
    let programs =
        SHORT.map(|(name, package, jars, arguments)| (name, found(name, package, jars), arguments));
    if programs.iter().all(|(_, jars, _)| jars.is_none()) {
        return Ok(());
    }
    let peer = jacoco::agent()?.is_some();
    for (name, jars, arguments) in programs {
        if let Some(jars) = jars {
            short(table, name, (&jars, arguments), peer, size)?;
        }
    }
    Ok(())
}

fn jars_of(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| Path::new(JARS).join(format!("{name}.jar"))).collect()
}

/// The program's own jar, if it is there, and those of the others that are: not every version of a
/// program needs all of them.
fn found(name: &str, package: &str, jars: &[&str]) -> Option<Vec<PathBuf>> {
    let (own, others) = jars_of(jars).split_first().map(|(own, others)| (own.clone(), others.to_vec()))?;
    if !own.exists() {
        eprintln!("jvm, {name}: left out, because {} is not there (Debian: {package})", own.display());
        return None;
    }
    Some(std::iter::once(own).chain(others.into_iter().filter(|jar| jar.exists())).collect())
}

fn class_path(parts: &[PathBuf]) -> String {
    parts.iter().map(|part| part.display().to_string()).collect::<Vec<_>>().join(":")
}

fn steady(
    table: &mut Table,
    &Steady { name, most, warm, runs, .. }: &Steady,
    classes: &Path,
    jars: &[PathBuf],
    size: Size,
) -> Outcome {
    let directory = folder().join(name);
    inputs(&directory)?;
    let program = Program {
        class_path: class_path(&[&[classes.to_owned()], jars].concat()),
        paper_class_path: class_path(&[&[classes.to_owned(), inserted(name, jars)?], jars].concat()),
        arguments: vec!["Programs".to_owned(), name.to_owned(), directory.display().to_string()],
    };
    // What is rated stands beside what it is compared with.
    let modes = [Mode::None, PATHS, CALLS, BLOCKS, Mode::Paper];
    let mut all =
        modes.map(|mode| Jvm::start(&program, mode, &[])).into_iter().collect::<Result<Vec<_>, _>>()?;
    eprintln!("jvm, {name}: warming up");
    for jvm in &mut all {
        jvm.run(name, warm * size.warm_times)?;
    }
    let mut passes = vec![Vec::new(); modes.len()];
    for _ in 0..size.rounds * PASSES {
        for (jvm, passes) in all.iter_mut().zip(&mut passes) {
            passes.push(jvm.run(name, runs)?);
        }
    }
    all.into_iter().try_for_each(Jvm::end)?;
    let of_passes = |passes: &Vec<Vec<f64>>| passes.iter().map(|runs| median(runs)).collect::<Vec<_>>();
    let medians: Vec<Vec<f64>> = passes.iter().map(of_passes).collect();
    let none = median(&medians[0]);
    let ratio: Vec<f64> = medians.iter().map(|of_mode| median_ratio(of_mode, &medians[0])).collect();
    let best = |passes: &[Vec<f64>]| passes.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let of_best = best(&passes[1]) / best(&passes[0]);
    table.push(row(
        &format!("jvm, {name}, once warm"),
        format!(
            "paths {:.2} (best runs {of_best:.2}), blocks {:.2}, calls {:.2}",
            ratio[1], ratio[3], ratio[2]
        ),
        format!("paper {:.1}; none {none:.1} ms", ratio[4]),
        Some(ratio[1]),
        format!("paths <= {most}"),
        Some(ratio[1] <= most),
        json!({ "modes": modes.map(Mode::name), "ms of passes": passes }),
    ));
    Ok(())
}

/// The program's jars with the paper's recorder in them: a folder.
fn inserted(name: &str, jars: &[PathBuf]) -> Result<PathBuf, Trouble> {
    let (plain, paper) = (folder().join(format!("{name}.plain")), folder().join(format!("{name}.paper")));
    if !paper.join("PaperRecorder.class").exists() {
        std::fs::create_dir_all(&plain).map_err(|error| Trouble::CannotDo(error.to_string()))?;
        for jar in jars {
            let line = format!("jar xf {}", jar.display());
            sh::run_in(sh::command(&line).current_dir(&plain), &line)?;
        }
        paper::rewrite_all(&plain, &paper, &mut 0)?;
        let recorder = super::classes().join("PaperRecorder.class");
        std::fs::copy(recorder, paper.join("PaperRecorder.class"))
            .map_err(|error| Trouble::CannotDo(error.to_string()))?;
    }
    Ok(paper)
}

/// Whole processes, one after the other; with JaCoCo's agent as well if there is one. One run of half a second shows
/// little, so there are many pairs of runs without a recorder and with paths, and few of the others. Later
/// rounds find what the first one prepared, except with `--fresh`, which prepares everything anew, as the very
/// first recording of a program does.
fn short(
    table: &mut Table,
    name: &str,
    (jars, arguments): (&[PathBuf], &[&str]),
    peer: bool,
    size: Size,
) -> Outcome {
    let directory = folder().join(name);
    inputs(&directory)?;
    let at = directory.display().to_string();
    let program = Program {
        class_path: class_path(jars),
        paper_class_path: String::new(),
        arguments: arguments.iter().map(|argument| argument.replace('@', &at)).collect(),
    };
    let mut variants: Vec<(Mode, &[&str])> =
        vec![(Mode::None, &[]), (PATHS, &[]), (PATHS, &["--fresh"]), (BLOCKS, &[])];
    variants.extend(Some((Mode::Jacoco, &[][..])).filter(|_| peer));
    let mut samples = vec![Vec::new(); variants.len()];
    for round in 0..=size.rounds * PAIRS {
        for ((number, &(mode, options)), samples) in variants.iter().enumerate().zip(&mut samples) {
            if number > 1 && round % PAIRS != 0 {
                continue;
            }
            let mut command = program.command(mode, &directory.join("start.capture"), options);
            // What other runs have cached there must not help.
            command.env("XDG_CACHE_HOME", directory.join("cache"));
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let began = Instant::now();
            let status = command.status();
            let took = began.elapsed().as_secs_f64();
            if !status.is_ok_and(|status| status.success()) {
                return Err(Trouble::Wrong(format!("{name} with `{}` in it failed", mode.name())));
            }
            if mode == Mode::Jacoco {
                program.arguments.first().map_or(Ok(()), |class| jacoco::check(class))?;
            }
            if round > 0 {
                samples.push(took);
            }
        }
    }
    let times: Vec<f64> = samples.iter().map(|samples| median(samples)).collect();
    let none = times[0];
    let mut ratio: Vec<f64> = times.iter().map(|time| time / none).collect();
    ratio[1] = median_ratio(&samples[1], &samples[0]);
    let jacoco = ratio.get(4).map_or(String::new(), |ratio| format!("JaCoCo {ratio:.2}; "));
    table.push(row(
        &format!("jvm, {name}, whole process"),
        format!("paths {:.2}, the first time {:.2}, blocks {:.2}", ratio[1], ratio[2], ratio[3]),
        format!("{jacoco}none {none:.2} s"),
        Some(ratio[1]),
        format!("paths <= {START_UP}"),
        Some(ratio[1] <= START_UP),
        json!({ "ways": variants.iter().map(|(mode, options)| [&[mode.name()], *options].concat().join(" ")).collect::<Vec<_>>(), "seconds": samples }),
    ));
    Ok(())
}

/// Writes what the programs read.
fn inputs(directory: &Path) -> Outcome {
    let cannot = |error: std::io::Error| Trouble::CannotDo(format!("{}: {error}", directory.display()));
    std::fs::create_dir_all(directory.join("src/x")).map_err(cannot)?;
    let mut xml = String::from("<r>");
    for i in 0..20_000 {
        let _ = writeln!(xml, "<i id=\"{i}\"><n>name {}</n><v>{}</v></i>", i % 100, i * 7 % 1009);
    }
    xml.push_str("</r>");
    for i in 0..40 {
        let source = JAVA.replace('@', &i.to_string());
        std::fs::write(directory.join(format!("src/x/P{i}.java")), source).map_err(cannot)?;
    }
    for (name, content) in
        [("s.sql", SQL), ("G.g4", GRAMMAR), ("d.xml", xml.as_str()), ("d.xsl", SHEET), ("p.py", PYTHON)]
    {
        std::fs::write(directory.join(name), content).map_err(cannot)?;
    }
    Ok(())
}

const SQL: &str = "\
create table goods(id int primary key, kind int, name varchar(40));
insert into goods select x, mod(x * 7919, 1009), 'goods ' || x from system_range(1, 8000);
create index by_kind on goods(kind);
select kind, count(*), max(name) from goods group by kind having count(*) > 7 order by kind limit 10;
select count(*) from goods a join goods b on a.kind = b.kind where a.id < 1000;
update goods set name = name || '!' where mod(id, 3) = 0;
delete from goods where kind < 100;
select count(*), sum(id) from goods;
";

const GRAMMAR: &str = r#"grammar G;
file: statement+ ;
statement: value ';' | NAME '=' value ';' | 'if' '(' value ')' body ('else' body)? | 'while' '(' value ')' body ;
body: '{' statement* '}' ;
value: value ('*' | '/') value | value ('+' | '-') value | value ('<' | '>' | '==') value | '-' value
     | NAME '(' (value (',' value)*)? ')' | NUMBER | NAME | TEXT | '(' value ')' ;
NAME: [a-zA-Z_][a-zA-Z0-9_]* ;
NUMBER: [0-9]+ ;
TEXT: '"' (~["\\] | '\\' .)* '"' ;
SPACE: [ \t\r\n]+ -> skip ;
REMARK: '//' ~[\n]* -> skip ;
"#;

const JAVA: &str = "\
package x;
public class P@ {
    static int count;
    static int down(int n) { return n < 2 ? n : down(n - 1) + down(n - 2); }
    static String word(int n) {
        switch (n % 4) { case 0: return \"none\"; case 1: return \"one\"; case 2: return \"two\"; default: return \"many\" + n; }
    }
    static int risky(int n) {
        try {
            if (n % 7 == 3) throw new IllegalStateException(word(n));
            return n;
        } catch (IllegalStateException refused) {
            return refused.getMessage().length();
        } finally {
            count++;
        }
    }
    public static int run() {
        int sum = 0;
        for (int i = 0; i < 50; i++) {
            for (int k = 0; k < i; k++) sum += risky(k);
            sum += down(i % 9);
        }
        java.util.List<Integer> all = new java.util.ArrayList<>();
        all.add(sum);
        return all.stream().mapToInt(value -> value + @).sum() + count;
    }
}
";

const SHEET: &str = r#"<xsl:stylesheet version="2.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/r"><o><xsl:for-each-group select="i" group-by="n">
<g n="{current-grouping-key()}" s="{sum(current-group()/v)}"/>
</xsl:for-each-group></o></xsl:template></xsl:stylesheet>
"#;

const PYTHON: &str = "\
def down(n): return n if n < 2 else down(n - 1) + down(n - 2)
def primes(n):
    found = [True] * n
    for i in range(2, n):
        if found[i]:
            for j in range(i * i, n, i): found[j] = False
    return sum(found)
print(down(18), primes(50000))
counts = {}
for word in ('a loaf of rye ' * 2000).split(): counts[word] = counts.get(word, 0) + 1
print(sorted(counts.items()))
";
