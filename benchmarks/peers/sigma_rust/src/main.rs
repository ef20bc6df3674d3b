//! sigma-rust on Sigma rules: RULES EVENTS SECONDS MATCHES.
//!
//! RULES has the YAML of a rule a line, as a JSON text; its id is the number of the line, from 0. EVENTS has a JSON object
//! a line. Every event is matched once and its ids go to MATCHES as lines such as [3,7]. Then events are matched from the
//! first on for SECONDS of CPU time, JSON read each time. One line of figures is printed, as JSON; `refused` has the ids
//! of rules that the crate does not parse.

use cpu_time::ThreadTime;
use sigma_rust::{event_from_json, rule_from_yaml, Rule};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::time::Instant;

fn lines(path: &str) -> Vec<String> {
    BufReader::new(File::open(path).expect(path)).lines().map(|line| line.unwrap()).collect()
}

fn found(rules: &[(usize, Rule)], text: &str) -> Vec<usize> {
    let event = event_from_json(text).expect("a JSON object a line");
    rules.iter().filter(|(_, rule)| rule.is_match(&event)).map(|(id, _)| *id).collect()
}

fn load(texts: &[String]) -> (Vec<(usize, Rule)>, Vec<usize>) {
    let (mut rules, mut refused) = (Vec::new(), Vec::new());
    for (id, text) in texts.iter().enumerate() {
        let yaml: String = serde_json::from_str(text).expect("a JSON text a line");
        match rule_from_yaml(&yaml) {
            Ok(rule) => rules.push((id, rule)),
            Err(_) => refused.push(id),
        }
    }
    (rules, refused)
}

/// Events a second, by the clock and by CPU time.
fn rates(rules: &[(usize, Rule)], events: &[String], seconds: f64) -> (f64, f64) {
    let (start, before) = (Instant::now(), ThreadTime::now());
    let mut done = 0;
    while before.elapsed().as_secs_f64() < seconds {
        std::hint::black_box(found(rules, &events[done % events.len()]));
        done += 1;
    }
    (done as f64 / start.elapsed().as_secs_f64(), done as f64 / before.elapsed().as_secs_f64())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (texts, events) = (lines(&arguments[0]), lines(&arguments[1]));
    let seconds: f64 = arguments[2].parse().unwrap();
    let before = ThreadTime::now();
    let (rules, refused) = load(&texts);
    let build = before.elapsed().as_secs_f64();
    let mut out = BufWriter::new(File::create(&arguments[3]).expect("MATCHES"));
    for event in &events {
        writeln!(out, "{}", serde_json::to_string(&found(&rules, event)).unwrap()).unwrap();
    }
    let (by_clock, by_cpu) = rates(&rules, &events, seconds);
    println!(
        "{{\"build_cpu_seconds\": {build}, \"refused\": {refused:?}, \"events_per_second\": {by_clock}, \
         \"events_per_cpu_second\": {by_cpu}}}"
    );
}
