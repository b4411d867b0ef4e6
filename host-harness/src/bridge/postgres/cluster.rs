//! A server of one's own for a while: for the demonstration, the tests and the bench.
//!
//! It listens on a Unix socket in a temporary folder and nowhere else, and ends with the value that stands for it; also
//! where the program that started it is killed, since a small shell beside it waits for that. PostgreSQL does not run as
//! root, so root starts it as the user `postgres`, whom the distribution's package makes.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Where Debian's packages put each release.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The database user that owns everything.
pub const SUPERUSER: &str = "postgres";

/// How long the server may take until it listens.
const START_TIME: Duration = Duration::from_secs(60);

/// Runs the server until its input ends, that is until the program that started it does, and leaves nothing behind.
const KEEPER: &str = r#"
"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= $3 >>"$2/log" 2>&1 </dev/null &
server=$!
cat >/dev/null
kill -QUIT $server
wait $server
rm -rf "$2"
"#;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The programs are not there.
    #[error(
        "PostgreSQL's server is not installed: on Debian, `apt-get install postgresql`; elsewhere, put `initdb` and `postgres` on the PATH"
    )]
    Missing,
    /// Root can't become the user who runs it.
    #[error(
        "PostgreSQL does not run as root, and there is no user `postgres` to run it as: `apt-get install postgresql` makes one"
    )]
    NoUser,
    /// A program could not be run.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A program failed.
    #[error("{what}: {said}")]
    Failed {
        /// What was tried.
        what: &'static str,
        /// What it said.
        said: String,
    },
}

/// A running server. Dropping it stops it.
pub struct Cluster {
    /// The shells beside the servers; one more where the server was started again.
    keepers: Vec<Child>,
    programs: PathBuf,
    owner: Option<Owner>,
    settings: String,
    folder: TempDir,
}

