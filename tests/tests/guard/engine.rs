//! A small engine in memory: six tasks, and a list of what was done to them.

use async_trait::async_trait;
use deletegate::bridge::{
    Access, Actor, Bridge, Count, Dependents, Effect, Failure, Field, FieldType, Identity, Page, Principal, Refusal,
    Removal, Row, Scalar, Selection, Totals, Verbs,
};

/// The tasks `t1` to `t6` of one caller.
pub struct Engine {
    /// Who is calling.
    pub identity: Identity,
    /// What was removed, in order.
    pub gone: Vec<String>,
    /// Every function that was called, by its first letter.
    pub calls: String,
    /// The task that a rule keeps.
    pub locked: Option<&'static str>,
    /// Done before each removal: stands for what happens meanwhile.
    pub meanwhile: Box<dyn FnMut(usize) + Send>,
    /// The revision of every task.
    pub revision: &'static str,
    /// What the caller may do.
    pub verbs: Verbs,
}

impl Engine {
    pub fn new() -> Engine {
        Engine {
            identity: Identity::User(Actor { id: "ana".into(), name: None }),
            gone: Vec::new(),
            calls: String::new(),
            locked: None,
            meanwhile: Box::new(|_| ()),
            revision: "r1",
            verbs: Verbs::LIST | Verbs::REMOVE,
        }
    }

    fn tasks(&self) -> Vec<Row> {
        (1..=6)
            .map(|n| (format!("t{n}"), format!("Task {n}")))
            .filter(|(id, _)| !self.gone.contains(id))
            .map(|(id, label)| Row {
                id: vec![Scalar::Text(id)],
                label: Some(label),
                revision: Some(self.revision.to_owned()),
            })
            .collect()
    }
}

#[async_trait]
impl Bridge for Engine {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        self.calls.push('p');
        let id = Field { name: "id".into(), type_: FieldType::Text, nullable: false };
        let stream = Field { name: "stream".into(), ..id.clone() };
        let access = Access {
            object: object.to_owned(),
            key: vec![id.clone()],
            fields: vec![id, stream],
            verbs: self.verbs,
            reversible: true,
        };
        Ok(Principal { identity: self.identity.clone(), access: Some(access), narrowing: None })
    }

    async fn query(
        &mut self,
        _object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        self.calls.push('q');
        let mut rows = self.tasks();
        if let Selection::Ids(ids) = selection {
            rows.retain(|row| ids.contains(&row.id));
        }
        if let Some(after) = after {
            rows.retain(|row| row.id.as_slice() > after);
        }
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        Ok(Page { rows, more })
    }

    async fn aggregate(&mut self, _object: &str, _selection: &Selection) -> Result<Totals, Failure> {
        self.calls.push('a');
        let notes = Dependents { object: "crm_note".into(), count: 3, effect: Effect::Cascade };
        Ok(Totals { count: Count::Exact(self.tasks().len() as u64), dependents: Some(vec![notes]) })
    }

    async fn remove(&mut self, _object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        self.calls.push('r');
        (self.meanwhile)(self.gone.len());
        let [Scalar::Text(id)] = id else { return Ok(Removal::Absent) };
        if self.locked == Some(id.as_str()) {
            return Err(Failure::Refused(Refusal {
                code: "RECORD_LOCKED".into(),
                status: 409,
                reason: "The period is closed.".into(),
                retryable: false,
            }));
        }
        if revision.is_some_and(|revision| revision != self.revision) {
            return Ok(Removal::Changed);
        }
        self.gone.push(id.clone());
        Ok(Removal::Removed)
    }
}
