//! The examples run, and the guide shows them as they are.

#[path = "../examples/embed.rs"]
#[allow(dead_code)]
mod embed;

#[path = "../examples/ask.rs"]
#[allow(dead_code)]
mod ask;

#[test]
fn the_example_runs() {
    embed::main().expect("the example's own assertions hold");
}

#[test]
fn a_person_is_asked() {
    ask::main().expect("the example's own assertions hold");
}

/// Each Rust block of the guide stands in one of the examples, which run.
#[test]
fn the_guide_shows_the_examples_as_they_are() {
    let guide = include_str!("../../docs/embedding.md");
    let examples = [include_str!("../examples/embed.rs"), include_str!("../examples/ask.rs")];
    let blocks: Vec<&str> = guide.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        assert!(examples.iter().any(|example| example.contains(block)), "no example holds\n{block}");
    }
}
