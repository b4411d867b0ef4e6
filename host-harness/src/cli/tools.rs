//! `deletegate tools`: what an MCP client would see.

use anyhow::Result;
use deletegate::mcp;
use deletegate::tools::Scopes;
use serde_json::json;

use super::Ended;
use super::access::{self, Access};

/// Print the tools as MCP lists them.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    access: Access,
}

/// Runs the command. The tools do not depend on what is in the database, so no engine is needed.
pub fn run(args: &Args) -> Result<Ended> {
    let settings = args.access.configuration()?.settings(Vec::new(), None);
    let plugin = args.access.plugin()?;
    let runtime = access::runtime()?;
    runtime.block_on(access::check(&plugin, &settings))?;
    let tools = runtime.block_on(plugin.list_tools(&settings, Scopes::DATA_READ | Scopes::DATA_WRITE))?;
    let tools = tools.iter().map(mcp::listed).collect::<Result<Vec<_>, _>>()?;
    println!("{}", serde_json::to_string_pretty(&json!({ "tools": tools }))?);
    Ok(Ended::Well)
}
