//! Benchmark of the start-up time of programs. `starts ROUNDS` starts the commands of standard
//! input in turn, ROUNDS times each after one that is not measured; `starts ROUNDS PROCESSES`
//! starts only the first command, about ROUNDS times in all, from PROCESSES threads at the same
//! time.
//!
//! The commands are started by a copy of it, as p4d starts triggers.
//!
//! Standard input contains one command per line, its words separated by tabs. After the commands'
//! own output, standard output has one line per command with the median wall time in nanoseconds
//! or, with PROCESSES, one line with the number of starts per second. With PROCESSES, `{n}` in a
//! word is replaced by the number of the start.

// A benchmark may panic at the first error, so `expect` and indexing are allowed.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::io::{Read, stdin};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const COPY: &str = "P4WARDEN_BENCH_COPY";

fn main() {
    if std::env::var_os(COPY).is_none() {
        let mut copy = Command::new(std::env::current_exe().expect("its own path"));
        let status = copy.args(std::env::args().skip(1)).env(COPY, "1").status().expect("a copy");
        std::process::exit(status.code().unwrap_or(1));
    }
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let rounds: usize = numbers.next().unwrap_or(200);
    let mut text = String::new();
    stdin().read_to_string(&mut text).expect("standard input");
    let commands: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    match numbers.next() {
        None => medians(&commands, rounds),
        Some(processes) => rate(&commands[0], rounds, processes),
    }
}

fn medians(commands: &[Vec<&str>], rounds: usize) {
    let mut times: Vec<Vec<u128>> = vec![Vec::new(); commands.len()];
    for round in 0..rounds + 1 {
        for (command, times) in commands.iter().zip(&mut times) {
            let started = Instant::now();
            start(command);
            // The times of the first round are left out, because its starts also fill the page
            // cache.
            if round > 0 {
                times.push(started.elapsed().as_nanos());
            }
        }
    }
    for mut times in times {
        times.sort_unstable();
        println!("{}", times[times.len() / 2]);
    }
}

fn rate(command: &[&str], rounds: usize, processes: usize) {
    let started = Instant::now();
    let number = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..processes {
            scope.spawn(|| (0..rounds / processes).for_each(|_| start_numbered(command, &number)));
        }
    });
    let decisions = (rounds / processes * processes) as f64;
    println!("{:.0}", decisions / started.elapsed().as_secs_f64());
}

fn start_numbered(command: &[&str], number: &AtomicUsize) {
    let n = number.fetch_add(1, Ordering::Relaxed).to_string();
    let words: Vec<String> = command.iter().map(|word| word.replace("{n}", &n)).collect();
    start(&words.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Runs a command and waits until it ends. The command inherits the standard streams, because the
/// time to open other streams would be included in the measurement.
fn start(command: &[&str]) {
    Command::new(command[0]).args(&command[1..]).status().expect("the command starts");
}
