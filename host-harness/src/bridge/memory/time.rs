//! Days and instants in the forms of section 9 of the contract, read strictly.

use super::super::Instant;

/// Whether the text is a day that exists, as `YYYY-MM-DD` from year 0001.
pub(in crate::bridge) fn is_date(text: &str) -> bool {
    day(text.as_bytes()).is_some()
}

/// Reads `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)`.
pub(super) fn parse_instant(text: &str) -> Option<Instant> {
    let bytes = text.as_bytes();
    let days = day(bytes.get(..10)?)?;
    let clock = bytes.get(10..19)?;
    if clock[0] != b'T' || clock[3] != b':' || clock[6] != b':' {
        return None;
    }
    let (hour, minute, second) = (number(&clock[1..3])?, number(&clock[4..6])?, number(&clock[7..9])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (nanoseconds, zone) = fraction(&bytes[19..])?;
    let offset = match zone {
        [b'Z'] => 0,
        [sign @ (b'+' | b'-'), hh @ .., b':', m1, m2] if hh.len() == 2 => {
            let (hours, minutes) = (number(hh)?, number(&[*m1, *m2])?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let seconds = hours * 3600 + minutes * 60;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset;
    Some(Instant { seconds, nanoseconds })
}

/// The nanoseconds of a fraction, where there is one, and what follows it.
fn fraction(rest: &[u8]) -> Option<(u32, &[u8])> {
    let Some(rest) = rest.strip_prefix(b".") else {
        return Some((0, rest));
    };
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=9).contains(&length) {
        return None;
    }
    let digits = u32::try_from(number(&rest[..length])?).ok()?;
    let scale = 10u32.pow(9 - u32::try_from(length).ok()?);
    Some((digits * scale, &rest[length..]))
}

/// Days since 1970-01-01 of a day that exists.
fn day(text: &[u8]) -> Option<i64> {
    if text.len() != 10 || text[4] != b'-' || text[7] != b'-' {
        return None;
    }
    let (year, month, day) = (number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1 || !(1..=length).contains(&day) {
        return None;
    }
    // Years that begin in March put the leap day last, so whole years have a closed form.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before = 365 * year + year / 4 - year / 100 + year / 400;
    Some(before + (153 * month + 2) / 5 + day - 1 - 719_468)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0i64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}
