//! Decimal numbers of any length, compared by their digits.

use std::cmp::Ordering;
use std::fmt;

use super::super::Scalar;

/// A decimal number: `0.d1d2d3… × 10^point`, without zeros at either end of the digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    point: i64,
    digits: Vec<u8>,
}

impl Decimal {
    /// Reads the digits of a JSON number, a sign and an exponent included.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if whole.is_empty() || !all.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let leading = all.iter().take_while(|digit| **digit == b'0').count();
        let mut digits = all[leading..].to_vec();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Some(Self { negative: false, point: 0, digits });
        }
        let length = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()?;
        Some(Self { negative, point: exponent.checked_add(length)?, digits })
    }

    /// The number that an operand is, where it is one.
    pub(super) fn of(operand: &Scalar) -> Option<Self> {
        match operand {
            Scalar::Integer(value) => Self::parse(&value.to_string()),
            Scalar::Decimal(digits) | Scalar::Text(digits) => Self::parse(digits),
            _ => None,
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let size = || (self.point, &self.digits).cmp(&(other.point, &other.digits));
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => size(),
            _ => size().reverse(),
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digits.is_empty() {
            return out.write_str("0");
        }
        if self.negative {
            out.write_str("-")?;
        }
        // The digits are ASCII by construction.
        let digits: String = self.digits.iter().copied().map(char::from).collect();
        match usize::try_from(self.point) {
            Ok(0) | Err(_) => {
                let zeros = usize::try_from(self.point.unsigned_abs()).unwrap_or(0);
                write!(out, "0.{}{digits}", "0".repeat(zeros))
            }
            Ok(point) if point >= digits.len() => {
                write!(out, "{digits}{}", "0".repeat(point - digits.len()))
            }
            Ok(point) => write!(out, "{}.{}", &digits[..point], &digits[point..]),
        }
    }
}
