//! What a preview shows is what goes: for filters and sets of keys at random, on both engines, with a judge of its own.
//!
//! The judge reads the filter's JSON over the rows in a few lines of plain Rust, without the policy's terms and without
//! SQL: a condition is false where the field is null, and a negation is true where what it negates is not.

use std::collections::BTreeSet;
use std::sync::Arc;

use conformance::case::Caller;
use conformance::engine::{Engine, Kind};
use conformance::fixture::Fixture;
use conformance::host::Host;
use conformance::policy::{Policy, Request};
use deletegate::tools::{Outcome, Scopes};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value as Json, json};

/// Tries, each on both engines. A failing one is shrunk to the smallest that still fails.
const TRIES: u32 = 1000;
/// As many records as a preview names, so that it names all.
const ROWS: usize = 10;

const NAMES: [&str; 6] = ["", "a", "A", "a%b", "b_", "é"];
const INSTANTS: [&str; 3] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", "2026-02-01T00:00:00Z"];
const TAGS: [&str; 3] = ["x", "y", "xy"];

fn rows() -> impl Strategy<Value = Vec<Json>> {
    let or_null = |value: BoxedStrategy<Json>| prop_oneof![1 => Just(Json::Null), 4 => value];
    let row = (
        or_null((-2..3i64).prop_map(Json::from).boxed()),
        or_null(prop::sample::select(&NAMES[..]).prop_map(Json::from).boxed()),
        or_null(any::<bool>().prop_map(Json::from).boxed()),
        or_null(prop::sample::select(&INSTANTS[..]).prop_map(Json::from).boxed()),
        or_null(prop::sample::subsequence(&TAGS[..], 0..=3).prop_map(|tags| json!(tags)).boxed()),
    );
    prop::collection::vec(row, 0..=ROWS).prop_map(|rows| {
        let row = |(at, (n, name, flag, time, tags)): (usize, _)| {
            let row = json!({ "id": at + 1, "n": n, "name": name, "flag": flag, "at": time, "tags": tags });
            let members = row.as_object().cloned().unwrap_or_default();
            Json::Object(members.into_iter().filter(|(_, value)| !value.is_null()).collect())
        };
        rows.into_iter().enumerate().map(row).collect()
    })
}

fn condition() -> BoxedStrategy<Json> {
    let number = || (-2..3i64).prop_map(Json::from);
    let name = || prop::sample::select(&NAMES[..]).prop_map(Json::from);
    let part = || prop::sample::select(&NAMES[1..]).prop_map(Json::from);
    let instant = || prop::sample::select(&INSTANTS[..]).prop_map(Json::from);
    let order = || prop::sample::select(&["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"][..]);
    let on = |field: &'static str, operator: &str, operand: Json| json!({ field: { operator: operand } });
    let lists = || prop::sample::select(&["$in", "$nin"][..]);
    prop_oneof![
        (order(), number()).prop_map(move |(operator, operand)| on("n", operator, operand)),
        (order(), name()).prop_map(move |(operator, operand)| on("name", operator, operand)),
        (order(), instant()).prop_map(move |(operator, operand)| on("at", operator, operand)),
        (lists(), prop::collection::vec(number(), 1..4)).prop_map(move |(operator, list)| on(
            "n",
            operator,
            json!(list)
        )),
        (lists(), prop::collection::vec(name(), 1..4)).prop_map(move |(operator, list)| on(
            "name",
            operator,
            json!(list)
        )),
        (number(), number()).prop_map(move |(one, other)| on("n", "$between", json!([one, other]))),
        (prop::sample::select(&["$contains", "$notContains", "$startsWith", "$endsWith", "$icontains"][..]), part())
            .prop_map(move |(operator, operand)| on("name", operator, operand)),
        (prop::sample::select(&["$eq", "$ne"][..]), any::<bool>()).prop_map(move |(operator, flag)| on(
            "flag",
            operator,
            json!(flag)
        )),
        prop::sample::select(&TAGS[..]).prop_map(move |tag| on("tags", "$contains", json!(tag))),
        (
            prop::sample::select(&["n", "name", "flag", "at", "tags"][..]),
            prop::sample::select(&["$null", "$exists"][..]),
            any::<bool>()
        )
            .prop_map(move |(field, operator, flag)| on(field, operator, json!(flag))),
        prop::sample::select(&["n", "name", "flag", "at"][..]).prop_map(|field| json!({ field: null })),
        number().prop_map(|number| json!({ "n": number })),
    ]
    .boxed()
}

