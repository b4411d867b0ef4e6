"""Runs the conformance suite's cases over an engine, and prints what failed: ``python tests/suite.py [FILTER]``."""

from __future__ import annotations

import json
import re
import sys
import traceback
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable

sys.path.insert(0, str(Path(__file__).parent.parent))

from deletegate import Answered, Asks, Dependents, Ids, Page, Refused, Removed, Row, Stopped, Tools, User, contract
from deletegate.memory import Memory

ROOT = Path(__file__).parents[3] / "tests"


class Digits(float):
    """A number that is no integer, which is written as it was read."""

    def __new__(cls, text: str) -> "Digits":
        made = super().__new__(cls, text)
        made.text = text
        return made

    __repr__ = lambda self: self.text


def read(text: str) -> Any:
    return json.loads(text, parse_float=Digits)


def write(value: Any) -> str:
    """Compact JSON with the digits and the order that were read."""
    if isinstance(value, dict):
        return "{%s}" % ",".join(f"{write(name)}:{write(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return "[%s]" % ",".join(map(write, value))
    return value.text if isinstance(value, Digits) else json.dumps(value, ensure_ascii=False)


def lay_over(base: Any, over: Any) -> Any:
    if not isinstance(over, dict):
        return base if over is None else over
    laid = dict(base or {})
    for name, value in over.items():
        both = isinstance(laid.get(name), dict) and isinstance(value, dict)
        laid[name] = lay_over(laid[name], value) if both else value
    return laid


def numbered(text: str, n: int) -> str:
    return text.replace("{n}", str(n)).replace("{0n}", f"{n:04}")


def repeated(row: dict) -> list[dict]:
    if not isinstance(row.get("repeat"), dict):
        return [row]
    member = lambda value, n: n if value == "{n}" else numbered(value, n) if isinstance(value, str) else value
    return [{k: member(v, n) for k, v in row["repeat"].items()} for n in range(1, row["times"] + 1)]


def expand(text: Any) -> str:
    if isinstance(text, str):
        return text
    part = lambda one: one if isinstance(one, str) else one.get("between", "").join(
        numbered(one["repeat"], n) for n in range(1, one["times"] + 1)
    )
    return "".join(map(part, text))


def mask(text: str) -> str:
    return re.sub(r"sha256:[0-9a-fA-F]{64}(?![0-9a-fA-F])", "sha256:…", text)


def scalar_text(value: Any) -> str:
    if isinstance(value, contract.Instant):
        return f"{value.seconds}.{value.nanoseconds:09}"
    if isinstance(value, bool):
        return str(value).lower()
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def short(id: tuple) -> str:
    parts = [scalar_text(part) for part in id]
    plain = all(re.fullmatch(r"[A-Za-z0-9_.:+-]+", part) for part in parts)
    return ",".join(parts) if plain else write(parts)


class Scripted:
    """A bridge with the events of a call, which writes down what is asked of it."""

    def __init__(self, bridge: Any, events: list, apply: Callable[[dict], None]) -> None:
        self.bridge, self.events, self.apply, self.trace, self.calls = bridge, events, apply, [], {}

    def begin(self, name: str, line: str) -> list:
        self.trace.append(f"{name} {line}")
        self.calls[name] = self.calls.get(name, 0) + 1
        due = [e for e in self.events if e["at"] == name and e.get("call", self.calls[name]) == self.calls[name]]
        for event in due:
            if "change" in event:
                self.apply(event["change"])
        fails = next((event["fails"] for event in due if "fails" in event), None)
        if isinstance(fails, str):
            raise Stopped(fails)
        if fails is not None:
            raise Refused(**fails["refused"]) if "refused" in fails else Stopped("faulted", fails["faulted"])
        return [event["answers"] for event in due if "answers" in event]

    def resolve_principal(self, object: str) -> Any:
        answers = self.begin("resolve-principal", object)
        was = self.bridge.resolve_principal(object)
        for answer in answers:
            if answer in ("system", "anonymous"):
                was = replace(was, identity=answer)
            elif answer == "no-access":
                was = replace(was, access=None)
            elif "actor" in answer:
                was = replace(was, identity=User(answer["actor"]))
            elif "narrowing" in answer:
                was = replace(was, narrowing=answer["narrowing"])
            elif was.access and "object" in answer:
                was = replace(was, access=replace(was.access, object=answer["object"]))
            elif was.access:
                verbs = {verb: verb in answer["verbs"] for verb in ("list", "remove")}
                was = replace(was, access=replace(was.access, **verbs))
        return was

    def shape(self, selection: Any) -> str:
        return f"ids({len(selection.ids)})" if isinstance(selection, Ids) else type(selection).__name__.lower()

    def query(self, object: str, selection: Any, after: Any, limit: int) -> Any:
        behind = f" after={short(after)}" if after is not None else ""
        answers = self.begin("query", f"{object} {self.shape(selection)}{behind} limit={limit}")
        was = self.bridge.query(object, selection, after, limit)
        for answer in answers:
            if "label" in answer:
                was = replace(was, rows=[replace(row, label=answer["label"]) for row in was.rows])
            else:
                was = Page([Row((id,)) for id in answer["rows"][0]], answer["rows"][1])
        return was

    def aggregate(self, object: str, selection: Any) -> Any:
        answers = self.begin("aggregate", f"{object} {self.shape(selection)}")
        was = self.bridge.aggregate(object, selection)
        for answer in answers:
            if "dependents" in answer:
                was = replace(was, dependents=[Dependents(*one) for one in answer["dependents"]])
            else:
                [(kind, count)] = answer.items()
                was = replace(was, count=count, at_least=kind == "at-least")
        return was

    def remove(self, object: str, id: tuple, revision: str | None) -> Any:
        answers = self.begin("remove", f"{object} {short(id)}{'' if revision is None else ' rev'}")
        if not answers:
            return self.bridge.remove(object, id, revision)
        if isinstance(answers[0], dict):
            return Removed(answers[0]["removed-with-warning"])
        return Removed() if answers[0] == "removed" else answers[0]


def settings_of(given: dict) -> dict:
    # What is not there is as by default outside production, in production too.
    outside = {"consent": "attest", "unfiltered": True}
    rules = [{"cap": 200, "scope": [], **outside, **rule} for rule in given.get("rules", [])]
    return {"tools": ["delete_records"], **given, "default_rule": {**outside, **given.get("default_rule", {})}, "rules": rules}


def make(body: dict, fixtures: dict, start: Callable[[dict], Any]) -> tuple[list, dict, dict]:
    fixture = fixtures[body["fixture"]]
    tables = lay_over(fixture.get("tables"), body.get("tables"))
    objects = {name: {**o, "rows": sum(map(repeated, o.get("rows", [])), [])} for name, o in tables["objects"].items()}
    engine = start({**tables, "objects": objects})
    settings = settings_of(lay_over(fixture.get("settings"), body.get("settings")) or {})
    tools = Tools(settings=settings, check=False)

    def left() -> dict:
        shown = lambda key, id: scalar_text(id[0]) if len(id) == 1 else dict(zip(key, map(scalar_text, id)))
        return {name: [shown(object["key"], id) for id in engine.ids(name)] for name, object in objects.items()}

    first, seen, digest, asked = left(), [], None, None
    for call in body["calls"]:
        for change in call.get("changes", []):
            engine.apply(change)
        bridge = Scripted(engine.bridge(**body.get("caller", {})), call.get("bridge", []), engine.apply)
        arguments = call.get("arguments")
        if arguments is not None and arguments.get("previewDigest") == "$last":
            arguments = {**arguments, "previewDigest": digest}
        text = expand(call["text"]) if arguments is None else write(arguments)
        approval = {**call["approval"], "asked": asked} if "approval" in call else None
        scopes = call.get("scopes", ["data:read", "data:write"])
        tool = call.get("tool", "delete_records")
        reply = tools.call_tool(tool, text, scopes=scopes, approval=approval, bridge=bridge)
        one = {"outcome": "unknown-tool", "failed": None, "text": "", "json": None, "trace": bridge.trace}
        if isinstance(reply, Answered):
            one.update(outcome="answered", failed=reply.failed, text=reply.json, json=read(reply.json))
            digest = one["json"].get("preview", {}).get("digest", digest)
        elif isinstance(reply, Asks):
            asked = reply.asked
            typed = reply.typed and {"expected": reply.typed[0], "description": reply.typed[1]}
            question = {"message": reply.message, "typed": typed}
            one.update(outcome="asks", text=write(question), json=question)
        seen.append(one)
    return seen, first, left()


def same(what: str, is_: Any, wanted: Any) -> None:
    if is_ != wanted:
        raise AssertionError(f"{what} is {str(is_)[:1500]}\n    not {str(wanted)[:1500]}")


def says(is_: Any, wanted: Any, path: str) -> None:
    if isinstance(is_, dict) and isinstance(wanted, dict):
        for name, inner in wanted.items():
            says(is_.get(name), inner, f"{path}/{name}")
    else:
        same(path, is_, wanted)


def judge(seen: dict, call: dict) -> None:
    expect = call["expect"]
    error = seen["json"].get("error", {}) if isinstance(seen["json"], dict) else {}
    same("outcome", seen["outcome"], expect["outcome"])
    same("failed", seen["failed"], expect.get("failed"))
    same("code", error.get("code"), expect.get("code"))
    same("status", error.get("status"), expect.get("status"))
    says(seen["json"], expect.get("says", {}) if isinstance(seen["json"], dict) else None, "")
    for text in expect.get("mentions", []):
        same(f"{text!r} in the answer", text in seen["text"], True)
    for text in expect.get("never", []):
        same(f"{text!r} in the answer", text in seen["text"], False)
    if "trace" in call:
        same("the trace", seen["trace"], call["trace"])
    whole = {"answered": "answer", "asks": "question"}.get(seen["outcome"])
    if whole:
        same("the answer", mask(seen["text"]), write(expect[whole]))


def check(body: dict, fixtures: dict, start: Callable[[dict], Any]) -> None:
    seen, first, last = make(body, fixtures, start)
    for one, call in zip(seen, body["calls"], strict=True):
        judge(one, call)
    for object, ids in last.items():
        same(f"left of {object}", ids, body.get("left", {}).get(object, first[object]))


def check_filter(table: str, where: dict, ids: list | None, fixtures: dict, start: Callable[[dict], Any]) -> None:
    """A preview shows just those ids, and a confirmed call deletes just those."""
    call = lambda **more: {"arguments": {"objectName": table, "where": where, **more}}
    body = {"fixture": "filters", "caller": {"actor": "ana"}, "calls": [call(), call(confirm=True)]}
    (preview, done), first, last = make(body, fixtures, start)
    gone = [id for id in first[table] if id not in last[table]]
    codes = [one["json"].get("error", {}).get("code") for one in (preview, done)]
    if ids is None:
        same("the outcome", [*codes, *gone], ["INVALID_FILTER"] * 2)
        return
    same("the code", codes[0], "ACTION_CONFIRMATION_REQUIRED")
    same("the ids shown", preview["json"]["preview"]["sampleRecordIds"], list(map(str, ids)))
    same("the count", done["json"]["deleted"], len(ids))
    same("what went", gone, list(map(str, ids)))


def main(host: str, start: Callable[[dict], Any], wanted: Callable[[str], bool], differences: dict | None = None) -> int:
    fixtures = {file.stem: read(file.read_text()) for file in (ROOT / "fixtures").glob("*.json")}
    every = read((ROOT / "differences.json").read_text())
    listed = differences or {one["case"]: one["reason"] for one in every if one["host"] == host}
    works: list[tuple[str, Callable[[], None]]] = []
    for file in sorted((ROOT / "cases").glob("*/*.json")):
        name, body = f"{file.parent.name}::{file.stem}", read(file.read_text())
        works.append((name, lambda body=body: check(body, fixtures, start)))
    for table, content in read((ROOT / "filter-tables.json").read_text()).items():
        rows = [(m["where"], m["ids"]) for m in content["matches"]]
        rows += [(where, None) for where in content.get("refused_as_every_record", [])]
        for at, (where, ids) in enumerate(rows):
            work = lambda table=table, where=where, ids=ids: check_filter(table, where, ids, fixtures, start)
            works.append((f"filters::{table}::{at}", work))
    passed = failed = 0
    for name, work in works:
        if not wanted(name):
            continue
        try:
            work()
            # A case that the host can't show must not pass there.
            fault = f"differences.json says that it can't be shown: {listed[name]}" if name in listed else None
        except AssertionError as error:
            fault = None if name in listed else str(error)
        except Exception:
            fault = None if name in listed else traceback.format_exc()
        passed, failed = passed + (fault is None), failed + (fault is not None)
        if fault:
            print(f"{host}::{name}\n  {fault}")
    print(f"{host}: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    import logging

    # Some cases make the bridge fail on purpose.
    logging.disable(logging.CRITICAL)
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    sys.exit(main("python", Memory, lambda name: part in name))
