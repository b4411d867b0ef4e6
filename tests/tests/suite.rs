//! The conformance suite: every case on every host, each a test of its own. `README.md` says how to read it.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{bail, ensure};
use conformance::case::Case;
use conformance::differences::{self, Difference};
use conformance::engine::Kind;
use conformance::host::Host;
use conformance::run::Run;
use conformance::{bless, filters, run, schemas};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> anyhow::Result<ExitCode> {
    let options = Arguments::from_args();
    let hosts = Host::all()?;
    if bless::wanted() {
        for case in Case::all()? {
            if let Err(fault) = bless::write(&case) {
                println!("{} stays as it is: {fault:#}", case.name);
            }
        }
    }
    let cases = Arc::new(Case::all()?);
    let list = differences::read()?;
    let mut trials = Vec::new();
    for host in &hosts {
        for case in cases.iter() {
            let (host, case) = (host.clone(), case.clone());
            let reason = differences::reason(&list, &host, &case).map(str::to_owned);
            trials.push(trial(format!("{}::{}", host.name, case.name), move || one(&case, &host, reason.as_deref())));
        }
        for filter in filters::all()? {
            let host = host.clone();
            let name = format!("{}::filters::{}", host.name, filter.name);
            trials.push(trial(name, move || filters::check(&filter, &host)));
        }
    }
    for case in cases.iter().cloned() {
        trials.push(trial(format!("schemas::{}", case.name), move || schemas::check(&case)));
    }
    trials.push(whole_list(list, hosts, cases));
    Ok(libtest_mimic::run(&options, trials).exit_code())
}

fn trial(name: String, test: impl FnOnce() -> anyhow::Result<()> + Send + 'static) -> Trial {
    Trial::test(name, move || test().map_err(|fault| Failed::from(format!("{fault:#}"))))
}

/// One case on one host. A case that the host can't show must not pass there.
fn one(case: &Case, host: &Host, reason: Option<&str>) -> anyhow::Result<()> {
    match (run::check(case, host), reason) {
        (Ok(run), None) if host.engine == Kind::Memory => same_digests(&run, case),
        (Ok(_), None) | (Err(_), Some(_)) => Ok(()),
        (Err(fault), None) => Err(fault),
        (Ok(_), Some(reason)) => bail!("differences.json says that it can't be shown, and it passes: {reason}"),
    }
}

/// Over the same engine every policy gives the same bytes, the digests included.
fn same_digests(run: &Run, case: &Case) -> anyhow::Result<()> {
    let native = run::make(&case.body, &Host::native())?;
    for (seen, native) in run.seen.iter().zip(&native.seen) {
        ensure!(seen.text == native.text, "natively the answer is\n  {}\nand here\n  {}", native.text, seen.text);
    }
    Ok(())
}

fn whole_list(list: Vec<Difference>, hosts: Vec<Host>, cases: Arc<Vec<Case>>) -> Trial {
    trial("differences::each_names_a_host_and_a_case".into(), move || differences::check(&list, &hosts, &cases, &[]))
}
