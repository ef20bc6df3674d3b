//! a-tree on the benchmark's rules: RULES EVENTS SECONDS MATCHES.
//!
//! RULES has expressions such as a0 = 'v3' and a1 = 'v5', one a line, whose id is the number of the line, from 0; EVENTS
//! has a JSON object a line. The first event says which attributes there are, and that a number is an integer. Every
//! event is matched once and its ids go to MATCHES as lines such as [3,7]. Then events are matched from the first on for
//! SECONDS of CPU time, JSON read each time. One line of figures is printed, as JSON. Memory is what the allocator has
//! given out for the tree.

use a_tree::{ATree, AttributeDefinition};
use cpu_time::ThreadTime;
use serde_json::{Map, Value};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every request goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Relaxed);
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        System.dealloc(pointer, layout)
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn lines(path: &str) -> impl Iterator<Item = String> {
    BufReader::new(File::open(path).expect(path)).lines().map(|line| line.unwrap())
}

fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).expect("a JSON object a line")
}

fn definitions(events: &[String]) -> Vec<AttributeDefinition> {
    let first = events.first().map(|text| object(text)).unwrap_or_default();
    let define = |(name, value): (&String, &Value)| match value {
        Value::Number(_) => AttributeDefinition::integer(name),
        _ => AttributeDefinition::string(name),
    };
    first.iter().map(define).collect()
}

fn found(tree: &ATree<u64>, text: &str) -> Vec<u64> {
    let mut builder = tree.make_event();
    for (name, value) in &object(text) {
        match value {
            Value::Number(number) => builder.with_integer(name, number.as_i64().expect("an integer")).unwrap(),
            Value::String(text) => builder.with_string(name, text).unwrap(),
            _ => panic!("{name}: a text or an integer is expected"),
        }
    }
    let event = builder.build().unwrap();
    tree.search(&event).unwrap().matches().iter().map(|id| **id).collect()
}

/// Seconds by the clock and of CPU time.
fn load(tree: &mut ATree<u64>, rules: &[String]) -> (f64, f64) {
    let (start, before) = (Instant::now(), ThreadTime::now());
    for (id, rule) in rules.iter().enumerate() {
        tree.insert(&(id as u64), rule).expect("an expression");
    }
    (start.elapsed().as_secs_f64(), before.elapsed().as_secs_f64())
}

fn match_once(tree: &ATree<u64>, events: &[String], path: &str) {
    let mut out = BufWriter::new(File::create(path).expect(path));
    for event in events {
        let mut ids = found(tree, event);
        ids.sort_unstable();
        writeln!(out, "{}", serde_json::to_string(&ids).unwrap()).unwrap();
    }
}

/// Events a second, by the clock and by CPU time.
fn rates(tree: &ATree<u64>, events: &[String], seconds: f64) -> (f64, f64) {
    let (start, before) = (Instant::now(), ThreadTime::now());
    let mut done = 0;
    while before.elapsed().as_secs_f64() < seconds {
        std::hint::black_box(found(tree, &events[done % events.len()]));
        done += 1;
    }
    (done as f64 / start.elapsed().as_secs_f64(), done as f64 / before.elapsed().as_secs_f64())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rules: Vec<String> = lines(&arguments[0]).collect();
    let events: Vec<String> = lines(&arguments[1]).collect();
    let seconds: f64 = arguments[2].parse().unwrap();
    let before = LIVE.load(Relaxed);
    let mut tree = ATree::new(&definitions(&events)).unwrap();
    let (build, build_cpu) = load(&mut tree, &rules);
    let bytes = LIVE.load(Relaxed) - before;
    match_once(&tree, &events, &arguments[3]);
    let (by_clock, by_cpu) = rates(&tree, &events, seconds);
    println!(
        "{{\"build_seconds\": {build}, \"build_cpu_seconds\": {build_cpu}, \"bytes_per_rule\": {}, \"events_per_second\": {by_clock}, \
         \"events_per_cpu_second\": {by_cpu}}}",
        bytes as f64 / rules.len().max(1) as f64
    );
}
