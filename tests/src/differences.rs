//! What a host can't show, in one list: `differences.json`.

use anyhow::bail;
use serde::Deserialize;

use crate::case::Case;
use crate::host::Host;

/// A case that a host answers otherwise.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The host's name.
    pub host: String,
    /// A case, `<section>::<name>`.
    pub case: String,
    /// Why it can't be shown there.
    pub reason: String,
}

/// The whole list.
pub fn read() -> anyhow::Result<Vec<Difference>> {
    Ok(serde_json::from_str(&std::fs::read_to_string(crate::root().join("differences.json"))?)?)
}

/// Fails where an entry names no host or no case, twice the same, or gives no reason. Hosts that other
/// programs run (a JS host, a Python host) keep their own entries here too.
pub fn check(list: &[Difference], hosts: &[Host], cases: &[Case], others: &[&str]) -> anyhow::Result<()> {
    for (at, entry) in list.iter().enumerate() {
        if !hosts.iter().any(|host| host.name == entry.host) && !others.contains(&entry.host.as_str()) {
            bail!("differences.json names a host that is not there: {:?}", entry.host);
        }
        if !cases.iter().any(|case| case.name == entry.case) {
            bail!("differences.json names a case that is not there: {:?}", entry.case);
        }
        if entry.reason.trim().is_empty() {
            bail!("differences.json gives no reason for {:?}", entry.case);
        }
        if list[..at].iter().any(|other| other.host == entry.host && other.case == entry.case) {
            bail!("differences.json names {:?} twice", entry.case);
        }
    }
    Ok(())
}

/// The reason why this host can't show the case, where it can't.
pub fn reason<'a>(list: &'a [Difference], host: &Host, case: &Case) -> Option<&'a str> {
    let found = list.iter().find(|entry| entry.host == host.name && entry.case == case.name);
    found.map(|entry| entry.reason.as_str())
}
