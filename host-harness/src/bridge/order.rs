//! The four comparisons of an order, which every engine has.

use std::cmp::Ordering;

use super::Comparison;

/// How a stored value lies to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Order {
    /// The comparison, where it is one of an order.
    pub fn of(comparison: Comparison) -> Option<Order> {
        Some(match comparison {
            Comparison::Less => Order::Less,
            Comparison::LessOrEqual => Order::LessOrEqual,
            Comparison::Greater => Order::Greater,
            Comparison::GreaterOrEqual => Order::GreaterOrEqual,
            _ => return None,
        })
    }

    /// Whether small values pass.
    pub fn is_upper_bound(self) -> bool {
        matches!(self, Order::Less | Order::LessOrEqual)
    }

    /// The comparison with a value that a column can store, in place of an operand that it can't: `operand` tells how
    /// the operand lies to that value. A border is rounded inwards, so that it never widens.
    pub fn inward(self, operand: Ordering) -> Order {
        match (self.is_upper_bound(), operand) {
            (_, Ordering::Equal) => self,
            (true, Ordering::Less) => Order::Less,
            (true, Ordering::Greater) => Order::LessOrEqual,
            (false, Ordering::Less) => Order::GreaterOrEqual,
            (false, Ordering::Greater) => Order::Greater,
        }
    }
}
