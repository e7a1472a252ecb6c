//! Java programs made by chance that write down for themselves what they run.
//!
//! Every statement of note stands on a line of its own behind a line with `t.log[t.n++] = LINE`. That
//! is a plain store: it ends no block, so the program's graph is what it would be without. A thread's
//! log is the truth that a recording of the thread is held against. `t.fuel` bounds what runs.
//! Nothing here knows how Tracewright instruments or records.

use std::fmt::Write as _;

use fastrand::Rng;

/// How many methods a program has, beside the fixed ones that it calls through interfaces.
const METHODS: u64 = 4;

/// The source of program `number`: a class `gen.P<number>` with `static int run(T t, int x)`.
pub(crate) fn source(number: u64, seed: u64) -> String {
    let mut writer =
        Writer { rng: Rng::with_seed(seed ^ (number << 20)), lines: Vec::new(), loops: 0, locals: 0 };
    writer.class(number);
    let mut text = writer.lines.join("\n");
    text.push('\n');
    text
}

/// The class that the log is in, and the one that runs programs. Neither is recorded.
pub(crate) const LOG: &str = r#"package truth;
public final class T {
  public static final boolean DEEP = !"false".equals(System.getProperty("truth.deep"));
  public final int[] log = new int[1 << 18];
  public volatile int n; // C1 keeps plain fields in registers while a class initialiser runs
  public int fuel;
  public final int[] cells = new int[8];
  private static final ThreadLocal<T> MINE = new ThreadLocal<>();
  public static T current() { return MINE.get(); }
  public void begin(int fuel) { this.fuel = fuel; MINE.set(this); }
}
"#;

pub(crate) const DRIVER: &str = r#"package truth;
import java.io.*;
import java.util.*;
public final class Driver {
  public static void main(String[] a) throws Exception {
    int from = Integer.parseInt(a[0]), to = Integer.parseInt(a[1]), threads = Integer.parseInt(a[2]);
    boolean virtual = a.length > 4 && a[4].equals("virtual");
    Map<String, T> logs = Collections.synchronizedMap(new TreeMap<>());
    for (int p = from; p < to; p++) {
      var run = Class.forName("gen.P" + p, false, Driver.class.getClassLoader()).getMethod("run", T.class, int.class);
      List<Thread> all = new ArrayList<>();
      for (int k = 0; k < threads; k++) {
        String name = "P" + p + "-" + k;
        int x = k * 7919 + p;
        Runnable body = () -> {
          T t = new T();
          logs.put(name, t);
          t.begin(1000);
          try { run.invoke(null, t, x); } catch (Throwable e) { }
        };
        Thread thread;
        if (virtual) {
          Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
          Class<?> type = Class.forName("java.lang.Thread$Builder");
          builder = type.getMethod("name", String.class).invoke(builder, name);
          thread = (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, body);
        } else {
          thread = new Thread(null, body, name, Integer.getInteger("truth.stack", 1 << 20));
        }
        all.add(thread);
      }
      for (Thread t : all) t.start();
      for (Thread t : all) t.join();
    }
    try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(a[3])))) {
      for (var e : logs.entrySet()) {
        out.writeUTF(e.getKey());
        out.writeInt(e.getValue().n);
        for (int i = 0; i < e.getValue().n; i++) out.writeInt(e.getValue().log[i]);
      }
    }
    System.out.println(logs.size() + " threads");
  }
}
"#;

struct Writer {
    rng: Rng,
    lines: Vec<String>,
    /// Loops around the statement that is being written.
    loops: u32,
    /// Names given away, so that none is given twice in a method.
    locals: u32,
}

impl Writer {
    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// The line that notes that it runs.
    fn log(&mut self) {
        let number = self.lines.len() + 1;
        self.line(format!("t.log[t.n++] = {number};"));
    }

