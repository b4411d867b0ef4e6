//! Filters in plain Rust are the oracle for the SQL that SQLite is asked with: over the same rows, misfits and nulls
//! among them, both give the same ids for thousands of filters.

use std::sync::Arc;

use conformance::case::Caller;
use conformance::engine::{Engine, Kind};
use conformance::fixture::Fixture;
use deletegate::bridge::memory::Tables;
use deletegate::bridge::{Comparison, Condition, Failure, FieldType, FilterTerm, Instant, Page, Scalar, Selection};
use futures_executor::block_on;
use serde_json::{Value as Json, json};

/// Filters that are tried; each takes a fraction of a millisecond.
const TRIES: usize = 4000;

/// A small generator of numbers that are the same on every run, so that a failure can be looked at again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())].clone()
    }
}

const FIELDS: [(&str, FieldType); 10] = [
    ("flag", FieldType::Boolean),
    ("n", FieldType::Integer),
    ("price", FieldType::Decimal),
    ("weight", FieldType::Float),
    ("name", FieldType::Text),
    ("ref", FieldType::Uuid),
    ("day", FieldType::Date),
    ("at", FieldType::Instant),
    ("tags", FieldType::TextList),
    ("blob", FieldType::Opaque),
];

/// What is stored, what fits its type and what does not.
fn stored(kind: FieldType) -> Vec<Json> {
    match kind {
        FieldType::Boolean => vec![json!(true), json!(false), json!("true"), json!(2)],
        FieldType::Integer => vec![
            json!(0),
            json!(-1),
            json!(7),
            json!(i64::MAX),
            json!(i64::MIN),
            json!(9007199254740992i64),
            json!(9007199254740993i64),
            json!("seven"),
            json!(""),
        ],
        FieldType::Decimal => vec![json!(0), json!(10.5), json!(-3), json!(0.25), json!("ten"), json!("")],
        FieldType::Float => vec![json!(0.5), json!(0.1), json!(-2.25), json!(1e300), json!("x"), json!(3.0)],
        FieldType::Text => vec![
            json!(""),
            json!("a"),
            json!("A"),
            json!("a%b_c"),
            json!("é"),
            json!("e\u{301}"),
            json!("\u{ffff}"),
            json!("\u{10000}"),
            json!("K\u{212a}k"),
            json!("it's \\ \"x\""),
            json!("a "),
        ],
        FieldType::Uuid => {
            vec![
                json!("0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11"),
                json!("FFFFFFFF-0000-4000-8000-000000000001"),
                json!("x"),
            ]
        }
        FieldType::Date => vec![json!("2024-02-29"), json!("2026-03-10"), json!("2026-02-30"), json!("0001-01-01")],
        FieldType::Instant => vec![
            json!("2026-03-10T09:30:00Z"),
            json!("2026-03-10T10:30:00+01:00"),
            json!("2026-03-10T09:30:00.000000001Z"),
            json!("1969-12-31T23:59:59.5Z"),
            json!("soon"),
            json!("2026-02-30T00:00:00Z"),
        ],
        FieldType::TextList => vec![json!([]), json!(["a"]), json!(["a", "b"]), json!(["ab", "A"])],
        FieldType::Opaque => vec![json!("x"), json!("")],
    }
}

fn tables(dice: &mut Dice) -> Tables {
    let field = |(name, kind): &(&str, FieldType)| {
        let kind = match kind {
            FieldType::TextList => "text-list".to_owned(),
            other => format!("{other:?}").rsplit("::").next().unwrap().to_lowercase(),
        };
        json!({ "name": name, "type": kind, "nullable": true })
    };
    let mut fields = vec![json!({ "name": "id", "type": "integer" })];
    fields.extend(FIELDS.iter().map(field));
    let row = |id: i64, dice: &mut Dice| {
        let mut row = serde_json::Map::from_iter([("id".to_owned(), json!(id))]);
        for (name, kind) in FIELDS {
            if dice.roll(5) > 0 {
                row.insert(name.to_owned(), dice.pick(&stored(kind)));
            }
        }
        Json::Object(row)
    };
    let rows: Vec<Json> = (1..=60).map(|id| row(id, dice)).collect();
    let tables = json!({ "objects": { "sample": { "fields": fields, "key": ["id"], "rows": rows } } });
    Fixture::new(tables, json!({})).unwrap().tables
}

