//! Points in time and days: strict on the way in (contract, section 9), exact both ways.

use time::{Date, Month};

use crate::bridge::Instant;
use crate::prelude::*;

/// What a refusal says is expected.
pub const FORM: &str = "an instant, as \"2026-03-10T09:30:00Z\" or with an offset, \"2026-03-10T09:30:00+01:00\"";

const SECONDS_A_DAY: i64 = 86_400;
/// The Julian day of 1970-01-01.
const EPOCH: i64 = 2_440_588;

/// RFC 3339 with nothing left open: a four-digit year from 0001, upper case `T` and `Z`, seconds up to 59,
/// an optional fraction of 1 to 9 digits, `Z` or `±hh:mm` up to 23:59, and a day that exists.
pub fn read(text: &str) -> Option<Instant> {
    let (date, rest) = (text.get(..10)?, text.get(10..)?);
    let days = days(date)?;
    let bytes = rest.as_bytes();
    if bytes.len() < 10 || bytes[0] != b'T' || bytes[3] != b':' || bytes[6] != b':' {
        return None;
    }
    let (hour, minute, second) = (two(&bytes[1..3], 23)?, two(&bytes[4..6], 59)?, two(&bytes[7..9], 59)?);
    let mut zone = &bytes[9..];
    let mut nanoseconds = 0;
    if zone[0] == b'.' {
        let digits = zone[1..].iter().take_while(|b| b.is_ascii_digit()).count();
        if !(1..=9).contains(&digits) {
            return None;
        }
        for place in 0..9 {
            let digit = if place < digits { u32::from(zone[1 + place] - b'0') } else { 0 };
            nanoseconds = nanoseconds * 10 + digit;
        }
        zone = &zone[1 + digits..];
    }
    let offset = match zone {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), hours_minutes @ ..] if hours_minutes.len() == 5 && hours_minutes[2] == b':' => {
            let seconds = two(&hours_minutes[..2], 23)? * 3600 + two(&hours_minutes[3..], 59)? * 60;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let seconds = days * SECONDS_A_DAY + hour * 3600 + minute * 60 + second - offset;
    Some(Instant { seconds, nanoseconds })
}

/// The instant in UTC, with as many digits of a fraction as it needs; outside the years 1 to 9999 the
/// seconds since 1970, marked with `@`.
pub fn show(instant: &Instant) -> String {
    let days = instant.seconds.div_euclid(SECONDS_A_DAY);
    let second = instant.seconds.rem_euclid(SECONDS_A_DAY);
    let date = i32::try_from(days + EPOCH).ok().and_then(|day| Date::from_julian_day(day).ok());
    let fraction = match instant.nanoseconds {
        0 => String::new(),
        nanoseconds => format!(".{nanoseconds:09}").trim_end_matches('0').to_owned(),
    };
    match date.filter(|date| (1..=9999).contains(&date.year())) {
        None => format!("@{}{fraction}", instant.seconds),
        Some(date) => format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}Z",
            date.year(),
            u8::from(date.month()),
            date.day(),
            second / 3600,
            second / 60 % 60,
            second % 60
        ),
    }
}

/// `YYYY-MM-DD`, from the year 0001, and a day that exists.
pub fn is_date(text: &str) -> bool {
    days(text).is_some()
}

/// Days since 1970-01-01.
fn days(date: &str) -> Option<i64> {
    let bytes = date.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = two(&bytes[..2], 99)? * 100 + two(&bytes[2..4], 99)?;
    let (month, day) = (two(&bytes[5..7], 12)?, two(&bytes[8..], 31)?);
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let year = i32::try_from(year).ok().filter(|year| *year >= 1)?;
    let date = Date::from_calendar_date(year, month, u8::try_from(day).ok()?).ok()?;
    Some(i64::from(date.to_julian_day()) - EPOCH)
}

/// Two ASCII digits, at most `most`.
fn two(bytes: &[u8], most: i64) -> Option<i64> {
    match bytes {
        [a @ b'0'..=b'9', b @ b'0'..=b'9'] => {
            Some(i64::from(a - b'0') * 10 + i64::from(b - b'0')).filter(|value| *value <= most)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_instants_are_exact() {
        for (text, seconds, nanoseconds) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("2026-01-01T00:00:00Z", 1_767_225_600, 0),
            ("2026-01-01T00:00:00+05:30", 1_767_205_800, 0),
            ("2025-12-31T16:00:00-08:00", 1_767_225_600, 0),
            ("2026-01-01T00:00:00.123456789Z", 1_767_225_600, 123_456_789),
            ("1969-12-31T23:59:59.5Z", -1, 500_000_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
            ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
        ] {
            assert_eq!(read(text), Some(Instant { seconds, nanoseconds }), "{text}");
        }
        for text in ["2028-02-29T00:00:00Z", "2000-02-29T00:00:00Z", "0004-02-29T00:00:00Z"] {
            assert!(read(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        for text in [
            "",
            "now",
            "epoch",
            "infinity",
            "-infinity",
            "yesterday",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-32T00:00:00Z",
            "2027-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "0000-01-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T24:00:01Z",
            "2026-01-01T25:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+99:99",
            "2026-01-01t00:00:00Z",
            "2026-01-01T00:00:00z",
            " 2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00Z\n",
            "+2026-01-01T00:00:00Z",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00+0500",
            "2026-01-01T00:00:00.1234567890Z",
            "2026-01-01T00:00:00 EST",
            "20260310",
            "１026-01-01T00:00:00Z",
            "2026-01-01T00:00:00Z0",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn shown_and_read_again_it_is_the_same() {
        for text in ["2026-03-10T09:30:00.5Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.000000001Z"] {
            assert_eq!(read(text).map(|instant| show(&instant)).as_deref(), Some(text));
        }
        assert_eq!(show(&Instant { seconds: i64::MAX, nanoseconds: 0 }), "@9223372036854775807");
    }
}
