//! A small shop on the JDK's own HTTP server, asked over loopback: how many requests it answers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::java::{Jvm, Mode, PATHS, Program, folder};
use super::{Size, row};
use crate::bench::measure::{median, median_ratio};
use crate::bench::table::Table;
use crate::sh::{Outcome, Trouble};

const CONNECTIONS: usize = 2;
/// Rounds before it is measured, five times as long as others: rates rise until all is compiled.
const WARM_ROUNDS: usize = 6;
/// So many short turns for each round of the kernels: what else the machine does for a second hits one of them.
const TURNS: usize = 5;

/// One row: the median of the ratios of neighbouring rounds.
pub(super) fn run(table: &mut Table, program: &Program, size: Size) -> Outcome {
    let goods: String =
        (0..200).map(|n| format!("{} number {n},{}\n", ["bread", "cake"][n % 2], n * 7 % 100)).collect();
    let list = folder().join("goods.txt");
    std::fs::write(&list, goods).map_err(|error| Trouble::CannotDo(error.to_string()))?;
    let mut program = program.clone();
    program.arguments = vec!["shop.Server".to_owned(), list.display().to_string()];
    let mut ports = Vec::new();
    let mut all = Vec::new();
    for mode in [Mode::None, PATHS] {
        let mut jvm = Jvm::start(&program, mode, &["--include", "shop.*"])?;
        let port: u16 =
            jvm.line()?.parse().map_err(|_| Trouble::Wrong("the server told no port".to_owned()))?;
        ports.push(port);
        all.push(jvm);
    }
    let time = Duration::from_millis(size.server_ms);
    let mut rates = [Vec::new(), Vec::new()];
    for round in 0..WARM_ROUNDS + TURNS * size.rounds {
        // Now the one and now the other goes first: what comes second may find a machine that is warmer.
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for which in order {
            let rate = requests(ports[which], if round < WARM_ROUNDS { time * 5 } else { time })?;
            if round >= WARM_ROUNDS {
                rates[which].push(rate);
            }
        }
    }
    all.into_iter().try_for_each(Jvm::end)?;
    let [none, paths] = rates.each_ref().map(|rates| median(rates));
    let ratio = median_ratio(&rates[1], &rates[0]);
    table.push(row(
        "jvm, server, throughput",
        format!("paths {paths:.0} requests/s"),
        format!("none {none:.0}"),
        Some(ratio),
        ">= 0.9".into(),
        Some(ratio >= 0.9),
        json!(rates),
    ));
    Ok(())
}

/// Requests a second.
fn requests(port: u16, time: Duration) -> Result<f64, Trouble> {
    let began = Instant::now();
    let mut count = 0;
    let clients: Vec<_> =
        (0..CONNECTIONS).map(|_| std::thread::spawn(move || client(port, began, time))).collect();
    for client in clients {
        let answered = client.join().map_err(|_| Trouble::Wrong("a client failed".to_owned()))?;
        count += answered.map_err(|error| Trouble::Wrong(format!("the server: {error}")))?;
    }
    Ok(f64::from(count) / began.elapsed().as_secs_f64())
}

fn client(port: u16, began: Instant, time: Duration) -> std::io::Result<u32> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; 1 << 16];
    let mut count = 0;
    while began.elapsed() < time {
        let request = format!("GET /?{} HTTP/1.1\r\nHost: localhost\r\n\r\n", count % 25);
        stream.write_all(request.as_bytes())?;
        let mut read = 0;
        loop {
            let more = stream.read(&mut buffer[read..])?;
            read += more;
            if more == 0 || is_whole(&buffer[..read]) {
                break;
            }
        }
        count += 1;
    }
    Ok(count)
}

/// Whether an answer with its length in its head has arrived.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    length.is_some_and(|length| answer.len() >= head.len() + 4 + length)
}
