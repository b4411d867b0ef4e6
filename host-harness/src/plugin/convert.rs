//! Between wasmtime's generated types and the guest crate's: nothing but moves, and no decision.
//! Every match is total, so a type that the WIT package gains does not compile until it stands here.

use delete_records::{bridge as ours, tools as our_tools};

use super::bindings::deletegate::records::bridge as theirs;
use super::bindings::exports::deletegate::records::tools as their_tools;

// ---- from the guest ----

pub(super) fn record_id(id: theirs::RecordId) -> ours::RecordId {
    id.into_iter().map(scalar).collect()
}

fn scalar(scalar: theirs::Scalar) -> ours::Scalar {
    match scalar {
        theirs::Scalar::Null => ours::Scalar::Null,
        theirs::Scalar::Boolean(value) => ours::Scalar::Boolean(value),
        theirs::Scalar::Integer(value) => ours::Scalar::Integer(value),
        theirs::Scalar::Decimal(digits) => ours::Scalar::Decimal(digits),
        theirs::Scalar::Text(text) => ours::Scalar::Text(text),
        theirs::Scalar::Instant(instant) => {
            ours::Scalar::Instant(ours::Instant { seconds: instant.seconds, nanoseconds: instant.nanoseconds })
        }
    }
}

pub(super) fn selection(selection: theirs::Selection) -> ours::Selection {
    match selection {
        theirs::Selection::Every => ours::Selection::Every,
        theirs::Selection::Filter(terms) => ours::Selection::Filter(terms.into_iter().map(filter_term).collect()),
        theirs::Selection::Ids(ids) => ours::Selection::Ids(ids.into_iter().map(record_id).collect()),
    }
}

fn filter_term(term: theirs::FilterTerm) -> ours::FilterTerm {
    match term {
        theirs::FilterTerm::AllOf(n) => ours::FilterTerm::AllOf(n),
        theirs::FilterTerm::OneOf(n) => ours::FilterTerm::OneOf(n),
        theirs::FilterTerm::Condition(c) => ours::FilterTerm::Condition(condition(c)),
        theirs::FilterTerm::Unless(c) => ours::FilterTerm::Unless(condition(c)),
    }
}

fn condition(condition: theirs::Condition) -> ours::Condition {
    ours::Condition {
        field: condition.field,
        comparison: comparison(condition.comparison),
        operands: condition.operands.into_iter().map(scalar).collect(),
    }
}

fn comparison(comparison: theirs::Comparison) -> ours::Comparison {
    match comparison {
        theirs::Comparison::Equal => ours::Comparison::Equal,
        theirs::Comparison::Less => ours::Comparison::Less,
        theirs::Comparison::LessOrEqual => ours::Comparison::LessOrEqual,
        theirs::Comparison::Greater => ours::Comparison::Greater,
        theirs::Comparison::GreaterOrEqual => ours::Comparison::GreaterOrEqual,
        theirs::Comparison::AnyOf => ours::Comparison::AnyOf,
        theirs::Comparison::Contains => ours::Comparison::Contains,
        theirs::Comparison::StartsWith => ours::Comparison::StartsWith,
        theirs::Comparison::EndsWith => ours::Comparison::EndsWith,
        theirs::Comparison::ContainsIgnoringAsciiCase => ours::Comparison::ContainsIgnoringAsciiCase,
        theirs::Comparison::ContainsAll => ours::Comparison::ContainsAll,
        theirs::Comparison::IsNull => ours::Comparison::IsNull,
    }
}

pub(super) fn outcome(outcome: their_tools::Outcome) -> our_tools::Outcome {
    match outcome {
        their_tools::Outcome::Answered(answer) => {
            our_tools::Outcome::Answered(our_tools::Answer { failed: answer.failed, json: answer.json })
        }
        their_tools::Outcome::Asks(question) => our_tools::Outcome::Asks(our_tools::Question {
            message: question.message,
            typed: question
                .typed
                .map(|typed| our_tools::TypedAnswer { expected: typed.expected, description: typed.description }),
            digest: question.digest,
        }),
        their_tools::Outcome::UnknownTool => our_tools::Outcome::UnknownTool,
    }
}

