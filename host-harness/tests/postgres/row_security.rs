//! Row security judges every record, or nothing is shown at all.

use deletegate::bridge::{Bridge, Comparison, Failure, Removal, Selection};

use crate::support::*;

/// Everybody reads all projects; each deletes their own. Tasks are their owner's alone.
const PROJECTS: &str = "CREATE TABLE projects (id integer PRIMARY KEY, owner text NOT NULL);
    CREATE TABLE tasks (id integer PRIMARY KEY, project integer REFERENCES projects ON DELETE CASCADE, owner text NOT NULL);
    INSERT INTO projects VALUES (1, 'ana'), (2, 'bo'); INSERT INTO tasks VALUES (1, 1, 'ana'), (2, 1, 'bo'), (3, 2, 'bo');
    GRANT SELECT, DELETE ON projects, tasks TO members;
    ALTER TABLE projects ENABLE ROW LEVEL SECURITY; ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
    CREATE POLICY reads ON projects FOR SELECT USING (TRUE);
    CREATE POLICY removes ON projects FOR DELETE USING (owner = current_setting('app.actor'));
    CREATE POLICY own ON tasks USING (owner = current_setting('app.actor'));";

const ROLE: &str = "[postgres]\nrole = \"members\"";

fn projects() -> Db {
    roles("CREATE ROLE members; CREATE ROLE keeper LOGIN IN ROLE members");
    database(PROJECTS)
}

/// Case B23: the database says OK, and no row went.
#[test]
fn what_a_policy_keeps_is_denied_and_never_counted() {
    let db = projects();
    let postgres = db.configured("keeper", ROLE).unwrap();
    let mut ana = user(&postgres, "ana");
    assert_eq!(every(&mut ana, "projects"), [[int(1)], [int(2)]]);
    assert_eq!(code(remove(&mut ana, "projects", &[int(2)])), ("PERMISSION_DENIED".to_owned(), 403));
    assert_eq!(db.column("SELECT id FROM projects ORDER BY id"), ["1", "2"]);
    assert_eq!(remove(&mut ana, "projects", &[int(1)]).unwrap(), Removal::Removed);
    // Where a trigger could have kept it as well, nobody can tell who did.
    db.run(
        "CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$;
         CREATE TRIGGER pass BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION pass();",
    );
    let mut ana = user(&postgres, "ana");
    wait(ana.resolve_principal("projects")).unwrap();
    assert_eq!(remove(&mut ana, "projects", &[int(2)]).unwrap(), Removal::Kept);
    assert_eq!(db.column("SELECT id FROM projects"), ["2"]);
}

