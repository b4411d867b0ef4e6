//! Statements: text in which every name is quoted and every value is a numbered parameter.
//!
//! The text is put together from strings, without a builder of queries: PostgreSQL numbers its parameters, so a part of a
//! statement knows its parameter's name as soon as the value is bound, wherever the part will stand. Most values travel
//! as text and are cast to the column's own type by the server, which knows every type there is.

use std::error::Error;

use deadpool::managed::ObjectId;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::bridge::Instant;

/// 2000-01-01T00:00:00Z, from which PostgreSQL counts, in seconds since 1970.
const EPOCH: i64 = 946_684_800;
const MICROS: i64 = 1_000_000;
const NANOS_A_MICRO: u32 = 1000;

/// A point in time as PostgreSQL stores it: microseconds since 2000-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment(i64);

impl Moment {
    /// The last moment that is not behind the instant, and whether it is the instant; `None` for what no column holds.
    pub fn floor(instant: &Instant) -> Option<(Moment, bool)> {
        let micros = instant.nanoseconds / NANOS_A_MICRO;
        let moment =
            instant.seconds.checked_sub(EPOCH)?.checked_mul(MICROS)?.checked_add(i64::from(micros)).map(Moment)?;
        Some((moment, micros * NANOS_A_MICRO == instant.nanoseconds))
    }

    /// The instant of a column that was read as microseconds since 1970.
    pub fn instant(micros: i64) -> Instant {
        let nanoseconds = u32::try_from(micros.rem_euclid(MICROS)).unwrap_or_default() * NANOS_A_MICRO;
        Instant { seconds: micros.div_euclid(MICROS), nanoseconds }
    }
}

impl ToSql for Moment {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0.to_be_bytes());
        Ok(IsNull::No)
    }

    fn accepts(type_: &Type) -> bool {
        matches!(*type_, Type::TIMESTAMP | Type::TIMESTAMPTZ)
    }

    to_sql_checked!();
}

/// The value of a parameter.
#[derive(Clone, Debug)]
enum Param {
    Text(String),
    Texts(Vec<String>),
    Moments(Vec<Moment>),
    LocalMoments(Vec<Moment>),
    Moment(Moment),
    LocalMoment(Moment),
}

/// The values of a statement's parameters, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Params(Vec<Param>);

impl Params {
    fn add(&mut self, param: Param) -> String {
        self.0.push(param);
        format!("${}", self.0.len())
    }

    /// A text; the parameter's name.
    pub fn text(&mut self, text: impl Into<String>) -> String {
        self.add(Param::Text(text.into()))
    }

    /// An array of texts.
    pub fn texts(&mut self, texts: Vec<String>) -> String {
        self.add(Param::Texts(texts))
    }

    /// A point in time; a column without a zone holds UTC (contract, section 10).
    pub fn moment(&mut self, moment: Moment, zoned: bool) -> String {
        self.add(if zoned { Param::Moment(moment) } else { Param::LocalMoment(moment) })
    }

    /// An array of them.
    pub fn moments(&mut self, moments: Vec<Moment>, zoned: bool) -> String {
        self.add(if zoned { Param::Moments(moments) } else { Param::LocalMoments(moments) })
    }

    /// Puts these values in the place of the first ones, which are of the same types.
    pub fn lead(&mut self, with: &Params) {
        for (own, value) in self.0.iter_mut().zip(&with.0) {
            own.clone_from(value);
        }
    }

    /// Each parameter's type.
    pub fn types(&self) -> Vec<Type> {
        self.0.iter().map(Param::type_).collect()
    }

    /// Each parameter's value.
    pub fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.0.iter().map(Param::value).collect()
    }
}

impl Param {
    fn type_(&self) -> Type {
        match self {
            Param::Text(_) => Type::TEXT,
            Param::Texts(_) => Type::TEXT_ARRAY,
            Param::Moment(_) => Type::TIMESTAMPTZ,
            Param::LocalMoment(_) => Type::TIMESTAMP,
            Param::Moments(_) => Type::TIMESTAMPTZ_ARRAY,
            Param::LocalMoments(_) => Type::TIMESTAMP_ARRAY,
        }
    }

    fn value(&self) -> &(dyn ToSql + Sync) {
        match self {
            Param::Text(text) => text,
            Param::Texts(texts) => texts,
            Param::Moment(moment) | Param::LocalMoment(moment) => moment,
            Param::Moments(moments) | Param::LocalMoments(moments) => moments,
        }
    }
}

/// A statement that can run.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub text: String,
    pub params: Params,
    /// Whether the connection keeps it prepared: only where the text is one of a few for each object.
    pub kept: bool,
    /// Whether the number of rows that it changed is asked for, rather than the rows that it gives.
    pub counted: bool,
    /// As the connection that ran it last knows it.
    pub prepared: Option<(ObjectId, tokio_postgres::Statement)>,
}

impl Statement {
    /// A statement that is parsed anew whenever it runs.
    pub fn once(text: String, params: Params) -> Statement {
        Statement { text, params, kept: false, counted: false, prepared: None }
    }

    /// A statement that runs again and again.
    pub fn kept(text: String, params: Params) -> Statement {
        Statement { text, params, kept: true, counted: false, prepared: None }
    }
}

/// A name, quoted.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// True where all are.
pub(super) fn all(parts: impl IntoIterator<Item = String>) -> String {
    joined(parts, " AND ").unwrap_or_else(|| "TRUE".to_owned())
}

/// True where at least one is.
pub(super) fn any(parts: impl IntoIterator<Item = String>) -> String {
    joined(parts, " OR ").unwrap_or_else(|| "FALSE".to_owned())
}

/// PostgreSQL reads a chain of one operator as one flat list, however long it is.
fn joined(parts: impl IntoIterator<Item = String>, operator: &str) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().collect();
    match parts.len() {
        0 | 1 => parts.into_iter().next(),
        _ => Some(format!("({})", parts.join(operator))),
    }
}

/// The value of a row's column; a column of another type is a mistake of a statement here.
pub(super) fn get<'r, T: FromSql<'r>>(row: &'r tokio_postgres::Row, place: usize) -> Result<T, tokio_postgres::Error> {
    row.try_get(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_microseconds_and_never_later() {
        let at = |seconds, nanoseconds| Moment::floor(&Instant { seconds, nanoseconds });
        assert_eq!(at(EPOCH, 0), Some((Moment(0), true)));
        assert_eq!(at(EPOCH, 1999), Some((Moment(1), false)));
        assert_eq!(at(EPOCH - 1, 999_999_999), Some((Moment(-1), false)));
        assert_eq!(at(i64::MAX, 0), None);
        assert_eq!(Moment::instant(-1), Instant { seconds: -1, nanoseconds: 999_999_000 });
        assert_eq!(Moment::instant(1_500_000), Instant { seconds: 1, nanoseconds: 500_000_000 });
    }

    #[test]
    fn names_can_hold_anything() {
        assert_eq!(quoted("a\"b; --"), "\"a\"\"b; --\"");
    }
}