pub(super) fn tool(tool: their_tools::Tool) -> our_tools::Tool {
    our_tools::Tool {
        name: tool.name,
        title: tool.title,
        description: tool.description,
        input_schema: tool.input_schema,
        output_schema: tool.output_schema,
        destructive: tool.destructive,
        idempotent: tool.idempotent,
    }
}

// ---- to the guest ----

pub(super) fn principal(principal: ours::Principal) -> theirs::Principal {
    theirs::Principal {
        identity: match principal.identity {
            ours::Identity::User(actor) => theirs::Identity::User(theirs::Actor { id: actor.id, name: actor.name }),
            ours::Identity::System => theirs::Identity::System,
            ours::Identity::Anonymous => theirs::Identity::Anonymous,
        },
        access: principal.access.map(access),
        narrowing: principal.narrowing,
    }
}

fn access(access: ours::Access) -> theirs::Access {
    let mut verbs = theirs::Verbs::empty();
    if access.verbs & ours::Verbs::LIST == ours::Verbs::LIST {
        verbs |= theirs::Verbs::LIST;
    }
    if access.verbs & ours::Verbs::REMOVE == ours::Verbs::REMOVE {
        verbs |= theirs::Verbs::REMOVE;
    }
    theirs::Access {
        object: access.object,
        key: access.key.into_iter().map(field).collect(),
        fields: access.fields.into_iter().map(field).collect(),
        verbs,
        reversible: access.reversible,
    }
}

fn field(field: ours::Field) -> theirs::Field {
    theirs::Field {
        name: field.name,
        type_: match field.type_ {
            ours::FieldType::Boolean => theirs::FieldType::Boolean,
            ours::FieldType::Integer => theirs::FieldType::Integer,
            ours::FieldType::Decimal => theirs::FieldType::Decimal,
            ours::FieldType::Float => theirs::FieldType::Float,
            ours::FieldType::Text => theirs::FieldType::Text,
            ours::FieldType::Uuid => theirs::FieldType::Uuid,
            ours::FieldType::Date => theirs::FieldType::Date,
            ours::FieldType::Instant => theirs::FieldType::Instant,
            ours::FieldType::TextList => theirs::FieldType::TextList,
            ours::FieldType::Opaque => theirs::FieldType::Opaque,
        },
        nullable: field.nullable,
    }
}

pub(super) fn page(page: ours::Page) -> theirs::Page {
    theirs::Page {
        rows: page
            .rows
            .into_iter()
            .map(|row| theirs::Row {
                id: row.id.into_iter().map(scalar_to_guest).collect(),
                label: row.label,
                revision: row.revision,
            })
            .collect(),
        more: page.more,
    }
}

fn scalar_to_guest(scalar: ours::Scalar) -> theirs::Scalar {
    match scalar {
        ours::Scalar::Null => theirs::Scalar::Null,
        ours::Scalar::Boolean(value) => theirs::Scalar::Boolean(value),
        ours::Scalar::Integer(value) => theirs::Scalar::Integer(value),
        ours::Scalar::Decimal(digits) => theirs::Scalar::Decimal(digits),
        ours::Scalar::Text(text) => theirs::Scalar::Text(text),
        ours::Scalar::Instant(instant) => {
            theirs::Scalar::Instant(theirs::Instant { seconds: instant.seconds, nanoseconds: instant.nanoseconds })
        }
    }
}

pub(super) fn totals(totals: ours::Totals) -> theirs::Totals {
    theirs::Totals {
        count: match totals.count {
            ours::Count::Exact(n) => theirs::Count::Exact(n),
            ours::Count::AtLeast(n) => theirs::Count::AtLeast(n),
        },
        dependents: totals.dependents.map(|all| {
            all.into_iter()
                .map(|dependents| theirs::Dependents {
                    object: dependents.object,
                    count: dependents.count,
                    effect: match dependents.effect {
                        ours::Effect::Cascade => theirs::Effect::Cascade,
                        ours::Effect::Restrict => theirs::Effect::Restrict,
                        ours::Effect::Detach => theirs::Effect::Detach,
                    },
                })
                .collect()
        }),
    }
}

pub(super) fn removal(removal: ours::Removal) -> theirs::Removal {
    match removal {
        ours::Removal::Removed => theirs::Removal::Removed,
        ours::Removal::RemovedWithWarning(sentence) => theirs::Removal::RemovedWithWarning(sentence),
        ours::Removal::Absent => theirs::Removal::Absent,
        ours::Removal::Kept => theirs::Removal::Kept,
        ours::Removal::Changed => theirs::Removal::Changed,
    }
}

