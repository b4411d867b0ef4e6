//! What is not loaded.

use deletegate::plugin::{Limits, LoadError, Plugin};

use crate::component;

/// The component with one name replaced by another of the same length.
fn renamed(name: &str, other: &str) -> Vec<u8> {
    assert_eq!(name.len(), other.len());
    let mut bytes = component("test/hostile.wasm");
    let places: Vec<usize> = bytes
        .windows(name.len())
        .enumerate()
        .filter(|(_, at)| *at == name.as_bytes())
        .map(|(place, _)| place)
        .collect();
    assert!(!places.is_empty(), "{name}");
    for place in places {
        bytes[place..place + name.len()].copy_from_slice(other.as_bytes());
    }
    bytes
}

fn refusal(bytes: &[u8]) -> LoadError {
    match Plugin::load(bytes, Limits::default()) {
        Err(refusal) => refusal,
        Ok(_) => panic!("it was loaded"),
    }
}

#[test]
fn another_import_is_refused_by_name() {
    for other in [
        // wasmtime's linker would take this one for the bridge.
        "deletegate:records/bridge@0.1.1",
        "deletegate:records/bridge@0.2.0",
        "wasi:filesystem/preopens@0.2.10",
    ] {
        let refused = refusal(&renamed("deletegate:records/bridge@0.1.0", other));
        assert!(matches!(refused, LoadError::Unsealed(_)), "{refused:?}");
        assert!(refused.to_string().contains(other), "{refused}");
    }
}

#[test]
fn another_export_is_refused_by_name() {
    let refused = refusal(&renamed("deletegate:records/tools@0.1.0", "deletegate:records/tools@0.1.1"));
    assert!(refused.to_string().contains("tools@0.1.1"), "{refused}");
}

#[test]
fn another_function_of_the_bridge_is_refused() {
    let refused = refusal(&renamed("resolve-principal", "resolve-everybody"));
    assert!(refused.to_string().contains("resolve-everybody"), "{refused}");
}

#[test]
fn what_is_no_component_is_refused() {
    refusal(b"");
    refusal(b"\0asm\x01\0\0\0");
    refusal(b"(component)");
}
