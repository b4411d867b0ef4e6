//! Text from outside, made safe to stand in a sentence, on a terminal or in a shell.

use crate::prelude::*;

/// Characters of a label that are shown (contract, section 7).
pub const LABEL_LIMIT: usize = 80;
/// Characters of a name that are shown in a sentence: longer ones are somebody's joke.
pub const NAME_LIMIT: usize = 100;
/// Characters of a rule's or an engine's sentence that leave (contract, section 8).
pub const SENTENCE_LIMIT: usize = 500;

/// A text in double quotes: cut at `limit` characters, with quotes and backslashes escaped, and control
/// and bidirectional characters shown as escapes, so that it can't read as part of the sentence.
pub fn quote(text: &str, limit: usize) -> String {
    let mut quoted = String::from("\"");
    for c in cut(text, limit).chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c => push_visible(&mut quoted, c),
        }
    }
    quoted.push('"');
    quoted
}

/// A label as people may be shown it: cut, and with nothing invisible in it.
pub fn label(text: &str) -> String {
    let mut visible = String::new();
    for c in cut(text, LABEL_LIMIT).chars() {
        push_visible(&mut visible, c);
    }
    visible
}

/// One line of at most [`SENTENCE_LIMIT`] characters: every run of white space or control characters is one space.
pub fn sentence(text: &str) -> String {
    let mut line = String::new();
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = !line.is_empty();
            continue;
        }
        if core::mem::take(&mut gap) {
            line.push(' ');
        }
        push_visible(&mut line, c);
    }
    cut(&line, SENTENCE_LIMIT)
}

/// A word for a POSIX shell. Plain words stay bare; anything else stands in single quotes.
pub fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The number and its noun: `1 record`, `2 records`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Whether a text has a character that is not shown as it is.
pub fn hides_something(text: &str) -> bool {
    text.chars().any(|c| c.is_control() || is_invisible(c))
}

/// At most `limit` characters; the last is `…` where something was cut.
fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => text.chars().take(limit - 1).chain(['…']).collect(),
    }
}

fn push_visible(line: &mut String, c: char) {
    if c.is_control() || is_invisible(c) {
        line.extend(c.escape_unicode());
    } else {
        line.push(c);
    }
}

/// Characters that change how their neighbours are shown, or that show as nothing: bidirectional
/// controls, line and paragraph separators, zero-width characters, tags.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_name_cannot_end_its_quotes_or_turn_the_line() {
        assert_eq!(quote(r#"a" or "b\"#, 80), r#""a\" or \"b\\""#);
        assert_eq!(quote("x\u{202e}y\nz", 80), r#""x\u{202e}y\u{a}z""#);
    }

    #[test]
    fn labels_are_cut_at_eighty_characters() {
        assert_eq!(label(&"ä".repeat(80)), "ä".repeat(80));
        assert_eq!(label(&"ä".repeat(81)), "ä".repeat(79) + "…");
    }

    #[test]
    fn a_sentence_is_one_line() {
        assert_eq!(sentence("  two\r\n\tlines\0here "), "two lines here");
        assert_eq!(sentence(&"a".repeat(600)).chars().count(), SENTENCE_LIMIT);
    }

    #[test]
    fn what_a_terminal_does_not_show_is_found() {
        assert!(hides_something("a\nb") && hides_something("a\u{202e}b") && hides_something("\u{200b}"));
        assert!(!hides_something("Ä b'c $(d)"));
    }

    #[test]
    fn shell_words_stay_inert() {
        assert_eq!(shell("crm_task"), "crm_task");
        assert_eq!(shell("it's"), r"'it'\''s'");
        assert_eq!(shell("a;rm -rf ~"), "'a;rm -rf ~'");
        assert_eq!(shell("$(id)`id`"), "'$(id)`id`'");
        assert_eq!(shell(""), "''");
        assert_eq!(shell("~"), "'~'");
    }
}