#[test]
fn what_a_policy_hides_is_not_there() {
    let db = projects();
    let postgres = db.configured("keeper", ROLE).unwrap();
    let mut ana = user(&postgres, "ana");
    assert_eq!(every(&mut ana, "tasks"), [[int(1)]]);
    assert_eq!(by_ids(&mut ana, "tasks", &[vec![int(2)], vec![int(3)]]).len(), 0);
    assert_eq!(remove(&mut ana, "tasks", &[int(2)]).unwrap(), Removal::Absent);
    // Nor is it counted among what would go; that it goes is what the foreign key says.
    let counted = dependents(&mut ana, "projects", &[vec![int(1)]]).unwrap();
    assert_eq!(counted.iter().map(|found| found.count).collect::<Vec<_>>(), [1]);
    assert_eq!(remove(&mut ana, "projects", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(db.column("SELECT id FROM tasks"), ["3"]);
}

#[test]
fn callers_share_connections_and_nothing_else() {
    let db = projects();
    let postgres = db.configured("keeper", &format!("{ROLE}\npool-size = 1")).unwrap();
    for _ in 0..3 {
        assert_eq!(every(&mut user(&postgres, "ana"), "tasks"), [[int(1)]]);
        assert_eq!(every(&mut user(&postgres, "bo"), "tasks"), [[int(2)], [int(3)]]);
        assert_eq!(every(&mut user(&postgres, "cleo"), "tasks").len(), 0);
        // The system has no policy here, and the empty text is nobody.
        assert_eq!(every(&mut system(&postgres), "tasks").len(), 0);
    }
}

/// The owner of a table, and a superuser, pass row security by: for a user that would be everything.
#[test]
fn a_role_that_row_security_does_not_apply_to_serves_no_user() {
    let db = projects();
    let postgres = db.serve();
    let refusal = refusal(wait(user(&postgres, "ana").resolve_principal("tasks")));
    assert_eq!((refusal.code.as_str(), refusal.status), ("PERMISSION_DENIED", 403));
    assert!(refusal.reason.contains("`role` in [postgres]"), "{}", refusal.reason);
    // Whoever asks without asking first is refused too.
    assert_eq!(code(page(&mut user(&postgres, "ana"), "tasks", &Selection::Every, None, 5)).0, "PERMISSION_DENIED");
    assert_eq!(code(remove(&mut user(&postgres, "ana"), "tasks", &[int(1)])).0, "PERMISSION_DENIED");
    // The system is meant to.
    assert_eq!(every(&mut system(&postgres), "tasks").len(), 3);
    // Row security that is switched on after the caller was told what they may do judges all the same.
    let db = database("CREATE TABLE t (id integer PRIMARY KEY); INSERT INTO t VALUES (1)");
    let postgres = db.serve();
    let mut ana = user(&postgres, "ana");
    assert_eq!(every(&mut ana, "t").len(), 1);
    db.run("ALTER TABLE t ENABLE ROW LEVEL SECURITY");
    assert_eq!(code(wait(ana.resolve_principal("t"))).0, "PERMISSION_DENIED");
}

/// Supabase's way: the caller's claims as JSON.
#[test]
fn policies_can_read_claims() {
    roles("CREATE ROLE authenticated; CREATE ROLE authenticator LOGIN IN ROLE authenticated");
    let db = database(
        "CREATE SCHEMA auth; CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS
             $$ SELECT (nullif(current_setting('request.jwt.claims', TRUE), '')::jsonb ->> 'sub')::uuid $$;
         GRANT USAGE ON SCHEMA auth TO authenticated;
         CREATE TABLE note (id integer PRIMARY KEY, owner uuid); GRANT SELECT, DELETE ON note TO authenticated;
         ALTER TABLE note ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON note USING (owner = auth.uid());
         INSERT INTO note VALUES (1, '0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11'), (2, gen_random_uuid())",
    );
    let config = "[postgres]\nrole = \"authenticated\"\nclaims-setting = \"request.jwt.claims\"";
    let postgres = db.configured("authenticator", config).unwrap();
    let mut ana = user(&postgres, "0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11");
    assert_eq!(every(&mut ana, "note"), [[int(1)]]);
    assert_eq!(remove(&mut ana, "note", &[int(2)]).unwrap(), Removal::Absent);
    assert_eq!(remove(&mut ana, "note", &[int(1)]).unwrap(), Removal::Removed);
}

/// A policy that fails tells nothing of what it was looking at.
#[test]
fn a_policys_own_error_stays_inside() {
    roles("CREATE ROLE members; CREATE ROLE keeper LOGIN IN ROLE members");
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, secret text); INSERT INTO t VALUES (1, 'hush'); GRANT SELECT, DELETE ON t TO members;
         ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY broken ON t USING (secret::integer > 0)",
    );
    let postgres = db.configured("keeper", ROLE).unwrap();
    let answer =
        page(&mut user(&postgres, "ana"), "t", &Selection::Filter(is("id", Comparison::Equal, [int(1)])), None, 5);
    match answer {
        Err(Failure::Refused(refusal)) => assert!(!refusal.reason.contains("hush"), "{}", refusal.reason),
        Err(Failure::Faulted(sentence)) => assert!(!sentence.contains("hush"), "{sentence}"),
        other => panic!("{other:?}"),
    }
}
