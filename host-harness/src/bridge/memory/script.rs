//! A bridge that misbehaves on purpose, at a given call.

use async_trait::async_trait;
use serde::Deserialize;

use super::super::{Bridge, Failure, Page, Principal, Removal, Scalar, Selection, Totals};

/// The four functions of a bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// `resolve-principal`.
    ResolvePrincipal,
    /// `query`.
    Query,
    /// `aggregate`.
    Aggregate,
    /// `remove`.
    Remove,
}

/// What happens at a call of a bridge.
pub enum Step {
    /// Before the call this is done; then the bridge answers as ever.
    Before(Box<dyn FnMut() + Send>),
    /// The bridge is not asked, and this is the answer.
    Fails(Failure),
    /// `resolve-principal` answers what this makes of the bridge's own answer.
    Principal(Box<dyn FnMut(Principal) -> Principal + Send>),
    /// `query` answers what this makes of the bridge's own answer.
    Page(Box<dyn FnMut(Page) -> Page + Send>),
    /// `aggregate` answers what this makes of the bridge's own answer.
    Totals(Box<dyn FnMut(Totals) -> Totals + Send>),
    /// `remove` answers this without having been asked.
    Removal(Removal),
}

/// The call at which a step happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The function.
    pub function: Function,
    /// Which call of it, from 1; `None` for each.
    pub call: Option<u32>,
}

/// A bridge with a script: at each moment of it the step happens, else the bridge answers as ever.
pub struct Scripted<B> {
    bridge: B,
    script: Vec<(Moment, Step)>,
    calls: [u32; 4],
}

impl<B: Bridge> Scripted<B> {
    /// Runs the bridge by the script.
    pub fn new(bridge: B, script: Vec<(Moment, Step)>) -> Self {
        Self { bridge, script, calls: [0; 4] }
    }

    /// Counts the call, and does what comes before it.
    fn begin(&mut self, function: Function) -> Result<Moment, Failure> {
        let calls = &mut self.calls[function as usize];
        *calls += 1;
        let now = Moment { function, call: Some(*calls) };
        for step in self.due(now) {
            match step {
                Step::Before(act) => act(),
                Step::Fails(failure) => return Err(failure.clone()),
                _ => {}
            }
        }
        Ok(now)
    }

    fn due(&mut self, now: Moment) -> impl Iterator<Item = &mut Step> {
        self.script
            .iter_mut()
            .filter(move |(at, _)| *at == now || *at == Moment { call: None, ..now })
            .map(|(_, step)| step)
    }
}

#[async_trait]
impl<B: Bridge> Bridge for Scripted<B> {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        let now = self.begin(Function::ResolvePrincipal)?;
        let mut principal = self.bridge.resolve_principal(object).await?;
        for step in self.due(now) {
            if let Step::Principal(make) = step {
                principal = make(principal);
            }
        }
        Ok(principal)
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        let now = self.begin(Function::Query)?;
        let mut page = self.bridge.query(object, selection, after, limit).await?;
        for step in self.due(now) {
            if let Step::Page(make) = step {
                page = make(page);
            }
        }
        Ok(page)
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        let now = self.begin(Function::Aggregate)?;
        let mut totals = self.bridge.aggregate(object, selection).await?;
        for step in self.due(now) {
            if let Step::Totals(make) = step {
                totals = make(totals);
            }
        }
        Ok(totals)
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        let now = self.begin(Function::Remove)?;
        let scripted = self.due(now).find_map(|step| match step {
            Step::Removal(removal) => Some(removal.clone()),
            _ => None,
        });
        match scripted {
            Some(removal) => Ok(removal),
            None => self.bridge.remove(object, id, revision).await,
        }
    }
}
