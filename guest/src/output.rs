//! Output schemas: closed, and true of every answer that is not failed. They stand here as the text that goes
//! out, because building them from parts would take several times their bytes in code.

/// A text, a whole number, a flag; a list of texts.
macro_rules! text {
    () => {
        r#"{"type":"string"}"#
    };
}
macro_rules! integer {
    () => {
        r#"{"type":"integer"}"#
    };
}
macro_rules! flag {
    () => {
        r#"{"type":"boolean"}"#
    };
}
macro_rules! list {
    ($items:expr) => {
        concat!(r#"{"type":"array","items":"#, $items, "}")
    };
}

/// An object with these members and no other, of which the required are given as a list.
macro_rules! closed {
    ([$($name:literal: $schema:expr),+ $(,)?], $required:expr) => {
        concat!(
            r#"{"type":"object","additionalProperties":false,"properties":{"#,
            closed!(@members $($name: $schema),+),
            r#"},"required":"#, $required, "}"
        )
    };
    (@members $name:literal: $schema:expr) => { concat!("\"", $name, "\":", $schema) };
    (@members $name:literal: $schema:expr, $($rest:tt)+) => {
        concat!("\"", $name, "\":", $schema, ",", closed!(@members $($rest)+))
    };
}

/// An id as it leaves: a string, or an object of strings.
macro_rules! id {
    () => {
        r#"{"anyOf":[{"type":"string"},{"type":"object","additionalProperties":{"type":"string"}}]}"#
    };
}

macro_rules! target {
    () => {
        closed!(
            ["name": text!(), "environment": text!(), "production": flag!()],
            r#"["name","environment","production"]"#
        )
    };
}

/// The answer of a deletion of many records (contract, section 8).
macro_rules! deletion {
    ($required:expr) => {
        closed!(
            [
                "object": text!(),
                "matched": integer!(),
                "matchedMoreThan": integer!(),
                "attempted": integer!(),
                "deleted": integer!(),
                "refused": integer!(),
                "refusals": list!(closed!(
                    [
                        "code": text!(),
                        "status": integer!(),
                        "reason": text!(),
                        "retryable": flag!(),
                        "count": integer!(),
                        "recordIds": list!(id!()),
                    ],
                    r#"["code","status","reason","retryable","count","recordIds"]"#
                )),
                "notRemoved": list!(id!()),
                "notFound": list!(id!()),
                "warnings": list!(text!()),
                "remaining": integer!(),
                "cap": integer!(),
                "target": target!(),
                "next": text!(),
                "delegationNarrowed": flag!(),
                "warning": text!(),
                "truncated": flag!(),
            ],
            $required
        )
    };
}

/// Of `delete_records`.
pub const RECORDS: &str = deletion!(
    r#"["object","attempted","deleted","refused","refusals","notRemoved","notFound","warnings","cap","target"]"#
);

/// Of `delete_events`: a dry run answers `deleted` and the count alone.
pub const EVENTS: &str = deletion!(r#"["deleted"]"#);

/// Of `delete_record`.
pub const RECORD: &str = closed!(
    [
        "status": text!(),
        "object": text!(),
        "recordId": id!(),
        "warnings": list!(text!()),
        "delegationNarrowed": flag!(),
        "warning": text!(),
        "truncated": flag!(),
    ],
    r#"["status","object","recordId","warnings"]"#
);

/// Of `list_objects`.
pub const OBJECTS: &str = closed!(
    [
        "objects": list!(closed!(
            [
                "name": text!(),
                "key": list!(closed!(["name": text!(), "type": text!()], r#"["name","type"]"#)),
                "fields": list!(closed!(
                    ["name": text!(), "type": text!(), "nullable": flag!()],
                    r#"["name","type","nullable"]"#
                )),
                "consent": text!(),
                "cap": integer!(),
                "scope": list!(text!()),
                "unfiltered": flag!(),
                "reversible": flag!(),
                "tools": list!(text!()),
                "logs": list!(closed!(
                    [
                        "log": text!(),
                        "collection": text!(),
                        "time": text!(),
                        "kind": text!(),
                        "subject": text!(),
                        "tags": text!(),
                    ],
                    r#"["log","collection","time"]"#
                )),
            ],
            r#"["name","key","consent","cap","scope","unfiltered","reversible","tools"]"#
        )),
        "target": target!(),
        "truncated": flag!(),
    ],
    r#"["objects","target"]"#
);
