//! The example of the README runs, and stands there as it is.

#[path = "../examples/embed.rs"]
#[allow(dead_code)]
mod embed;

#[test]
fn the_example_runs() {
    embed::main().expect("the example's own assertions hold");
}

#[test]
fn the_readme_shows_the_example_as_it_is() {
    let readme = include_str!("../../README.md");
    let example = include_str!("../examples/embed.rs");
    assert!(readme.contains(example), "README.md must hold host-harness/examples/embed.rs, unchanged");
}
