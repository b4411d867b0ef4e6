//! `where`: from its JSON to typed terms (contract, section 5).
//!
//! Everything that can be wrong with a filter is found here, before any read: unknown fields and operators,
//! operands of another type, and every part that comes to *true*, because a part that says nothing makes a
//! deletion wider than its author believed.

mod node;
mod operator;

use crate::bridge::{Access, Field, Selection};
use crate::json::Json;
use crate::near;
use crate::prelude::*;
use crate::refused::Refused;
use crate::text::{NAME_LIMIT, quote};
use crate::tools::ObjectRule;
use node::Node;
use operator::Operator;

/// Conditions and groups in one filter, and operands in one list: what an engine's planner still takes.
pub const MAX_TERMS: usize = 1000;

/// A filter that may be acted on.
#[derive(Debug)]
pub struct Filter {
    /// What the bridge is asked for; none where the filter can match nothing, and then nothing is asked.
    pub selection: Option<Selection>,
    /// The filter was the bare `{}`.
    pub every: bool,
    /// Fields whose null records a negation takes in, for the preview to say so.
    pub null_fields: Vec<String>,
}

/// Reads `where`, an object, for the object that the caller has this access to.
pub fn read(json: &Json, access: &Access) -> Result<Filter, Refused> {
    if is_bare(json) {
        return Ok(Filter { selection: Some(Selection::Every), every: true, null_fields: Vec::new() });
    }
    let mut reader = Reader { access, terms: 0 };
    let node = reader.group(json, "where")?;
    let mut terms = Vec::new();
    let mut null_fields = Vec::new();
    let selection = node.simplify(false).map(|node| {
        node.emit(&mut terms, &mut null_fields);
        Selection::Filter(terms)
    });
    null_fields.retain(|name| access.fields.iter().any(|field| field.name == *name && field.nullable));
    Ok(Filter { selection, every: false, null_fields })
}

/// The fields that a filter's top level pins to one value: `{f: v}` or `{f: {"$eq": v}}`, v not null.
pub fn pins(json: &Json, field: &str) -> bool {
    match json.get(field) {
        None | Some(Json::Null | Json::List(_)) => false,
        Some(condition @ Json::Object(_)) => !matches!(condition.get("$eq"), None | Some(Json::Null)),
        Some(_) => true,
    }
}

/// `unfiltered` and `scope`: how broad a filter may be.
pub fn check_breadth(rule: &ObjectRule, object: &str, filter: &Json, every: bool) -> Result<(), Refused> {
    let name = quote(object, NAME_LIMIT);
    if every && !rule.unfiltered {
        return Err(Refused::new(
            "FILTER_REQUIRED",
            400,
            format!(
                "Every record of {name} can't be deleted at once here: give a filter or recordIds. Nothing was deleted."
            ),
        ));
    }
    let open = |field: &&String| !pins(filter, field);
    let open: Vec<&str> = rule.scope.iter().filter(open).map(String::as_str).collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(Refused::new(
        "SCOPE_REQUIRED",
        400,
        format!(
            "A filter of {name} must pin {} to one value each, at its top level, as {{\"field\": value}}. Nothing was deleted.",
            near::list(open)
        ),
    ))
}

fn is_bare(json: &Json) -> bool {
    matches!(json, Json::Object(members) if members.is_empty())
}

struct Reader<'a> {
    access: &'a Access,
    terms: usize,
}

