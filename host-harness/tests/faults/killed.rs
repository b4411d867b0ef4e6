//! `SIGKILL`, of the program and of the server, during the loop.

use std::time::Duration;

use crate::places::*;

#[test]
fn the_program_is_killed() {
    for place in [Place::sqlite(), Place::postgres()] {
        let mut program = place.start();
        place.until_underway();
        program.kill().unwrap();
        let output = program.wait_with_output().unwrap();
        assert!(output.stdout.is_empty() && !output.status.success());
        if let Place::Postgres(_) = place {
            // The server notices that its client is gone.
            let sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'host'";
            assert!((0..1000).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                place.ask(sessions) == ["0"]
            }));
            assert_eq!(place.ask("SELECT count(*) FROM pg_locks WHERE relation = 'record'::regclass"), ["0"]);
        }
        let left = place.left("ana");
        assert!(!left.is_empty() && left.len() < 100, "{left:?}");
        // Those that went are the first in their order, each as a whole; and another's are untouched.
        assert_eq!(left, (1..=RECORDS).filter(|id| id % 2 == 1).skip(100 - left.len()).collect::<Vec<_>>());
        assert_eq!(place.left("bo").len(), 100);
        // The same call again does the rest.
        let answer = answer(place.start());
        assert_eq!(answer["deleted"], left.len(), "{answer}");
        assert_eq!(place.left("ana").len(), 0);
    }
}

#[test]
fn the_server_is_killed() {
    let mut place = Place::postgres();
    let program = place.start();
    place.until_underway();
    let Place::Postgres(cluster) = &mut place else { unreachable!() };
    cluster.kill().unwrap();
    let answer = answer(program);
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["status"]),
        (&"ENGINE_FAULT".into(), &502.into()),
        "{answer}"
    );
    let Place::Postgres(cluster) = &mut place else { unreachable!() };
    cluster.start_again().unwrap();
    agrees(&place, &answer);
}

#[test]
fn the_connection_is_cut() {
    let place = Place::postgres();
    let program = place.start();
    place.until_underway();
    place.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'host'");
    let answer = answer(program);
    assert_eq!(answer["error"]["code"], "ENGINE_FAULT", "{answer}");
    agrees(&place, &answer);
}

/// SQLite has no server that could be killed; what is killed there is another writer, whose lock goes with it.
#[test]
fn another_program_that_held_a_lock_is_killed() {
    let place = Place::sqlite();
    let mut other = place.start();
    place.until_underway();
    other.kill().unwrap();
    other.wait().unwrap();
    let left = place.left("ana").len();
    let answer = answer(place.start());
    assert_eq!((&answer["deleted"], &answer["refused"]), (&left.into(), &0.into()), "{answer}");
}
