//! Which tables are objects, what a role may do with them, and what is said of a configuration that does not fit.

use deletegate::bridge::postgres::PostgresBridge;
use deletegate::bridge::{Bridge, Comparison, FieldType, Removal, Selection, Verbs};

use crate::support::*;

fn access(bridge: &mut PostgresBridge, object: &str) -> Option<deletegate::bridge::Access> {
    wait(bridge.resolve_principal(object)).unwrap().access
}

#[test]
fn tables_with_a_key_are_objects_and_nothing_else_is() {
    let db = database(
        "CREATE TABLE plain (id integer PRIMARY KEY); CREATE TABLE keyless (id integer UNIQUE NOT NULL);
         CREATE TABLE floating (id double precision PRIMARY KEY); CREATE TABLE sys_user (id integer PRIMARY KEY);
         CREATE VIEW seen AS SELECT * FROM plain; CREATE MATERIALIZED VIEW kept AS SELECT * FROM plain;
         CREATE TEMPORARY TABLE passing (id integer PRIMARY KEY); CREATE UNLOGGED TABLE quick (id integer PRIMARY KEY);
         CREATE SCHEMA other; CREATE TABLE other.plain (id integer PRIMARY KEY);
         CREATE TABLE \"Größe \"\"x\"\"; --\" (\"Ä.\"\"id\" integer PRIMARY KEY);
         CREATE TABLE \"other.twice\" (id integer PRIMARY KEY); CREATE TABLE other.twice (id integer PRIMARY KEY);",
    );
    let postgres = db.serve();
    // `other.twice` would be two tables, so it is neither.
    assert_eq!(postgres.objects(), ["Größe \"x\"; --", "other.plain", "plain", "quick"]);
    for object in [
        "keyless",
        "floating",
        "sys_user",
        "seen",
        "kept",
        "passing",
        "public.plain",
        "PLAIN",
        "other.twice",
        "pg_class",
    ] {
        assert!(access(&mut system(&postgres), object).is_none(), "{object}");
        assert_eq!(code(page(&mut system(&postgres), object, &Selection::Every, None, 5)).0, "OBJECT_NOT_FOUND");
        assert_eq!(code(remove(&mut system(&postgres), object, &[int(1)])).0, "OBJECT_NOT_FOUND");
    }
}

