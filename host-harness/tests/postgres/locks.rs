//! Sessions in each other's way, and time that is over. That nothing stays behind is asked of the server.

use std::time::{Duration, Instant};

use deletegate::bridge::{Bridge, Failure, Removal, Selection};

use crate::support::*;

const TABLE: &str = "CREATE TABLE t (id integer PRIMARY KEY, n integer); INSERT INTO t VALUES (1, 0), (2, 0), (3, 0);";
const SOON: &str = "[postgres]\nlock-timeout-ms = 100";

#[test]
fn a_lock_that_stays_is_refused_and_may_be_tried_again() {
    let db = database(TABLE);
    let postgres = db.configured("postgres", SOON).unwrap();
    let mut bridge = system(&postgres);
    db.run("BEGIN; UPDATE t SET n = 1 WHERE id = 3");
    let refusal = refusal(remove(&mut bridge, "t", &[int(3)]));
    assert_eq!((refusal.code.as_str(), refusal.status, refusal.retryable), ("ENGINE_BUSY", 409, true));
    // The others go meanwhile, and reading waits for nobody.
    assert_eq!(remove(&mut bridge, "t", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut bridge, "t").len(), 2);
    nothing_stays(&db);
    db.run("ROLLBACK");
    assert_eq!(remove(&mut bridge, "t", &[int(3)]).unwrap(), Removal::Removed);
}

#[test]
fn a_lock_that_passes_is_waited_for() {
    let db = database(TABLE);
    let mut bridge = system(&db.serve());
    db.run("BEGIN; UPDATE t SET n = 1 WHERE id = 3");
    let removing = std::thread::spawn(move || remove(&mut bridge, "t", &[int(3)]));
    until_somebody_waits(&db);
    db.run("COMMIT");
    assert_eq!(removing.join().unwrap().unwrap(), Removal::Removed);
}

/// A cascade takes its locks in an order of its own, so that two removals can wait for each other.
#[test]
fn a_deadlock_ends_and_leaves_nothing() {
    let db = database(
        "CREATE TABLE p (id integer PRIMARY KEY); CREATE TABLE c (id integer PRIMARY KEY, p integer REFERENCES p ON DELETE CASCADE);
         INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1);",
    );
    let other = connect("postgres", &db.name);
    let postgres = db.configured("postgres", "[postgres]\nlock-timeout-ms = 20000").unwrap();
    wait(other.batch_execute("BEGIN; UPDATE c SET id = 2 WHERE id = 1")).unwrap();
    let mut bridge = system(&postgres);
    let removing = std::thread::spawn(move || remove(&mut bridge, "p", &[int(1)]));
    until_somebody_waits(&db);
    // The other now waits for the record that the removal holds, which waits for the other's.
    let victim = wait(other.batch_execute("SELECT * FROM p WHERE id = 1 FOR UPDATE"));
    let ended = wait(other.batch_execute("ROLLBACK"));
    assert!(ended.is_ok());
    match (victim, removing.join().unwrap()) {
        // Whoever was chosen: the removal was tried again, or the other gave way.
        (_, Ok(Removal::Removed)) => assert_eq!(db.column("SELECT count(*) FROM p"), ["0"]),
        (Ok(()), Err(Failure::Refused(refusal))) => {
            assert!(refusal.retryable && refusal.code == "ENGINE_BUSY", "{refusal:?}");
            assert_eq!(db.column("SELECT count(*) FROM p"), ["1"]);
        }
        other => panic!("{other:?}"),
    }
    nothing_stays(&db);
}

#[test]
fn what_cannot_be_serialised_is_tried_again_within_a_bound() {
    let db = database(TABLE);
    db.run(
        "CREATE SEQUENCE tries; CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF OLD.id = 1 OR nextval('tries') < 3 THEN PERFORM nextval('tries'); RAISE 'hidden' USING ERRCODE = '40001'; END IF; RETURN OLD; END $$;
         CREATE TRIGGER judge BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION judge();",
    );
    let postgres = db.serve();
    let refusal = refusal(remove(&mut system(&postgres), "t", &[int(1)]));
    assert_eq!((refusal.code.as_str(), refusal.retryable), ("ENGINE_BUSY", true));
    assert!(!refusal.reason.contains("hidden"));
    assert_eq!(db.column("SELECT last_value FROM tries"), ["3"]);
    db.run("SELECT setval('tries', 1, FALSE)");
    assert_eq!(remove(&mut system(&postgres), "t", &[int(2)]).unwrap(), Removal::Removed);
}

#[test]
fn a_statement_ends_with_the_time_of_its_call() {
    let db = database(TABLE);
    db.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN OLD; END $$;
         CREATE TRIGGER slow BEFORE DELETE ON t FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION slow();",
    );
    let config = "[objects.t]\nvisible = \"id <> 2 OR pg_sleep(600) IS NULL\"";
    let postgres = db.configured("postgres", config).unwrap();
    let soon = || Instant::now() + Duration::from_millis(200);
    let answer = page(&mut user(&postgres, "ana").until(soon()), "t", &Selection::Every, None, 5);
    assert!(matches!(answer, Err(Failure::DeadlineExceeded)), "{answer:?}");
    let answer = remove(&mut system(&postgres).until(soon()), "t", &[int(1)]);
    assert!(matches!(answer, Err(Failure::DeadlineExceeded)), "{answer:?}");
    let answer = page(&mut system(&postgres).until(Instant::now()), "t", &Selection::Every, None, 5);
    assert!(matches!(answer, Err(Failure::DeadlineExceeded)), "{answer:?}");
    nothing_stays(&db);
    assert_eq!(every(&mut system(&postgres), "t").len(), 3);
}