/// The user who runs it, where that is another.
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl Cluster {
    /// Makes a cluster and starts its server. `settings` are options of `postgres`, for example `-c fsync=off`.
    ///
    /// # Errors
    /// PostgreSQL is not installed, or does not start.
    pub fn start(settings: &str) -> Result<Cluster, ClusterError> {
        let folder = tempfile::Builder::new().prefix("deletegate-pg-").tempdir();
        Cluster::start_in(folder.map_err(|source| ClusterError::Io { what: "no temporary folder", source })?, settings)
    }

    /// The same in a folder of the caller's choice, which must be empty.
    ///
    /// # Errors
    /// As for [`Cluster::start`].
    pub fn start_in(folder: TempDir, settings: &str) -> Result<Cluster, ClusterError> {
        let programs = programs().ok_or(ClusterError::Missing)?;
        let owner = owner(folder.path())?;
        if let Some(owner) = owner {
            std::os::unix::fs::chown(folder.path(), Some(owner.user), Some(owner.group)).map_err(|source| {
                ClusterError::Io { what: "the folder can't be given to the server's user", source }
            })?;
        }
        let settings = settings.to_owned();
        let mut cluster = Cluster { keepers: Vec::new(), programs, owner, settings, folder };
        let data = cluster.folder().join("data");
        let mut initdb = cluster.command(&cluster.programs.join("initdb"));
        initdb.args([
            "--no-sync",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--username",
            SUPERUSER,
            "--pgdata",
        ]);
        succeed("the cluster can't be made", initdb.arg(&data))?;
        cluster.start_again()?;
        Ok(cluster)
    }

    /// The folder of the socket, and of all else.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The address of a database for a user.
    pub fn address(&self, user: &str, database: &str) -> String {
        format!("postgres:///{database}?host={}&user={user}", self.folder().display())
    }

    /// Starts the server anew, after [`Cluster::kill`].
    ///
    /// # Errors
    /// It does not start.
    pub fn start_again(&mut self) -> Result<(), ClusterError> {
        let mut keeper = self.command(Path::new("/bin/sh"));
        keeper.args(["-c", KEEPER, "keeper"]).arg(&self.programs).arg(self.folder()).arg(&self.settings);
        // In a group of its own, so that an interrupt from the terminal does not end the keeper before the server.
        keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let keeper =
            keeper.spawn().map_err(|source| ClusterError::Io { what: "the server can't be started", source })?;
        self.keepers.push(keeper);
        self.wait()
    }

    fn wait(&self) -> Result<(), ClusterError> {
        let started = Instant::now();
        loop {
            let mut ready = Command::new(self.programs.join("pg_isready"));
            ready.args(["--quiet", "--host"]).arg(self.folder());
            if ready.status().is_ok_and(|status| status.success()) {
                return Ok(());
            }
            if started.elapsed() > START_TIME {
                let said = std::fs::read_to_string(self.folder().join("log")).unwrap_or_default();
                return Err(ClusterError::Failed { what: "the server does not listen", said });
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The number of the server's first process; `None` where it does not run.
    pub fn process(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.folder().join("data/postmaster.pid")).ok()?;
        file.lines().next()?.trim().parse().ok()
    }

    /// Kills the server, as a crash would: nothing is written, nobody is told. Its other processes notice, and are gone
    /// when this returns.
    ///
    /// # Errors
    /// It does not run, or does not go.
    pub fn kill(&mut self) -> Result<(), ClusterError> {
        let failed = |said: &str| ClusterError::Failed { what: "the server can't be killed", said: said.to_owned() };
        let process = self.process().ok_or_else(|| failed("it does not run"))?;
        let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
        succeed("the server can't be killed", Command::new("kill").args(["-KILL", &process.to_string()]))?;
        let started = Instant::now();
        while children.split_whitespace().any(|child| Path::new("/proc").join(child).exists()) {
            if started.elapsed() > START_TIME {
                return Err(failed("its other processes stay"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// A program as the server's user.
    fn command(&self, program: &Path) -> Command {
        let mut command = match self.owner {
            None => Command::new(program),
            Some(Owner { user, group }) => {
                let mut command = Command::new("setpriv");
                command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).args(["--clear-groups", "--"]);
                command.arg(program);
                command
            }
        };
        // A folder that this user can be in.
        command.current_dir(self.folder()).env("LC_ALL", "C").env_remove("PGDATA");
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for keeper in &mut self.keepers {
            drop(keeper.stdin.take());
        }
        for keeper in &mut self.keepers {
            // It has ended, or it ends with its input: there is nothing else to be done about it.
            let _ = keeper.wait();
        }
    }
}

/// The folder of the newest release's programs.
fn programs() -> Option<PathBuf> {
    let has = |folder: &PathBuf| ["initdb", "postgres", "pg_isready"].iter().all(|name| folder.join(name).is_file());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).find(has);
    let release = |folder: &PathBuf| {
        folder.parent().and_then(Path::file_name).and_then(|name| name.to_str()?.parse::<u32>().ok())
    };
    let packaged = std::fs::read_dir(DEBIAN).ok().and_then(|entries| {
        let folders = entries.filter_map(Result::ok).map(|entry| entry.path().join("bin"));
        folders.filter(has).max_by_key(release)
    });
    on_path.or(packaged)
}

/// Whom the server runs as: whoever runs this, but for root.
fn owner(folder: &Path) -> Result<Option<Owner>, ClusterError> {
    use std::os::unix::fs::MetadataExt;

    let own = std::fs::metadata(folder).map_err(|source| ClusterError::Io { what: "the folder is gone", source })?;
    if own.uid() != 0 {
        return Ok(None);
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let line = users.lines().find_map(|line| line.strip_prefix("postgres:"));
    let mut numbers = line.into_iter().flat_map(|line| line.split(':')).skip(1).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(user)), Some(Ok(group))) => Ok(Some(Owner { user, group })),
        _ => Err(ClusterError::NoUser),
    }
}

fn succeed(what: &'static str, command: &mut Command) -> Result<(), ClusterError> {
    let Output { status, stdout, stderr } =
        command.stdin(Stdio::null()).output().map_err(|source| ClusterError::Io { what, source })?;
    match status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&[stdout, stderr].concat()).trim().to_owned();
            Err(ClusterError::Failed { what, said })
        }
    }
}
