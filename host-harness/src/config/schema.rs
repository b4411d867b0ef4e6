//! The JSON Schema of the file, for editors that check TOML with one.

use serde_json::{Map, Value, json};

use super::description::{FILE, Key, Takes};

/// The schema, in the draft that editors' TOML plug-ins read. It knows the form of a file; what only the whole file or
/// the database can tell (two objects of one name, a column that is not there) is `deletegate validate`'s to say.
pub fn schema() -> Value {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "deletegate's configuration",
    });
    if let (Value::Object(schema), Value::Object(table)) = (&mut schema, table(FILE)) {
        schema.extend(table);
    }
    schema
}

fn table(keys: &[Key]) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_owned(), described(key))).collect();
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn described(key: &Key) -> Value {
    let mut schema = value(&key.takes);
    schema["description"] = match key.default {
        "" => json!(key.about),
        default => json!(format!("{} Default: {default}.", key.about)),
    };
    schema
}

fn value(takes: &Takes) -> Value {
    // A text that says something.
    const SAYS: &str = "\\S";
    match takes {
        Takes::Text => json!({ "type": "string", "pattern": SAYS }),
        Takes::Boolean => json!({ "type": "boolean" }),
        Takes::Integer(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Takes::Word(words) => json!({ "enum": words() }),
        Takes::Texts => json!({ "type": "array", "items": { "type": "string", "pattern": SAYS } }),
        Takes::Patterns => json!({
            "type": "array",
            "items": { "type": "string", "allOf": [{ "pattern": SAYS }, { "pattern": "^\\*?[^*]*\\*?$" }] },
        }),
        Takes::Setting => {
            json!({ "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)+$" })
        }
        Takes::Store => json!({ "type": "string", "pattern": "^(memory$|sqlite:[\\s\\S]|postgres(ql)?:)" }),
        Takes::Engine => json!({ "type": "string", "pattern": "^(sqlite:[\\s\\S]|postgres(ql)?:)" }),
        Takes::Table(keys) => table(keys),
        Takes::Named(_, takes) => json!({ "type": "object", "additionalProperties": value(takes) }),
    }
}
