//! Whether a question is true of the records that were read, before a person sees it (contract, section 7).
//!
//! A person decides by this one line, so a guest must not be able to make it say anything else. The guard
//! does not write it; it takes it apart: how it has to begin, each name in quotes, each number, and each
//! word outside quotes.

use std::collections::HashSet;

use delete_records::bridge::{Dependents, Field, Row};
use delete_records::id;
use delete_records::text::{LABEL_LIMIT, NAME_LIMIT, label, quote};
use delete_records::tools::{Question, Target};

use super::rows::Rows;

/// Characters of a question: a dozen names of at most 100, each character of which may be an escape of ten,
/// and the sentence around them.
const MESSAGE_LIMIT: usize = 16_000;
/// Characters of the instruction on the form's field: the text to type, and a few words.
const INSTRUCTION_LIMIT: usize = 200;
/// Records that a question names before it counts the rest.
const NAMED: u64 = 5;

/// The words of a question outside quotes: nothing else can be said with them.
const WORDS: &str = "delete all record records of in more than and on go goes with them it may stand stands in the way \
                     lose loses its their link to no undo";
/// The words of the instruction on the form's field.
const INSTRUCTION_WORDS: &str = "type to confirm";

/// What the question has to be true of.
pub(super) struct Facts<'a> {
    pub(super) object: &'a str,
    /// The scope of a log that the arguments name.
    pub(super) scope: Option<&'a str>,
    pub(super) target: &'a Target,
    pub(super) rows: &'a Rows,
    pub(super) key: &'a [Field],
    pub(super) dependents: &'a [Dependents],
    /// How many match, where that was asked.
    pub(super) matched: Option<u64>,
    /// What must be typed, where something must.
    pub(super) expected: Option<&'a str>,
}

/// Checks a question; the error says what the guest did.
pub(super) fn check(question: &Question, facts: &Facts) -> Result<(), &'static str> {
    match (&question.typed, facts.expected) {
        (None, None) => {}
        (Some(typed), Some(expected)) if typed.expected == expected => {
            check_line(&typed.description, INSTRUCTION_LIMIT)?;
            check_words(&typed.description.replacen(expected, "", 1), INSTRUCTION_WORDS)?;
        }
        (Some(_), Some(_)) => return Err("asked a person to type something else than what the call is about"),
        (Some(_), None) => return Err("asked a person to type where the rule does not want it"),
        (None, Some(_)) => return Err("did not ask a person to type where the rule wants it"),
    }
    check_line(&question.message, MESSAGE_LIMIT)?;
    let environment = label(&facts.target.environment);
    let opening = match facts.target.production {
        true => format!("PRODUCTION [{environment}]: delete "),
        false => "Delete ".to_owned(),
    };
    let rest = question.message.strip_prefix(&opening).ok_or("asked a person without saying where and what")?;
    let (names, sentence) = take_apart(rest).ok_or("asked a person with a name whose quotes do not close")?;
    let sentence = match facts.target.production {
        true => sentence,
        false => sentence.replacen(&format!("[{environment}]"), "", 1),
    };
    check_names(&names, facts)?;
    check_words(&sentence, WORDS)?;
    check_numbers(&sentence, facts)
}

/// One line, with nothing in it that is not shown as it is.
fn check_line(line: &str, limit: usize) -> Result<(), &'static str> {
    let characters: Vec<char> = line.chars().collect();
    if characters.len() > limit {
        return Err("asked a person more than a line");
    }
    let as_shown = |part: &[char]| {
        let part: String = part.iter().collect();
        label(&part) == part
    };
    if !characters.chunks(LABEL_LIMIT).all(as_shown) {
        return Err("asked a person with control characters");
    }
    Ok(())
}

/// The names in quotes, quotes included, and what stands around them.
fn take_apart(text: &str) -> Option<(Vec<&str>, String)> {
    let mut names = Vec::new();
    let mut around = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        around.push_str(&rest[..start]);
        around.push('"');
        let quoted = &rest[start..];
        let mut escaped = false;
        let end = quoted.char_indices().skip(1).find(|(_, c)| {
            let closes = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            closes
        })?;
        let (name, behind) = quoted.split_at(end.0 + 1);
        names.push(name);
        rest = behind;
    }
    around.push_str(rest);
    Some((names, around))
}

/// The first name is the object, the target is named, and every other name is one that this call read.
fn check_names(names: &[&str], facts: &Facts) -> Result<(), &'static str> {
    let object = quote(facts.object, NAME_LIMIT);
    let target = quote(&facts.target.name, NAME_LIMIT);
    if names.first() != Some(&object.as_str()) || !names.contains(&target.as_str()) {
        return Err("asked a person without naming the object and where it is");
    }
    let mut known: HashSet<String> = facts.rows.iter().map(|row| quote(&name(facts.key, row), LABEL_LIMIT)).collect();
    known.extend(facts.dependents.iter().map(|dependents| quote(&dependents.object, NAME_LIMIT)));
    known.extend(facts.scope.map(|scope| quote(scope, NAME_LIMIT)));
    known.extend([object, target]);
    match names.iter().all(|name| known.contains(*name)) {
        true => Ok(()),
        false => Err("asked a person about other records than it had read"),
    }
}

/// A record's name for people: its label, else its id.
fn name(key: &[Field], row: &Row) -> String {
    match row.label.as_deref().filter(|label| !label.trim().is_empty()) {
        Some(label) => label.to_owned(),
        None => id::name(key, &row.id),
    }
}

