//! Which records a call has read, in the order in which the bridge gave them.

use std::collections::HashMap;

use delete_records::bridge::{RecordId, Row, Scalar};
use sha2::{Digest, Sha256};

use super::asked::hex;

/// The records read, each once.
#[derive(Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    places: HashMap<RecordId, usize>,
}

impl Rows {
    /// Takes a page in. A record that comes twice keeps its first place and its first revision.
    pub(super) fn read(&mut self, page: &[Row]) {
        for row in page {
            if !self.places.contains_key(&row.id) {
                self.places.insert(row.id.clone(), self.rows.len());
                self.rows.push(row.clone());
            }
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    /// The place of a record that was read.
    pub(super) fn find(&self, id: &[Scalar]) -> Option<usize> {
        self.places.get(id).copied()
    }

    pub(super) fn revision(&self, place: usize) -> Option<&str> {
        self.rows.get(place).and_then(|row| row.revision.as_deref())
    }

    /// SHA-256 over ids and revisions in order; every part carries its length, so no two sets of records
    /// look alike.
    pub(super) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.len().to_be_bytes());
        for row in &self.rows {
            hash.update((row.id.len() as u64).to_be_bytes());
            for value in &row.id {
                scalar(&mut hash, value);
            }
            match &row.revision {
                None => hash.update([0]),
                Some(revision) => {
                    hash.update([1]);
                    text(&mut hash, revision);
                }
            }
        }
        hex(hash)
    }
}

fn scalar(hash: &mut Sha256, value: &Scalar) {
    match value {
        Scalar::Null => hash.update([0]),
        Scalar::Boolean(value) => hash.update([1, u8::from(*value)]),
        Scalar::Integer(value) => {
            hash.update([2]);
            hash.update(value.to_be_bytes());
        }
        Scalar::Decimal(digits) => {
            hash.update([3]);
            text(hash, digits);
        }
        Scalar::Text(value) => {
            hash.update([4]);
            text(hash, value);
        }
        Scalar::Instant(instant) => {
            hash.update([5]);
            hash.update(instant.seconds.to_be_bytes());
            hash.update(instant.nanoseconds.to_be_bytes());
        }
    }
}

fn text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_be_bytes());
    hash.update(text);
}
