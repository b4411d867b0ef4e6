//! Retention by time: dates that are none, words that are some, and whose clock counts.

use std::process::Command;

use serde_json::{Value as Json, json};

use crate::engine::Engine;
use crate::place::{Place, Setup};
use crate::tables::{EVENTS, LOGS};

const NEW_YORK: &str = "America/New_York";

fn place<E: Engine>() -> Place<E> {
    Place::new(Setup { sql: EVENTS, config: LOGS, ..Setup::default() })
}

fn prune<E: Engine>(place: &Place<E>, log: &str, bounds: &Json) -> crate::place::Said {
    let mut arguments = json!({ "log": log, "collection": "ping", "confirm": true });
    arguments.as_object_mut().unwrap().extend(bounds.as_object().unwrap().clone());
    place.call_tool("ana", "delete_events", arguments)
}

/// Every way to say a time that is refused.
fn refuses_what_is_no_instant<E: Engine>(place: &Place<E>) {
    for to in [
        json!("2026-02-30T00:00:00Z"),
        json!("2025-02-29T10:00:00Z"),
        json!("now"),
        json!("yesterday"),
        json!("infinity"),
        json!("-infinity"),
        json!("epoch"),
        json!("20260310"),
        json!("March 10 2026"),
        json!("2026-03-10"),
        json!("2026-03-10T10:00:00"),
        json!("2026-03-10T10:00:00 EST"),
        json!(1_773_100_800),
    ] {
        for (log, bound) in [("events", "until"), ("events", "since"), ("visits", "until")] {
            let said = prune(place, log, &json!({ bound: to }));
            let error = &said.json["error"];
            assert_eq!((&error["code"], &error["status"]), (&json!("VALIDATION_FAILED"), &json!(400)), "{to}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("2026-03-10T09:30:00Z"), "{to}: the form is not said: {message}");
            assert!(place.asked().is_empty(), "{to}");
        }
    }
    // By another name it is no bound at all, and the call is not without one.
    let said = prune(place, "events", &json!({ "to": "2026-03-10T10:00:00Z" }));
    assert_eq!(said.json["error"]["code"], "VALIDATION_FAILED", "{}", said.text);
    assert!(place.asked().is_empty());
    for log in ["events", "visits"] {
        assert_eq!(place.left(log), ["1", "2", "3", "4", "5"]);
    }
}

/// Ten o'clock is ten o'clock in UTC, with a zone in the column and without one.
fn prunes_up_to_the_border<E: Engine>(place: &Place<E>) {
    for (log, border) in [("events", "2026-03-10T10:00:00Z"), ("visits", "2026-03-10T06:00:00-04:00")] {
        let said = prune(place, log, &json!({ "until": border }));
        let told = (&said.json["deleted"], &said.json["matched"], &said.json["refused"]);
        assert_eq!(told, (&json!(2), &json!(2), &json!(0)), "{log}: {}", said.text);
        assert_eq!(place.left(log), ["3", "4", "5"], "{log}");
        let said = prune(place, log, &json!({ "since": "2026-03-10T10:00:02Z" }));
        assert_eq!(said.json["deleted"], 1, "{log}: {}", said.text);
        assert_eq!(place.left(log), ["3", "5"], "{log}");
    }
}

pub fn b20_what_is_no_instant<E: Engine>() {
    refuses_what_is_no_instant(&place::<E>());
}

/// The database's sessions are in New York, where the engine has such a thing.
pub fn b20_borders_in_another_time_zone<E: Engine>() {
    let mut place = place::<E>();
    prunes_up_to_the_border(&place);
    place = Place::new(Setup { sql: EVENTS, config: LOGS, ..Setup::default() });
    place.engine.in_new_york();
    place.restart();
    refuses_what_is_no_instant(&place);
    prunes_up_to_the_border(&place);
}

/// The program itself runs there: this test runs itself again.
pub fn b20_the_hosts_time_zone<E: Engine>() {
    if std::env::var("TZ").is_ok_and(|zone| zone == NEW_YORK) {
        assert_eq!(Command::new("date").arg("+%Z").output().unwrap().stdout[0], b'E', "this process is elsewhere");
        let place = place::<E>();
        refuses_what_is_no_instant(&place);
        return prunes_up_to_the_border(&place);
    }
    let name = std::thread::current().name().unwrap().to_owned();
    let mut again = Command::new(std::env::current_exe().unwrap());
    let output = again.args(["--exact", &name]).env("TZ", NEW_YORK).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
