use busybeaver::blocks::*; use busybeaver::history::*; use busybeaver::run::*; use busybeaver::Grid;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let grid: Grid = args[1].parse().unwrap();
    let n: u64 = args[2].parse().unwrap();
    let g = Graph::of(&grid);
    println!("{}", graph_text(&g));
    let t = std::time::Instant::now();
    let h = History::of(&grid, n);
    println!("{:?} {} steps {} blocks {:?}", h.end, h.steps, h.blocks, t.elapsed());
    for (i, l) in h.summary.levels.iter().enumerate() { println!("level {i}: {} runs {} words {} rewrites pending {} in_loop {}", l.runs.len(), l.words.len(), l.rewrites, l.pending.len(), l.in_loop); }
    println!("{}", listing(&h.summary, &g, Bounds { lines: 24, runs: 24 }));
    for leaps in [false, true] {
    let t = std::time::Instant::now();
    let mut f = Fast::new(&g);
    let o = f.run(Limits { leaps, ..Limits::steps(2_000_000_000) });
    println!("{o:?} {} steps {} blocks {:?} {:?}", f.steps(), f.blocks(), f.tape().bounds(), t.elapsed());
    }
}
