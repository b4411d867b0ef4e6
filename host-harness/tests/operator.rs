//! What an operator does: names and switches in a file, and the commands that change and check it, as the program runs them.

use std::path::PathBuf;
use std::process::{Command, Output};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

const CONFIG: &str = r#"
engine = "sqlite:shop.db"

[objects.t_ord]
alias = "order"
aliases = { c_nr = "number", c_st = "status" }
label = "c_st"
scope = ["c_st"]

[objects.t_line]
alias = "line"

[objects.t_secret]
exclude = true

[objects.t_log]
fields = { c_tags = "text-list" }
aliases = { c_stream = "stream" }
visible = "c_tenant = :actor"

[logs.shop]
object = "t_log"
scope = "c_stream"
time = "c_at"
tags = "c_tags"
"#;

struct Home {
    folder: TempDir,
}

impl Home {
    fn new(config: &str) -> Home {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("shop.db")).unwrap();
        connection
            .execute_batch(
                r#"CREATE TABLE t_ord (c_nr INTEGER PRIMARY KEY, c_st TEXT);
                   CREATE TABLE t_line (c_id INTEGER PRIMARY KEY, c_ord INTEGER REFERENCES t_ord ON DELETE CASCADE);
                   CREATE TABLE t_secret (id INTEGER PRIMARY KEY);
                   CREATE TABLE t_log (c_id INTEGER PRIMARY KEY, c_stream TEXT, c_at TIMESTAMP, c_tags JSON, c_tenant TEXT);
                   INSERT INTO t_ord VALUES (1, 'done'), (2, 'open'), (3, 'done');
                   INSERT INTO t_line VALUES (10, 1), (11, 1), (12, 2);
                   INSERT INTO t_secret VALUES (1);
                   INSERT INTO t_log VALUES
                     (1, 'orders', '2026-01-01T00:00:00Z', '["eu","web"]', 'me'),
                     (2, 'orders', '2026-02-01T00:00:00Z', '["eu"]', 'me'),
                     (3, 'orders', '2026-01-01T00:00:00Z', '[]', 'you'),
                     (4, 'users', '2026-01-01T00:00:00Z', NULL, 'me');"#,
            )
            .unwrap();
        let home = Home { folder };
        std::fs::write(home.config(), config).unwrap();
        home
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("deletegate.toml")
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_deletegate")).args(args).current_dir(self.folder.path()).output().unwrap()
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let output = self.run(&["call", tool, &arguments.to_string(), "--config", "deletegate.toml", "--actor", "me"]);
        let text = String::from_utf8(output.stdout).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
    }

    fn left(&self, table: &str) -> Vec<i64> {
        let connection = Connection::open(self.folder.path().join("shop.db")).unwrap();
        let mut statement = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1")).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|entry| entry["name"].as_str()).collect()
}

#[test]
fn tools_show_and_take_the_aliases_and_never_the_names_behind_them() {
    let home = Home::new(CONFIG);
    let list = home.call("list_objects", json!({}));
    assert_eq!(names(&list["objects"]), ["line", "order", "t_log"]);
    let order = &list["objects"][1];
    assert_eq!((names(&order["key"]), names(&order["fields"])), (vec!["number"], vec!["number", "status"]));
    assert_eq!(order["scope"], json!(["status"]));
    assert_eq!(
        list["objects"][2]["logs"][0],
        json!({ "log": "shop", "collection": "stream", "time": "c_at", "tags": "c_tags" })
    );
    for hidden in ["t_ord", "c_nr", "c_st\"", "t_line", "t_secret", "c_stream"] {
        assert!(!list.to_string().contains(hidden), "{hidden}: {list}");
    }

    for (object, code) in
        [("t_ord", "OBJECT_NOT_FOUND"), ("t_line", "OBJECT_NOT_FOUND"), ("t_secret", "OBJECT_NOT_FOUND")]
    {
        for tool in ["delete_records", "delete_record"] {
            let id = if tool == "delete_record" { ("recordId", json!("1")) } else { ("recordIds", json!(["1"])) };
            let refused = home.call(tool, json!({ "objectName": object, id.0: id.1, "confirm": true }));
            assert_eq!(refused["error"]["code"], code, "{tool} {object}");
        }
    }
    let refused = home.call("delete_records", json!({ "objectName": "order", "where": { "c_st": "done" } }));
    assert_eq!(refused["error"]["code"], "INVALID_FIELD");
    let refused = home.call("delete_record", json!({ "objectName": "order", "keys": { "c_nr": 1 }, "confirm": true }));
    assert_eq!(refused["error"]["code"], "VALIDATION_FAILED");
    assert!(refused.to_string().contains("number"), "{refused}");
    let open = home.call("delete_records", json!({ "objectName": "order", "where": { "number": 1 }, "confirm": true }));
    assert_eq!(open["error"]["code"], "SCOPE_REQUIRED");

    let preview = home.call("delete_records", json!({ "objectName": "order", "where": { "status": "done" } }));
    assert_eq!(preview["preview"]["dependents"], json!([{ "object": "line", "count": 2, "effect": "cascade" }]));
    assert_eq!(preview["preview"]["sampleRecords"][0], json!({ "id": "1", "label": "done" }));
    let answer = home.call("delete_record", json!({ "objectName": "order", "keys": { "number": 1 }, "confirm": true }));
    assert_eq!(answer, json!({ "status": "okay", "object": "order", "recordId": "1", "warnings": [] }));
    assert_eq!((home.left("t_ord"), home.left("t_line")), (vec![2, 3], vec![12]));
}