    /// The same within an expression.
    fn log_within(&mut self, before: &str, after: &str) {
        let number = self.lines.len() + 1;
        self.line(format!("{before}t.log[t.n++] = {number}{after}"));
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.locals += 1;
        format!("{stem}{}", self.locals)
    }

    fn class(&mut self, number: u64) {
        self.line("package gen;");
        self.line("import truth.T;");
        self.line(format!("public class P{number} {{"));
        self.line("interface Op { int apply(T t, int x); }");
        self.line("static class Oops extends RuntimeException { final int v; Oops(int v) { super(null, null, false, false); this.v = v; } }");
        for op in 0..3 {
            self.line(format!("static class Op{op} implements Op {{"));
            self.line("public int apply(T t, int x) {");
            self.body(2);
            self.line("}");
        }
        self.part();
        self.initializer();
        for method in 0..METHODS {
            let kind =
                pick(&mut self.rng, &["static", "private static", "static synchronized", "static final"]);
            self.line(format!("{kind} int m{method}(T t, int x) {{"));
            self.body(2);
        }
        self.line("static void each(T t, int v) {");
        self.log();
        self.line("t.cells[v & 7] += v;");
        self.line("}");
        self.line("static int compare(T t, int l, int r) {");
        self.log();
        self.line("return Integer.compare(l, r);");
        self.line("}");
        self.line("static int deep(T t, int x) {");
        self.log();
        self.line("return t.n < 0 ? 0 : deep(t, x + 1) + 1;");
        self.line("}");
        self.line("public static int run(T t, int x) {");
        self.locals = 0;
        self.line("int y = x + 1; int[] a = t.cells;");
        if number % 20 == 7 {
            self.line("try { if (T.DEEP) deep(t, x); } catch (StackOverflowError e) { x++; }");
        }
        // Whatever is thrown, the next iteration goes on: else most programs would end at once.
        self.line("for (int k = 0; k < 10; k++) {");
        self.log();
        self.line("try {");
        self.line("x = x * 5 + k;");
        // Small enough that it stays below the 8,000 bytes over which nothing is instrumented.
        self.statements(2);
        self.log();
        for method in 0..METHODS {
            self.line(format!("x += m{method}(t, x + k);"));
        }
        self.line("} catch (RuntimeException | Error e) {");
        self.log();
        self.line("x++;");
        self.line("}");
        self.line("}");
        self.log();
        self.line("return x;");
        self.line("}");
        self.line("}");
    }

    /// A class whose constructor may throw, before and after `super()`.
    fn part(&mut self) {
        self.line("static int checked(T t, int x) {");
        self.log();
        self.line("if ((x & 7) == 3) throw new Oops(x);");
        self.line("return x;");
        self.line("}");
        self.line("static class Base {");
        self.line("final int b;");
        self.line("Base(T t, int x) {");
        self.log();
        self.line("this.b = 100 / (x & 15);");
        self.line("}");
        self.line("}");
        self.line("static class Part extends Base {");
        self.line("int v;");
        self.line("Part(T t, int x) {");
        // Before `super()` no handler sees what is thrown, here from either of two ways, from the call
        // where they meet, and from `super()` itself.
        self.line("super(t, checked(t,");
        self.line("(x & 24) == 8 ?");
        self.log_within("100 / (0 * (", ") + (x & 7))");
        self.line(":");
        self.log_within("x + t.cells[0 * (", ") + (x & 7) + (x >> 5 & 1)]");
        self.line("));");
        self.log();
        self.line("v = 100 / (x & 7);");
        self.log();
        self.line("}");
        self.line("int twice(T t, int x) {");
        self.body(1);
        self.line("}");
    }

    /// A class with an initialiser that runs code; it may fail, once and then always.
    fn initializer(&mut self) {
        self.line("static class Late {");
        self.line("static int value;");
        self.line("static {");
        self.line("T t = T.current();");
        self.log();
        self.line("for (int i = 0; i < 3; i++) {");
        self.log();
        self.line("value += i;");
        self.line("}");
        if percent(&mut self.rng, 30) {
            self.line("value /= (value - 3);");
        }
        self.log();
        self.line("}");
        self.line("}");
    }

