//! `configurations/`: files that are wrong, one way each or several, with everything that `deletegate validate` says of
//! them. `BLESS=1` writes what is said, and the diff is read.

use std::path::{Path, PathBuf};

use deletegate::bridge::Database;
use deletegate::config::{self, Config, Engine, Finding, Weight};
use futures_executor::block_on;
use serde_json::Value as Json;
use tempfile::TempDir;

struct File {
    path: PathBuf,
    text: String,
}

fn files() -> Vec<File> {
    let folder = conformance::root().join("configurations");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    paths.sort();
    paths.into_iter().map(|path| File { text: std::fs::read_to_string(&path).unwrap(), path }).collect()
}

/// The database that the files are about.
fn database() -> (TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("projects.db");
    let sql = std::fs::read_to_string(conformance::root().join("configurations/database.sql")).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
    (folder, Engine::Sqlite(path))
}

fn is_mistake(finding: &Finding) -> bool {
    finding.weight != Weight::Warning
}

/// What the file shows by itself, and what the database adds where it can be asked.
fn said(text: &str, engine: &Engine) -> (Vec<Finding>, Vec<Finding>) {
    let own = config::findings(text, Path::new(""));
    let told = match own.iter().any(is_mistake) {
        true => Vec::new(),
        false => block_on(config::verify(text, &Config::parse(text, Path::new("")).unwrap(), engine)).unwrap(),
    };
    (own, told)
}

#[test]
fn every_mistake_is_said_with_its_line_and_what_is_allowed() {
    let (_folder, engine) = database();
    let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    let mut wrong = 0;
    for File { path, text } in files() {
        let (mut all, told) = said(&text, &engine);
        all.extend(told);
        all.sort_by_key(|finding| (finding.line, finding.weight));
        let is: String = all.iter().map(|finding| format!("{finding}\n")).collect();
        let golden = path.with_extension("txt");
        if bless {
            std::fs::write(&golden, &is).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&golden).unwrap_or_default(), is, "{}", path.display());
        let lines = text.lines().count();
        assert!(all.iter().all(|finding| finding.line <= lines), "{}: {all:?}", path.display());
        wrong += usize::from(!all.is_empty());
    }
    assert!(wrong >= 30, "{wrong} files are wrong");
}

#[test]
fn what_validate_calls_a_mistake_is_refused_by_every_command_and_nothing_else_is() {
    let (_folder, engine) = database();
    for File { path, text } in files() {
        let (own, told) = said(&text, &engine);
        match Config::parse(&text, Path::new("")) {
            Err(error) => assert!(own.iter().any(is_mistake), "{}: {error}", path.display()),
            Ok(config) => {
                assert!(!own.iter().any(is_mistake), "{}: {own:?}", path.display());
                let opened = block_on(Database::open(&engine, &config)).map(drop);
                assert_eq!(opened.is_err(), told.iter().any(is_mistake), "{}: {opened:?} {told:?}", path.display());
                let settings = config.settings(Vec::new(), None);
                assert_eq!(delete_records::check_settings(&settings), Vec::<String>::new(), "{}", path.display());
            }
        }
    }
}

#[test]
fn an_editor_with_the_schema_gives_the_same_verdict_on_the_form() {
    let schema = config::schema();
    jsonschema::draft7::meta::validate(&schema).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for File { path, text } in files() {
        // What is no TOML has no verdict: the editor shows that itself.
        let Ok(json) = toml::from_str::<Json>(&text) else {
            assert!(
                config::findings(&text, Path::new("")).iter().all(|finding| finding.message.starts_with("no TOML"))
            );
            continue;
        };
        let findings = config::findings(&text, Path::new(""));
        let wrong = findings.iter().any(|finding| finding.weight == Weight::Form);
        assert_eq!(validator.is_valid(&json), !wrong, "{}: {findings:?}", path.display());
        *(if wrong { &mut invalid } else { &mut valid }) += 1;
    }
    assert!(valid >= 10 && invalid >= 10, "{valid} have the form, {invalid} have not");
}

const COMMENTED: &str = "# mine\nengine = \"sqlite:crm.db\" # here\n\n[objects.task]\n# how many\ncap = 50 # enough\n";

