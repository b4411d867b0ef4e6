//! The guard: what the host enforces by itself, between guest and engine (contract, section 11).
//!
//! The guest is policy, and nothing here relies on it. The guard reads the arguments with the strict parser,
//! keeps its own account of what was read and what was removed, and ends the call at the first thing that
//! this call does not allow. So a wrong or hostile guest can at worst read what the caller may read of the
//! one object that the arguments name, and remove, up to the cap and with the consent that the rule wants,
//! what it read there.
//!
//! | room | what it knows |
//! | --- | --- |
//! | `intent` | what the arguments allow |
//! | `scope` | whether a selection stays within a log's scope |
//! | `rows` | which records this call has read |
//! | `consent` | whether they may go |
//! | `asked` | what a person was asked, to be compared at the approval |
//! | `question` | whether a question is true of those records |
//! | `ledger` | what became of each record |
//! | `budget` | what is left of the call's limits |

mod asked;
mod budget;
mod consent;
mod intent;
mod ledger;
mod question;
mod rows;
mod scope;

use async_trait::async_trait;
use delete_records::tools::{Answer, ObjectRule, Outcome, Question, Settings};

use crate::bridge::{
    Access, Bridge, Count, Dependents, Failure, Field, Identity, Page, Principal, Removal, Scalar, Selection, Totals,
    Verbs,
};
use crate::plugin::{ANSWER_BYTES, CallError, Limit, Limits, Reply, Request};
pub use asked::Asked;
use asked::Caller;
pub(crate) use asked::hex;
use budget::Budget;
use intent::Intent;
use ledger::Ledger;
use rows::Rows;

/// A bridge that lends a guest no more than one call allows.
///
/// It is a [`Bridge`] itself, so it also wraps the policy when that runs natively. What it does not allow
/// never reaches the host's bridge; [`Guard::ended`] then says why, and every later function fails.
pub struct Guard<'a> {
    bridge: &'a mut dyn Bridge,
    settings: &'a Settings,
    request: &'a Request,
    rule: &'a ObjectRule,
    /// None where the arguments allow nothing at all.
    intent: Option<Intent>,
    caller: Option<Caller>,
    /// What the caller may do now; none where the last principal had nothing to do here.
    access: Option<Access>,
    /// The object's key, as it was last told: ids are shown by it.
    key: Vec<Field>,
    rows: Rows,
    /// Records of other objects, as the last `aggregate` of ids told.
    dependents: Vec<Dependents>,
    /// How many match, as `aggregate` of a filter told.
    matched: Option<u64>,
    ledger: Ledger,
    budget: Budget,
    ended: Option<CallError>,
}

