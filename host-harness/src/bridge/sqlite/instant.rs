//! Points in time, in the shapes in which columns of SQLite hold them.
//!
//! | stored | read as |
//! | --- | --- |
//! | `2026-03-10T09:30:00Z`, `…+01:00`, a space for the `T`, a fraction of 1 to 9 digits | that time |
//! | `2026-03-10 09:30:00`, with or without a fraction | UTC (contract, section 10) |
//! | an integer | seconds since 1970 |
//! | anything else: a day alone, `soon`, a real number, a year outside 1 to 9999 | does not fit |

use rusqlite::types::ValueRef;

use crate::bridge::Instant;

const SECONDS_A_DAY: i64 = 86_400;
/// 0001-01-01T00:00:00Z.
const FIRST: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z.
const LAST: i64 = 253_402_300_799;

/// The point in time that a stored value means, if it means one.
pub(super) fn of(value: ValueRef) -> Option<Instant> {
    let instant = match value {
        // Milliseconds would be a year far beyond 9999: they don't fit, rather than being taken for seconds.
        ValueRef::Integer(seconds) => Instant { seconds, nanoseconds: 0 },
        ValueRef::Text(bytes) => text(bytes)?,
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => return None,
    };
    (FIRST..=LAST).contains(&instant.seconds).then_some(instant)
}

/// Bytes that compare as the instants do.
pub(super) fn order(instant: &Instant) -> Vec<u8> {
    // With the sign bit turned, negative seconds come before the others.
    let seconds = (instant.seconds as u64) ^ (1 << 63);
    [&seconds.to_be_bytes()[..], &instant.nanoseconds.to_be_bytes()[..]].concat()
}

/// Two days, as text, with every text that can mean this instant from the first on and before the second: no
/// offset is longer than a day. It lets an index find the few that then are compared as time.
pub(super) fn days_around(instant: &Instant) -> (String, String) {
    let day = instant.seconds.div_euclid(SECONDS_A_DAY);
    (date(day - 1), date(day + 2))
}

fn text(bytes: &[u8]) -> Option<Instant> {
    if bytes.len() < 19 || !matches!(bytes[10], b'T' | b't' | b' ') || bytes[13] != b':' || bytes[16] != b':' {
        return None;
    }
    let day = days(number(&bytes[..4])?, &bytes[4..10])?;
    let hour = number(&bytes[11..13]).filter(|hour| *hour < 24)?;
    let minute = number(&bytes[14..16]).filter(|minute| *minute < 60)?;
    let second = number(&bytes[17..19]).filter(|second| *second < 60)?;
    let mut zone = &bytes[19..];
    let mut nanoseconds = 0;
    if let Some(fraction) = zone.strip_prefix(b".") {
        let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&length) {
            return None;
        }
        let missing = u32::try_from(9 - length).ok()?;
        nanoseconds = u32::try_from(number(&fraction[..length])?).ok()? * 10_u32.pow(missing);
        zone = &fraction[length..];
    }
    let offset = match zone {
        b"" | b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), rest @ ..] if rest.len() == 5 && rest[2] == b':' => {
            let hours = number(&rest[..2]).filter(|hours| *hours < 24)?;
            let minutes = number(&rest[3..]).filter(|minutes| *minutes < 60)?;
            let seconds = hours * 3600 + minutes * 60;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let seconds = day * SECONDS_A_DAY + hour * 3600 + minute * 60 + second - offset;
    Some(Instant { seconds, nanoseconds })
}

fn number(digits: &[u8]) -> Option<i64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
}

/// Days since 1970-01-01 of a day that exists; `rest` is `-MM-DD`.
fn days(year: i64, rest: &[u8]) -> Option<i64> {
    if year < 1 || rest[0] != b'-' || rest[3] != b'-' {
        return None;
    }
    let month = number(&rest[1..3]).filter(|month| (1..=12).contains(month))?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let day = number(&rest[4..6]).filter(|day| (1..=length).contains(day))?;
    // Years that begin in March put the leap day last, and 153 days are any five months from there.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (month * 153 + 2) / 5 + day
            - 719_469,
    )
}

