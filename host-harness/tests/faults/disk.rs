//! A disk that is full: a small file system in memory, which root can mount.

use std::path::PathBuf;
use std::process::Command;

use deletegate::bridge::postgres::cluster::{Cluster, SUPERUSER};
use tokio_postgres::NoTls;

use crate::places::*;

/// A folder on a file system of its own; taken off at the end.
struct Disk(PathBuf);

impl Disk {
    fn mounted(megabytes: u32) -> Disk {
        let folder = tempfile::tempdir().unwrap().keep();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=755"), "tmpfs"])
            .arg(&folder)
            .output()
            .unwrap();
        assert!(
            mounted.status.success(),
            "a small disk is mounted as root: {}",
            String::from_utf8_lossy(&mounted.stderr)
        );
        Disk(folder)
    }

    /// Leaves no room at all.
    fn fill(&self) {
        let filler = self.0.join("filler");
        let mut size = 1 << 20;
        let mut bytes = Vec::new();
        while size >= 512 {
            bytes.resize(bytes.len() + size, 1);
            if std::fs::write(&filler, &bytes).is_err() {
                bytes.truncate(bytes.len() - size);
                size /= 2;
            }
        }
        let _ = std::fs::write(&filler, &bytes);
    }

    fn free(&self) {
        std::fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// The call stops with a fault that says so, and what it says of the records is true.
fn stops(place: &Place, disk: &Disk) {
    let program = place.start();
    place.until_underway();
    disk.fill();
    let answer = answer(program);
    disk.free();
    assert_eq!(answer["error"]["code"], "ENGINE_FAULT", "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("The disk is full."), "{answer}");
    agrees(place, &answer);
}

#[test]
fn sqlites_disk_is_full() {
    let disk = Disk::mounted(2);
    let place = Place::sqlite_in(tempfile::Builder::new().tempdir_in(&disk.0).unwrap());
    stops(&place, &disk);
}

/// The log of all changes is on the disk: the server stops as if it were killed.
#[test]
fn the_disk_of_a_servers_log_is_full() {
    let disk = Disk::mounted(80);
    let folder = tempfile::Builder::new().tempdir_in(&disk.0).unwrap();
    let mut place = Place::postgres_on(Cluster::start_in(folder, "").unwrap());
    let program = place.start();
    place.until_underway();
    disk.fill();
    // What there is of the log is full too.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let Place::Postgres(cluster) = &mut place else { unreachable!() };
    let address = cluster.address(SUPERUSER, "postgres");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
        tokio::spawn(connection);
        let _ = client.batch_execute("SELECT pg_switch_wal()").await;
    });
    let answer = answer(program);
    assert_eq!(answer["error"]["code"], "ENGINE_FAULT", "{answer}");
    disk.free();
    // It may have ended by itself, since it could not recover.
    let _ = cluster.kill();
    cluster.start_again().unwrap();
    agrees(&place, &answer);
}

/// A table of the rules' own is on the disk.
#[test]
fn a_disk_of_the_servers_is_full() {
    let disk = Disk::mounted(4);
    let space = disk.0.join("space");
    std::fs::create_dir(&space).unwrap();
    assert!(Command::new("chown").arg("postgres").args([&disk.0, &space]).status().unwrap().success());
    let place = Place::postgres();
    place.run(&format!("CREATE TABLESPACE small LOCATION '{}'", space.display()));
    place.run(
        "CREATE TABLE audit (note text) TABLESPACE small; ALTER TABLE audit ALTER note SET STORAGE PLAIN;
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
             $$ BEGIN INSERT INTO audit VALUES (repeat('x', 7000)); RETURN OLD; END $$;
         CREATE TRIGGER note BEFORE DELETE ON record FOR EACH ROW EXECUTE FUNCTION note();",
    );
    stops(&place, &disk);
    // What was noted of a removal that did not happen is not there either.
    let noted: usize = place.ask("SELECT count(*) FROM audit")[0].parse().unwrap();
    assert_eq!(noted, 100 - place.left("ana").len());
}
