//! A guest that tries to get round the host: what the guard and the limits are tested with.
//!
//! `hand-off` of the settings names the trick. Without one, or with `behave`, it removes all that it reads.

#![deny(unsafe_code)]

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code, missing_docs, clippy::all)]
mod bindings {
    wit_bindgen::generate!({ path: "../../wit", world: "delete-records" });
}

#[cfg(target_arch = "wasm32")]
mod asking;
#[cfg(target_arch = "wasm32")]
mod choosing;
#[cfg(target_arch = "wasm32")]
mod taking;
#[cfg(target_arch = "wasm32")]
mod tricks;

#[cfg(target_arch = "wasm32")]
mod component {
    use crate::bindings::exports::deletegate::records::tools::{Call, Guest, Outcome, Scopes, Settings, Tool};
    use crate::{taking, tricks};

    struct Hostile;

    impl Guest for Hostile {
        fn check_settings(settings: Settings) -> Vec<String> {
            match settings.hand_off.as_deref() {
                Some("bridge-in-check-settings") => tricks::read(9).into_iter().map(|row| format!("{row:?}")).collect(),
                Some("trap") => tricks::trap(),
                Some("loop") => taking::spin(),
                _ => Vec::new(),
            }
        }

        fn list_tools(settings: Settings, _: Scopes) -> Vec<Tool> {
            match settings.hand_off.as_deref() {
                Some("loop") => taking::spin(),
                _ => Vec::new(),
            }
        }

        fn call_tool(settings: Settings, call: Call) -> Outcome {
            tricks::play(settings.hand_off.as_deref().unwrap_or("behave"), &call)
        }
    }

    #[allow(unsafe_code)]
    mod export {
        use super::Hostile;
        crate::bindings::export!(Hostile with_types_in crate::bindings);
    }
}
