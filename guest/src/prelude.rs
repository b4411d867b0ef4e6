//! What the standard library would bring in by itself. The component is built without it: a guest that
//! can't name a clock, a file or a source of randomness can't use one, and it is a third smaller.

pub use alloc::borrow::ToOwned;
pub use alloc::boxed::Box;
pub use alloc::string::{String, ToString};
pub use alloc::vec::Vec;
pub use alloc::{format, vec};
