//! Tricks with what is chosen: another scope than the log's, another record than the key's, objects that are not offered.

use crate::bindings::deletegate::records::bridge::{self, Comparison, Condition, FilterTerm, Row, Scalar, Selection};
use crate::bindings::exports::deletegate::records::tools::Outcome;
use crate::tricks::{OBJECT, answered, meet, remove_each, trap};

/// Plays one trick; one that nobody knows is a bug of the test.
pub fn play(trick: &str) -> Outcome {
    let orders = || FilterTerm::Condition(stream("orders"));
    let audit = || FilterTerm::Condition(stream("audit"));
    let any_id = || {
        FilterTerm::Condition(Condition {
            field: "id".to_owned(),
            comparison: Comparison::Greater,
            operands: vec![text("")],
        })
    };
    let filter = |terms: Vec<FilterTerm>| take(&Selection::Filter(terms), 1000);
    let ids = |ids: &[&str]| take(&Selection::Ids(ids.iter().map(|id| vec![text(id)]).collect()), 1000);
    let deleted = match trick {
        "scope" => filter(vec![orders()]),
        "scope-and-more" => {
            filter(vec![FilterTerm::AllOf(3), FilterTerm::OneOf(2), any_id(), audit(), any_id(), orders()])
        }
        "scope-other" => filter(vec![audit()]),
        "scope-either" => filter(vec![FilterTerm::OneOf(2), orders(), audit()]),
        "scope-unless" => filter(vec![FilterTerm::Unless(stream("orders"))]),
        "scope-within" => filter(vec![FilterTerm::AllOf(2), FilterTerm::OneOf(2), orders(), any_id(), any_id()]),
        "scope-broken" => filter(vec![FilterTerm::AllOf(4_000_000_000), FilterTerm::OneOf(4_000_000_000), orders()]),
        "scope-counted" => {
            meet();
            u64::from(bridge::aggregate(OBJECT, &Selection::Every).is_ok())
        }
        "one" => ids(&["t3"]),
        "one-more" => ids(&["t3", "t4"]),
        "one-okay" => {
            return answered(
                "{\"status\":\"okay\",\"object\":\"crm_task\",\"recordId\":\"t3\",\"warnings\":[]}".to_owned(),
            );
        }
        "list-other" => {
            drop(bridge::resolve_principal("crm_note"));
            0
        }
        "list-for-ever" => loop {
            meet();
        },
        _ => trap(),
    };
    answered(format!("{{\"deleted\":{deleted}}}"))
}

/// Reads what is selected.
pub fn choose(selection: &Selection, limit: u32) -> Vec<Row> {
    meet();
    bridge::query(OBJECT, selection, None, limit).map(|page| page.rows).unwrap_or_default()
}

/// What lies in the scope that the tests' arguments name.
pub fn in_scope() -> Selection {
    Selection::Filter(vec![FilterTerm::Condition(stream("orders"))])
}

/// The record that the tests' arguments name.
pub fn the_one() -> Selection {
    Selection::Ids(vec![vec![text("t3")]])
}

fn take(selection: &Selection, limit: u32) -> u64 {
    remove_each(OBJECT, &choose(selection, limit))
}

fn stream(name: &str) -> Condition {
    Condition { field: "stream".to_owned(), comparison: Comparison::Equal, operands: vec![text(name)] }
}

fn text(text: &str) -> Scalar {
    Scalar::Text(text.to_owned())
}
