//! Java programs from a seed: loops, recursion, exceptions, switches, interfaces, lambdas, threads. They end, and do the
//! same each time, unless they are asked to vary.

use std::fmt::Write;

use fastrand::Rng;

const METHODS: usize = 9;

struct Writer {
    rng: Rng,
    out: String,
    varies: bool,
}

/// The text of a class of this name. `threads` run it at the same time, none of which knows of the others.
pub(super) fn program(name: &str, seed: u64, threads: usize, varies: bool) -> String {
    let mut writer = Writer { rng: Rng::with_seed(seed), out: String::new(), varies };
    writer.class(name, threads);
    writer.out
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        writeln!(self.out, "{:1$}{text}", "", 4 * depth).unwrap();
    }

    fn class(&mut self, name: &str, threads: usize) {
        let shapes = 2 + self.rng.usize(..3);
        self.line(0, "import java.util.*;");
        self.line(0, &format!("public class {name} {{"));
        self.line(1, "static class State {");
        self.line(2, "int left = 1500;");
        self.line(2, "final Long seed = Long.getLong(\"chance\");");
        self.line(2, "final Random chance = seed == null ? new Random() : new Random(seed);");
        self.line(1, "}");
        self.line(1, "static class Trouble extends RuntimeException {");
        self.line(2, "final int code;");
        self.line(2, "Trouble(int code) { this.code = code; }");
        self.line(1, "}");
        self.line(1, "interface Shape { int size(State s, int a); }");
        for shape in 0..shapes {
            self.line(1, &format!("static class Shape{shape} implements Shape {{"));
            self.line(2, "public int size(State s, int a) {");
            let steps = 1 + self.rng.usize(..3);
            self.line(3, "int r = a;");
            self.block(3, steps, METHODS - 3, 1);
            self.line(3, "return r;");
            self.line(2, "}");
            self.line(1, "}");
        }
        let all: Vec<String> = (0..shapes).map(|shape| format!("new Shape{shape}()")).collect();
        self.line(1, &format!("static final Shape[] SHAPES = {{ {} }};", all.join(", ")));
        for method in 0..METHODS {
            self.line(1, &format!("static int m{method}(State s, int a) {{"));
            self.line(2, "if (s.left-- <= 0) {");
            self.line(3, "return a;");
            self.line(2, "}");
            self.line(2, "int r = a;");
            let steps = 3 + self.rng.usize(..3);
            self.block(2, steps, method, 0);
            self.line(2, "return r;");
            self.line(1, "}");
        }
        self.line(1, "static void run(int seed) {");
        self.line(2, "State s = new State();");
        self.line(2, "int sum = seed;");
        self.line(2, "for (int i = 0; i < 6; i++) {");
        self.line(3, "try {");
        self.line(4, "sum = sum * 31 + m0(s, sum + i);");
        self.line(3, "} catch (Trouble trouble) {");
        self.line(4, "sum += trouble.code;");
        self.line(3, "}");
        self.line(2, "}");
        self.line(1, "}");
        self.line(1, "public static void main(String[] arguments) throws Exception {");
        if threads == 0 {
            self.line(2, "run(7);");
        } else {
            self.line(2, "List<Thread> all = new ArrayList<>();");
            self.line(2, &format!("for (int t = 0; t < {threads}; t++) {{"));
            self.line(3, "int seed = t;");
            self.line(3, "all.add(new Thread(() -> run(seed), \"runner \" + t));");
            self.line(2, "}");
            self.line(2, "for (Thread one : all) one.start();");
            self.line(2, "for (Thread one : all) one.join();");
        }
        self.line(1, "}");
        self.line(0, "}");
    }

    fn number(&mut self) -> usize {
        1 + self.rng.usize(..9)
    }

    fn condition(&mut self) -> String {
        if self.varies && self.rng.usize(..4) == 0 {
            return "s.chance.nextInt(3) == 0".to_owned();
        }
        let (modulus, rest) = (2 + self.rng.usize(..5), self.rng.usize(..3));
        match self.rng.usize(..4) {
            0 => format!("r % {modulus} == {rest}"),
            1 => format!("(r & {}) != 0", 1 << self.rng.usize(..4)),
            2 => format!("r > a + {rest}"),
            _ => format!("Math.abs(r) % {modulus} < {rest}"),
        }
    }

    /// Statements of method `method`, which calls those behind it and, with less to do, itself.
    fn block(&mut self, depth: usize, steps: usize, method: usize, nested: usize) {
        for _ in 0..steps {
            self.statement(depth, method, nested);
        }
    }

    fn statement(&mut self, depth: usize, method: usize, nested: usize) {
        let number = self.number();
        let deeper = |rng: &mut Rng| 1 + rng.usize(..2);
        match self.rng.usize(..if nested > 2 { 4 } else { 10 }) {
            0 => self.line(depth, &format!("r = r * {number} + a;")),
            1 => self.line(depth, &format!("r -= {number};")),
            2 | 3 if method + 1 < METHODS => {
                let callee = method + 1 + self.rng.usize(..(METHODS - method - 1).min(3));
                self.line(depth, &format!("r += m{callee}(s, r + {number});"));
            }
            4 => {
                let condition = self.condition();
                self.line(depth, &format!("if ({condition}) {{"));
                let steps = deeper(&mut self.rng);
                self.block(depth + 1, steps, method, nested + 1);
                if self.rng.usize(..2) == 0 {
                    self.line(depth, "} else {");
                    let steps = deeper(&mut self.rng);
                    self.block(depth + 1, steps, method, nested + 1);
                }
                self.line(depth, "}");
            }
            5 => {
                let (turns, index) = (2 + self.rng.usize(..4), ["i", "j", "k"][nested.min(2)]);
                self.line(
                    depth,
                    &format!("for (int {index}{depth} = 0; {index}{depth} < {turns}; {index}{depth}++) {{"),
                );
                let steps = deeper(&mut self.rng);
                self.block(depth + 1, steps, method, nested + 1);
                self.line(depth, "}");
            }
            6 => {
                let condition = self.condition();
                self.line(depth, "try {");
                self.line(depth + 1, &format!("if ({condition}) {{"));
                self.line(depth + 2, &format!("throw new Trouble({number});"));
                self.line(depth + 1, "}");
                self.block(depth + 1, 1, method, nested + 1);
                self.line(depth, &format!("}} catch (Trouble trouble{depth}) {{"));
                self.line(depth + 1, &format!("r += trouble{depth}.code;"));
                self.line(depth, "}");
            }
            7 => {
                self.line(depth, "switch (Math.abs(r) % 4) {");
                for case in 0..3 {
                    self.line(depth + 1, &format!("case {case}:"));
                    self.statement(depth + 2, method, nested + 1);
                    self.line(depth + 2, "break;");
                }
                self.line(depth + 1, "default:");
                self.line(depth + 2, &format!("r ^= {number};"));
                self.line(depth, "}");
            }
            8 if method < METHODS / 2 => {
                self.line(depth, "r += SHAPES[Math.abs(r) % SHAPES.length].size(s, r);");
            }
            9 if method < METHODS => {
                self.line(depth, &format!("if (a > {number} && a % 3 == 1) {{"));
                self.line(depth + 1, &format!("r += m{method}(s, a / 3);"));
                self.line(depth, "}");
            }
            _ => self.line(depth, &format!("r += {number};")),
        }
    }
}