/// The day as `YYYY-MM-DD`, at the ends of the calendar clamped to what sorts before or after every date.
fn date(day: i64) -> String {
    if day < FIRST / SECONDS_A_DAY {
        return String::new();
    }
    if day > LAST / SECONDS_A_DAY {
        return ":".to_owned(); // sorts after every digit
    }
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (0, month + 3) } else { (1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", year_of_era + era * 400 + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(i64, u32)> {
        of(ValueRef::Text(text.as_bytes())).map(|instant| (instant.seconds, instant.nanoseconds))
    }

    #[test]
    fn every_shape_of_one_moment_is_that_moment() {
        let at = Some((1_773_135_000, 0));
        for text in [
            "2026-03-10T09:30:00Z",
            "2026-03-10t09:30:00z",
            "2026-03-10 09:30:00",
            "2026-03-10T09:30:00",
            "2026-03-10 09:30:00.000",
            "2026-03-10T10:30:00+01:00",
            "2026-03-09T09:31:00-23:59",
            "2026-03-10 09:30:00+00:00",
        ] {
            assert_eq!(read(text), at, "{text}");
        }
        assert_eq!(of(ValueRef::Integer(1_773_135_000)), Some(Instant { seconds: 1_773_135_000, nanoseconds: 0 }));
        assert_eq!(read("2026-03-10 09:30:00.5"), Some((1_773_135_000, 500_000_000)));
        assert_eq!(read("2026-03-10 09:30:00.123456789"), Some((1_773_135_000, 123_456_789)));
        assert_eq!(read("1969-12-31T23:59:59.25Z"), Some((-1, 250_000_000)));
    }

    #[test]
    fn what_means_no_moment_does_not_fit() {
        for text in [
            "soon",
            "now",
            "",
            "infinity",
            "2026-03-10",
            "2026-03-10 09:30",
            "2026-02-30 00:00:00",
            "2027-02-29 00:00:00",
            "2026-03-10 24:00:00",
            "2026-03-10 09:30:60",
            "2026-03-10 09:30:00 ",
            "2026-03-10 09:30:00.",
            "2026-03-10 09:30:00.1234567890",
            "2026-03-10T09:30:00+24:00",
            "2026-03-10T09:30:00+0100",
            "2026-03-10T09:30:00 UTC",
            "0000-01-01 00:00:00",
            "20260310T093000Z",
            "2026-03-10_09:30:00",
            "2026-03-10T09:30:0é",
            "2026-13-01 00:00:00",
            "2026-00-01 00:00:00",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
        assert_eq!(of(ValueRef::Integer(1_773_135_000_000)), None);
        assert_eq!(of(ValueRef::Real(1_773_135_000.0)), None);
        assert_eq!(of(ValueRef::Null), None);
    }

    #[test]
    fn bytes_compare_as_the_moments_do() {
        let sorted = [(i64::MIN, 0), (-5, 1), (-1, 999_999_999), (0, 0), (0, 1), (1, 0), (i64::MAX, 5)]
            .map(|(seconds, nanoseconds)| order(&Instant { seconds, nanoseconds }));
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn days_and_dates_are_each_other() {
        for (text, day) in [
            ("0001-01-01", -719_162),
            ("1970-01-01", 0),
            ("2000-02-29", 11_016),
            ("2100-03-01", 47_541),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(days(number(&text.as_bytes()[..4]).unwrap(), &text.as_bytes()[4..]), Some(day), "{text}");
            assert_eq!(date(day), text);
        }
        assert_eq!((date(-719_163), date(2_932_897)), (String::new(), ":".to_owned()));
        let noon = Instant { seconds: 43_200, nanoseconds: 0 };
        assert_eq!(days_around(&noon), ("1969-12-31".to_owned(), "1970-01-03".to_owned()));
    }
}
