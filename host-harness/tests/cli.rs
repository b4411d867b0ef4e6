//! The program as people and programs run it: a database it has never seen, exit codes, and a real terminal.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_deletegate");

/// A database as somebody has one: no configuration, a key of its own, a view, a rule.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Home {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("it's mine.db")).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE \"Einkäufe\" (nr INTEGER PRIMARY KEY, name TEXT, done BOOLEAN NOT NULL);
                 INSERT INTO \"Einkäufe\" VALUES (1, 'milk', 1), (2, 'bread', 1), (3, 'tea', 0), (4, 'salt', 1);
                 CREATE VIEW open_ones AS SELECT * FROM \"Einkäufe\" WHERE NOT done;
                 CREATE TRIGGER keep_salt BEFORE DELETE ON \"Einkäufe\" WHEN OLD.name = 'salt'
                 BEGIN SELECT RAISE(ABORT, 'RECORD_LOCKED 409: salt is never thrown away'); END;",
            )
            .unwrap();
        Home { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn engine(&self) -> String {
        format!("sqlite:{}", self.file("it's mine.db").display())
    }

    fn left(&self) -> Vec<i64> {
        let connection = Connection::open(self.file("it's mine.db")).unwrap();
        let mut statement = connection.prepare("SELECT nr FROM \"Einkäufe\" ORDER BY nr").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    fn call(&self, arguments: &str, more: &[&str]) -> (i32, Value) {
        let output = run(&[&["call", "delete_records", arguments, "--engine", &self.engine()], more].concat(), "");
        let text = String::from_utf8(output.stdout).unwrap();
        let json = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{:?}", output.stderr));
        (output.status.code().unwrap(), json)
    }
}

fn run(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(PROGRAM)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its options reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Runs a command of a POSIX shell in a terminal of its own, as `script` makes one, and types into it.
fn at_a_terminal(command: &str, typed: &str) -> (i32, String) {
    let folder = Path::new(PROGRAM).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", command, "/dev/null"])
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`script`, of util-linux, makes the terminal");
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
}

const DONE: &str = r#"{"objectName": "Einkäufe", "where": {"done": true}}"#;
const DONE_CONFIRMED: &str = r#"{"objectName": "Einkäufe", "where": {"done": true}, "confirm": true}"#;

#[test]
fn a_database_never_seen_before_works_without_configuration() {
    let home = Home::new();
    let (code, preview) = home.call(DONE, &["--actor", "me"]);
    assert_eq!((code, &preview["error"]["status"]), (1, &Value::from(428)));
    assert_eq!(preview["preview"]["sampleRecords"][0], serde_json::json!({ "id": "1", "label": "milk" }));
    assert_eq!(home.left(), [1, 2, 3, 4]);
    let (code, answer) = home.call(DONE_CONFIRMED, &["--actor", "me"]);
    assert_eq!((code, &answer["deleted"], &answer["refused"]), (0, &Value::from(2), &Value::from(1)));
    assert_eq!(answer["refusals"][0]["reason"], "salt is never thrown away");
    assert_eq!(home.left(), [3, 4]);
}

#[test]
fn nobody_sees_nothing_and_a_view_is_no_object() {
    let home = Home::new();
    let (code, answer) = home.call(DONE_CONFIRMED, &[]);
    assert_eq!((code, &answer["error"]["code"]), (1, &Value::from("UNAUTHENTICATED")));
    let (_, answer) = home.call(r#"{"objectName": "open_ones", "where": {}, "confirm": true}"#, &["--system"]);
    assert_eq!(answer["error"]["code"], "OBJECT_NOT_FOUND");
    assert_eq!(home.left(), [1, 2, 3, 4]);
}

#[test]
fn arguments_come_from_a_file_and_from_standard_input() {
    let home = Home::new();
    std::fs::write(home.file("arguments.json"), DONE).unwrap();
    let (code, _) = home.call(&format!("@{}", home.file("arguments.json").display()), &["--actor", "me"]);
    assert_eq!(code, 1);
    let output = run(&["call", "delete_records", "-", "--engine", &home.engine(), "--actor", "me"], DONE_CONFIRMED);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(home.left(), [3, 4]);
}

#[test]
fn wrong_use_is_told_apart_from_a_failed_answer() {
    let home = Home::new();
    let engine = home.engine();
    for (args, said) in [
        (vec!["call", "delete_records", DONE], "--engine"),
        (vec!["call", "delete_records", DONE, "--engine", "mysql:x"], "sqlite:PATH"),
        (vec!["call", "delete_records", DONE, "--engine", "sqlite:not-there.db"], "not-there.db"),
        (vec!["call", "delete_records", DONE, "--engine", &engine, "--actor", "a", "--system"], "--system"),
        (vec!["delete", "Einkäufe", "--where", "{}", "--engine", &engine, "--actor", "me"], "terminal"),
        (vec!["delete", "Einkäufe", "--engine", &engine], "--where"),
        (vec!["inspect", "not-there.wasm"], "not-there.wasm"),
    ] {
        let output = run(&args, "y\n");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(said), "{args:?}: {error}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    let output = run(&["call", "drop_table", "{}", "--engine", &engine, "--actor", "me"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("UNKNOWN_TOOL"));
    assert_eq!(home.left(), [1, 2, 3, 4]);
}

#[test]
fn a_person_at_a_terminal_sees_is_asked_and_deletes() {
    let home = Home::new();
    let command = |more: &str| {
        let engine = home.engine().replace('\'', r"'\''");
        format!("deletegate delete 'Einkäufe' --actor me --engine '{engine}' {more}")
    };
    let (code, shown) = at_a_terminal(&command("--id 3"), "n\n");
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("1 record") && shown.contains("tea") && shown.contains("Nothing was deleted"), "{shown}");
    assert_eq!(home.left(), [1, 2, 3, 4]);
    let (code, shown) = at_a_terminal(&command(r#"--where '{"done": true}'"#), "y\n");
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Deleted 2 of 3 records.") && shown.contains("RECORD_LOCKED"), "{shown}");
    assert_eq!(home.left(), [3, 4]);
}

#[test]
fn the_command_that_is_handed_off_asks_a_person_and_runs_as_it_stands() {
    let home = Home::new();
    std::fs::write(
        home.file("own.toml"),
        "[target]\nname = \"Home\"\nproduction = true\nenvironment = \"production\"\n",
    )
    .unwrap();
    let config = home.file("own.toml").display().to_string();
    let (code, answer) = home.call(DONE_CONFIRMED, &["--actor", "o'me", "--config", &config]);
    assert_eq!((code, &answer["error"]["code"]), (1, &Value::from("APPROVAL_UNAVAILABLE")));
    let command = answer["error"]["details"]["command"].as_str().unwrap();
    assert_eq!(home.left(), [1, 2, 3, 4]);
    // The object's name is not plain ASCII, so its kind stands for it.
    for (typed, code, left) in [("records 2\n", 1, vec![1, 2, 3, 4]), ("records 3\n", 0, vec![3, 4])] {
        let (ended, shown) = at_a_terminal(command, typed);
        assert!(shown.contains("PRODUCTION [production]: delete 3 records"), "{shown}");
        assert_eq!((ended, home.left()), (code, left), "{shown}");
    }
}

#[test]
fn the_demonstration_runs_and_the_tools_are_listed() {
    let output = run(&["demo", "--clean"], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    for shown in ["Did you mean \"status\"?", "Deleted 2 of 5 records.", "SELECTION_CHANGED", "Type \"crm_account 1\""]
    {
        assert!(text.contains(shown), "{shown} is not in {text}");
    }
    let output = run(&["tools"], "");
    let tools: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(tools["tools"][0]["name"], "delete_records");
    assert_eq!(tools["tools"][0]["annotations"]["destructiveHint"], true);
    assert_eq!(tools["tools"][0]["inputSchema"]["additionalProperties"], false);
}

#[test]
fn the_demonstration_runs_over_a_server_of_its_own() {
    let output = run(&["demo", "--engine", "postgres"], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for said in [
        "Deleted 2 of 5 records.",
        "2 refused: RECORD_LOCKED — the period 2026-Q1 is closed",
        "1 refused: NOT_YOURS — only its owner removes a task",
        "T-106  Collect the signed offer",
        "and 2 notes",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

/// A server, and a database that says of itself that it is production.
#[test]
fn a_server_that_is_production_asks_a_person_and_no_password_is_shown() {
    use deletegate::bridge::postgres::cluster::Cluster;
    let cluster = Cluster::start("-c fsync=off -c deletegate.environment=production").unwrap();
    let address = cluster.address("postgres", "postgres");
    let psql = |sql: &str| {
        let output = Command::new("psql")
            .args(["--no-psqlrc", "--tuples-only", "--no-align", &address, "--command", sql])
            .output();
        String::from_utf8(output.expect("psql comes with the server").stdout).unwrap()
    };
    psql("CREATE TABLE task (id integer PRIMARY KEY, name text); INSERT INTO task VALUES (1, 'a'), (2, 'b')");
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("it is dev.toml");
    std::fs::write(&config, "[target]\nenvironment = \"dev\"\nproduction = false\n").unwrap();
    let secret = format!("{address}&password=s3cret");
    let arguments = r#"{"objectName": "task", "where": {"name": "a"}, "confirm": true}"#;
    let config = config.to_str().unwrap();
    let output =
        run(&["call", "delete_records", arguments, "--engine", &secret, "--actor", "me", "--config", config], "");
    let (text, log) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let answer: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{log}"));
    assert_eq!(answer["error"]["code"], "APPROVAL_UNAVAILABLE", "{text}");
    assert!(text.contains("deletegate delete --engine=") && text.contains("password=***"), "{text}");
    assert!(!text.contains("s3cret") && !log.contains("s3cret"), "{text}{log}");
    // A filter that means every record is not for production either.
    let all = r#"{"objectName": "task", "where": {}}"#;
    let output = run(&["call", "delete_records", all, "--engine", &address, "--actor", "me", "--config", config], "");
    assert!(String::from_utf8(output.stdout).unwrap().contains("FILTER_REQUIRED"));
    assert_eq!(psql("SELECT count(*) FROM task").trim(), "2");
    // A person answers at a terminal; the question names production.
    let command = format!("deletegate delete task --where '{{\"name\": \"a\"}}' --actor me --engine '{address}'");
    let (code, said) = at_a_terminal(&command, "task 1\n");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("PRODUCTION [production]"), "{said}");
    assert_eq!(psql("SELECT count(*) FROM task").trim(), "1");
}

#[test]
fn a_server_that_is_not_there_is_wrong_use() {
    let output =
        run(&["call", "delete_records", "{}", "--engine", "postgres://me:s3cret@127.0.0.1:1/crm?sslmode=disable"], "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("the database can't be reached") && !said.contains("s3cret"), "{said}");
    let output = run(&["call", "delete_records", "{}", "--engine", "mysql://me:s3cret@h/crm"], "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("`mysql` names no engine; allowed are `sqlite:PATH`") && !said.contains("s3cret"), "{said}");
}
