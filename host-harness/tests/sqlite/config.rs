//! The configuration: what it says, what it refuses, and the settings that come of it.

use std::path::{Path, PathBuf};

use deletegate::bridge::FieldType;
use deletegate::config::{Config, Engine};
use deletegate::tools::Consent;

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(text, Path::new("conf")).map_err(|error| error.to_string())
}

#[test]
fn without_a_file_the_defaults_hold() {
    let mut config = Config::default();
    assert_eq!(config, parse("").unwrap());
    let settings = config.settings(vec!["t".to_owned()], Some("deletegate delete".to_owned()));
    assert_eq!(settings.target.name, "memory");
    assert_eq!((settings.target.environment.as_str(), settings.target.production), ("local", false));
    let rule = &settings.default_rule;
    assert_eq!((rule.consent, rule.cap, rule.unfiltered, rule.scope.len()), (Consent::Attest, 200, true, 0));
    assert_eq!(settings.system_objects, ["sys_*", "sqlite_*", "pg_*", "information_schema.*"]);
    assert_eq!((settings.objects, settings.rules.len()), (vec!["t".to_owned()], 0));
    assert_eq!(settings.hand_off.as_deref(), Some("deletegate delete"));
    config.engine = Some(Engine::parse("sqlite:data/crm.db", Path::new("")).unwrap());
    assert_eq!(config.settings(Vec::new(), None).target.name, "crm.db");
    assert!(!config.is_system);
}

#[test]
fn everything_that_can_be_said() {
    let config = parse(
        r#"
        engine = "sqlite:crm.db"
        system-objects = ["secret_*", "*_audit"]
        target = { name = "Navigator testing", environment = "dev", production = true }
        [identity]
        is_system = true
        [objects.crm_task]
        label = "title"
        cap = 50
        consent = "accept"
        scope = ["project_id"]
        unfiltered = true
        visible = "owner = :actor"
        removable = "status <> 'locked'"
        revision = "version"
        fields = { done = "boolean", tags = "text-list" }
        [objects."Größe"]
        "#,
    )
    .unwrap();
    assert_eq!(config.engine, Some(Engine::Sqlite(PathBuf::from("conf/crm.db"))));
    assert!(config.is_system && config.target.production);
    let task = &config.objects["crm_task"];
    assert_eq!(task.fields["tags"], FieldType::TextList);
    assert_eq!(
        (task.visible.as_deref(), task.removable.as_deref()),
        (Some("owner = :actor"), Some("status <> 'locked'"))
    );
    assert_eq!((task.label.as_deref(), task.revision.as_deref()), (Some("title"), Some("version")));
    let settings = config.settings(Vec::new(), None);
    assert_eq!(settings.target.name, "Navigator testing");
    let rule = settings.rules.iter().find(|rule| rule.object == "crm_task").unwrap();
    assert_eq!((rule.consent, rule.cap, rule.unfiltered), (Consent::Accept, 50, true));
    assert_eq!(rule.scope, ["project_id"]);
    // In production the defaults are the careful ones.
    let other = settings.rules.iter().find(|rule| rule.object == "Größe").unwrap();
    assert_eq!((other.consent, other.cap, other.unfiltered), (Consent::Typed, 200, false));
    assert_eq!((settings.default_rule.consent, settings.default_rule.unfiltered), (Consent::Typed, false));
    for (name, system) in
        [("Secret_x", true), ("x_AUDIT", true), ("main.secret_x", true), ("audit", false), ("sys_user", false)]
    {
        assert_eq!(config.is_system_object(name), system, "{name}");
    }
}

