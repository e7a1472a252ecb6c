//! A recording without a recorder: the program in `fixture/`, run by hand, for tests.

use std::path::PathBuf;

use analyses::replay::Builder;
use model::code::*;
use model::flow::{Entered, FlowStep, Left};

use super::recording::{About, Recording, ThreadName};
use crate::source_text::Sources;

const MAIN: u32 = 0;
const SELL: u32 = 1;
const CELEBRATE: u32 = 2;
const CLOSE: u32 = 3;
const NEW: u32 = 4;
const BAKE: u32 = 5;
const EACH: u32 = 6;
const HEAT: u32 = 7;
const ITERATION: u32 = 8;
const COOL: u32 = 9;

/// The thread `main` of the program.
pub(in crate::serve) fn recording() -> Recording {
    with_loaves(160)
}

/// The same with so many loaves in the first sale, and one more in each that follows.
pub(in crate::serve) fn with_loaves(loaves: i32) -> Recording {
    let code = code();
    let mut run = Run { builder: Builder::new(&code), degrees: 0, loaves };
    run.main();
    let replay = run.builder.finish();
    let roots = [PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/serve/play/fixture"))];
    let about = About {
        threads: vec![ThreadName { serial: 1, name: "main".into(), ran_before: None }],
        facts: vec![("main".into(), "shop.Bakery".into())],
        ..About::default()
    };
    Recording::new(code, replay, about, Sources::new(&roots))
}

fn call(class: &str, name: &str) -> Ending {
    Ending::Call(CallSite {
        class: class.into(),
        name: name.into(),
        descriptor: "()V".into(),
        kind: CallKind::Virtual,
    })
}

fn method(class: u32, name: &str, blocks: Vec<(&[u16], Ending)>, loops: Vec<Loop>) -> Method {
    let block = |(lines, ending): (&[u16], Ending)| Block {
        start: 0,
        end: 1,
        lines: lines.to_vec(),
        ending,
        is_handler: false,
    };
    Method {
        class: ClassId(class),
        name: name.into(),
        descriptor: "()V".into(),
        access_flags: 0,
        blocks: blocks.into_iter().map(block).collect(),
        edges: Vec::new(),
        exception_edges: Vec::new(),
        loops,
    }
}

fn code() -> CodeMap {
    use Ending::{Branch, FallThrough, Jump, Return, Throw};
    let class =
        |name: &str, file: &str| Class { name: name.into(), source_file: Some(file.into()), origin: None };
    let around = |head, blocks: &[u32]| Loop { head, blocks: blocks.to_vec(), parent: None };
    CodeMap {
        classes: vec![class("shop.Bakery", "Bakery.java"), class("shop.Oven", "Oven.java")],
        methods: vec![
            method(
                0,
                "main",
                vec![
                    (&[6], call("shop.Oven", "<init>")),
                    (&[6, 7], FallThrough),
                    (&[7], Branch),
                    (&[8], call("shop.Bakery", "sell")),
                    (&[8, 9], Branch),
                    (&[10], call("shop.Bakery", "celebrate")),
                    (&[7], Jump),
                    (&[13], call("shop.Bakery", "close")),
                    (&[14], Return),
                ],
                vec![around(2, &[2, 3, 4, 5, 6])],
            ),
            method(
                0,
                "sell",
                vec![
                    (&[17, 18], FallThrough),
                    (&[18], Branch),
                    (&[19], call("shop.Oven", "bake")),
                    (&[20], Branch),
                    (&[20], FallThrough),
                    (&[18], Jump),
                    (&[22], Return),
                ],
                vec![around(1, &[1, 2, 3, 4, 5])],
            ),
            method(
                0,
                "celebrate",
                vec![(&[26], call("java.io.PrintStream", "println")), (&[27], Return)],
                vec![],
            ),
            method(
                0,
                "close",
                vec![
                    (&[31], call("shop.Oven", "cool")),
                    (&[34], Jump),
                    (&[32, 33], call("java.io.PrintStream", "println")),
                    (&[35], Return),
                ],
                vec![],
            ),
            method(1, "<init>", vec![(&[5, 6], call("java.util.List", "of")), (&[6], Return)], vec![]),
            method(
                1,
                "bake",
                vec![
                    (&[10], Branch),
                    (&[11], call("shop.Oven", "heat")),
                    (&[13], call("java.util.List", "forEach")),
                    (&[14], Return),
                ],
                vec![],
            ),
            method(
                1,
                "lambda$bake$0",
                vec![(&[13], call("shop.Oven", "iteration")), (&[13], Return)],
                vec![],
            ),
            method(
                1,
                "heat",
                vec![(&[17], Branch), (&[18], Jump), (&[20], Return)],
                vec![around(0, &[0, 1])],
            ),
            method(
                1,
                "iteration",
                vec![
                    (&[23], call("java.lang.String", "equals")),
                    (&[23], Branch),
                    (&[24], FallThrough),
                    (&[26], Return),
                ],
                vec![],
            ),
            method(1, "cool", vec![(&[29], Branch), (&[30], Throw), (&[32], Return)], vec![]),
        ],
        ..CodeMap::default()
    }
}

struct Run<'a> {
    builder: Builder<'a>,
    degrees: i32,
    loaves: i32,
}

