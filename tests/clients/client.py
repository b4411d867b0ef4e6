"""An MCP client on the `mcp` package, driven by lines: one JSON request in, one JSON answer out.

The first line opens a connection: {"url", "token"} or {"command"}, with "mode" (`legacy` or `auto`) and "elicitation".
Then {"list": true}, or {"call": {"name", "arguments"}, "answer": {...}, "timeout_ms", "progress"}. `answer` says what the
person does with each question of that call: {"action", "typed"?}, {"fail": true}; "after_ms" first waits, "list_first"
first lists the tools, while the question is open.
"""

import asyncio
import json
import sys

import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


class Person:
    """Answers the questions of one call, and remembers them."""

    def __init__(self):
        self.asked, self.plan, self.client = [], {}, None

    async def __call__(self, _context, params):
        plan = self.plan
        self.asked.append({"message": params.message, "schema": params.requested_schema})
        if plan.get("list_first"):
            await self.client.list_tools()
        if "after_ms" in plan:
            await asyncio.sleep(plan["after_ms"] / 1000)
        if plan.get("fail"):
            raise RuntimeError("this client can't show a form after all")
        content = {"confirmation": plan["typed"]} if "typed" in plan else None
        return types.ElicitResult(action=plan["action"], content=content)


def transport(opening):
    if "command" in opening:
        command, *args = opening["command"]
        return StdioServerParameters(command=command, args=args)
    headers = {"Authorization": f"Bearer {opening['token']}"}
    return streamable_http_client(opening["url"], http_client=httpx2.AsyncClient(headers=headers, timeout=60))


async def step(client, person, request):
    if "list" in request:
        return {"tools": [dump(tool) for tool in (await client.list_tools()).tools]}
    person.asked, person.plan = [], request.get("answer", {})
    progress = []

    async def progressed(at, total, _message):
        progress.append([at, total])

    call, timeout = request["call"], request.get("timeout_ms")
    told = {}
    try:
        calling = client.call_tool(
            call["name"],
            call["arguments"],
            read_timeout_seconds=timeout / 1000 if timeout else None,
            progress_callback=progressed if request.get("progress") else None,
        )
        told["result"] = dump(await calling)
    except Exception as error:  # what a client makes of a failure is what is looked at
        told["error"] = {"code": getattr(getattr(error, "error", None), "code", None), "message": str(error)}
    return {**told, "asked": person.asked, "progress": progress}


def dump(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def lines():
    return iter(sys.stdin.readline, "")


async def main():
    requests = lines()
    opening = json.loads(next(requests))
    person = Person()
    callback = {"elicitation_callback": person} if opening["elicitation"] else {}
    async with Client(transport(opening), mode=opening["mode"], **callback) as client:
        person.client = client
        print(json.dumps({"version": client.protocol_version}), flush=True)
        while line := await asyncio.to_thread(next, requests, None):
            print(json.dumps(await step(client, person, json.loads(line))), flush=True)


asyncio.run(main())
