//! The names that tools show and take, and the database's own: which objects are offered, and how they and their
//! fields are called.

use std::collections::BTreeMap;

use super::{Config, ObjectConfig};

/// Which objects tools are offered, and by what names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Where not every object is offered, those that are.
    allow: Option<Vec<String>>,
    exclude: Vec<String>,
    /// Aliases, by the database's own names.
    objects: BTreeMap<String, String>,
    /// For each object, by the database's own names, the aliases of its columns.
    fields: BTreeMap<String, BTreeMap<String, String>>,
}

impl Config {
    /// Which objects tools are offered, and by what names.
    pub fn names(&self) -> Names {
        let objects = &self.objects;
        // A name that stays as it is is none: nothing has to be kept from being found by it.
        let aliased = |(name, alias): (&String, &Option<String>)| {
            alias.as_ref().filter(|alias| *alias != name).map(|alias| (name.clone(), alias.clone()))
        };
        let columns = |object: &ObjectConfig| -> BTreeMap<String, String> {
            object
                .aliases
                .iter()
                .filter(|(own, alias)| own != alias)
                .map(|(own, alias)| (own.clone(), alias.clone()))
                .collect()
        };
        Names {
            allow: self.allow.clone(),
            exclude: objects.iter().filter(|(_, object)| object.exclude).map(|(name, _)| name.clone()).collect(),
            objects: objects.iter().map(|(name, object)| (name, &object.alias)).filter_map(aliased).collect(),
            fields: objects
                .iter()
                .map(|(name, object)| (name.clone(), columns(object)))
                .filter(|(_, columns)| !columns.is_empty())
                .collect(),
        }
    }
}

impl Names {
    /// Whether every object is offered, under its own name.
    pub fn change_nothing(&self) -> bool {
        *self == Names::default()
    }

    /// Whether tools are offered the object with this name in the database.
    pub fn offers(&self, own: &str) -> bool {
        self.allow.as_ref().is_none_or(|allow| allow.iter().any(|name| name == own))
            && !self.exclude.iter().any(|name| name == own)
    }

    /// What tools call an object.
    pub fn object<'n>(&'n self, own: &'n str) -> &'n str {
        self.objects.get(own).map_or(own, String::as_str)
    }

    /// What tools call a column.
    pub fn field<'n>(&'n self, own_object: &str, own: &'n str) -> &'n str {
        self.fields.get(own_object).and_then(|fields| fields.get(own)).map_or(own, String::as_str)
    }

    /// The database's own name of an object that a tool names; none where that is no name that tools use. A table
    /// that has an alias is not to be found by its own name, and one that is not offered by none.
    pub fn own_object<'n>(&'n self, public: &'n str) -> Option<&'n str> {
        let aliased = self.objects.iter().find(|(_, alias)| *alias == public).map(|(own, _)| own.as_str());
        aliased.or((!self.objects.contains_key(public)).then_some(public)).filter(|own| self.offers(own))
    }

    /// The database's own name of a column; none where that is no name that tools use.
    pub fn own_field<'n>(&'n self, own_object: &str, public: &'n str) -> Option<&'n str> {
        let Some(fields) = self.fields.get(own_object) else { return Some(public) };
        let aliased = fields.iter().find(|(_, alias)| *alias == public).map(|(own, _)| own.as_str());
        aliased.or((!fields.contains_key(public)).then_some(public))
    }

    /// The objects that have another name, or columns with one, by the database's own names.
    pub(crate) fn renamed(&self) -> impl Iterator<Item = &str> {
        let fields = self.fields.keys().filter(|own| !self.objects.contains_key(*own));
        self.objects.keys().chain(fields).map(String::as_str)
    }

    /// An object's columns that have another name, each with that name.
    pub(crate) fn aliases(&self, own_object: &str) -> impl Iterator<Item = (&str, &str)> {
        let aliases = self.fields.get(own_object).into_iter().flatten();
        aliases.map(|(own, alias)| (own.as_str(), alias.as_str()))
    }
}