    /// A method's inside and its closing brace. `x` and `t` are its parameters.
    fn body(&mut self, depth: u32) {
        self.locals = 0;
        self.log();
        self.line("if (--t.fuel < 0) return x;");
        self.line("int y = x ^ 0x55; int[] a = t.cells;");
        self.statements(depth);
        self.log();
        self.line("return x + y;");
        self.line("}");
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..self.rng.u8(1..=3) {
            if percent(&mut self.rng, 70) {
                self.log();
            }
            self.statement(depth);
        }
    }

    fn condition(&mut self) -> String {
        let simple = |rng: &mut Rng| {
            let (left, mask, right) = (pick(rng, &["x", "y", "x + y", "a[1]"]), rng.u8(1..=7), rng.u8(..4));
            let compare = pick(rng, &["==", "!=", "<", ">", "<=", ">="]);
            format!("(({left}) & {mask}) {compare} {right}")
        };
        let mut text = simple(&mut self.rng);
        while percent(&mut self.rng, 35) {
            let (joint, more) = (pick(&mut self.rng, &["&&", "||"]), simple(&mut self.rng));
            let _ = write!(text, " {joint} {more}");
        }
        if percent(&mut self.rng, 15) { format!("!({text})") } else { text }
    }

    fn statement(&mut self, depth: u32) {
        let kinds = if depth == 0 { 9 } else { 22 };
        match self.rng.u8(..kinds) {
            0 => self.line("x = x * 31 + y;"),
            1 => self.line("y = (x > y) ? y + 1 : x - 1;"),
            2 => self.line("a[(x & 15) % 9] = y;"), // index 8 is one too many
            3 => self.line("y = 1000 / (x & 31);"),
            4 => {
                let name = self.fresh("s");
                self.line(format!("String {name} = (x & 31) == 1 ? null : \"word\";"));
                self.line(format!("y += {name}.length();"));
            }
            5 => {
                let name = self.fresh("o");
                self.line(format!("Object {name} = (x & 31) == 2 ? \"text\" : Integer.valueOf(x);"));
                self.line(format!("y ^= (Integer) {name};"));
            }
            6 => {
                let condition = self.condition();
                self.line(format!("if ((x & 7) == 5 && ({condition})) throw new Oops(x);"));
            }
            7 if self.loops > 0 => {
                let (condition, way) = (self.condition(), pick(&mut self.rng, &["break", "continue"]));
                self.line(format!("if ({condition}) {way};"));
            }
            7 | 8 => {
                let condition = self.condition();
                self.line(format!("if ((x & 7) == 2 && ({condition})) return x - y;"));
            }
            9..=11 => self.call(),
            12 | 13 => self.branch(depth),
            14..=16 => self.turning(depth),
            17 => self.switch(depth),
            18 | 19 => self.protected(depth),
            20 => {
                self.line("synchronized (t) {");
                self.statements(depth - 1);
                self.line("}");
            }
            _ => {
                let name = self.fresh("l");
                self.line(format!("{name}: {{"));
                self.statements(depth - 1);
                let condition = self.condition();
                self.line(format!("if ({condition}) break {name};"));
                self.statements(depth - 1);
                self.line("}");
            }
        }
    }

