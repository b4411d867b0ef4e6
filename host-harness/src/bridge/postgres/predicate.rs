//! The owner's conditions `visible` and `removable`, in which `:actor` stands for the caller's id.

use super::sql::Params;
use crate::bridge::rules::ACTOR;

/// A condition, cut at each `:actor`.
#[derive(Clone, Debug)]
pub(super) struct Predicate(Vec<String>);

impl Predicate {
    /// Reads a condition. `:actor` inside a text, a quoted name or a comment is none.
    pub fn parse(text: &str) -> Predicate {
        let mut parts = vec![String::new()];
        let mut rest = text;
        while !rest.is_empty() {
            let here = rest.strip_prefix(ACTOR).filter(|after| !after.starts_with(is_name));
            // `::actor` is a cast to a type of that name.
            let cast = parts.last().is_some_and(|before| before.ends_with(':'));
            if let (Some(after), false) = (here, cast) {
                parts.push(String::new());
                rest = after;
                continue;
            }
            let before = parts.last().and_then(|part| part.chars().next_back());
            let length = token(rest, before);
            if let Some(part) = parts.last_mut() {
                part.push_str(&rest[..length]);
            }
            rest = &rest[length..];
        }
        Predicate(parts)
    }

    /// The condition for a caller. The line break ends a comment, should it end with one.
    pub fn bind(&self, actor: &str, params: &mut Params) -> String {
        if self.0.len() < 2 {
            return format!("({}\n)", self.0.concat());
        }
        let name = params.text(actor);
        format!("({}\n)", self.0.join(&name))
    }

    /// The condition as it was written, with a parameter in it.
    pub fn bare(&self) -> String {
        self.0.join("$1")
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The length of a text, a quoted name or a comment that begins here; else of one character.
fn token(rest: &str, before: Option<char>) -> usize {
    let one = rest.chars().next().map_or(0, char::len_utf8);
    let until = |start: usize, end: &str| rest[start..].find(end).map_or(rest.len(), |at| start + at + end.len());
    match rest.as_bytes() {
        [b'\'', ..] => {
            // E'…' knows the backslash.
            let escapes = before.is_some_and(|c| matches!(c, 'e' | 'E'));
            let mut end = 1;
            while let Some(byte) = rest.as_bytes().get(end) {
                end += 1;
                match byte {
                    b'\\' if escapes => end += 1,
                    b'\'' => break,
                    _ => {}
                }
            }
            // A doubled quote begins a text anew, and that is skipped just so.
            let end = end.min(rest.len());
            if rest.is_char_boundary(end) { end } else { rest.len() }
        }
        [b'"', ..] => until(1, "\""),
        [b'-', b'-', ..] => until(2, "\n"),
        [b'/', b'*', ..] => comment(rest),
        [b'$', ..] if before.is_none_or(|c| !is_name(c)) => {
            let tag = rest[1..].find('$').map(|at| &rest[..at + 2]);
            let named = |tag: &&str| {
                let name = &tag[1..tag.len() - 1];
                name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit())
            };
            tag.filter(named).map_or(one, |tag| until(tag.len(), tag))
        }
        _ => one,
    }
}

/// The length of a comment, which may hold others.
fn comment(rest: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
            [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(text: &str) -> String {
        Predicate::parse(text).bare()
    }

    #[test]
    fn only_the_parameter_itself_is_replaced() {
        for (text, expected) in [
            ("owner = :actor", "owner = $1"),
            (":actor=owner or :actor = 'x'", "$1=owner or $1 = 'x'"),
            ("owner = ':actor'", "owner = ':actor'"),
            ("owner = 'it''s :actor' OR x = :actor", "owner = 'it''s :actor' OR x = $1"),
            (r"owner = E'\':actor' OR x = :actor", r"owner = E'\':actor' OR x = $1"),
            (r"owner = '\' OR x = :actor", r"owner = '\' OR x = $1"),
            ("\":actor\" = :actor", "\":actor\" = $1"),
            ("owner = x::actor", "owner = x::actor"),
            ("owner = :actor::uuid", "owner = $1::uuid"),
            ("owner = :actors", "owner = :actors"),
            ("owner = $$:actor$$ or x = :actor", "owner = $$:actor$$ or x = $1"),
            ("owner = $a$ $$ :actor $a$ or x = :actor", "owner = $a$ $$ :actor $a$ or x = $1"),
            ("a /* :actor /* */ :actor */ = :actor", "a /* :actor /* */ :actor */ = $1"),
            ("a = :actor -- :actor\n or b = :actor", "a = $1 -- :actor\n or b = $1"),
            ("name = 'é' AND b = :actor", "name = 'é' AND b = $1"),
            ("'", "'"),
            ("E'\\", "E'\\"),
            ("/* :actor", "/* :actor"),
        ] {
            assert_eq!(bound(text), expected, "{text}");
        }
    }
}