impl<'a> Guard<'a> {
    /// A guard for one call. The call's time begins here.
    pub fn new(bridge: &'a mut dyn Bridge, settings: &'a Settings, request: &'a Request, limits: &Limits) -> Guard<'a> {
        let intent = Intent::read(settings, request);
        let object = intent.as_ref().map(Intent::object);
        let rule =
            settings.rules.iter().find(|rule| Some(rule.object.as_str()) == object).unwrap_or(&settings.default_rule);
        // A list asks once for each object, and no more than a call of the largest cap would.
        let asks = match &intent {
            Some(intent) if !intent.is_about_records() => u32::try_from(settings.objects.len()).unwrap_or(u32::MAX),
            _ => rule.cap,
        };
        Guard {
            bridge,
            settings,
            request,
            rule,
            intent,
            caller: None,
            access: None,
            key: Vec::new(),
            rows: Rows::default(),
            dependents: Vec::new(),
            matched: None,
            ledger: Ledger::default(),
            budget: Budget::new(limits, asks),
            ended: None,
        }
    }

    /// Why the call has to end, where the guest tried what is not allowed.
    pub fn ended(&self) -> Option<&CallError> {
        self.ended.as_ref()
    }

    /// What the host may make of the guest's outcome.
    pub fn conclude(self, outcome: Outcome) -> Reply {
        if let Some(error) = self.ended.clone() {
            return self.end(error);
        }
        let checked = match outcome {
            Outcome::Answered(answer) => self.check_answer(&answer).map(|()| Reply::Answered(answer)),
            Outcome::Asks(question) => self.check_question(&question).map(|asked| Reply::Asks { question, asked }),
            Outcome::UnknownTool if self.ledger.attempted() > 0 => {
                Err(CallError::Violation("removed records for a tool that it does not have"))
            }
            Outcome::UnknownTool => Ok(Reply::UnknownTool),
        };
        checked.unwrap_or_else(|error| self.end(error))
    }

    /// The answer to a call that the host ended: the error, and what was removed before.
    pub fn end(self, error: CallError) -> Reply {
        let object = self.intent.as_ref().map_or("", Intent::object);
        let frame = ledger::Frame { object, key: &self.key, cap: self.rule.cap, target: &self.settings.target };
        Reply::Answered(self.ledger.answer(&error, &frame, self.rows.len()))
    }

    fn check_answer(&self, answer: &Answer) -> Result<(), CallError> {
        if answer.json.len() > ANSWER_BYTES {
            return Err(CallError::Limit(Limit::Bytes));
        }
        match ledger::told(&answer.json, self.request.tool == "delete_record" && !answer.failed) {
            None => Err(CallError::Failed),
            Some(deleted) if deleted != self.ledger.deleted() => {
                Err(CallError::Violation("told another number of deleted records than it deleted"))
            }
            Some(_) => Ok(()),
        }
    }

    fn check_question(&self, question: &Question) -> Result<Asked, CallError> {
        let (Some(intent), Some(caller), Some(_)) = (&self.intent, &self.caller, &self.access) else {
            return Err(CallError::Violation("asked a person about records that it did not read"));
        };
        if self.ledger.attempted() > 0 {
            return Err(CallError::Violation("asked a person after it had begun to remove"));
        }
        if !consent::may_ask(self.rule.consent, intent) || self.rows.len() == 0 {
            return Err(CallError::Violation("asked a person where nobody is to be asked"));
        }
        let asked = Asked::about(self.request, self.settings, self.rule, intent, caller, &self.rows, &question.digest);
        question::check(
            question,
            &question::Facts {
                object: intent.object(),
                scope: intent.scope(),
                target: &self.settings.target,
                rows: &self.rows,
                key: &self.key,
                dependents: &self.dependents,
                matched: self.matched,
                expected: asked.expected(),
            },
        )
        .map_err(CallError::Violation)?;
        Ok(asked)
    }

    /// What every bridge function passes first.
    fn enter(&mut self, object: &str, bytes: usize) -> Result<(), Failure> {
        if self.ended.is_some() {
            return Err(over());
        }
        if self.intent.as_ref().is_none_or(|intent| !intent.turns_to(self.settings, object)) {
            return self
                .stop(CallError::Violation("turned to an object that the arguments do not name or no tool touches"));
        }
        if let Err(limit) = self.budget.spend(bytes) {
            return self.stop(CallError::Limit(limit));
        }
        if self.request.cancel.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        if self.budget.is_over_time() {
            return Err(Failure::DeadlineExceeded);
        }
        Ok(())
    }

    /// Most records that this call reads and removes.
    fn most(&self) -> u64 {
        self.intent.as_ref().map_or(0, |intent| intent.most(self.rule.cap)).into()
    }

    /// Whether the call may read what is selected.
    fn may_read(&mut self, selection: &Selection) -> Result<(), Failure> {
        let (Some(intent), Some(access)) = (&self.intent, &self.access) else {
            return self.stop(CallError::Violation("read for nobody"));
        };
        if access.verbs & Verbs::LIST != Verbs::LIST && !intent.is_the_one(&self.key, selection) {
            return self.stop(CallError::Violation("read other records than the one that the arguments name"));
        }
        if !intent.stays_in_scope(&access.fields, selection) {
            return self.stop(CallError::Violation("read outside the scope that the arguments name"));
        }
        Ok(())
    }

    /// What reading and removing pass besides: somebody is known to be calling, and the object is there for them.
    fn admit(&mut self) -> Result<(), Failure> {
        if self.intent.as_ref().is_none_or(|intent| !intent.is_about_records()) {
            return self.stop(CallError::Violation("turned to records for a tool that only lists objects"));
        }
        match &self.caller {
            Some(caller) if !caller.is_anonymous() && self.access.is_some() => Ok(()),
            _ => self.stop(CallError::Violation("turned to records before the caller was known and let in")),
        }
    }

    fn stop<T>(&mut self, error: CallError) -> Result<T, Failure> {
        tracing::error!(tool = self.request.tool, %error, "the guard ended a call");
        self.ended = Some(error);
        Err(over())
    }

    /// The caller as the bridge says now. Whoever is another than before can do nothing more.
    fn meet(&mut self, principal: &Principal, object: &str) {
        let caller = Caller::of(&principal.identity);
        let same = self.caller.as_ref().is_none_or(|before| *before == caller);
        self.access = principal.access.clone().filter(|access| access.object == object);
        if let Some(access) = &self.access {
            self.key = access.key.clone();
        }
        self.caller = Some(if same { caller } else { Caller::of(&Identity::Anonymous) });
    }

    /// Whether this record may go; the error says what is wrong with it.
    fn may_remove(&mut self, id: &[Scalar], revision: Option<&str>) -> Result<usize, &'static str> {
        let (Some(intent), Some(caller), Some(access)) = (&self.intent, &self.caller, &self.access) else {
            return Err("tried to remove for nobody");
        };
        if access.verbs & Verbs::REMOVE != Verbs::REMOVE {
            return Err("tried to remove for a caller who may not");
        }
        let row = self.rows.find(id).ok_or("tried to remove a record that this call had not read")?;
        if self.ledger.has_tried(row) {
            return Err("tried to remove a record twice");
        }
        if self.ledger.attempted() >= self.most() {
            return Err("tried to remove more records than the rule's cap");
        }
        if self.rows.revision(row) != revision {
            return Err("tried to remove a record in another revision than it had read");
        }
        if !intent.names(&self.key, id) {
            return Err("tried to remove a record outside the ids in the arguments");
        }
        // The records can't change any more once one is gone, so the whole set is judged once.
        if self.ledger.attempted() == 0 {
            consent::check(self.rule, intent, self.request.approval.as_ref(), |digest| {
                Asked::about(self.request, self.settings, self.rule, intent, caller, &self.rows, digest)
            })?;
        }
        Ok(row)
    }
}

