//! Tricks that take more than one call is given.

use crate::bindings::deletegate::records::bridge::{self, Selection};
use crate::bindings::exports::deletegate::records::tools::Outcome;
use crate::choosing;
use crate::tricks::{OBJECT, answered, meet, read, remove_each};

/// Plays one trick.
pub fn play(trick: &str) -> Outcome {
    match trick {
        "loop" => spin(),
        "loop-after-two" => {
            remove_each(OBJECT, &read(2));
            spin()
        }
        "allocate" => allocate(),
        "allocate-after-two" => {
            remove_each(OBJECT, &read(2));
            allocate()
        }
        "recurse" => answered(format!("{{\"deleted\":{}}}", recurse(1))),
        "many-queries" => loop {
            read(1);
        },
        "big-strings" => {
            meet();
            // A text of 16 MiB in one bridge function.
            drop(bridge::aggregate(&"x".repeat(16 << 20), &Selection::Every));
            answered("{}".to_owned())
        }
        "many-big-strings" => {
            meet();
            let id = vec![bridge::Scalar::Text("x".repeat(7 << 19))];
            for _ in 0..80 {
                drop(bridge::query(OBJECT, &Selection::Ids(vec![id.clone()]), None, 1));
            }
            answered("{}".to_owned())
        }
        "big-answer" => answered(format!("{{\"deleted\":0,\"x\":\"{}\"}}", "x".repeat(64 << 10))),
        trick => choosing::play(trick),
    }
}

/// Computes for ever.
pub fn spin() -> ! {
    loop {
        std::hint::spin_loop();
    }
}

fn allocate() -> ! {
    let mut all = Vec::new();
    loop {
        all.push(std::hint::black_box(vec![1u8; 1 << 20]));
    }
}

fn recurse(depth: u64) -> u64 {
    if std::hint::black_box(depth) == 0 { 0 } else { recurse(depth + 1) + std::hint::black_box(1) }
}
