//! Numbers as the digits they are written with, for comparing them with binary floating point exactly.

use std::cmp::Ordering;

/// A decimal number of any size: `0.d₁d₂d₃… × 10^point`, without leading or trailing zeros; zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// Reads an optional sign, digits, an optional fraction and an optional exponent.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            None => (rest, 0),
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = || whole.bytes().chain(fraction.bytes());
        if !all().all(|byte| byte.is_ascii_digit()) || all().next().is_none() {
            return None;
        }
        let leading = all().take_while(|byte| *byte == b'0').count();
        let mut digits: Vec<u8> = all().skip(leading).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Some(Decimal { negative: false, digits, point: 0 });
        }
        let point = (whole.len() as i64 - leading as i64).saturating_add(exponent);
        Some(Decimal { negative, digits, point })
    }

    /// The shortest digits that name this double and no other; the value must be finite.
    pub fn shortest(value: f64) -> Option<Decimal> {
        if value.is_finite() { Decimal::parse(&format!("{value:e}")) } else { None }
    }

    /// Digits before the point; negative where the first digit that is not zero lies so far behind it.
    pub fn size(&self) -> i64 {
        self.point
    }

    /// Digits behind the point.
    pub fn places(&self) -> i64 {
        (self.digits.len() as i64).saturating_sub(self.point).max(0)
    }

    /// The number as a 64-bit integer, where it is one.
    pub fn to_i64(&self) -> Option<i64> {
        // 19 digits are the most that an i64 has.
        if self.digits.is_empty() {
            return Some(0);
        }
        let places = usize::try_from(self.point).ok().filter(|places| *places <= 19)?;
        if self.digits.len() > places {
            return None;
        }
        let mut value: i128 = 0;
        for place in 0..places {
            value = value * 10 + i128::from(self.digits.get(place).map_or(0, |digit| digit - b'0'));
        }
        i64::try_from(if self.negative { -value } else { value }).ok()
    }
}

/// Clamped: beyond a billion places nothing that is compared here differs any more.
fn exponent_of(text: &str) -> Option<i64> {
    const MOST: i64 = 1_000_000_000;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(MOST).min(MOST);
    Some(if text.starts_with('-') { -size } else { size })
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let sign = |number: &Decimal| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let size = || self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => size(),
            _ => size().reverse(),
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn reads_every_way_to_write_a_number() {
        for (one, other) in [("1.50", "15e-1"), ("0", "-0.000"), ("100", "1e2"), ("+0.01", "1E-2"), ("007", "7.0")] {
            assert_eq!(decimal(one), decimal(other), "{one} {other}");
        }
        for wrong in ["", "-", ".", "e5", "1e", "1e+", "0x1", "1.2.3", "NaN", "inf", " 1", "1_0"] {
            assert_eq!(Decimal::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn orders_by_value() {
        let sorted =
            ["-1e9999999999999", "-10", "-9.99", "-0.1", "0", "1e-400", "0.1", "0.11", "0.2", "9", "10", "1e400"];
        for pair in sorted.windows(2) {
            assert!(decimal(pair[0]) < decimal(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn knows_whole_numbers_of_64_bits() {
        assert_eq!(decimal("9223372036854775807").to_i64(), Some(i64::MAX));
        assert_eq!(decimal("-9223372036854775808").to_i64(), Some(i64::MIN));
        assert_eq!(decimal("9223372036854775808").to_i64(), None);
        assert_eq!(decimal("1e18").to_i64(), Some(1_000_000_000_000_000_000));
        assert_eq!(decimal("5.0").to_i64(), Some(5));
        assert_eq!(decimal("0.5").to_i64(), None);
        assert_eq!(decimal("1e400").to_i64(), None);
    }

    #[test]
    fn the_shortest_form_names_a_double() {
        assert_eq!(Decimal::shortest(0.1), Some(decimal("0.1")));
        assert_eq!(Decimal::shortest(1e23), Some(decimal("1e23")));
        assert_eq!(Decimal::shortest(f64::INFINITY), None);
    }
}