#[async_trait]
impl Bridge for Guard<'_> {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        self.enter(object, object.len())?;
        let principal = self.bridge.resolve_principal(object).await?;
        self.meet(&principal, object);
        Ok(principal)
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        self.enter(object, budget::bytes_of_selection(selection) + after.map_or(0, budget::bytes_of_id))?;
        self.admit()?;
        if self.ledger.attempted() > 0 {
            return self.stop(CallError::Violation("went on reading after it had begun to remove"));
        }
        self.may_read(selection)?;
        // What is read may go, so no more is read than may go.
        let left = self.most().saturating_sub(self.rows.len());
        if left == 0 {
            return self.stop(CallError::Violation("tried to read more records than the rule's cap"));
        }
        let limit = limit.min(u32::try_from(left).unwrap_or(u32::MAX));
        let page = self.bridge.query(object, selection, after, limit).await?;
        self.rows.read(&page.rows);
        Ok(page)
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        self.enter(object, budget::bytes_of_selection(selection))?;
        self.admit()?;
        if !matches!(selection, Selection::Ids(_)) {
            self.may_read(selection)?;
        }
        let totals = self.bridge.aggregate(object, selection).await?;
        match selection {
            Selection::Ids(_) => self.dependents = totals.dependents.clone().unwrap_or_default(),
            Selection::Every | Selection::Filter(_) => {
                self.matched = Some(match totals.count {
                    Count::Exact(count) => count,
                    // At least so many: more than one fewer.
                    Count::AtLeast(count) => count.saturating_sub(1),
                });
            }
        }
        Ok(totals)
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        self.enter(object, budget::bytes_of_id(id) + revision.map_or(0, str::len))?;
        self.admit()?;
        let row = match self.may_remove(id, revision) {
            Ok(row) => row,
            Err(wrong) => return self.stop(CallError::Violation(wrong)),
        };
        self.ledger.begin(row, id);
        let removal = self.bridge.remove(object, id, revision).await;
        self.ledger.record(id, &removal);
        removal
    }
}

/// What a guest is told that has been ended, where it still runs: natively.
fn over() -> Failure {
    Failure::Faulted("The host ended the call.".to_owned())
}
