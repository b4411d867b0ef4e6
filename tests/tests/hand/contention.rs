//! Somebody else's work in the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::engine::{Engine, until};
use crate::expect::{BUSY, DENIED, Done, RESTRICTED, adds_up, refuses_only};
use crate::place::{Place, Said, Setup};

/// Rounds of two calls at once.
const ROUNDS: usize = 25;

/// A person who waits for an answer would wait no longer.
const LONG: Duration = Duration::from_secs(20);

fn ids(ids: &[u32]) -> Json {
    json!({ "objectName": "projects", "recordIds": ids, "confirm": true })
}

pub fn b26_one_refusal_poisons_nothing<E: Engine>() {
    let place = Place::<E>::projects();
    let said = place.call("ana", ids(&[1, 2, 3, 4, 5, 6]));
    let expected =
        Done { deleted: 3, refused: &[(RESTRICTED, &["2"]), (DENIED, &["4"])], not_found: &["5"], kept: &[] };
    expected.is("projects", &said);
    assert_eq!(place.left("projects"), ["2", "4"]);
    assert_eq!(place.left("comments"), ["1", "2", "3"]);
}

/// Both have read all three records before either removes one, and go for each at the same moment.
pub fn b26_two_calls_at_once<E: Engine>() {
    let place = Place::<E>::projects();
    place.engine.run("DELETE FROM tasks; DELETE FROM comments; DELETE FROM projects");
    for round in 0..ROUNDS {
        place.engine.run(
            "INSERT INTO projects VALUES (1, 'a', 'ana', NULL, FALSE, NULL), (2, 'b', 'ana', NULL, FALSE, NULL),
                 (3, 'c', 'ana', NULL, FALSE, NULL)",
        );
        let arrived = Arc::new(AtomicU64::new(0));
        let call = |order: &[u32]| {
            let arrived = arrived.clone();
            place.call_while("ana", "delete_records", ids(order).to_string(), move |removal| {
                arrived.fetch_add(1, Ordering::Relaxed);
                until("the other call does not come", || arrived.load(Ordering::Relaxed) >= 2 * removal);
            })
        };
        let both = std::thread::scope(|scope| {
            let calls = [scope.spawn(|| call(&[1, 2, 3])), scope.spawn(|| call(&[3, 2, 1]))];
            calls.map(|call| call.join().unwrap())
        });
        for said in &both {
            adds_up(3, &said.json);
            refuses_only(said, BUSY);
        }
        let deleted = both.each_ref().map(|said| said.json["deleted"].as_u64().unwrap());
        let left = place.left("projects").len();
        assert_eq!(deleted[0] + deleted[1] + left as u64, 3, "round {round}: {} {}", both[0].text, both[1].text);
        // Whatever is left was in the way of both.
        assert!(left == 0 || both.iter().all(|said| said.json["refused"].as_u64().unwrap() > 0), "round {round}");
        place.engine.run("DELETE FROM projects");
    }
}

pub fn b26_a_deadlock<E: Engine>() {
    let place = Place::<E>::projects();
    for _ in 0..2 {
        let said = place.engine.cross(|| place.call("ana", ids(&[1, 2, 3])));
        Done { deleted: 2, refused: &[(RESTRICTED, &["2"])], ..Done::default() }.is("projects", &said);
        assert_eq!(place.left("projects"), ["2", "4", "6"]);
        assert_eq!(place.left("comments"), ["1", "2", "3"]);
        place.engine.run(
            "INSERT INTO projects VALUES (1, 'a', 'ana', NULL, FALSE, NULL), (3, 'c', 'ana', NULL, FALSE, NULL);
             INSERT INTO comments VALUES (4, 1)",
        );
    }
}

/// Removes 1, 2, 3 and 6 while somebody else locks the third for as long as its removal takes.
fn locked_at_the_third<E: Engine>(place: &Arc<Place<E>>) -> Said {
    let other = place.clone();
    let arguments = ids(&[1, 2, 3, 6]).to_string();
    place.call_while("ana", "delete_records", arguments, move |removal| match removal {
        3 => other.engine.lock(3),
        4 => other.engine.unlock(),
        _ => {}
    })
}

pub fn b26_a_lock_that_stays<E: Engine>() {
    let place = Arc::new(Place::<E>::new(Setup { lock_time: Duration::from_millis(200), ..Setup::default() }));
    let began = Instant::now();
    let said = locked_at_the_third(&place);
    assert!(began.elapsed() < LONG, "the call took {:?}", began.elapsed());
    let refused: &[_] = &[(RESTRICTED, &["2"][..]), (BUSY, &["3"][..])];
    Done { deleted: 2, refused, ..Done::default() }.is("projects", &said);
    assert_eq!(place.left("projects"), ["2", "3", "4"]);
    // It may be tried again, and then it goes.
    Done { deleted: 1, ..Done::default() }.is("projects", &place.call("ana", ids(&[3])));
    assert_eq!(place.left("projects"), ["2", "4"]);
}

/// The engine would wait for longer than the call may take.
pub fn b53_a_lock_that_outlives_the_call<E: Engine>() {
    let call_time = Duration::from_secs(3);
    let setup = Setup { lock_time: Duration::from_secs(60), call_time, ..Setup::default() };
    let place = Arc::new(Place::<E>::new(setup));
    let other = place.clone();
    let began = Instant::now();
    let arguments = ids(&[1, 2, 3, 6]).to_string();
    let said = place.call_while("ana", "delete_records", arguments, move |removal| {
        if removal == 3 {
            other.engine.lock(3);
        }
    });
    assert!(began.elapsed() < LONG, "the call took {:?}", began.elapsed());
    place.engine.unlock();
    // PostgreSQL waits for this one lock as long as the call has time. SQLite gives up on a record after two seconds, and
    // the time is over at the next one.
    let answer = &said.json["progress"];
    let refused = answer["refusals"].as_array().unwrap().iter().any(|group| group["code"] == BUSY.0);
    let at = said.json["error"]["details"]["failedRecordId"].as_str();
    assert_eq!(said.json["error"]["code"], "DEADLINE_EXCEEDED", "{}", said.text);
    assert_eq!(said.json["error"]["status"], 504, "{}", said.text);
    assert!(matches!((at, refused), (Some("3"), false) | (Some("6"), true)), "{}", said.text);
    // Whatever it was, the answer says what went and what did not.
    let told = ["deleted", "refused", "notAttempted"].map(|name| answer[name].as_u64().unwrap_or_default());
    assert_eq!(told.iter().sum::<u64>() + 1, 4, "{}", said.text);
    assert_eq!(answer["deleted"], 1, "{}", said.text);
    assert_eq!(place.left("projects"), ["2", "3", "4", "6"]);
    assert_eq!(place.left("comments"), ["1", "2", "3"]);
    // Nothing of it stays: the next call removes them.
    Done { deleted: 2, ..Done::default() }.is("projects", &place.call("ana", ids(&[3, 6])));
    assert_eq!(place.left("projects"), ["2", "4"]);
}
