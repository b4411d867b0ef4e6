"""The tools: what a host offers to an agent, over its own four functions."""

from __future__ import annotations

import json
import logging
import threading
import time
from dataclasses import dataclass
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, Callable, Mapping, Sequence, Union

from wasmtime import Config, Engine, Store, Trap, WasmtimeError
from wasmtime.component import Component, Linker, Variant

from . import contract as c
from . import convert
from .guard import Ended, Guard

_log = logging.getLogger("deletegate")

_TOOLS = "deletegate:records/tools@0.1.0"
_BRIDGE = "deletegate:records/bridge@0.1.0"
_ACTIONS = ("accept", "decline", "cancel", "unavailable", "failed")
_SCOPES = ("data:read", "data:write")
_ARGUMENT_BYTES = 256 * 1024
_MEMORY_BYTES = 64 << 20
_FUEL = 20_000_000_000
"""What one call may compute: some seconds. The largest honest one takes a hundredth of it."""


@dataclass(frozen=True)
class Answered:
    """It is over. ``json`` is the whole answer, and ``answer`` the same, read; ``failed`` is MCP's ``isError``."""

    failed: bool
    json: str
    answer: dict


@dataclass(frozen=True)
class Asks:
    """A person must be asked; nothing was deleted. ``typed`` is what they must type, and the instruction for it.

    ``asked`` is this host's own record of the question, for :meth:`Tools.resume`. It is plain data, and worth an
    approval: whoever can write one can approve anything that the caller may delete, so seal it where it leaves
    your process.
    """

    message: str
    typed: tuple[str, str] | None
    asked: dict


@dataclass(frozen=True)
class UnknownTool:
    """No such tool, or it is off: the protocol's own error."""


Reply = Union[Answered, Asks, UnknownTool]


def complete(given: Mapping[str, Any] | None = None) -> dict:
    """Settings with every default written out; a member that is not known is refused with what is allowed."""
    given = dict(given or {})
    target = {"name": "local", "environment": "dev", "production": False, **given.pop("target", {})}
    # In production forgetting costs most: a person types what would go, and no filter means every record.
    rule = {
        "object": "",
        "consent": "typed" if target["production"] else "attest",
        "cap": 200,
        "scope": [],
        "unfiltered": not target["production"],
        **given.pop("default_rule", {}),
    }
    # A log is called by its object's name where it has none of its own.
    logs = [
        {"name": log["object"], "kind": None, "subject": None, "tags": None, **log} for log in given.pop("event_logs", [])
    ]
    tools = ["delete_records", "delete_record", "list_objects"] + (["delete_events"] if logs else [])
    whole = {
        "target": target,
        "tools": list(given.pop("tools", tools)),
        "objects": list(given.pop("objects", [])),
        "default_rule": rule,
        "rules": [{**rule, **one} for one in given.pop("rules", [])],
        "event_logs": logs,
        "system_objects": list(given.pop("system_objects", ["sys_*", "sqlite_*", "pg_*", "information_schema.*"])),
        "hand_off": given.pop("hand_off", None),
    }
    if given:
        raise TypeError(f"settings have no member {next(iter(given))!r}; they take {', '.join(whole)}")
    for one in (rule, *whole["rules"]):
        odd = set(one) - {"object", "consent", "cap", "scope", "unfiltered"}
        if odd:
            raise TypeError(f"a rule has no member {odd.pop()!r}; it takes object, consent, cap, scope, unfiltered")
    return whole


class Plugin:
    """The component, compiled once. Threads may share one: each call has an instance of its own."""

    def __init__(self, component: bytes | None = None) -> None:
        """``component`` is the component's bytes, by default those that this package brings."""
        if component is None:
            component = (files("deletegate") / "delete-records.wasm").read_bytes()
        config = Config()
        config.consume_fuel = True
        self.engine = Engine(config)
        self.component = Component(self.engine, component)
        imports = list(self.component.type.imports(self.engine))
        if imports != [_BRIDGE]:
            raise ValueError(f"the component imports {', '.join(imports) or 'nothing'}; it must import {_BRIDGE} alone")

    def call(self, export: str, functions: Mapping[str, Callable], *arguments: Any) -> Any:
        """Calls an export of a fresh instance, over these functions."""
        linker = Linker(self.engine)
        with linker.root() as root, root.add_instance(_BRIDGE) as bridge:
            for name, function in functions.items():
                bridge.add_func(name, function)
        store = Store(self.engine)
        store.set_limits(memory_size=_MEMORY_BYTES)
        store.set_fuel(_FUEL)
        instance = linker.instantiate(store, self.component)
        tools = instance.get_export_index(store, _TOOLS)
        function = instance.get_func(store, instance.get_export_index(store, export, tools))
        result = function(store, *arguments)
        return result