#[test]
fn names_can_hold_anything_and_schemas_are_told_apart() {
    let db = database(
        "CREATE SCHEMA \"o'ther\"; CREATE TABLE \"o'ther\".plain (id integer PRIMARY KEY);
         CREATE TABLE plain (\"i d\"\"\" integer PRIMARY KEY, \"select\" text);
         INSERT INTO plain VALUES (1, 'x'); INSERT INTO \"o'ther\".plain VALUES (1)",
    );
    let postgres = db.serve();
    let mut bridge = system(&postgres);
    let filter = is("select", Comparison::Equal, [text("x")]);
    assert_eq!(rows(&mut bridge, "plain", &Selection::Filter(filter)).len(), 1);
    assert_eq!(remove(&mut bridge, "o'ther.plain", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut bridge, "plain").len(), 1);
    let own = db.configured("postgres", "[postgres]\nschema = \"o'ther\"").unwrap();
    assert_eq!(own.objects(), ["plain", "public.plain"]);
}

#[test]
fn columns_say_what_they_hold() {
    let db = database(
        "CREATE TYPE mood AS ENUM ('low'); CREATE DOMAIN money_like AS numeric(10, 2); CREATE DOMAIN deeper AS money_like;
         CREATE TABLE t (id bigint PRIMARY KEY, a boolean NOT NULL, b smallint, c deeper, d real, e varchar(3), f mood, g uuid, h date,
             i timestamptz, j timestamp, k text[], l varchar[], m jsonb, n bytea, o interval, p integer[], q money, r time)",
    );
    let fields = access(&mut system(&db.serve()), "t").unwrap().fields;
    let types: Vec<FieldType> = fields.iter().map(|field| field.type_).collect();
    use FieldType::*;
    assert_eq!(
        types,
        [
            Integer, Boolean, Integer, Decimal, Float, Text, Text, Uuid, Date, Instant, Instant, TextList, TextList,
            Opaque, Opaque, Opaque, Opaque, Opaque, Opaque
        ]
    );
    assert_eq!(
        fields.iter().filter(|field| !field.nullable).map(|field| field.name.as_str()).collect::<Vec<_>>(),
        ["id", "a"]
    );
}

#[test]
fn what_a_role_may_not_do_is_denied_before_and_by_the_database() {
    roles("CREATE ROLE clerk LOGIN");
    let db = database(
        "CREATE TABLE readable (id integer PRIMARY KEY, name text, secret text); CREATE TABLE closed (id integer PRIMARY KEY);
         CREATE TABLE keyless_right (id integer PRIMARY KEY, name text);
         CREATE SCHEMA vault; CREATE TABLE vault.gold (id integer PRIMARY KEY);
         INSERT INTO readable VALUES (1, 'x', 'y'); INSERT INTO closed VALUES (1); INSERT INTO vault.gold VALUES (1);
         GRANT SELECT (id, name) ON readable TO clerk; GRANT DELETE ON closed TO clerk;
         GRANT SELECT (name), DELETE ON keyless_right TO clerk; GRANT SELECT, DELETE ON vault.gold TO clerk;",
    );
    let postgres = db.configured("clerk", "").unwrap();
    let mut bridge = system(&postgres);
    for object in ["readable", "closed", "keyless_right"] {
        assert_eq!(access(&mut bridge, object).unwrap().verbs, Verbs::LIST, "{object}");
        assert_eq!(code(remove(&mut bridge, object, &[int(1)])), ("PERMISSION_DENIED".to_owned(), 403), "{object}");
    }
    let fields: Vec<String> =
        access(&mut bridge, "readable").unwrap().fields.into_iter().map(|field| field.name).collect();
    assert_eq!(fields, ["id", "name"]);
    // A role that reads single columns can't read the number that tells that a record has changed.
    let shown = page(&mut bridge, "readable", &Selection::Every, None, 5).unwrap().rows;
    assert_eq!((shown[0].label.as_deref(), shown[0].revision.as_deref()), (Some("x"), None));
    assert_eq!(code(page(&mut bridge, "closed", &Selection::Every, None, 5)), ("PERMISSION_DENIED".to_owned(), 403));
    let withheld = Selection::Filter(is("secret", Comparison::Equal, [text("y")]));
    assert_eq!(code(page(&mut bridge, "readable", &withheld, None, 5)), ("PERMISSION_DENIED".to_owned(), 403));
    assert_eq!(db.column("SELECT count(*) FROM closed"), ["1"]);
}

/// What is hidden from a role is, by every function, as if it were not there.
#[test]
fn a_table_that_a_role_has_no_right_to_is_not_there() {
    roles("CREATE ROLE guest LOGIN");
    let db = database(
        "CREATE TABLE hidden (id integer PRIMARY KEY); CREATE SCHEMA vault; CREATE TABLE vault.gold (id integer PRIMARY KEY);
         INSERT INTO hidden VALUES (1); INSERT INTO vault.gold VALUES (1); GRANT SELECT, DELETE ON vault.gold TO guest",
    );
    let postgres = db.configured("guest", "").unwrap();
    let mut bridge = system(&postgres);
    for object in ["hidden", "vault.gold", "nothing"] {
        assert!(access(&mut bridge, object).is_none(), "{object}");
        let not_found = ("OBJECT_NOT_FOUND".to_owned(), 404);
        assert_eq!(code(page(&mut bridge, object, &Selection::Every, None, 5)), not_found, "{object}");
        assert_eq!(code(wait(bridge.aggregate(object, &Selection::Every))), not_found, "{object}");
        assert_eq!(code(remove(&mut bridge, object, &[int(1)])), not_found, "{object}");
    }
    db.run("GRANT USAGE ON SCHEMA vault TO guest");
    assert_eq!(every(&mut bridge, "vault.gold"), [[int(1)]]);
    // Taken away in the middle of a call, whose caller is resolved anew before anything is removed.
    db.run("REVOKE USAGE ON SCHEMA vault FROM guest");
    assert!(access(&mut bridge, "vault.gold").is_none());
    assert_eq!(code(remove(&mut bridge, "vault.gold", &[int(1)])), ("OBJECT_NOT_FOUND".to_owned(), 404));
    db.run("GRANT USAGE ON SCHEMA vault TO guest");
    assert_eq!(remove(&mut bridge, "vault.gold", &[int(1)]).unwrap(), Removal::Removed);
}

/// What a configuration names is looked for in the tables, not in what the login may read of them.
#[test]
fn a_configuration_is_judged_by_the_tables_and_the_roles_that_there_are() {
    use deletegate::config::{Config, Engine, verify};
    roles("CREATE ROLE office; CREATE ROLE frontdesk LOGIN NOINHERIT IN ROLE office; CREATE ROLE elsewhere");
    let db = database(
        "CREATE TABLE task (id integer PRIMARY KEY, title text, at timestamptz, stream text); GRANT SELECT, DELETE ON task TO office;
         GRANT SELECT (id) ON task TO frontdesk",
    );
    let said = |postgres: &str| {
        let text = format!(
            "{postgres}\n[objects.task]\nlabel = \"title\"\naliases = {{ title = \"name\" }}\n
             [logs.task]\nobject = \"task\"\nscope = \"stream\"\ntime = \"at\""
        );
        let config = Config::parse(&text, std::path::Path::new("")).unwrap();
        let engine = Engine::Postgres(db.address("frontdesk"));
        let findings = wait(verify(&text, &config, &engine)).unwrap();
        findings.into_iter().map(|finding| finding.message).collect::<Vec<_>>()
    };
    let refused = |key: &str, why: &str| {
        vec![format!("[postgres] `{key}`: the server does not let this program act as that role: {why}.")]
    };
    assert_eq!(said("[postgres]\nrole = \"office\""), Vec::<String>::new());
    assert_eq!(said("[postgres]\nrole = \"offices\""), refused("role", "role \"offices\" does not exist"));
    assert_eq!(
        said("[postgres]\nsystem-role = \"elsewhere\""),
        refused("system-role", "permission denied to set role \"elsewhere\"")
    );
    let asks_nobody = "[objects.task]\nlabel = \"title\"\nconsent = \"none\"";
    let findings = || {
        let config = Config::parse(asks_nobody, std::path::Path::new("")).unwrap();
        wait(verify(asks_nobody, &config, &Engine::Postgres(db.address("frontdesk")))).unwrap()
    };
    assert!(findings().is_empty());
    db.run(&format!("ALTER DATABASE {} SET deletegate.environment = 'production'", db.name));
    let [finding] = findings().try_into().unwrap();
    assert!(finding.message.starts_with("Where the database says it is, this can't be used: "), "{}", finding.message);
    let long = "o".repeat(64);
    assert_eq!(said(&format!("[postgres]\nrole = \"{long}\"")), refused("role", "a name has at most 63 bytes"));
}

#[test]
fn tables_that_change_are_read_again() {
    let db = database("CREATE TABLE t (id integer PRIMARY KEY)");
    let postgres = db.serve();
    assert_eq!(access(&mut system(&postgres), "t").unwrap().fields.len(), 1);
    db.run("ALTER TABLE t ADD name text");
    assert_eq!(access(&mut system(&postgres), "t").unwrap().fields.len(), 2);
    db.run("ALTER TABLE t ALTER name SET NOT NULL");
    assert!(!access(&mut system(&postgres), "t").unwrap().fields[1].nullable);
    db.run("ALTER TABLE t DROP name");
    assert_eq!(access(&mut system(&postgres), "t").unwrap().fields.len(), 1);
    assert!(access(&mut system(&postgres), "u").is_none());
    db.run("CREATE TABLE u (id integer PRIMARY KEY); INSERT INTO u VALUES (1)");
    assert!(access(&mut system(&postgres), "u").is_some());
    db.run("ALTER TABLE u ALTER id TYPE text");
    assert_eq!(access(&mut system(&postgres), "u").unwrap().key[0].type_, FieldType::Text);
    assert_eq!(remove(&mut system(&postgres), "u", &[text("1")]).unwrap(), Removal::Removed);
    db.run("DROP TABLE t");
    assert!(access(&mut system(&postgres), "t").is_none());
}

#[test]
fn a_configuration_that_does_not_fit_is_told() {
    let db = database(
        "CREATE TABLE task (id integer PRIMARY KEY, title text, done boolean, data jsonb); CREATE TABLE keyless (id integer)",
    );
    for (config, said) in [
        ("[objects.taks]", "[objects.taks]: the database has no table `taks`. Did you mean `task`?"),
        (
            "[objects.task]\nlabel = \"titel\"",
            "[objects.task] label: the table has no column `titel`. Did you mean `title`?",
        ),
        (
            "[objects.task]\nvisible = \"owner = :actor\"",
            "is no SQL condition over this table: column \"owner\" does not exist",
        ),
        ("[objects.task]\nvisible = \"TRUE) OR (TRUE\"", "is no SQL condition"),
        ("[objects.task]\nvisible = \"TRUE; DELETE FROM task\"", "is no SQL condition"),
        ("[objects.task]\nvisible = \"title = $2\"", "`$2` is no parameter; allowed is `:actor`"),
        ("[objects.task]\nfields = { title = \"integer\" }", "can't be given this type"),
        (
            "[objects.task]\nsoft-delete = \"title\"",
            "must take no value, and hold a point in time, a date or a boolean",
        ),
        ("[objects.keyless]", "has no primary key"),
    ] {
        let error = db.configured("postgres", config).map(drop).unwrap_err().to_string();
        assert!(error.contains(said), "{config}: {error}");
    }
    assert!(
        db.configured(
            "postgres",
            "[objects.task]\nvisible = \"title = :actor -- mine\"\nfields = { data = \"text-list\" }"
        )
        .is_ok()
    );
}

#[test]
fn the_database_can_say_that_it_is_production() {
    let db = database("CREATE TABLE t (id integer PRIMARY KEY)");
    assert_eq!(db.serve().environment(), None);
    db.run(&format!("ALTER DATABASE {} SET deletegate.environment = 'production'", db.name));
    assert_eq!(db.serve().environment(), Some("production"));
}

#[test]
fn a_database_of_another_encoding_is_refused() {
    let db = database("");
    db.run("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'");
    let other = Db { name: "latin".to_owned(), owner: connect("postgres", "latin") };
    let error = other.configured("postgres", "").map(drop).unwrap_err().to_string();
    assert_eq!(error, "the database's encoding is LATIN1; only UTF8 is served");
}

#[test]
fn who_is_not_let_in_is_told_why() {
    let db = database("");
    let error = db.configured("nobody_here", "").map(drop).unwrap_err().to_string();
    assert!(error.contains("the database can't be reached") && error.contains("nobody_here"), "{error}");
}
