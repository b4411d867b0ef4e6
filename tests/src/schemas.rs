//! Every answer fits its tool's output schema, and every accepted argument its input schema.

use anyhow::{Context, ensure};
use serde_json::Value as Json;

use crate::case::Case;
use crate::fixture::Fixture;
use crate::host::Host;
use crate::run;

/// Checks the answers and arguments of one case against the schemas that the tools declare.
pub fn check(case: &Case) -> anyhow::Result<()> {
    let settings = Fixture::of(&case.body)?.settings;
    let run = run::make(&case.body, &Host::native())?;
    for (seen, call) in run.seen.iter().zip(&case.body.calls) {
        let tools = delete_records::list_tools(&settings, call.scopes()?);
        let Some(tool) = tools.iter().find(|tool| tool.name == call.tool) else { continue };
        if seen.failed == Some(false) {
            fits(&tool.output_schema, &seen.json).context("the answer does not fit the output schema")?;
        }
        if seen.json.pointer("/error/code") != Some(&Json::from("VALIDATION_FAILED")) {
            let arguments = serde_json::from_str(&within_a_double(&seen.arguments))
                .with_context(|| format!("arguments that were accepted are not JSON: {}", seen.arguments))?;
            fits(&tool.input_schema, &arguments).context("accepted arguments do not fit the input schema")?;
        }
    }
    Ok(())
}

/// A number beyond a double, which the validator's JSON can't hold, as one within: a schema tells none apart.
fn within_a_double(arguments: &str) -> String {
    arguments.replace("1e400", "1e300").replace("1e999999999", "1e300")
}

fn fits(schema: &str, json: &Json) -> anyhow::Result<()> {
    let schema: Json = serde_json::from_str(schema).context("the schema is not JSON")?;
    let validator = jsonschema::draft202012::options()
        .build(&schema)
        .map_err(|error| anyhow::anyhow!("the schema is no schema: {error}"))?;
    let faults: Vec<String> =
        validator.iter_errors(json).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    ensure!(faults.is_empty(), "{}\n{json}", faults.join("\n"));
    Ok(())
}
