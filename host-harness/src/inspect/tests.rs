use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve};

use super::*;

const CONTRACT: &str = include_str!("../../../wit/bridge.wit");
const COMPONENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/delete-records.wasm"));

/// A component that imports and exports what a world says, over a bridge of this text.
fn component(bridge: &str, world: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    resolve.push_str("bridge.wit", bridge).expect("the bridge's WIT is right");
    let package = resolve
        .push_str("guest.wit", &format!("package test:guest; world guest {{ {world} }}"))
        .expect("the guest's WIT is right");
    encode(&resolve, package)
}

fn encode(resolve: &Resolve, package: wit_parser::PackageId) -> Vec<u8> {
    let world = resolve.select_world(&[package], Some("guest")).expect("the world is there");
    let mut module = dummy_module(resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8).expect("the module takes it");
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .expect("the module is a component")
}

/// The sentence that refuses a component over a contract with one change.
fn refusal_of_changed(from: &str, to: &str) -> String {
    assert!(CONTRACT.contains(from), "the contract has {from}");
    let changed = component(&CONTRACT.replace(from, to), "import deletegate:records/bridge@0.1.0;");
    seal(&changed).expect_err("another contract is not sealed").to_string()
}

#[test]
fn the_component_is_sealed_and_says_what_it_is() {
    seal(COMPONENT).expect("the component is sealed");
    let report = inspect(COMPONENT).expect("the component can be read");
    assert!(report.sealed);
    assert_eq!(report.why, "Its only import is deletegate:records/bridge@0.1.0, so it has no other way to a record.");
    assert_eq!(
        report.imports,
        [Item {
            name: "deletegate:records/bridge@0.1.0".into(),
            functions: ["resolve-principal", "query", "aggregate", "remove"].map(Into::into).into(),
        }]
    );
    assert_eq!(
        report.exports,
        [Item {
            name: "deletegate:records/tools@0.1.0".into(),
            functions: ["check-settings", "list-tools", "call-tool"].map(Into::into).into(),
        }]
    );
    assert_eq!(report.size, COMPONENT.len() as u64);
    assert_eq!(report.sha256.len(), 64);
    assert_eq!(report.wit_version.as_deref(), Some("0.1.0"));

    let carried = report.carried;
    assert_eq!(carried.name.as_deref(), Some("delete-records"));
    assert_eq!(carried.version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(carried.license.as_deref(), Some("Apache-2.0"));
    assert!(carried.description.is_some_and(|text| text.contains("four bridge functions")));
    assert!(carried.producers.iter().any(|producer| producer.field == "language" && producer.name == "Rust"));
    let bridge = carried.docs.iter().find(|docs| docs.name == "deletegate:records/bridge@0.1.0");
    let bridge = bridge.expect("the bridge's documentation is carried");
    assert!(bridge.docs.starts_with("What a host lends to the guest"));
    let remove = bridge.functions.iter().find(|function| function.name == "remove");
    assert!(remove.is_some_and(|function| function.docs.starts_with("Deletes one record")));
}

#[test]
fn the_contract_is_sealed() {
    let guest = component(CONTRACT, "import deletegate:records/bridge@0.1.0;");
    seal(&guest).expect("the contract's own bridge is what it may import");
}

#[test]
fn a_guest_that_needs_less_of_the_bridge_is_sealed() {
    let start = CONTRACT.find("    /// Totals over the same").expect("aggregate is documented");
    let end = CONTRACT.find("    /// Deletes one record").expect("remove is documented");
    let fewer = format!("{}{}", &CONTRACT[..start], &CONTRACT[end..]);
    let report = inspect(&component(&fewer, "import deletegate:records/bridge@0.1.0;")).expect("it is a component");
    assert!(report.sealed, "{}", report.why);
    assert_eq!(report.imports[0].functions, ["resolve-principal", "query", "remove"]);
}

#[test]
fn a_guest_without_imports_is_sealed() {
    let report = inspect(&component(CONTRACT, "export run: func() -> string;")).expect("it is a component");
    assert!(report.sealed);
    assert_eq!(report.why, "It imports nothing at all.");
    assert_eq!(report.imports, []);
    assert_eq!(report.exports, [Item { name: "run".into(), functions: Vec::new() }]);
    assert_eq!(report.wit_version, None);
}

/// A bridge beside a second import, which stands in `world` for the guest.
fn beside(other: &str) -> String {
    let mut resolve = Resolve::default();
    resolve.push_str("bridge.wit", CONTRACT).expect("the bridge's WIT is right");
    resolve
        .push_str(
            "filesystem.wit",
            "package wasi:filesystem@0.2.3; interface types { resource descriptor; open: func() -> descriptor; }",
        )
        .expect("the WIT is right");
    let package = resolve
        .push_str("guest.wit", &format!("package test:guest; world guest {{ {other} }}"))
        .expect("the guest's WIT is right");
    seal(&encode(&resolve, package)).expect_err("a second import is not sealed").to_string()
}

#[test]
fn another_import_is_named() {
    let sentence =
        "It imports \"wasi:filesystem/types@0.2.3\": a component may import deletegate:records/bridge@0.1.0 alone.";
    assert_eq!(beside("import wasi:filesystem/types@0.2.3;"), sentence);
    assert_eq!(beside("import deletegate:records/bridge@0.1.0; import wasi:filesystem/types@0.2.3;"), sentence);
    assert_eq!(
        beside("import deletegate:records/bridge@0.1.0; import log: func(text: string);"),
        "It imports \"log\": a component may import deletegate:records/bridge@0.1.0 alone."
    );
    assert_eq!(
        beside("import deletegate:records/bridge@0.1.0; import bridge: interface { purge: func(); }"),
        "It imports \"bridge\": a component may import deletegate:records/bridge@0.1.0 alone."
    );
}

#[test]
fn an_unsealed_component_still_gets_a_report() {
    let guest = component(CONTRACT, "import log: interface { write: func(text: string); }");
    let report = inspect(&guest).expect("it is a component");
    assert!(!report.sealed);
    assert!(report.why.starts_with("It imports \"log\""), "{}", report.why);
    assert_eq!(report.imports, [Item { name: "log".into(), functions: vec!["write".into()] }]);
}

#[test]
fn another_version_is_named() {
    let guest =
        component(&CONTRACT.replace("records@0.1.0", "records@0.2.0"), "import deletegate:records/bridge@0.2.0;");
    assert_eq!(
        seal(&guest).expect_err("another version is not sealed").to_string(),
        "It imports \"deletegate:records/bridge@0.2.0\": a component may import deletegate:records/bridge@0.1.0 alone."
    );
    assert_eq!(inspect(&guest).expect("it is a component").wit_version.as_deref(), Some("0.2.0"));
}

#[test]
fn a_fifth_function_is_named() {
    assert_eq!(
        refusal_of_changed(
            "    /// Totals over the same",
            "    purge: func(object: string);\n    /// Totals over the same"
        ),
        "It imports \"deletegate:records/bridge@0.1.0#purge\": the bridge has resolve-principal, query, aggregate, \
         remove alone."
    );
}

#[test]
fn a_function_of_another_type_is_named() {
    let remove = "It imports \"deletegate:records/bridge@0.1.0#remove\" with another type than the contract's \
                  `remove: func(object: string, id: record-id, revision: option<string>) -> result<removal, failure>`.";
    // A parameter more, another name, another type.
    assert_eq!(refusal_of_changed("revision: option<string>)", "revision: option<string>, force: bool)"), remove);
    assert_eq!(refusal_of_changed("revision: option<string>)", "version: option<string>)"), remove);
    assert_eq!(refusal_of_changed("revision: option<string>)", "revision: string)"), remove);
    // No result, or another error.
    assert_eq!(refusal_of_changed("-> result<removal, failure>", ""), remove);
    assert_eq!(refusal_of_changed("-> result<removal, failure>", "-> result<removal, string>"), remove);
    assert_eq!(refusal_of_changed("remove: func(", "remove: async func("), remove);
}

#[test]
fn a_type_changed_deep_inside_is_named_by_the_first_function_that_has_it() {
    let query = "It imports \"deletegate:records/bridge@0.1.0#query\" with another type";
    let principal = "It imports \"deletegate:records/bridge@0.1.0#resolve-principal\" with another type";
    // A field of a record, a case of a variant, an enum and flags, and the order of cases.
    assert!(refusal_of_changed("nanoseconds: u32", "nanoseconds: u64").starts_with(query));
    assert!(refusal_of_changed("        integer(s64),", "        whole(s64),").starts_with(query));
    assert!(refusal_of_changed("        text-list,", "        texts,").starts_with(principal));
    assert!(refusal_of_changed("        remove,", "        remove,\n        restore,").starts_with(principal));
    assert!(refusal_of_changed("nullable: bool,", "nullable: bool,\n        stored: bool,").starts_with(principal));
    assert!(refusal_of_changed("name: option<string>", "name: string").starts_with(principal));
}

#[test]
fn a_resource_is_a_way_out_of_its_own() {
    assert_eq!(
        refusal_of_changed("    /// One value, exact", "    resource connection;\n    /// One value, exact"),
        "It imports the resource \"deletegate:records/bridge@0.1.0#connection\": the bridge has none."
    );
}

#[test]
fn what_is_no_component_is_refused_with_a_sentence() {
    let core = b"\0asm\x01\0\0\0";
    assert!(matches!(inspect(core), Err(InspectError::CoreModule)));
    assert!(seal(core).is_err_and(|error| error.to_string().starts_with("This is a core WebAssembly module")));
    assert!(matches!(inspect(b"# not wasm"), Err(InspectError::Invalid(_))));
    assert!(matches!(inspect(b""), Err(InspectError::Invalid(_))));
    assert!(matches!(inspect(&COMPONENT[..COMPONENT.len() - 1]), Err(InspectError::Invalid(_))));

    let mut resolve = Resolve::default();
    let package = resolve.push_str("bridge.wit", CONTRACT).expect("the WIT is right");
    let package = wit_component::encode(&resolve, package).expect("the package has a binary form");
    assert!(matches!(inspect(&package), Err(InspectError::WitPackage)));
}

#[test]
fn an_import_inside_is_none_to_the_outside() {
    // Its outer component satisfies what the inner one imports.
    let inner = component(CONTRACT, "import log: interface { write: func(text: string); }");
    let mut outer = wasm_encoder::Component::new();
    outer.section(&wasm_encoder::RawSection { id: wasm_encoder::ComponentSectionId::Component.into(), data: &inner });
    seal(&outer.finish()).expect("the outer component imports nothing");
}

#[test]
fn an_import_that_wit_cannot_say_is_named() {
    let mut imports = wasm_encoder::ComponentImportSection::new();
    let mut types = wasm_encoder::CoreTypeSection::new();
    types.ty().module(&wasm_encoder::ModuleType::new());
    imports.import("anything", wasm_encoder::ComponentTypeRef::Module(0));
    let mut guest = wasm_encoder::Component::new();
    guest.section(&types);
    guest.section(&imports);
    assert_eq!(
        seal(&guest.finish()).expect_err("a module is not sealed").to_string(),
        "It imports \"anything\": a component may import deletegate:records/bridge@0.1.0 alone."
    );
}