#[test]
fn an_environment_called_production_is_production() {
    for name in ["production", "Prod"] {
        assert!(parse(&format!("[target]\nenvironment = \"{name}\"")).unwrap().target.production);
        let error = parse(&format!("[target]\nenvironment = \"{name}\"\nproduction = false")).unwrap_err();
        assert!(error.starts_with("line 3: `production` can't be false"), "{error}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_what_is_allowed() {
    let cases = [
        (
            "\nengin = 1",
            "line 2: the file has no key `engin`. Did you mean `engine`? Allowed: `engine`, `system-objects`, `allow`,",
        ),
        ("[objects.t]\ncap = 5\nlable = \"x\"", "line 3: [objects.t] has no key `lable`. Did you mean `label`?"),
        ("[objects.t]\ncap = 0", "line 2: `cap` must be a whole number, 1 to 1000."),
        ("[objects.t]\ncap = 1001", "line 2: `cap` must be a whole number, 1 to 1000."),
        ("[objects.t]\ncap = -1", "line 2: `cap` must be"),
        ("[objects.t]\ncap = \"5\"", "line 2: `cap` must be"),
        ("[objects.t]\ncap = 5.0", "line 2: `cap` must be"),
        (
            "[objects.t]\nconsent = \"typd\"",
            "line 2: `consent` can't be `typd`. Did you mean `typed`? Allowed: `none`, `attest`, `accept`, `typed`.",
        ),
        ("[objects.t]\nconsent = true", "line 2: `consent` must be one of"),
        ("[objects.t]\nfields = { a = \"int\" }", "line 2: `a` can't be `int`."),
        ("[objects.t]\nscope = \"a\"", "line 2: `scope` must be a list of texts"),
        ("[objects.t]\nscope = [1]", "line 2: an entry of `scope` must be a text in quotes."),
        ("[objects.t]\nvisible = \" \"", "line 2: `visible` must not be empty"),
        ("[objects.t]\nunfiltered = \"true\"", "line 2: `unfiltered` must be true or false, without quotes."),
        ("objects = 1", "line 1: `objects` must be a table."),
        ("[identity]\nis-system = true", "line 2: [identity] has no key `is-system`. Did you mean `is_system`?"),
        ("[target]\nprod = true", "line 2: [target] has no key `prod`."),
        ("engine = \"mysql:x\"", "line 1: `engine` is wrong: `mysql` names no engine; allowed are `sqlite:PATH`"),
        ("engine = \"sqlite:\"", "line 1: `engine` is wrong: `sqlite:` names no file"),
        ("system-objects = [\"a*b\"]", "line 1: `system-objects` can't hold `a*b`"),
        ("a = 1\na = 2", "line 2: no TOML: duplicate key"),
        ("\n\nx", "line 3: no TOML:"),
    ];
    for (text, expected) in cases {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with(expected), "{text}\n{error}");
    }
}

#[test]
fn a_file_is_named_in_its_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deletegate.toml");
    let error = Config::load(&path).unwrap_err().to_string();
    assert!(error.contains("deletegate.toml can't be read"), "{error}");
    std::fs::write(&path, "engine = 1").unwrap();
    let error = Config::load(&path).unwrap_err().to_string();
    assert!(error.ends_with("deletegate.toml, line 1: `engine` must be a text in quotes."), "{error}");
    std::fs::write(&path, "engine = \"sqlite:crm.db\"").unwrap();
    assert_eq!(Config::load(&path).unwrap().engine, Some(Engine::Sqlite(folder.path().join("crm.db"))));
}

#[test]
fn connections_to_postgresql_are_set_up() {
    let config = parse(
        r#"
        engine = "postgres://app:s3cret@db.example/crm?sslmode=verify-full"
        [postgres]
        role = "u_:actor"
        system-role = "batch"
        actor-setting = "jwt.sub"
        claims-setting = "request.jwt.claims"
        schema = "crm"
        pool-size = 2
        lock-timeout-ms = 100
        statement-timeout-ms = 5000
        tls-root = "ca.pem"
        "#,
    )
    .unwrap();
    let postgres = &config.postgres;
    assert_eq!((postgres.role.as_deref(), postgres.system_role.as_deref()), (Some("u_:actor"), Some("batch")));
    assert_eq!((postgres.actor_setting.as_str(), postgres.schema.as_str(), postgres.pool_size), ("jwt.sub", "crm", 2));
    assert_eq!(postgres.claims_setting.as_deref(), Some("request.jwt.claims"));
    assert_eq!((postgres.lock_timeout.as_millis(), postgres.statement_timeout.as_millis()), (100, 5000));
    assert_eq!(postgres.tls_root.as_deref(), Some(Path::new("conf/ca.pem")));
    assert_eq!(config.settings(Vec::new(), None).target.name, "crm");
    assert!(!format!("{config:?}").contains("s3cret"));
    for (text, said) in [
        ("[postgres]\nrole_name = \"x\"", "[postgres] has no key `role_name`."),
        ("[postgres]\npool-size = 0", "`pool-size` must be a whole number, 1 to 1000"),
        ("[postgres]\nactor-setting = \"role\"", "must be a setting's name with a dot in it"),
        ("[postgres]\nactor-setting = \"app.actor', 'x\"", "must be a setting's name with a dot in it"),
        ("[postgres]\nsystem-role = \":actor\"", "the system is no user"),
        ("engine = \"postgres:///crm\"", "the address names no host"),
        ("engine = \"postgres://a@h/d?sslmode=never\"", "write for example `postgres://app@localhost/crm`"),
        ("engine = \"oracle:x\"", "`oracle` names no engine; allowed are `sqlite:PATH`"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn production_is_what_the_engine_or_the_configuration_says() {
    use deletegate::bridge::Database;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crm.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY)").unwrap();
    let mut config = parse("[target]\nproduction = true").unwrap();
    let database = futures_executor::block_on(Database::open(&Engine::Sqlite(path), &config)).unwrap();
    database.say_where(&mut config);
    assert!(config.target.production);
}
