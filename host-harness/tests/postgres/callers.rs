//! The caller is the database's: their role and their settings, for one transaction and no longer.

use deletegate::bridge::{Bridge, Removal, Selection};

use crate::support::*;

const SEEN: &str = "CREATE TABLE t (id text PRIMARY KEY); INSERT INTO t VALUES ('ana'), ('bo'), ('');
    CREATE TABLE log (who text, actor text, claims text); GRANT ALL ON log TO PUBLIC; GRANT SELECT, DELETE ON t TO PUBLIC;
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO log VALUES (current_user, current_setting('app.actor', TRUE), current_setting('request.jwt.claims', TRUE));
        RETURN OLD; END $$;
    CREATE TRIGGER note BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION note();";

#[test]
fn rules_know_the_caller_by_role_and_setting() {
    roles("CREATE ROLE app_users; CREATE ROLE app_batch; CREATE ROLE gate LOGIN IN ROLE app_users, app_batch");
    let db = database(SEEN);
    let config = "[postgres]\nrole = \"app_users\"\nsystem-role = \"app_batch\"\nclaims-setting = \"request.jwt.claims\"\npool-size = 1";
    let postgres = db.configured("gate", config).unwrap();
    assert_eq!(remove(&mut user(&postgres, "ana \"x\""), "t", &[text("ana")]).unwrap(), Removal::Removed);
    assert_eq!(remove(&mut system(&postgres), "t", &[text("bo")]).unwrap(), Removal::Removed);
    let seen = db.column("SELECT concat_ws('|', who, actor, claims) FROM log ORDER BY who DESC");
    assert_eq!(seen, [r#"app_users|ana "x"|{"sub":"ana \"x\"","role":"app_users"}"#, "app_batch||"]);
    // Nothing of it stays on the connection, of which there is one.
    let left = db.column("SELECT count(*) FROM pg_stat_activity WHERE usename = 'gate' AND state LIKE 'idle in%'");
    assert_eq!(left, ["0"]);
}

#[test]
fn each_user_can_have_a_role() {
    roles("CREATE ROLE u_ana; CREATE ROLE u_bo; CREATE ROLE porter LOGIN IN ROLE u_ana, u_bo; CREATE ROLE stranger");
    let db = database(SEEN);
    let postgres = db.configured("porter", "[postgres]\nrole = \"u_:actor\"").unwrap();
    assert_eq!(remove(&mut user(&postgres, "ana"), "t", &[text("ana")]).unwrap(), Removal::Removed);
    assert_eq!(db.column("SELECT who FROM log"), ["u_ana"]);
    // Nobody's role, and somebody's that this host may not take.
    for id in ["cleo", "ana; DROP TABLE t", "\"ana"] {
        assert_eq!(
            code(page(&mut user(&postgres, id), "t", &Selection::Every, None, 5)),
            ("PERMISSION_DENIED".to_owned(), 403)
        );
        assert_eq!(code(wait(user(&postgres, id).resolve_principal("t"))).0, "PERMISSION_DENIED");
    }
    let own = db.configured("porter", "[postgres]\nrole = \":actor\"").unwrap();
    // `SET ROLE none` would be the host's own role.
    for id in ["none", "NONE", "stranger", "postgres"] {
        assert_eq!(
            code(page(&mut user(&own, id), "t", &Selection::Every, None, 5)),
            ("PERMISSION_DENIED".to_owned(), 403),
            "{id}"
        );
        assert_eq!(
            code(remove(&mut user(&own, id), "t", &[text("bo")])),
            ("PERMISSION_DENIED".to_owned(), 403),
            "{id}"
        );
    }
    // A host that may become anybody does not become the one who may do everything.
    let mighty = db.configured("postgres", "[postgres]\nrole = \":actor\"").unwrap();
    assert_eq!(code(remove(&mut user(&mighty, "postgres"), "t", &[text("bo")])), ("PERMISSION_DENIED".to_owned(), 403));
    assert_eq!(remove(&mut user(&mighty, "u_bo"), "t", &[text("bo")]).unwrap(), Removal::Removed);
}

/// The server cuts a name where its bytes end, and what is left would be another's.
#[test]
fn a_name_that_is_too_long_is_nobodys_role() {
    let long = "a".repeat(61);
    let accented = format!("{}é", "b".repeat(60));
    roles(&format!("CREATE ROLE \"u_{long}\"; CREATE ROLE \"u_{}\"; CREATE ROLE usher LOGIN", "b".repeat(60)));
    roles(&format!("GRANT \"u_{long}\", \"u_{}\" TO usher", "b".repeat(60)));
    let db = database(&format!(
        "CREATE TABLE t (id integer PRIMARY KEY); INSERT INTO t VALUES (1), (2);
         GRANT SELECT, DELETE ON t TO \"u_{long}\", \"u_{}\"",
        "b".repeat(60)
    ));
    let postgres = db.configured("usher", "[postgres]\nrole = \"u_:actor\"").unwrap();
    for id in [format!("{long}a"), format!("{long}_somebody@else.example"), accented] {
        let mut bridge = user(&postgres, &id);
        assert_eq!(code(wait(bridge.resolve_principal("t"))), ("PERMISSION_DENIED".to_owned(), 403), "{id}");
        assert_eq!(code(page(&mut bridge, "t", &Selection::Every, None, 5)).0, "PERMISSION_DENIED", "{id}");
        let refusal = refusal(remove(&mut bridge, "t", &[int(1)]));
        assert_eq!(refusal.reason, "The database has no role for this caller.", "{id}");
    }
    assert_eq!(db.column("SELECT count(*) FROM t"), ["2"]);
    assert_eq!(remove(&mut user(&postgres, &long), "t", &[int(1)]).unwrap(), Removal::Removed);
}

#[test]
fn nobody_known_never_reaches_the_database() {
    roles("CREATE ROLE doorman LOGIN");
    let db = database(SEEN);
    let postgres = db.configured("doorman", "[postgres]\npool-size = 1").unwrap();
    // The only connection is cut, and no other is let in, so any use of one would fail.
    db.run(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()",
        db.name
    ));
    db.run(&format!("ALTER DATABASE {} CONNECTION LIMIT 0", db.name));
    let mut nobody = postgres.bridge(&deletegate::identity::Caller::new(None, false));
    let principal = wait(nobody.resolve_principal("t")).unwrap();
    assert!(principal.access.is_none() && principal.identity == deletegate::bridge::Identity::Anonymous);
    assert_eq!(code(page(&mut nobody, "t", &Selection::Every, None, 5)), ("UNAUTHENTICATED".to_owned(), 401));
    assert_eq!(code(wait(nobody.aggregate("t", &Selection::Every))).0, "UNAUTHENTICATED");
    assert_eq!(code(remove(&mut nobody, "t", &[text("ana")])).0, "UNAUTHENTICATED");
    let answer = page(&mut system(&postgres), "t", &Selection::Every, None, 5);
    assert!(answer.is_err(), "{answer:?}");
}

#[test]
fn predicates_of_the_configuration_know_the_caller_too() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, owner text, open boolean); INSERT INTO t VALUES (1, 'ana', TRUE), (2, 'ana', FALSE), (3, 'bo', TRUE)",
    );
    let config = "[objects.t]\nvisible = \"owner = :actor -- theirs\"\nremovable = \"open AND :actor <> 'cleo'\"";
    let postgres = db.configured("postgres", config).unwrap();
    let mut ana = user(&postgres, "ana");
    assert_eq!(every(&mut ana, "t"), [[int(1)], [int(2)]]);
    assert_eq!(remove(&mut ana, "t", &[int(3)]).unwrap(), Removal::Absent);
    assert_eq!(code(remove(&mut ana, "t", &[int(2)])), ("PERMISSION_DENIED".to_owned(), 403));
    assert_eq!(remove(&mut ana, "t", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut user(&postgres, "' OR TRUE --"), "t").len(), 0);
    // They are made for users.
    assert_eq!(every(&mut system(&postgres), "t"), [[int(2)], [int(3)]]);
    assert_eq!(remove(&mut system(&postgres), "t", &[int(2)]).unwrap(), Removal::Removed);
}