#[test]
fn what_is_configured_is_valid_and_reads_back() {
    let base = Path::new("");
    let mut text = String::new();
    for (key, value, line) in [
        ("tools.delete_record", "true", "delete_record = true"),
        ("tools.delete_events", "false", "delete_events = false"),
        ("engine", "sqlite:my.db", "engine = \"sqlite:my.db\""),
        ("target.name", "My tasks", "name = \"My tasks\""),
        ("target.name", "\"quoted\"", "name = \"quoted\""),
        ("objects.task.cap", "50", "cap = 50"),
        ("objects.\"my table\".consent", "typed", "consent = \"typed\""),
        ("objects.task.scope", "[\"project_id\"]", "scope = [\"project_id\"]"),
        ("objects.task.visible", "owner = :actor", "visible = \"owner = :actor\""),
        ("objects.task.aliases.prj", "project", "prj = \"project\""),
        ("system-objects", "[\"sys_*\"]", "system-objects = [\"sys_*\"]"),
        ("logs.audit", "{ object = \"event\", scope = \"stream\", time = \"at\" }", "[logs.audit]"),
        ("logs.audit.kind", "kind", "kind = \"kind\""),
    ] {
        text = config::set(&text, key, value, base).unwrap_or_else(|error| panic!("{key}: {error}"));
        assert!(text.contains(line), "{key}: {text}");
        let mistakes: Vec<_> = config::findings(&text, base).into_iter().filter(is_mistake).collect();
        assert_eq!(mistakes, [], "{key}: {text}");
        Config::parse(&text, base).unwrap_or_else(|error| panic!("{key}: {error}\n{text}"));
    }
    let config = Config::parse(&text, base).unwrap();
    assert_eq!((config.objects["task"].cap, config.tools.delete_events), (Some(50), false));
    assert_eq!((config.logs["audit"].scope.as_str(), config.logs["audit"].kind.as_deref()), ("stream", Some("kind")));
    for key in ["tools", "engine", "target.name", "objects.task.cap", "logs.audit", "system-objects"] {
        text = config::unset(&text, key, base).unwrap_or_else(|error| panic!("{key}: {error}"));
    }
    let config = Config::parse(&text, base).unwrap();
    assert_eq!((config.engine, config.objects["task"].cap, config.logs.len()), (None, None, 0));
}

#[test]
fn comments_and_all_else_stay() {
    let base = Path::new("");
    let changed = config::set(COMMENTED, "objects.task.cap", "60", base).unwrap();
    assert_eq!(changed, COMMENTED.replace("50", "60"));
    let added = config::set(COMMENTED, "objects.task.label", "title", base).unwrap();
    assert_eq!(added, format!("{COMMENTED}label = \"title\"\n"));
    assert_eq!(config::unset(&added, "objects.task.label", base).unwrap(), COMMENTED);
    assert_eq!(config::unset(COMMENTED, "objects.other.label", base).unwrap(), COMMENTED);
}

#[test]
fn what_would_be_wrong_is_not_written() {
    for (key, value, says) in [
        ("tools.delete-record", "true", "Did you mean `delete_record`?"),
        ("tools.delete_record.enabled", "true", "no table"),
        ("tool.delete_record", "true", "Did you mean `tools`?"),
        ("tools.delete_record", "yes", "true or false"),
        ("tools.delete_record", "\"true\"", "true or false"),
        ("objects.task.cap", "5000", "1 to 1000"),
        ("objects.task.cap", "many", "1 to 1000"),
        ("objects.task.consent", "typd", "Did you mean `typed`?"),
        ("objects.task.scope", "project_id", "list of texts"),
        ("objects.task.label", "", "must not be empty"),
        ("objects.task", "5", "is a table"),
        ("logs.audit", "{ object = \"event\" }", "needs `scope`"),
        ("logs.audit.object", "event", "needs `scope`"),
        ("engine", "mysql:x", "names no engine"),
        ("a..b", "1", "is no key"),
        ("", "1", "is no key"),
    ] {
        let error = config::set(COMMENTED, key, value, Path::new("")).expect_err(key).to_string();
        assert!(error.contains(says), "{key} {value}: {error}");
    }
    assert!(config::set("a = = 1", "tools.delete_record", "true", Path::new("")).is_err());
}

#[test]
fn a_file_with_a_mistake_can_be_mended_key_by_key() {
    let base = Path::new("");
    let wrong = "[objects.task]\ncap = 0\nconsent = \"typd\"\n";
    let once = config::set(wrong, "objects.task.cap", "5", base).unwrap();
    let twice = config::set(&once, "objects.task.consent", "typed", base).unwrap();
    assert_eq!(config::findings(&twice, base), []);
}