fn filter() -> impl Strategy<Value = Json> {
    condition().prop_recursive(4, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            list.clone().prop_map(|list| json!({ "$and": list })),
            list.prop_map(|list| json!({ "$or": list })),
            inner.clone().prop_map(|inner| json!({ "$not": inner })),
            (inner.clone(), inner).prop_map(|(one, other)| {
                // Conditions beside one another; of two for one key the second stands.
                let mut both = one.as_object().cloned().unwrap_or_default();
                both.extend(other.as_object().cloned().unwrap_or_default());
                Json::Object(both)
            }),
        ]
    })
}

/// The judge.
fn holds(filter: &Json, row: &Map<String, Json>) -> bool {
    filter.as_object().unwrap().iter().all(|(key, value)| match key.as_str() {
        "$and" => value.as_array().unwrap().iter().all(|part| holds(part, row)),
        "$or" => value.as_array().unwrap().iter().any(|part| holds(part, row)),
        "$not" => !holds(value, row),
        field => match value {
            Json::Object(operators) => {
                operators.iter().all(|(operator, operand)| compares(row.get(field), operator, operand))
            }
            operand => compares(row.get(field), "$eq", operand),
        },
    })
}

fn compares(value: Option<&Json>, operator: &str, operand: &Json) -> bool {
    let negated = |positive: &str| !compares(value, positive, operand);
    match operator {
        "$ne" => return negated("$eq"),
        "$nin" => return negated("$in"),
        "$notContains" => return negated("$contains"),
        "$null" => return value.is_none() == (*operand == true),
        "$exists" => return value.is_some() == (*operand == true),
        "$eq" if operand.is_null() => return value.is_none(),
        _ => {}
    }
    let Some(value) = value else { return false };
    let text = || (value.as_str().unwrap(), operand.as_str().unwrap());
    let order = |other: &Json| match (value, other) {
        (Json::Number(one), Json::Number(other)) => one.as_i64().cmp(&other.as_i64()),
        // A second and its half differ in the byte behind `00`: `.` comes before `Z`, and is later.
        (Json::String(one), Json::String(other)) => instant(one).cmp(&instant(other)),
        (one, other) => one.as_bool().cmp(&other.as_bool()),
    };
    match operator {
        "$eq" => order(operand).is_eq(),
        "$gt" => order(operand).is_gt(),
        "$gte" => order(operand).is_ge(),
        "$lt" => order(operand).is_lt(),
        "$lte" => order(operand).is_le(),
        "$in" => operand.as_array().unwrap().iter().any(|one| order(one).is_eq()),
        "$between" => order(&operand[0]).is_ge() && order(&operand[1]).is_le(),
        "$contains" => match value {
            Json::Array(tags) => tags.contains(operand),
            _ => text().0.contains(text().1),
        },
        "$startsWith" => text().0.starts_with(text().1),
        "$endsWith" => text().0.ends_with(text().1),
        "$icontains" => text().0.to_ascii_lowercase().contains(&text().1.to_ascii_lowercase()),
        other => panic!("the judge knows no {other}"),
    }
}

/// An instant in an order of its own; any other text as it is.
fn instant(text: &str) -> (usize, &str) {
    INSTANTS.iter().position(|known| *known == text).map_or((0, text), |at| (at, ""))
}

