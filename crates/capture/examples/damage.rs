use capture::{CODE, Capture, STEPS, damage, fixture};
use source::NamedSource;
fn open(code: &[u8], steps: &[u8]) -> Capture {
    let named =
        |name: &str, bytes: &[u8]| NamedSource { name: name.to_owned(), source: Box::new(bytes.to_vec()) };
    Capture::open(vec![named(CODE, code), named(STEPS, steps)]).unwrap()
}
fn main() {
    let mut args = std::env::args().skip(1);
    let counts: Vec<usize> = args.next().unwrap().split(',').map(|n| n.parse().unwrap()).collect();
    let apart: usize = args.next().unwrap().parse().unwrap();
    let verbose = std::env::var("V").is_ok();
    for folder in args {
        let code = std::fs::read(format!("{folder}/code")).unwrap();
        let steps = std::fs::read(format!("{folder}/steps")).unwrap();
        let whole = open(&code, &steps);
        for &n in &counts {
            let damaged = damage::without(&whole, n, apart, &mut fixture::Rng(77 + n as u64));
            let capture = open(&code, &damaged.steps);
            let mut figures = damage::Figures::default();
            let start = std::time::Instant::now();
            for (thread, lost) in capture.threads.iter().zip(&damaged.lost) {
                let mut flow = capture.flow_with_lost(thread);
                while flow.next_step().is_some() {}
                let filled = flow.filled();
                figures.add(filled, lost, |i, f| println!("WRONG {i} {f:?} {:?}", lost[i]));
                if verbose {
                    for (i, (f, l)) in filled.iter().zip(lost).enumerate() {
                        if f.found.as_ref().map_or(true, |d| d.words != *l) {
                            println!("{i} {:?} true {:?}", f.found, l);
                        }
                    }
                }
            }
            let f = figures;
            println!(
                "{:40} n={n} gaps {} right {:.1}% only {} ({} wrong) likely {:?} stated {:.0} nofit {} other {} {:.1}s",
                folder.rsplit('/').next().unwrap(),
                f.gaps,
                100.0 * f.right as f64 / f.gaps.max(1) as f64,
                f.only_way,
                f.only_way_wrong,
                f.likely,
                f.stated,
                f.untold[0],
                f.untold[1],
                start.elapsed().as_secs_f64()
            );
        }
    }
}
