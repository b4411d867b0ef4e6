//! How many of one thing are under way at once: in all, and for each caller.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A count of what is under way. Clones share it.
#[derive(Clone)]
pub struct Quota {
    in_all: usize,
    for_each: usize,
    // A std mutex: it is held for a look-up, never across an await.
    taken: Arc<Mutex<Taken>>,
}

#[derive(Default)]
struct Taken {
    in_all: usize,
    by: HashMap<String, usize>,
}

/// One of them; it is over when this is dropped.
pub struct Place {
    quota: Quota,
    caller: String,
}

impl Quota {
    /// At most so many in all, and for each caller.
    pub fn new(in_all: usize, for_each: usize) -> Quota {
        Quota { in_all, for_each, taken: Arc::default() }
    }

    /// A place for this caller; none where all are taken.
    pub fn take(&self, caller: &str) -> Option<Place> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.by.get(caller).copied().unwrap_or_default();
        if taken.in_all >= self.in_all || own >= self.for_each {
            return None;
        }
        taken.in_all += 1;
        taken.by.insert(caller.to_owned(), own + 1);
        Some(Place { quota: self.clone(), caller: caller.to_owned() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.quota.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.in_all -= 1;
        if let Some(own) = taken.by.get_mut(&self.caller) {
            *own -= 1;
            if *own == 0 {
                taken.by.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_all_and_for_each_caller_and_come_back() {
        let quota = Quota::new(3, 2);
        let ana = [quota.take("ana"), quota.take("ana")];
        assert!(ana.iter().all(Option::is_some) && quota.take("ana").is_none());
        let bo = quota.take("bo");
        assert!(bo.is_some() && quota.take("bo").is_none() && quota.take("cy").is_none());
        drop(ana);
        assert!(quota.take("cy").is_some() && quota.take("ana").is_some());
        drop(bo);
        assert!(quota.taken.lock().unwrap().by.is_empty());
    }
}