#[test]
fn an_event_log_is_pruned_within_what_the_caller_sees() {
    let home = Home::new(CONFIG);
    let dry = |more: Value| {
        let mut arguments = json!({ "collection": "orders", "dryRun": true });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        home.call("delete_events", arguments)
    };
    assert_eq!(dry(json!({})), json!({ "deleted": 0, "matched": 2 }));
    assert_eq!(dry(json!({ "tags": ["web"] }))["matched"], 1);
    assert_eq!(dry(json!({ "until": "2026-01-31T23:59:59Z" }))["matched"], 1);
    let answer =
        home.call("delete_events", json!({ "collection": "orders", "until": "2026-01-01T00:00:00Z", "confirm": true }));
    assert_eq!((&answer["object"], &answer["deleted"]), (&json!("t_log"), &json!(1)));
    assert_eq!(home.left("t_log"), [2, 3, 4]);
}

#[test]
fn objects_are_opened_by_name_only_where_the_file_says_so() {
    let home = Home::new("engine = \"sqlite:shop.db\"\nallow = [\"t_ord\"]\n");
    assert_eq!(names(&home.call("list_objects", json!({}))["objects"]), ["t_ord"]);
    let refused = home.call("delete_records", json!({ "objectName": "t_line", "recordIds": ["10"], "confirm": true }));
    assert_eq!(refused["error"]["code"], "OBJECT_NOT_FOUND");
    let preview = home.call("delete_record", json!({ "objectName": "t_ord", "recordId": 1 }));
    assert_eq!(preview["preview"]["dependents"][0]["count"], 2, "what goes along is told all the same");
    assert_eq!(home.left("t_line"), [10, 11, 12]);
}