    fn call(&mut self) {
        let method = self.rng.u64(..METHODS);
        match self.rng.u8(..10) {
            0..=3 => self.line(format!("x += m{method}(t, y);")),
            4 => {
                let name = self.fresh("op");
                self.line(format!(
                    "Op {name} = (x & 3) == 0 ? new Op0() : (x & 3) == 1 ? new Op1() : new Op2();"
                ));
                self.line(format!("y -= {name}.apply(t, x);"));
            }
            5 => {
                let name = self.fresh("f");
                self.line(format!("Op {name} = (u, v) -> m{method}(u, v + 1);"));
                self.line(format!("y -= {name}.apply(t, x);"));
            }
            6 => self.line("java.util.List.of(3, 1, 2).forEach(v -> each(t, v));"),
            7 => {
                let name = self.fresh("n");
                self.line(format!("Integer[] {name} = {{ x, y, 7, 3 }};"));
                self.line(format!("java.util.Arrays.sort({name}, (l, r) -> compare(t, l, r));"));
                self.line(format!("y += {name}[0];"));
            }
            8 => self.line("y += new Part(t, x).twice(t, y);"),
            _ => self.line("y += Late.value;"),
        }
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition();
        self.line(format!("if ({condition}) {{"));
        self.statements(depth - 1);
        if percent(&mut self.rng, 60) {
            self.line("} else {");
            self.statements(depth - 1);
        }
        self.line("}");
    }

    fn turning(&mut self, depth: u32) {
        let (name, iterations) = (self.fresh("i"), self.rng.u8(2..=7));
        self.loops += 1;
        match self.rng.u8(..4) {
            0 => self.line(format!(
                "for (int {name} = 0; {name} < (x & {iterations}) && --t.fuel > 0; {name}++) {{"
            )),
            1 => self.line(format!("for (int {name} : new int[] {{ x, y, {iterations} }}) {{")),
            2 => {
                self.line(format!("int {name} = {iterations};"));
                self.line(format!("while ({name}-- > 0 && --t.fuel > 0) {{"));
            }
            _ => {
                self.line(format!("int {name} = {iterations};"));
                self.line("do {");
                self.statements(depth - 1);
                self.line(format!("}} while (--{name} > 0 && --t.fuel > 0);"));
                self.loops -= 1;
                return;
            }
        }
        self.statements(depth - 1);
        self.line("}");
        self.loops -= 1;
    }

    fn switch(&mut self, depth: u32) {
        let of_text = percent(&mut self.rng, 30);
        if of_text {
            self.line("switch ((x & 3) == 0 ? \"a\" : (x & 3) == 1 ? \"b\" : \"Aa\") {");
        } else {
            self.line("switch (x & 15) {");
        }
        let texts = ["\"a\"", "\"Aa\"", "\"BB\""];
        let step = if percent(&mut self.rng, 50) { 1 } else { 5 };
        for (arm, text) in texts.iter().enumerate() {
            let label = if of_text { text.to_string() } else { (arm * step).to_string() };
            self.line(format!("case {label}:"));
            // `break` in here would leave the switch, `continue` the loop: both are fine.
            self.statements(depth - 1);
            if percent(&mut self.rng, 60) {
                self.line("if (t != null) break;");
            }
        }
        self.line("default:");
        self.statements(depth - 1);
        self.line("}");
    }

    fn protected(&mut self, depth: u32) {
        let name = self.fresh("e");
        self.line("try {");
        self.statements(depth - 1);
        let caught = pick(
            &mut self.rng,
            &[
                "Oops",
                "ArithmeticException",
                "ArrayIndexOutOfBoundsException | NullPointerException",
                "RuntimeException",
                "Throwable",
            ],
        );
        let finally = percent(&mut self.rng, 45);
        if !finally || percent(&mut self.rng, 60) {
            self.line(format!("}} catch ({caught} {name}) {{"));
            self.log();
            self.statements(depth - 1);
        }
        if finally {
            self.line("} finally {");
            self.log();
            self.line("y++;");
            if depth > 1 {
                self.statements(depth - 2);
            }
        }
        self.line("}");
    }
}

/// True this many times in a hundred.
fn percent(rng: &mut Rng, of_hundred: u8) -> bool {
    rng.u8(..100) < of_hundred
}

/// One of them.
fn pick<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from[rng.usize(..from.len())]
}