impl Run<'_> {
    fn enter(&mut self, method: u32, how: Entered) {
        self.builder.observe(1, FlowStep::Enter { method: MethodId(method), how });
    }

    fn run(&mut self, blocks: &[u32]) {
        self.builder.observe(1, FlowStep::Blocks { blocks, times: 1 });
    }

    fn leave(&mut self, how: Left) {
        self.builder.observe(1, FlowStep::Leave { how });
    }

    fn main(&mut self) {
        self.enter(MAIN, Entered::Outermost);
        self.run(&[0]);
        self.enter(NEW, Entered::Call);
        self.run(&[0, 1]);
        self.leave(Left::Returned);
        self.run(&[1]);
        for day in 0..5 {
            self.run(&[2, 3]);
            let sold = self.sell(day);
            self.run(&[4]);
            if sold > 21 || day == 3 {
                self.run(&[5]);
                self.enter(CELEBRATE, Entered::Call);
                self.run(&[0, 1]);
                self.leave(Left::Returned);
            }
            self.run(&[6]);
        }
        self.run(&[2, 7]);
        self.enter(CLOSE, Entered::Call);
        self.run(&[0]);
        self.enter(COOL, Entered::Call);
        self.run(&[0, 1]);
        self.leave(Left::Threw);
        self.builder.observe(1, FlowStep::Catch { block: 2 });
        self.run(&[3]);
        self.leave(Left::Returned);
        self.run(&[8]);
        self.leave(Left::Returned);
    }

    fn sell(&mut self, day: i32) -> i32 {
        let mut sold = 0;
        self.enter(SELL, Entered::Call);
        self.run(&[0]);
        for loaf in 0..self.loaves + day {
            self.run(&[1, 2]);
            self.bake(loaf);
            self.run(&[3]);
            if loaf % 8 == 0 {
                sold += 1;
                self.run(&[4]);
            }
            self.run(&[5]);
        }
        self.run(&[1, 6]);
        self.leave(Left::Returned);
        sold
    }

    fn bake(&mut self, loaf: i32) {
        self.enter(BAKE, Entered::Call);
        self.run(&[0]);
        if loaf % 50 == 0 {
            self.run(&[1]);
            self.enter(HEAT, Entered::Call);
            while self.degrees < 220 {
                self.run(&[0, 1]);
                self.degrees += 40;
            }
            self.run(&[0, 2]);
            self.leave(Left::Returned);
        }
        self.run(&[2]);
        for tray in 0..3 {
            self.enter(EACH, Entered::Library);
            self.run(&[0]);
            self.enter(ITERATION, Entered::Call);
            self.run(&[0, 1]);
            if tray == 2 && loaf % 3 == 0 {
                self.run(&[2]);
                self.degrees -= 1;
            }
            self.run(&[3]);
            self.leave(Left::Returned);
            self.run(&[1]);
            self.leave(Left::Returned);
        }
        self.run(&[3]);
        self.leave(Left::Returned);
    }
}