#[test]
fn a_tool_that_is_off_is_unknown() {
    let home = Home::new("engine = \"sqlite:shop.db\"\n");
    assert_eq!(home.call("delete_events", json!({ "ids": ["1"] }))["error"]["code"], "UNKNOWN_TOOL", "without a log");
    for tool in ["delete_records", "delete_record", "list_objects"] {
        assert_ne!(home.call(tool, json!({}))["error"]["code"], "UNKNOWN_TOOL", "{tool}");
        let output = home.run(&["configure", &format!("tools.{tool}"), "false"]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(home.call(tool, json!({}))["error"]["code"], "UNKNOWN_TOOL", "{tool}");
    }
    let tools = home.run(&["tools", "--config", "deletegate.toml"]);
    assert_eq!(serde_json::from_slice::<Value>(&tools.stdout).unwrap(), json!({ "tools": [] }));
}

#[test]
fn names_that_would_mean_two_things_are_refused() {
    for (config, says) in [
        ("[objects.t_ord]\nalias = \"t_line\"", "another object `t_line`"),
        ("[objects.t_ord]\naliases = { c_nr = \"c_st\" }", "another column `c_st`"),
        ("[objects.t_ord]\naliases = { c_nrr = \"number\" }", "Did you mean `c_nr`?"),
    ] {
        let home = Home::new(&format!("engine = \"sqlite:shop.db\"\n{config}"));
        let output = home.run(&["call", "list_objects", "{}", "--config", "deletegate.toml", "--actor", "me"]);
        assert_eq!(output.status.code(), Some(2), "{config}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(says), "{config}: {said}");
        let told = home.run(&["validate"]);
        assert_eq!(told.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&told.stdout).contains(says), "{told:?}");
    }
    // The two may change names, since each then means one thing.
    let home = Home::new(
        "engine = \"sqlite:shop.db\"\n[objects.t_ord]\nalias = \"t_line\"\n[objects.t_line]\nalias = \"t_ord\"",
    );
    let answer = home.call("delete_record", json!({ "objectName": "t_ord", "recordId": 12, "confirm": true }));
    assert_eq!((&answer["status"], home.left("t_line")), (&json!("okay"), vec![10, 11]));
}

#[test]
fn validate_says_everything_and_configure_mends_it() {
    let home = Home::new("engine = \"sqlite:shop.db\"\n# mine\n[objects.t_ord]\ncap = 0\nlable = \"c_st\"\n");
    let wrong = home.run(&["validate"]);
    assert_eq!(wrong.status.code(), Some(1));
    let said = String::from_utf8(wrong.stdout).unwrap();
    assert!(said.contains("line 4") && said.contains("line 5") && said.contains("2 mistakes, 0 warnings"), "{said}");
    assert!(!home.run(&["configure", "objects.t_ord.cap", "5000"]).status.success());
    assert!(home.run(&["configure", "objects.t_ord.cap", "50"]).status.success());
    std::fs::write(home.config(), std::fs::read_to_string(home.config()).unwrap().replace("lable", "label")).unwrap();
    let right = home.run(&["validate", "--json"]);
    let report: Value = serde_json::from_slice(&right.stdout).unwrap();
    assert_eq!(
        (right.status.code(), &report["mistakes"], &report["databaseNotLookedAt"]),
        (Some(0), &json!(0), &Value::Null)
    );
    let text = std::fs::read_to_string(home.config()).unwrap();
    assert!(text.contains("# mine") && text.contains("cap = 50"), "{text}");
    // The database's own part.
    assert!(home.run(&["configure", "objects.t_ord.label", "c_stt"]).status.success());
    let told = String::from_utf8(home.run(&["validate"]).stdout).unwrap();
    assert!(told.contains("no column `c_stt`. Did you mean `c_st`?"), "{told}");
}

#[test]
fn a_file_is_made_by_the_first_key() {
    let home = Home::new("");
    std::fs::remove_file(home.config()).unwrap();
    assert!(home.run(&["configure", "target.environment", "staging"]).status.success());
    assert_eq!(std::fs::read_to_string(home.config()).unwrap(), "[target]\nenvironment = \"staging\"\n");
    assert_eq!(home.run(&["configure", "target.environment"]).status.code(), Some(2), "a value is needed");
    assert!(home.run(&["configure", "target.environment", "--unset"]).status.success());
}

#[test]
fn the_schema_is_one() {
    let output = Home::new("").run(&["schema"]);
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["properties"]["tools"]["properties"]["delete_record"]["type"], "boolean");
}

#[test]
fn explain_says_what_and_why() {
    let home = Home::new(CONFIG);
    let explain = |object: &str, who: &[&str]| -> Value {
        let args = [&["explain", object, "--config", "deletegate.toml", "--json"], who].concat();
        let output = home.run(&args);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    };
    let order = explain("order", &["--actor", "me"]);
    assert_eq!((&order["table"], &order["may"]), (&json!("t_ord"), &json!(["list", "remove"])));
    assert_eq!(
        (&order["consent"], &order["cap"], &order["scope"]),
        (&json!("attest"), &json!(200), &json!(["status"]))
    );
    assert_eq!(order["records"]["visible"], 3);
    assert_eq!(order["records"]["dependents"], json!([{ "object": "line", "count": 3, "effect": "cascade" }]));
    assert_eq!(explain("t_ord", &["--actor", "me"])["object"], "order", "the database's own name is known too");
    let log = explain("t_log", &["--actor", "me"]);
    assert_eq!((&log["visible"], &log["records"]["visible"]), (&json!("c_tenant = :actor"), &json!(3)));
    assert_eq!(log["tools"], json!(["delete_records", "delete_record", "delete_events"]));
    assert_eq!(explain("t_log", &["--system"])["records"]["visible"], 4);
    for (object, who, why) in [
        ("t_secret", &["--actor", "me"][..], "excludes it"),
        ("nothing", &["--actor", "me"], "no such table"),
        ("order", &[], "nobody known"),
        ("sqlite_master", &["--actor", "me"], "system-objects"),
    ] {
        let said = explain(object, who);
        assert_eq!(said["may"], json!([]), "{said}");
        assert!(said["why"].as_str().unwrap().contains(why), "{said}");
    }
    let text = home.run(&["explain", "order", "--config", "deletegate.toml", "--actor", "me"]);
    let text = String::from_utf8(text.stdout).unwrap();
    for line in [
        "\"order\" (the table \"t_ord\"), for user \"me\"",
        "consent    attest: the default outside production",
        "3 of \"line\" go with the first 3",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!((home.left("t_ord"), home.left("t_log")), (vec![1, 2, 3], vec![1, 2, 3, 4]));
}