/// Shows, confirms exactly what was shown, and gives the ids that were shown, how many went, and what is left.
fn exchange(kind: Kind, rows: &[Json], selection: &Json) -> (BTreeSet<String>, u64, BTreeSet<String>) {
    let host = Host::new("property", Policy::Native, kind);
    let fixture = fixture(rows);
    let engine = host.engine.start(&fixture.tables).unwrap();
    let call = |more: Json| {
        let mut arguments = json!({ "objectName": "sample" });
        for part in [selection, &more] {
            arguments.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        }
        let scopes = Scopes::DATA_READ | Scopes::DATA_WRITE;
        let request =
            Request { tool: "delete_records".into(), arguments: arguments.to_string(), scopes, approval: None };
        let mut bridge = engine.bridge(&Caller { actor: Some("ana".into()), system: false });
        match host.policy.call(&mut *bridge, &fixture.settings, request).unwrap().0 {
            Outcome::Answered(answer) => serde_json::from_str::<Json>(&answer.json).unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let shown = call(json!({}));
    assert_eq!(left(&engine).len(), rows.len(), "a preview deletes nothing");
    let preview = &shown["preview"];
    let ids = preview["sampleRecordIds"].as_array().unwrap_or_else(|| panic!("{selection}: {shown}"));
    let ids: BTreeSet<String> = ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect();
    let answer = call(json!({ "confirm": true, "previewDigest": preview["digest"] }));
    assert_eq!(preview["matched"], answer["deleted"], "{selection}: {shown} {answer}");
    (ids, answer["deleted"].as_u64().unwrap(), left(&engine))
}

fn left(engine: &Arc<dyn Engine>) -> BTreeSet<String> {
    let left = engine.left().unwrap();
    left["sample"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

fn fixture(rows: &[Json]) -> Fixture {
    let field = |name: &str, kind: &str| json!({ "name": name, "type": kind, "nullable": name != "id" });
    let fields = [
        ("id", "integer"),
        ("n", "integer"),
        ("name", "text"),
        ("flag", "boolean"),
        ("at", "instant"),
        ("tags", "text-list"),
    ];
    let fields: Vec<Json> = fields.iter().map(|(name, kind)| field(name, kind)).collect();
    let tables = json!({ "objects": { "sample": { "fields": fields, "key": ["id"], "rows": rows } } });
    Fixture::new(tables, json!({})).unwrap()
}

/// The exchange on both engines, against what the judge selects.
fn check(rows: &[Json], selection: &Json, wanted: &BTreeSet<String>) -> Result<(), TestCaseError> {
    let all: BTreeSet<String> = rows.iter().map(|row| row["id"].to_string()).collect();
    for kind in [Kind::Memory, Kind::Sqlite] {
        let (shown, deleted, left) = exchange(kind, rows, selection);
        prop_assert_eq!(&shown, wanted, "shown on {:?}", kind);
        prop_assert_eq!(deleted, wanted.len() as u64, "deleted on {:?}", kind);
        prop_assert_eq!(&left, &all.difference(wanted).cloned().collect::<BTreeSet<_>>(), "left on {:?}", kind);
    }
    Ok(())
}

fn runner() -> TestRunner {
    // The same tries on every run, so that a failure can be looked at again.
    let config = Config { cases: TRIES, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    )
}

#[test]
fn what_a_filter_shows_is_what_goes() {
    let tried = runner().run(&(rows(), filter()), |(rows, filter)| {
        let selected = rows.iter().filter(|row| holds(&filter, row.as_object().unwrap()));
        let wanted = selected.map(|row| row["id"].to_string()).collect();
        check(&rows, &json!({ "where": filter }), &wanted)
    });
    tried.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn what_ids_show_is_what_goes() {
    let ids = prop::collection::vec((1..14u64, any::<bool>()), 1..12);
    let tried = runner().run(&(rows(), ids), |(rows, ids)| {
        let sent: Vec<Json> =
            ids.iter().map(|(id, text)| if *text { json!(id.to_string()) } else { json!(id) }).collect();
        let known = ids.iter().map(|(id, _)| id).filter(|id| **id <= rows.len() as u64);
        check(&rows, &json!({ "recordIds": sent }), &known.map(u64::to_string).collect())
    });
    tried.unwrap_or_else(|failure| panic!("{failure}"));
}