_shared: dict[None, Plugin] = {}
_lock = threading.Lock()


def bundled() -> Plugin:
    """The component that this package brings, compiled by whoever comes first."""
    with _lock:
        return _shared.setdefault(None, _shared.get(None) or Plugin())


class Tools:
    """Guarded delete tools over a bridge.

    :param bridge: the four functions for one caller; :meth:`call_tool` takes another for one call
    :param settings: what the host's owner decided, see :func:`complete` for the members and defaults
    :raises ValueError: for settings that can't be used, with everything that is wrong
    """

    def __init__(
        self,
        bridge: c.Bridge | None = None,
        settings: Mapping[str, Any] | None = None,
        *,
        plugin: Plugin | None = None,
        check: bool = True,
        call_time: float = 50.0,
    ) -> None:
        self._bridge, self._settings, self._call_time = bridge, complete(settings), call_time
        self._plugin = plugin or bundled()
        self._wit = _settings(self._settings)
        faults = self._plugin.call("check-settings", _closed(), self._wit) if check else []
        if faults:
            raise ValueError(f"These settings can't be used. {' '.join(faults)}")

    def list_tools(self, scopes: Sequence[str] = _SCOPES) -> list[dict]:
        """The tools that this caller may call, as MCP has them, in a stable order."""
        tools = self._plugin.call("list-tools", _closed(), self._wit, _scopes(scopes))
        return [_as_mcp(tool) for tool in tools]

    def call_tool(
        self,
        name: str,
        arguments: str | Mapping[str, Any],
        *,
        scopes: Sequence[str] = _SCOPES,
        approval: Mapping[str, Any] | None = None,
        bridge: c.Bridge | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Reply:
        """Runs one call of a tool. Whatever goes wrong is an answer.

        :param arguments: their own text, which is best, or a parsed object
        :param approval: ``{"action", "typed", "asked"}``, the answer to the question of an earlier, equal call
        :param cancelled: asked between two functions of the bridge
        """
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=True, separators=(",", ":"))
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > _ARGUMENT_BYTES:
            sentence = f"The arguments have {size} bytes; at most {_ARGUMENT_BYTES} are taken. Split the call."
            return _answered(True, {"error": {"code": "VALIDATION_FAILED", "status": 400, "message": sentence}})
        given = None
        if approval is not None:
            given = {"typed": None, **approval}
            if given["action"] not in _ACTIONS:
                raise ValueError(f"action is {given['action']!r}; it must be one of {', '.join(_ACTIONS)}")
        call = {"name": name, "arguments": text, "scopes": list(scopes), "approval": given}
        guard = Guard(self._settings, call)
        lent = _lend(bridge or self._bridge, guard, cancelled, time.monotonic() + self._call_time)
        back = given and SimpleNamespace(action=given["action"], typed=given["typed"], digest=given["asked"]["digest"])
        wit = SimpleNamespace(tool=name, arguments=text, scopes=_scopes(scopes), approval=_as_record(back))
        try:
            outcome = self._plugin.call("call-tool", lent, self._wit, _as_record(wit))
            if guard.ended:
                raise guard.ended
            return _conclude(outcome, guard)
        except Ended as error:
            return _answered(True, guard.answer(error))
        except (WasmtimeError, Trap) as error:
            if guard.ended:
                return _answered(True, guard.answer(guard.ended))
            _log.error("the component failed: %s", error)
            out_of_fuel = "fuel" in str(error)
            ended = Ended("GUEST_LIMIT", 503, "needed more time than it is given") if out_of_fuel else Ended(
                "GUEST_FAILED", 500, "failed"
            )
            return _answered(True, guard.answer(ended))

    def resume(self, asked: Mapping[str, Any], action: str, typed: str | None = None, **options: Any) -> Reply:
        """Makes the call again with a person's answer to its question: ``accept``, ``decline``, ``cancel``,
        ``unavailable`` or ``failed``."""
        approval = {"action": action, "typed": typed, "asked": asked}
        return self.call_tool(asked["name"], asked["arguments"], scopes=asked["scopes"], approval=approval, **options)


