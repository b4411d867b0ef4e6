//! A bridge under the names that tools use: aliases go in and come out, and what is not offered is not there.
//!
//! It stands before every engine alike, so that no engine has to know of aliases, and no tool learns a table's or a
//! column's own name where it has another. Records that depend on others are told of even where their object is not
//! offered: what goes along with a deletion is no secret, only who may delete there.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    Access, Bridge, Condition, Dependents, Failure, Field, FilterTerm, Page, Principal, Refusal, Removal, Scalar,
    Selection, Totals,
};
use crate::config::Names;

/// A bridge, by the names of a configuration.
pub struct Named<B> {
    bridge: B,
    names: Arc<Names>,
}

impl<B> Named<B> {
    /// Puts the names before a bridge.
    pub fn new(bridge: B, names: Arc<Names>) -> Named<B> {
        Named { bridge, names }
    }

    /// The database's own name of an object.
    fn own(&self, object: &str) -> Result<String, Failure> {
        self.names
            .own_object(object)
            .map(str::to_owned)
            .ok_or_else(|| refused("OBJECT_NOT_FOUND", 404, "There is no such object here."))
    }

    /// A selection by the database's own names.
    fn selection(&self, own: &str, selection: &Selection) -> Result<Selection, Failure> {
        let Selection::Filter(terms) = selection else { return Ok(selection.clone()) };
        let condition = |condition: &Condition| {
            let field = self.names.own_field(own, &condition.field);
            let field = field.ok_or_else(|| refused("INVALID_FIELD", 400, "The object has no such field."))?;
            Ok(Condition { field: field.to_owned(), ..condition.clone() })
        };
        let term = |term: &FilterTerm| {
            Ok(match term {
                FilterTerm::Condition(of) => FilterTerm::Condition(condition(of)?),
                FilterTerm::Unless(of) => FilterTerm::Unless(condition(of)?),
                FilterTerm::AllOf(_) | FilterTerm::OneOf(_) => term.clone(),
            })
        };
        terms.iter().map(term).collect::<Result<_, Failure>>().map(Selection::Filter)
    }

    fn fields(&self, own: &str, fields: Vec<Field>) -> Vec<Field> {
        let renamed = |field: Field| Field { name: self.names.field(own, &field.name).to_owned(), ..field };
        fields.into_iter().map(renamed).collect()
    }
}

#[async_trait]
impl<B: Bridge> Bridge for Named<B> {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        let Ok(own) = self.own(object) else {
            // Who is calling is told all the same: it is not to be seen from whether an object is there.
            return Ok(Principal { access: None, ..self.bridge.resolve_principal(object).await? });
        };
        let principal = self.bridge.resolve_principal(&own).await?;
        let access = principal.access.filter(|access| access.object == own).map(|access| Access {
            object: object.to_owned(),
            key: self.fields(&own, access.key),
            fields: self.fields(&own, access.fields),
            ..access
        });
        Ok(Principal { access, ..principal })
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        let own = self.own(object)?;
        let selection = self.selection(&own, selection)?;
        self.bridge.query(&own, &selection, after, limit).await
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        let own = self.own(object)?;
        let selection = self.selection(&own, selection)?;
        let totals = self.bridge.aggregate(&own, &selection).await?;
        let renamed = |entry: Dependents| Dependents { object: self.names.object(&entry.object).to_owned(), ..entry };
        let dependents = totals.dependents.map(|dependents| dependents.into_iter().map(renamed).collect());
        Ok(Totals { dependents, ..totals })
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        let own = self.own(object)?;
        self.bridge.remove(&own, id, revision).await
    }
}

fn refused(code: &str, status: u16, reason: &str) -> Failure {
    Failure::Refused(Refusal { code: code.to_owned(), status, reason: reason.to_owned(), retryable: false })
}
