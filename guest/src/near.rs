//! What somebody probably meant.

use crate::prelude::*;
use crate::text::{NAME_LIMIT, quote};

/// The allowed name that is nearest to a wrong one, by edit distance, where one is near enough: two
/// changes, or a third of a longer name.
pub fn nearest<'a>(wrong: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(wrong, &mut allowed.into_iter())
}

/// The work of [`nearest`], once for every kind of iterator: each would cost a component as much again.
fn nearest_of<'a>(wrong: &str, allowed: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    // Beyond that it is no slip of the pen, and the distance would cost its square.
    if wrong.len() > NAME_LIMIT {
        return None;
    }
    let folded = wrong.to_ascii_lowercase();
    // The nearest so far has to be beaten.
    let mut bound = (wrong.chars().count() / 3).max(2) + 1;
    let mut near = None;
    for name in allowed {
        let distance = distance(folded.as_bytes(), name.to_ascii_lowercase().as_bytes());
        if distance < bound {
            (bound, near) = (distance, Some(name));
        }
    }
    near
}

/// How many bytes must be put in, left out or changed to turn one name into the other (Levenshtein).
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// ` Did you mean "x"?`, or nothing.
pub fn did_you_mean(near: Option<&str>) -> String {
    near.map(|name| format!(" Did you mean {}?", quote(name, NAME_LIMIT))).unwrap_or_default()
}

/// Names for a sentence: `"a", "b"`; past the twentieth they are counted.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    list_of(&mut names.into_iter())
}

fn list_of(names: &mut dyn Iterator<Item = &str>) -> String {
    const SHOWN: usize = 20;
    let mut list = String::new();
    let mut more = 0_usize;
    for (at, name) in names.enumerate() {
        if at >= SHOWN {
            more += 1;
            continue;
        }
        list.push_str(if at == 0 { "" } else { ", " });
        list.push_str(&quote(name, NAME_LIMIT));
    }
    if more > 0 { format!("{list} and {more} more") } else { list }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_means_two_changes_or_a_third() {
        assert_eq!(nearest("stauts", ["status", "owner"]), Some("status"));
        assert_eq!(nearest("recordIDs", ["where", "recordIds"]), Some("recordIds"));
        assert_eq!((distance(b"kitten", b"sitting"), distance(b"", b"abc"), distance(b"abc", b"abc")), (3, 3, 0));
        assert_eq!(nearest("limit", ["where", "confirm"]), None);
        assert_eq!(nearest(&"x".repeat(100_000), ["where"]), None);
    }
}