def _lend(bridge: c.Bridge | None, guard: Guard, cancelled: Callable[[], bool], end: float) -> dict[str, Callable]:
    def ask(name: str, work: Callable[[], Any], write: Callable[[Any], Any], learn: Callable[[Any], None]) -> Any:
        error: c.Refused | c.Stopped
        try:
            if cancelled():
                raise c.Stopped("cancelled")
            if time.monotonic() >= end:
                raise c.Stopped("deadline-exceeded")
            answer = work()
            written = write(answer)
            learn(answer)
            return written
        except Ended:
            raise
        except (c.Refused, c.Stopped) as failed:
            error = failed
            try:
                written = convert.failure(error)
            except convert.Misshapen:
                _log.exception("%s raised what is no failure", name)
                error = c.Stopped("faulted", f"The host's {name} failed.")
                written = convert.failure(error)
        except Exception:
            # The cause is for the host's log: the caller is told a fixed sentence.
            _log.exception("%s failed", name)
            error = c.Stopped("faulted", f"The host's {name} failed.")
            written = convert.failure(error)
        if name == "remove":
            guard.fail(error)
        return written

    def tagged(name: str, *rest: Any) -> Variant:
        # `result<removal, failure>` holds variants on both sides, so it says which side this is.
        written = ask(name, *rest)
        failed = written.tag in ("refused", "faulted", "cancelled", "deadline-exceeded", "unsupported")
        return Variant("err" if failed else "ok", written)

    def resolve_principal(_: Any, object: str) -> Any:
        guard.enter("resolve_principal", object)
        work = lambda: bridge.resolve_principal(object)
        return ask("resolve_principal", work, convert.principal, lambda answer: guard.meet(object, answer))

    def query(_: Any, object: str, selection: Variant, after: list | None, limit: int) -> Any:
        guard.enter("query", object)
        most = guard.may_read(limit)
        wanted, behind = convert.read_selection(selection), convert.read_id(after)
        return ask("query", lambda: bridge.query(object, wanted, behind, most), convert.page, guard.read)

    def aggregate(_: Any, object: str, selection: Variant) -> Any:
        guard.enter("aggregate", object)
        wanted = convert.read_selection(selection)
        return ask("aggregate", lambda: bridge.aggregate(object, wanted), convert.totals, lambda _: None)

    def remove(_: Any, object: str, id: list, revision: str | None) -> Any:
        guard.enter("remove", object)
        key = convert.read_id(id)
        guard.may_remove(key, revision)
        return tagged("remove", lambda: bridge.remove(object, key, revision), convert.removal, guard.count)

    functions = (resolve_principal, query, aggregate, remove)
    return {function.__name__.replace("_", "-"): function for function in functions}


def _closed() -> dict[str, Callable]:
    """For exports that have no use for the bridge."""

    def closed(*_: Any) -> Any:
        raise Ended("GUEST_VIOLATION", 500, "tried to use the bridge outside a call")

    return {name: closed for name in ("resolve-principal", "query", "aggregate", "remove")}


def _conclude(outcome: Variant, guard: Guard) -> Reply:
    if outcome.tag == "unknown-tool":
        return UnknownTool()
    value = outcome.payload
    if outcome.tag == "answered":
        return Answered(value.failed, value.json, guard.conclude(value.json))
    typed = value.typed and (value.typed.expected, value.typed.description)
    return Asks(value.message, typed, guard.ask(value.message, typed, value.digest))


def _answered(failed: bool, answer: dict) -> Answered:
    return Answered(failed, json.dumps(answer, ensure_ascii=False, separators=(",", ":")), answer)


def _scopes(scopes: Sequence[str]) -> set[str]:
    odd = set(scopes) - set(_SCOPES)
    if odd:
        raise ValueError(f"no scope is called {odd.pop()!r}; there are {' and '.join(_SCOPES)}")
    return {scope.replace(":", "-") for scope in scopes}


def _settings(settings: dict) -> Any:
    tools = {name.replace("_", "-") for name in settings["tools"]}
    each = {name: convert.record(**settings[name]) for name in ("target", "default_rule")}
    lists = {name: [convert.record(**one) for one in settings[name]] for name in ("rules", "event_logs")}
    return convert.record(**{**settings, **each, **lists, "tools": tools})


def _as_record(value: SimpleNamespace | None) -> Any:
    return None if value is None else convert.record(**vars(value))


def _as_mcp(tool: Any) -> dict:
    hints = {"readOnlyHint": not tool.destructive, "destructiveHint": tool.destructive}
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": json.loads(getattr(tool, "input-schema")),
        "outputSchema": json.loads(getattr(tool, "output-schema")),
        "annotations": {"title": tool.title, **hints, "idempotentHint": tool.idempotent, "openWorldHint": False},
    }
