//! What wasmtime generates from the WIT package. Only `convert.rs` and the plugin itself see these types:
//! everyone else speaks the guest crate's.

wasmtime::component::bindgen!({
    path: "../wit",
    world: "delete-records",
    imports: { default: async | trappable },
    exports: { default: async },
});