fn operand(kind: FieldType, dice: &mut Dice) -> Scalar {
    let text = |text: &str| Scalar::Text(text.to_owned());
    let decimal = |digits: &str| Scalar::Decimal(digits.to_owned());
    match kind {
        FieldType::Boolean => Scalar::Boolean(dice.roll(2) == 0),
        FieldType::Integer => {
            Scalar::Integer(dice.pick(&[0, -1, 7, 8, i64::MAX, i64::MIN, 9007199254740992, 9007199254740993]))
        }
        // Binary fractions only: SQLite refuses the others, and says so.
        FieldType::Decimal => dice.pick(&[Scalar::Integer(0), Scalar::Integer(-3), decimal("10.5"), decimal("0.25")]),
        FieldType::Float => dice.pick(&[
            decimal("0.5"),
            decimal("0.1"),
            decimal("0.10000000000000000555"),
            decimal("0.10000000000000000556"),
            decimal("0.49999999999999999999"),
            Scalar::Integer(3),
            Scalar::Integer(-2),
            decimal("-2.25"),
            decimal("100000000000000000000000"),
        ]),
        FieldType::Text => {
            let parts =
                ["", "a", "A", "%", "_", "é", "e", "k", "K", "\u{212a}", "\u{ffff}", "\u{10000}", "\\", "'", "a "];
            text(dice.pick(&parts[..]))
        }
        FieldType::Uuid => {
            text(dice.pick(&["0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11", "ffffffff-0000-4000-8000-000000000001"]))
        }
        FieldType::Date => text(dice.pick(&["2024-02-29", "2026-03-10", "2025-01-01", "9999-12-31"])),
        FieldType::Instant => {
            let seconds = dice.pick(&[1_773_135_000, -1, 0, 253_402_300_799]);
            Scalar::Instant(Instant { seconds, nanoseconds: dice.pick(&[0, 1, 500_000_000]) })
        }
        FieldType::TextList => text(dice.pick(&["a", "b", "ab", "A", "x"])),
        FieldType::Opaque => unreachable!("nothing is compared with an opaque field"),
    }
}

fn condition(dice: &mut Dice) -> Condition {
    use Comparison as C;
    let (name, kind) = dice.pick(&FIELDS);
    let equality = [C::Equal, C::AnyOf, C::IsNull];
    let order = [C::Less, C::LessOrEqual, C::Greater, C::GreaterOrEqual, C::IsNull];
    let parts = [C::Contains, C::StartsWith, C::EndsWith, C::ContainsIgnoringAsciiCase];
    let comparisons: Vec<Comparison> = match kind {
        FieldType::Boolean | FieldType::Uuid => equality.to_vec(),
        FieldType::Float => order.to_vec(),
        FieldType::Text => [&equality[..], &order[..], &parts[..]].concat(),
        FieldType::TextList => vec![C::ContainsAll, C::IsNull],
        FieldType::Opaque => vec![C::IsNull],
        _ => [&equality[..], &order[..]].concat(),
    };
    let comparison = dice.pick(&comparisons);
    let count = match comparison {
        C::IsNull => 0,
        C::AnyOf | C::ContainsAll => 1 + dice.roll(3),
        _ => 1,
    };
    let mut operands: Vec<Scalar> = (0..count).map(|_| operand(kind, dice)).collect();
    if parts.contains(&comparison) && operands == [Scalar::Text(String::new())] {
        operands = vec![Scalar::Text("a".to_owned())];
    }
    Condition { field: name.to_owned(), comparison, operands }
}

fn filter(depth: usize, dice: &mut Dice, terms: &mut Vec<FilterTerm>) {
    let group = if depth == 0 { 2 } else { dice.roll(4) };
    if group >= 2 {
        let condition = condition(dice);
        terms.push(if dice.roll(2) == 0 { FilterTerm::Condition(condition) } else { FilterTerm::Unless(condition) });
        return;
    }
    let parts = 2 + dice.roll(2);
    let count = u32::try_from(parts).unwrap();
    terms.push(if group == 0 { FilterTerm::AllOf(count) } else { FilterTerm::OneOf(count) });
    (0..parts).for_each(|_| filter(depth - 1, dice, terms));
}

fn ask(engine: &Arc<dyn Engine>, selection: &Selection) -> Result<Page, Failure> {
    let mut bridge = engine.bridge(&Caller { actor: Some("ana".into()), system: false });
    block_on(bridge.query("sample", selection, None, 1000))
}

#[test]
fn sqlite_selects_what_the_oracle_selects() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let tables = tables(&mut dice);
    let memory = Kind::Memory.start(&tables).unwrap();
    let sqlite = Kind::Sqlite.start(&tables).unwrap();
    let ids = |page: Page| page.rows.into_iter().map(|row| row.id).collect::<Vec<_>>();
    for _ in 0..TRIES {
        let mut terms = Vec::new();
        filter(2, &mut dice, &mut terms);
        let selection = Selection::Filter(terms);
        let wanted = ids(ask(&memory, &selection).unwrap());
        let found = ids(ask(&sqlite, &selection).unwrap());
        assert_eq!(found, wanted, "SQLite (left) and the oracle differ for {selection:#?}");
    }
}
