//! A tool as MCP lists it.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};

use crate::tools;

/// The tool with its schemas and honest hints.
///
/// # Errors
/// A schema of the component's is no JSON object.
pub fn listed(tool: &tools::Tool) -> Result<Tool, serde_json::Error> {
    let schema = |text: &str| serde_json::from_str::<JsonObject>(text).map(Arc::new);
    // A tool that destroys nothing here reads only; and none reaches beyond the one database.
    let annotations = ToolAnnotations::with_title(tool.title.clone())
        .read_only(!tool.destructive)
        .destructive(tool.destructive)
        .idempotent(tool.idempotent)
        .open_world(false);
    Ok(Tool::new(tool.name.clone(), tool.description.clone(), schema(&tool.input_schema)?)
        .with_title(tool.title.clone())
        .with_raw_output_schema(schema(&tool.output_schema)?)
        .with_annotations(annotations))
}
