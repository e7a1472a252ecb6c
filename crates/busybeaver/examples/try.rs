use busybeaver::Grid;
use busybeaver::proof::*;
use busybeaver::search::{engine::*, *};
use std::time::Instant;
struct Check(u64, u64);
impl Witness for Check {
    const CERTIFICATES: bool = true;
    fn hang(&mut self, p: &Grid, h: &Hang) {
        self.0 += 1;
        if let Err(e) = check(&h.certificate) {
            self.1 += 1;
            println!("REFUSED {p} {:?} {e}", h.kind);
        }
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args[1] == "search" {
        let plan = Plan {
            width: args[2].parse().unwrap(),
            height: args[3].parse().unwrap(),
            mode: if args.len() > 4 && args[4] == "plain" { Mode::Plain } else { Mode::Orchestrated },
            max_steps: 1_000_000,
        };
        let t = Instant::now();
        let mut all = totals::Totals::default();
        for s in canon::starts(&plan).unwrap() {
            if args.iter().any(|a| a == "check") {
                let (t, w) = Engine::search(s, plan.max_steps, Check(0, 0));
                all.add(&t);
                println!("{} certificates, {} refused", w.0, w.1);
            } else {
                let (t, _) = Engine::search(s, plan.max_steps, ());
                all.add(&t);
            }
        }
        println!("{} {:?} {} {all:?} {:?}", all.total(), all.hanging(), all.success, t.elapsed());
        return;
    }
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let mut w = line.split_whitespace();
        let text = w.next().unwrap();
        let kind = w.next().unwrap_or("?");
        let grid: Grid = text.parse().unwrap();
        let t = Instant::now();
        let v = decide(&grid, Effort { blocks: 1 << 20, steps: 1_000_000_000 });
        let s = match &v.decision {
            Decision::Hangs(h) => {
                format!("{} {} {}", h.kind.name(), h.certificate.to_json().len(), h.certificate.sentence())
            }
            d => format!("{d:?}"),
        };
        println!("{text} {kind} {} {s} {:?}", v.steps, t.elapsed());
    }
}