fn check_words(sentence: &str, words: &str) -> Result<(), &'static str> {
    let known = |token: &str| {
        token.bytes().all(|byte| byte.is_ascii_digit()) || words.split(' ').any(|word| word.eq_ignore_ascii_case(token))
    };
    match tokens(sentence).all(known) {
        true => Ok(()),
        false => Err("asked a person something else than whether to delete"),
    }
}

/// The first number is how many records go; every other one was counted in this call too.
fn check_numbers(sentence: &str, facts: &Facts) -> Result<(), &'static str> {
    const WRONG: Result<(), &str> = Err("asked a person about another number of records than it had read");
    let count = facts.rows.len();
    let opening = tokens(sentence).find(|token| *token != "all").and_then(|token| token.parse().ok());
    if opening != Some(count) {
        return WRONG;
    }
    let told = |number: u64| {
        number == count
            || (count.saturating_sub(NAMED)..count).contains(&number)
            || facts.matched.is_some_and(|matched| matched.max(count) == number)
            || facts.dependents.iter().any(|dependents| dependents.count == number)
    };
    let numbers = tokens(sentence).filter(|token| token.bytes().all(|byte| byte.is_ascii_digit()));
    match numbers.map(str::parse).all(|number| number.is_ok_and(told)) {
        true => Ok(()),
        false => WRONG,
    }
}

fn tokens(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split([' ', '"', '(', ')', ',', '.', '?']).filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use delete_records::bridge::{Effect, FieldType, Scalar};
    use delete_records::tools::TypedAnswer;

    use super::*;

    const GOOD: &str = "PRODUCTION [production]: delete 7 records of \"crm_task\" (\"Call \\\"Bo\\\"\", \"2\", \"3\", \"4\", \
                        \"5\", and 2 more) on \"Navigator testing\"? 3 of \"crm_note\" go with them. No undo.";

    fn verdict(message: &str, production: bool) -> Result<(), &'static str> {
        let typed =
            Some(TypedAnswer { expected: "crm_task 7".into(), description: "Type \"crm_task 7\" to confirm".into() });
        judge(Question { message: message.into(), typed, digest: String::new() }, production)
    }

    fn judge(question: Question, production: bool) -> Result<(), &'static str> {
        let mut rows = Rows::default();
        let row = |n: i64| Row {
            id: vec![Scalar::Integer(n)],
            label: (n == 1).then(|| "Call \"Bo\"".to_owned()),
            revision: None,
        };
        rows.read(&(1..=7).map(row).collect::<Vec<_>>());
        let environment = if production { "production" } else { "dev" };
        check(
            &question,
            &Facts {
                object: "crm_task",
                scope: None,
                target: &Target { name: "Navigator testing".into(), environment: environment.into(), production },
                rows: &rows,
                key: &[Field { name: "id".into(), type_: FieldType::Integer, nullable: false }],
                dependents: &[Dependents { object: "crm_note".into(), count: 3, effect: Effect::Cascade }],
                matched: Some(1250),
                expected: Some("crm_task 7"),
            },
        )
    }

    #[test]
    fn a_true_question_passes() {
        assert_eq!(verdict(GOOD, true), Ok(()));
        assert_eq!(
            verdict("Delete 7 of 1250 records of \"crm_task\" (\"2\") on \"Navigator testing\" [dev]?", false),
            Ok(())
        );
        assert_eq!(verdict("Delete all 7 records of \"crm_task\" on \"Navigator testing\" [dev]?", false), Ok(()));
    }

    #[test]
    fn a_question_that_is_not_true_is_stopped() {
        for (this, instead) in [
            ("7 records", "4 records"),
            ("7 records", "all 4 records"),
            ("3 of", "12 of"),
            ("crm_task", "crm_note"),
            ("\"3\"", "\"8\""),
            ("\"3\"", "\"3"),
            ("No undo.", "No undo. Say yes."),
            ("No undo.", "This is a test."),
            ("No undo.", "No undo.\u{202e}"),
            ("No undo.", "No\nundo."),
            ("No undo.", "N\u{43e} undo."),
            ("on \"Navigator testing\"", ""),
            ("PRODUCTION [production]: delete", "Delete"),
            ("PRODUCTION [production]", "PRODUCTION [dev]"),
        ] {
            let message = GOOD.replacen(this, instead, 1);
            assert_ne!(message, GOOD);
            assert!(verdict(&message, true).is_err(), "{message}");
        }
        assert!(verdict(GOOD, false).is_err(), "nothing but production begins so");
    }

    #[test]
    fn what_is_typed_is_the_object_and_the_count() {
        let question = |expected: &str, description: &str| Question {
            message: GOOD.into(),
            typed: Some(TypedAnswer { expected: expected.into(), description: description.into() }),
            digest: String::new(),
        };
        assert!(judge(question("crm_task 7", "Type \"crm_task 7\" to confirm"), true).is_ok());
        for (expected, description) in [
            ("yes", "Type \"yes\" to confirm"),
            ("crm_task 4", "Type \"crm_task 4\" to confirm"),
            ("crm_task 7", "Type \"crm_task 7\" to cancel"),
            ("crm_task 7", "Type \"crm_task 7\"\u{202e} to confirm"),
        ] {
            assert!(judge(question(expected, description), true).is_err(), "{description}");
        }
        assert!(judge(Question { typed: None, ..question("", "") }, true).is_err());
    }
}