/// A caller who goes away drops the bridge's work where it stands.
#[test]
fn work_that_is_dropped_leaves_no_transaction() {
    let db = database(TABLE);
    let postgres = db.configured("postgres", "[postgres]\npool-size = 1\nlock-timeout-ms = 60000").unwrap();
    db.run("BEGIN; UPDATE t SET n = 1 WHERE id = 3");
    let mut bridge = system(&postgres);
    wait(async {
        let id = [int(3)];
        let removing = bridge.remove("t", &id, None);
        assert!(tokio::time::timeout(Duration::from_millis(200), removing).await.is_err());
    });
    nothing_stays(&db);
    db.run("ROLLBACK");
    // The one connection was dropped, and another takes its place.
    assert_eq!(every(&mut system(&postgres), "t").len(), 3);
    assert_eq!(remove(&mut system(&postgres), "t", &[int(3)]).unwrap(), Removal::Removed);
}

#[test]
fn a_connection_that_is_cut_is_a_fault_and_the_next_call_has_another() {
    let db = database(TABLE);
    let postgres = db.configured("postgres", "[postgres]\npool-size = 1\nlock-timeout-ms = 60000").unwrap();
    db.run("BEGIN; UPDATE t SET n = 1 WHERE id = 3");
    let mut bridge = system(&postgres);
    let removing = std::thread::spawn(move || remove(&mut bridge, "t", &[int(3)]));
    until_somebody_waits(&db);
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    db.run(cut);
    match removing.join().unwrap() {
        Err(Failure::Faulted(sentence)) => assert_eq!(sentence, "The connection to the database was lost."),
        other => panic!("{other:?}"),
    }
    db.run("ROLLBACK");
    nothing_stays(&db);
    assert_eq!(every(&mut system(&postgres), "t").len(), 3);
    // Cut while nobody used it: the next call does not even notice.
    db.run(cut);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(remove(&mut system(&postgres), "t", &[int(3)]).unwrap(), Removal::Removed);
}

#[test]
fn many_callers_share_few_connections_and_touch_their_own_alone() {
    const CALLERS: i32 = 50;
    const EACH: i32 = 4;
    roles("CREATE ROLE tenants; CREATE ROLE landlord LOGIN IN ROLE tenants");
    let db = database(&format!(
        "CREATE TABLE t (id integer PRIMARY KEY, tenant text); INSERT INTO t SELECT n, 'c' || n % {CALLERS} FROM generate_series(0, {}) AS n;
         GRANT SELECT, DELETE ON t TO tenants; ALTER TABLE t ENABLE ROW LEVEL SECURITY;
         CREATE POLICY own ON t USING (tenant = current_setting('app.actor'));",
        CALLERS * EACH - 1
    ));
    let postgres = db.configured("landlord", "[postgres]\nrole = \"tenants\"\npool-size = 2").unwrap();
    let removed = wait(async {
        let mut callers = tokio::task::JoinSet::new();
        for caller in 0..CALLERS {
            let mut bridge = user(&postgres, &format!("c{caller}"));
            callers.spawn(async move {
                let page = bridge.query("t", &Selection::Every, None, 1000).await.unwrap();
                assert_eq!(page.rows.len(), usize::try_from(EACH).unwrap());
                let mut removed = 0;
                for row in page.rows {
                    // All but the last of each; and the neighbour's, which is not there for this caller.
                    let deletegate::bridge::Scalar::Integer(id) = row.id[0] else { panic!("{:?}", row.id) };
                    if id >= i64::from(CALLERS * (EACH - 1)) {
                        let other = [int((id + 1) % i64::from(CALLERS * EACH))];
                        assert_eq!(bridge.remove("t", &other, None).await.unwrap(), Removal::Absent);
                        continue;
                    }
                    assert_eq!(bridge.remove("t", &row.id, row.revision.as_deref()).await.unwrap(), Removal::Removed);
                    removed += 1;
                }
                removed
            });
        }
        let mut removed = 0;
        while let Some(done) = callers.join_next().await {
            removed += done.unwrap();
        }
        removed
    });
    assert_eq!(removed, CALLERS * (EACH - 1));
    assert_eq!(db.column("SELECT count(DISTINCT tenant) || ' ' || count(*) FROM t"), [format!("{CALLERS} {CALLERS}")]);
    let sessions =
        format!("SELECT count(*) <= 2 FROM pg_stat_activity WHERE datname = '{}' AND usename = 'landlord'", db.name);
    assert_eq!(db.column(&sessions), ["t"]);
    nothing_stays(&db);
}
