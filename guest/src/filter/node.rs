//! The tree between a filter's JSON and its terms: constants are folded and negation is pushed down here.

use crate::bridge::{Comparison, Condition, FilterTerm};
use crate::prelude::*;
use crate::sorted;

/// A part of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// True where all are; with none, always.
    All(Vec<Node>),
    /// True where one is; with none, never.
    One(Vec<Node>),
    /// True where the part is not.
    Not(Box<Node>),
    /// A single condition.
    Is(Condition),
}

impl Node {
    /// Never true.
    pub const FALSE: Node = Node::One(Vec::new());

    /// Always true, never true, or none of both.
    pub fn constant(&self) -> Option<bool> {
        // One look at each part: two would double with every level.
        let fold = |parts: &[Node], decides: bool| {
            let mut open = false;
            for part in parts {
                match part.constant() {
                    Some(value) if value == decides => return Some(decides),
                    Some(_) => {}
                    None => open = true,
                }
            }
            (!open).then_some(!decides)
        };
        match self {
            Node::All(parts) => fold(parts, false),
            Node::One(parts) => fold(parts, true),
            Node::Not(part) => part.constant().map(|value| !value),
            Node::Is(_) => None,
        }
    }

    /// The same filter without constants and with every negation at a single condition; none where it
    /// is never true. Not to be asked of a filter that is always true: such a one was refused.
    pub fn simplify(self, negated: bool) -> Option<Node> {
        match self {
            Node::Not(part) => part.simplify(!negated),
            Node::Is(condition) if negated => Some(Node::Not(Box::new(Node::Is(condition)))),
            Node::Is(condition) => Some(Node::Is(condition)),
            // A negation turns "all" into "one" and back.
            Node::All(parts) if negated => Node::join(parts, true, false),
            Node::One(parts) if negated => Node::join(parts, true, true),
            Node::All(parts) => Node::join(parts, false, true),
            Node::One(parts) => Node::join(parts, false, false),
        }
    }

    fn join(parts: Vec<Node>, negated: bool, all: bool) -> Option<Node> {
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            match part.constant().map(|value| value != negated) {
                // True: says nothing in an "all", everything in a "one", which is refused before.
                Some(true) => {}
                Some(false) if all => return None,
                Some(false) => {}
                None => kept.extend(part.simplify(negated)),
            }
        }
        match kept.len() {
            0 => None,
            1 => kept.pop(),
            _ => Some(if all { Node::All(kept) } else { Node::One(kept) }),
        }
    }

    /// Writes a simplified filter in prefix order, and notes the fields that a negation stands on.
    pub fn emit(self, terms: &mut Vec<FilterTerm>, negated_fields: &mut Vec<String>) {
        match self {
            Node::All(parts) => {
                terms.push(FilterTerm::AllOf(length(&parts)));
                parts.into_iter().for_each(|part| part.emit(terms, negated_fields));
            }
            Node::One(parts) => {
                terms.push(FilterTerm::OneOf(length(&parts)));
                parts.into_iter().for_each(|part| part.emit(terms, negated_fields));
            }
            Node::Is(condition) => terms.push(FilterTerm::Condition(condition)),
            Node::Not(part) => {
                if let Node::Is(condition) = *part {
                    if condition.comparison != Comparison::IsNull {
                        sorted::insert(negated_fields, condition.field.clone());
                    }
                    terms.push(FilterTerm::Unless(condition));
                }
            }
        }
    }
}

fn length(parts: &[Node]) -> u32 {
    // A filter has at most `MAX_TERMS` parts.
    u32::try_from(parts.len()).unwrap_or(u32::MAX)
}
