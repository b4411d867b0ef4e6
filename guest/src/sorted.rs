//! Sets and orders as sorted lists. A thousand entries at the most live in one, and the code is a tenth
//! of a tree's, which counts in a component.

use crate::prelude::*;

/// Puts an item in its place; false, and nothing changed, where an equal one is there.
pub fn insert<T: Ord>(set: &mut Vec<T>, item: T) -> bool {
    match set.binary_search(&item) {
        Ok(_) => false,
        Err(place) => {
            set.insert(place, item);
            true
        }
    }
}

/// Whether an equal item is there.
pub fn contains<T: Ord>(set: &[T], item: &T) -> bool {
    set.binary_search(item).is_ok()
}