impl Reader<'_> {
    /// An object of fields and logical operators, all of which must hold.
    fn group(&mut self, json: &Json, path: &str) -> Result<Node, Refused> {
        let Json::Object(members) = json else {
            return Err(Refused::filter(format!("{path} must be an object of conditions, and is {}.", json.kind())));
        };
        self.count()?;
        let mut parts = Vec::with_capacity(members.len());
        for (key, value) in members {
            let path = format!("{path}.{}", shown(key));
            parts.push(match key.as_str() {
                "$and" => Node::All(self.groups(value, &path)?),
                "$or" => Node::One(self.groups(value, &path)?),
                // The one place where an inner `{}` may stand: it says "not every record", which is none.
                "$not" if is_bare(value) => Node::One(Vec::new()),
                "$not" => Node::Not(Box::new(self.group(value, &path)?)),
                operator if operator.starts_with('$') => return Err(misplaced(operator, &path)),
                name => self.field(name, value, &path)?,
            });
            not_every(parts.last(), &path)?;
        }
        let node = Node::All(parts);
        not_every(Some(&node), path)?;
        Ok(node)
    }

    fn groups(&mut self, json: &Json, path: &str) -> Result<Vec<Node>, Refused> {
        let Json::List(items) = json else {
            return Err(Refused::filter(format!("{path} takes a list of filters, and is {}.", json.kind())));
        };
        items.iter().enumerate().map(|(at, item)| self.group(item, &format!("{path}[{at}]"))).collect()
    }

    /// `{f: v}` or `{f: {"$op": operand, …}}`.
    fn field(&mut self, name: &str, json: &Json, path: &str) -> Result<Node, Refused> {
        let Some(field) = self.access.fields.iter().find(|field| field.name == name) else {
            let names = || self.access.fields.iter().map(|field| field.name.as_str());
            return Err(Refused::new(
                "INVALID_FIELD",
                400,
                format!(
                    "{} has no field {}.{} Its fields: {}. Nothing was deleted.",
                    quote(&self.access.object, NAME_LIMIT),
                    quote(name, NAME_LIMIT),
                    near::did_you_mean(near::nearest(name, names())),
                    near::list(names()),
                ),
            ));
        };
        match json {
            Json::Object(members) if members.is_empty() => Err(Refused::filter(format!(
                "{path} is {{}}: a condition needs an operator. {}",
                operator::allowed(field)
            ))),
            Json::Object(members) => {
                let mut parts = Vec::with_capacity(members.len());
                for (key, operand) in members {
                    let path = format!("{path}.{}", shown(key));
                    let node = self.condition(field, key, operand, &path)?;
                    not_every(Some(&node), &path)?;
                    parts.push(node);
                }
                Ok(Node::All(parts))
            }
            value => self.condition(field, "$eq", value, path),
        }
    }

    fn condition(&mut self, field: &Field, key: &str, operand: &Json, path: &str) -> Result<Node, Refused> {
        self.count()?;
        let operator = Operator::find(key).ok_or_else(|| unknown(field, key, path))?;
        if !operator.serves(field.type_) {
            return Err(Refused::filter(format!(
                "{path}: {key} can't be used on {}, which is {}. {}",
                quote(&field.name, NAME_LIMIT),
                operator::type_name(field.type_),
                operator::allowed(field)
            )));
        }
        operator.read(field, operand, path)
    }

    fn count(&mut self) -> Result<(), Refused> {
        self.terms += 1;
        if self.terms > MAX_TERMS {
            return Err(Refused::filter(format!("where has more than {MAX_TERMS} terms. Split the call.")));
        }
        Ok(())
    }
}

/// Refuses a part that is true for every record.
fn not_every(node: Option<&Node>, path: &str) -> Result<(), Refused> {
    if node.and_then(Node::constant) != Some(true) {
        return Ok(());
    }
    Err(Refused::filter(format!(
        "{path} is true for every record, so it narrows nothing. Take it out; \
         to mean every record, `where` must be the bare {{}}."
    )))
}

fn unknown(field: &Field, key: &str, path: &str) -> Refused {
    let hint = match key {
        "$regex" | "$options" => {
            " For text inside text there are $contains and, for any ASCII case, $icontains.".to_owned()
        }
        "$like" | "$ilike" => {
            " For text inside text there are $contains, $startsWith, $endsWith and $icontains.".to_owned()
        }
        _ => near::did_you_mean(Operator::near(key)),
    };
    let what = if key.starts_with('$') {
        format!("{path}: there is no operator {}.", quote(key, NAME_LIMIT))
    } else {
        format!(
            "{path}: {} holds {}, which is no operator (operators begin with $; a field can't hold an object of fields).",
            quote(&field.name, NAME_LIMIT),
            quote(key, NAME_LIMIT)
        )
    };
    Refused::filter(format!("{what}{hint} {}", operator::allowed(field)))
}

fn misplaced(operator: &str, path: &str) -> Refused {
    let logical = ["$and", "$or", "$not"];
    let what = match Operator::find(operator) {
        Some(_) => "it belongs inside a field, as {\"field\": {\"$op\": value}}.".to_owned(),
        None => format!(
            "there is no such operator.{} Among fields stand $and, $or and $not.",
            near::did_you_mean(near::nearest(operator, logical))
        ),
    };
    Refused::filter(format!("{path}: {what}"))
}

/// A key in a path, cut and made safe.
fn shown(key: &str) -> String {
    let quoted = quote(key, NAME_LIMIT);
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_$-".contains(c));
    if bare && key.len() <= NAME_LIMIT { key.to_owned() } else { quoted }
}
