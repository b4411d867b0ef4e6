//! Many sessions at once, some of which go away in the middle: nothing is lost, nothing goes twice, nothing leaks.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::http::Session;
use super::place::{Http, Place};

const SESSIONS: usize = 8;
const PREVIEWS: usize = 1000;
const DELETIONS: usize = 200;
/// Records of one deletion: the cap.
const BATCH: usize = 200;

/// What memory may still grow by after the warm-up: buffers of threads and of the allocator that had not been needed yet.
const SLACK_KIB: usize = 24 << 10;

#[test]
fn parallel_sessions_lose_nothing_delete_nothing_twice_and_leak_nothing() {
    let place = Place::with("calls = 64\ncalls-per-caller = 64");
    fill(&place, SESSIONS * DELETIONS.div_ceil(SESSIONS) * BATCH);
    let server = place.http();
    let authorization = format!("Bearer {}", place.token("ana", "data:read data:write"));

    round(&server, &authorization, 0, |_| false, 0);
    let warm = resident_kib(&server);
    let rounds = DELETIONS / SESSIONS;
    let mut answered = 0;
    for round_of in 0..rounds {
        answered += round(
            &server,
            &authorization,
            round_of,
            |session| (round_of * SESSIONS + session) % 10 == 3,
            PREVIEWS / DELETIONS,
        );
    }
    // Those that went away are told of in the log alone, once they have ended.
    let logged = until_logged(&server, DELETIONS / 10);
    let grown = resident_kib(&server).saturating_sub(warm);
    assert_eq!(rounds * SESSIONS * BATCH - left(&place, "stays"), answered);
    let gone = rounds * SESSIONS * BATCH - left(&place, "leaves");
    assert_eq!(gone, logged, "what went for those who went away");
    assert!(gone < DELETIONS / 10 * BATCH, "no call was stopped in the middle");
    assert!(grown < SLACK_KIB, "memory grew by {grown} KiB from {warm} KiB");
}

/// In each session some previews and a deletion of its own batch; how many went by the answers.
fn round(
    server: &Http,
    authorization: &str,
    round: usize,
    leaves: impl Fn(usize) -> bool + Sync,
    previews: usize,
) -> usize {
    std::thread::scope(|scope| {
        let leaves = &leaves;
        let sessions = (0..SESSIONS).map(|number| {
            scope.spawn(move || {
                let session = Session::begin(server, authorization);
                let first = (round * SESSIONS + number) * BATCH;
                let filter = json!({ "id": { "$gt": first, "$lte": first + BATCH } });
                for _ in 0..previews.max(1) {
                    let arguments = json!({ "objectName": "stays", "where": filter });
                    let preview = session.post(authorization, &call(&arguments)).answer();
                    assert_eq!(preview["preview"]["wouldAttempt"], BATCH, "{preview}");
                }
                if previews == 0 {
                    return 0;
                }
                let body = |object: &str| call(&json!({ "objectName": object, "where": filter, "confirm": true }));
                if leaves(number) {
                    leave(&session, authorization, &body("leaves"));
                    return 0;
                }
                let answer = session.post(authorization, &body("stays")).answer();
                usize::try_from(answer["deleted"].as_u64().unwrap_or_else(|| panic!("{answer}"))).unwrap()
            })
        });
        let sessions: Vec<_> = sessions.collect();
        sessions.into_iter().map(|session| session.join().unwrap()).sum()
    })
}

/// Sends a call and goes away while it runs.
fn leave(session: &Session, authorization: &str, body: &str) {
    let mut stream = TcpStream::connect(&session.server.address).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.0\r\nHost: {}\r\nContent-Length: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nAuthorization: {authorization}\r\nMcp-Session-Id: {}\r\n\
         MCP-Protocol-Version: 2025-11-25\r\n\r\n",
        session.server.address,
        body.len(),
        session.id
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(30));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    assert_eq!(session.post(authorization, cancel).status, 202);
}

fn call(arguments: &Value) -> String {
    let params = json!({ "name": "delete_records", "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }).to_string()
}

/// Whoever stays deletes of one object, whoever leaves of another.
fn fill(place: &Place, records: usize) {
    let database = Connection::open(place.path("crm.db")).unwrap();
    for object in ["stays", "leaves"] {
        let script = format!(
            "CREATE TABLE {object} (id INTEGER PRIMARY KEY, title TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {records})
             INSERT INTO {object} SELECT i, 'Record ' || i FROM n;"
        );
        database.execute_batch(&script).unwrap();
    }
}

fn left(place: &Place, object: &str) -> usize {
    let database = Connection::open(place.path("crm.db")).unwrap();
    let count: i64 = database.query_row(&format!("SELECT count(*) FROM {object}"), [], |row| row.get(0)).unwrap();
    usize::try_from(count).unwrap()
}

/// Waits until every call that was left has its line in the log; how many records went by those lines.
fn until_logged(server: &Http, left: usize) -> usize {
    for _ in 0..600 {
        let log = server.log();
        let ended: Vec<&str> = log.lines().filter(|line| line.contains(r#"object="leaves""#)).collect();
        if ended.len() >= left {
            assert_eq!(ended.len(), left);
            return ended.iter().map(|line| deleted(line)).sum();
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("not every call that was left is in the log");
}

/// One that was cancelled before its first record tells no number.
fn deleted(line: &str) -> usize {
    line.split_once("deleted=").map_or(0, |(_, rest)| rest.split(' ').next().unwrap().parse().unwrap())
}

fn resident_kib(server: &Http) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