pub(super) fn failure(failure: ours::Failure) -> theirs::Failure {
    match failure {
        ours::Failure::Refused(refusal) => theirs::Failure::Refused(theirs::Refusal {
            code: refusal.code,
            status: refusal.status,
            reason: refusal.reason,
            retryable: refusal.retryable,
        }),
        ours::Failure::Faulted(sentence) => theirs::Failure::Faulted(sentence),
        ours::Failure::Cancelled => theirs::Failure::Cancelled,
        ours::Failure::DeadlineExceeded => theirs::Failure::DeadlineExceeded,
        ours::Failure::Unsupported => theirs::Failure::Unsupported,
    }
}

pub(super) fn settings(settings: &our_tools::Settings) -> their_tools::Settings {
    let mut tools = their_tools::ToolSet::empty();
    for (ours, theirs) in [
        (our_tools::ToolSet::DELETE_RECORDS, their_tools::ToolSet::DELETE_RECORDS),
        (our_tools::ToolSet::DELETE_RECORD, their_tools::ToolSet::DELETE_RECORD),
        (our_tools::ToolSet::DELETE_EVENTS, their_tools::ToolSet::DELETE_EVENTS),
        (our_tools::ToolSet::LIST_OBJECTS, their_tools::ToolSet::LIST_OBJECTS),
    ] {
        if settings.tools & ours == ours {
            tools |= theirs;
        }
    }
    their_tools::Settings {
        target: their_tools::Target {
            name: settings.target.name.clone(),
            environment: settings.target.environment.clone(),
            production: settings.target.production,
        },
        tools,
        objects: settings.objects.clone(),
        default_rule: object_rule(&settings.default_rule),
        rules: settings.rules.iter().map(object_rule).collect(),
        event_logs: settings.event_logs.iter().map(event_log).collect(),
        system_objects: settings.system_objects.clone(),
        hand_off: settings.hand_off.clone(),
    }
}

fn object_rule(rule: &our_tools::ObjectRule) -> their_tools::ObjectRule {
    their_tools::ObjectRule {
        object: rule.object.clone(),
        consent: match rule.consent {
            our_tools::Consent::None => their_tools::Consent::None,
            our_tools::Consent::Attest => their_tools::Consent::Attest,
            our_tools::Consent::Accept => their_tools::Consent::Accept,
            our_tools::Consent::Typed => their_tools::Consent::Typed,
        },
        cap: rule.cap,
        scope: rule.scope.clone(),
        unfiltered: rule.unfiltered,
    }
}

fn event_log(log: &our_tools::EventLog) -> their_tools::EventLog {
    their_tools::EventLog {
        name: log.name.clone(),
        object: log.object.clone(),
        scope: log.scope.clone(),
        time: log.time.clone(),
        kind: log.kind.clone(),
        subject: log.subject.clone(),
        tags: log.tags.clone(),
    }
}

pub(super) fn scopes(scopes: our_tools::Scopes) -> their_tools::Scopes {
    let mut converted = their_tools::Scopes::empty();
    if scopes & our_tools::Scopes::DATA_READ == our_tools::Scopes::DATA_READ {
        converted |= their_tools::Scopes::DATA_READ;
    }
    if scopes & our_tools::Scopes::DATA_WRITE == our_tools::Scopes::DATA_WRITE {
        converted |= their_tools::Scopes::DATA_WRITE;
    }
    converted
}

pub(super) fn call(call: our_tools::Call) -> their_tools::Call {
    their_tools::Call {
        tool: call.tool,
        arguments: call.arguments,
        scopes: scopes(call.scopes),
        approval: call.approval.map(|approval| their_tools::Approval {
            action: match approval.action {
                our_tools::Action::Accept => their_tools::Action::Accept,
                our_tools::Action::Decline => their_tools::Action::Decline,
                our_tools::Action::Cancel => their_tools::Action::Cancel,
                our_tools::Action::Unavailable => their_tools::Action::Unavailable,
                our_tools::Action::Failed => their_tools::Action::Failed,
            },
            typed: approval.typed,
            digest: approval.digest,
        }),
    }
}
