//! A question as MCP's form elicitation, and what its answer comes to (contract, section 7).

use rmcp::model::{ClientCapabilities, ElicitRequestParams, ElicitationSchema};
use serde_json::Value;

use crate::tools::{Action, Question};

/// The form's one field.
const FIELD: &str = "confirmation";

/// Whether the client can show a form. `{}` is how the first revision with elicitation said it; a client that names
/// modes has to name this one.
pub fn can_show(capabilities: Option<&ClientCapabilities>) -> bool {
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation.as_ref());
    elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// The question as a form: one field where something must be typed, none where accepting suffices.
pub fn ask(question: &Question) -> ElicitRequestParams {
    let mut schema = ElicitationSchema::builder();
    if let Some(typed) = &question.typed {
        let description = typed.description.clone();
        schema = schema.required_string_property(FIELD, |field| field.title("Confirm").description(description));
    }
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message.clone(),
        requested_schema: schema.build_unchecked(),
    }
}

/// What a client's answer comes to. The action is read first: the content of anything but an accept is nobody's word.
pub fn answer(result: &Value) -> (Action, Option<String>) {
    match result.get("action").and_then(Value::as_str) {
        Some("accept") => {
            let typed = result.get("content").and_then(|content| content.get(FIELD)).and_then(Value::as_str);
            (Action::Accept, typed.map(str::to_owned))
        }
        Some("decline") => (Action::Decline, None),
        _ => (Action::Cancel, None),
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ElicitationCapability;
    use serde_json::json;

    use super::*;
    use crate::tools::TypedAnswer;

    #[test]
    fn a_form_is_shown_only_by_a_client_that_declared_forms() {
        let can = |elicitation: Value| {
            let elicitation: Option<ElicitationCapability> = serde_json::from_value(elicitation).unwrap();
            let mut capabilities = ClientCapabilities::default();
            capabilities.elicitation = elicitation;
            can_show(Some(&capabilities))
        };
        assert!(can(json!({})) && can(json!({ "form": {} })) && can(json!({ "form": {}, "url": {} })));
        assert!(!can(json!({ "url": {} })) && !can(Value::Null) && !can_show(None));
    }

    #[test]
    fn the_instruction_stands_on_the_field() {
        let question = |typed| Question { message: "Delete?".into(), typed, digest: String::new() };
        let typed = TypedAnswer { expected: "task 4".into(), description: "Type \"task 4\" to confirm".into() };
        let form = serde_json::to_value(ask(&question(Some(typed)))).unwrap();
        assert_eq!(form["message"], "Delete?");
        let schema = &form["requestedSchema"];
        assert_eq!(schema["properties"][FIELD]["description"], "Type \"task 4\" to confirm");
        assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!([FIELD])));
        let form = serde_json::to_value(ask(&question(None))).unwrap();
        assert_eq!(form["requestedSchema"]["properties"], json!({}));
    }

    #[test]
    fn only_an_accept_is_one() {
        for (result, action, typed) in [
            (json!({ "action": "accept", "content": { FIELD: "task 4" } }), Action::Accept, Some("task 4")),
            (json!({ "action": "accept" }), Action::Accept, None),
            (json!({ "action": "accept", "content": { FIELD: 4 } }), Action::Accept, None),
            (json!({ "action": "accept", "content": { "other": "task 4" } }), Action::Accept, None),
            (json!({ "action": "decline", "content": { FIELD: "task 4" } }), Action::Decline, None),
            (json!({ "action": "cancel", "content": { FIELD: "task 4" } }), Action::Cancel, None),
            (json!({ "action": "reject" }), Action::Cancel, None),
            (json!({ "action": "ACCEPT", "content": { FIELD: "task 4" } }), Action::Cancel, None),
            (json!({ "action": "", "content": { FIELD: "task 4" } }), Action::Cancel, None),
            (json!({ "action": true }), Action::Cancel, None),
            (json!({ "content": { FIELD: "task 4" } }), Action::Cancel, None),
            (json!([]), Action::Cancel, None),
            (Value::Null, Action::Cancel, None),
        ] {
            assert_eq!(answer(&result), (action, typed.map(str::to_owned)), "{result}");
        }
    }
}
