"""The guard: what the host enforces by itself, between the component and the bridge (contract 11).

The component is policy, and nothing here relies on it. The guard reads the arguments itself, keeps its own account of
what was read and removed, and ends the call at the first thing that this call does not allow.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NoReturn

from . import contract as c
from .values import identify, parse_decimal, parse_instant, show

SPARE_CALLS = 8
"""Bridge functions above those that a call needs at most."""

_PLAIN = re.compile(r"[ -~]{1,64}")
_TYPEABLE = re.compile(r"[ -~]{1,100}")
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


class Ended(Exception):
    """Why the host ended a call."""

    def __init__(self, code: str, status: int, what: str) -> None:
        super().__init__(f"The component {what}, and the call was ended.")
        self.code, self.status = code, status


@dataclass
class Intent:
    """What the arguments allow: one object at most, and, where ids are listed, these and no others."""

    object: str | None
    confirm: bool | None
    dry_run: bool
    listed: list | None


def read_arguments(text: str) -> dict | None:
    """The arguments as an object with every digit; none where they are none, or have a key twice."""

    def once(members: list[tuple[str, Any]]) -> dict:
        read = dict(members)
        if len(read) != len(members):
            raise ValueError("a key comes twice")
        return read

    try:
        given = json.loads(text, object_pairs_hook=once, parse_float=Decimal, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def intent_of(settings: dict, tool: str, scopes: list[str], arguments: str) -> Intent | None:
    """None where the arguments allow nothing: the component has to say why, and does so without the bridge."""
    given = read_arguments(arguments)
    if given is None or not {"data:read", "data:write"} <= set(scopes):
        return None
    object = given.get("objectName", None if "objectName" in given else _log_of(settings, given))
    if "objectName" in given and not isinstance(object, str):
        return None
    if tool == "list_objects":
        # The list is of what is offered, whatever its argument narrows it to; it reads and removes no record.
        object = None
    if object is not None and is_system_object(settings["system_objects"], object):
        return None
    confirm = given.get("confirm")
    if not isinstance(confirm, (bool, type(None))) or ("confirm" in given and confirm is None):
        return None
    dry_run = given.get("dryRun", False) is not False
    listed = next((given[name] for name in ("recordIds", "ids") if name in given), None)
    one = next((given[name] for name in ("recordId", "keys") if name in given), None)
    listed = [one] if one is not None else listed
    if listed is not None and (not isinstance(listed, list) or "where" in given):
        return None
    return Intent(object, confirm, dry_run, listed)


def _log_of(settings: dict, given: dict) -> str | None:
    logs = settings["event_logs"]
    named = [log for log in logs if "log" not in given or log["name"] == given["log"]]
    return named[0]["object"] if len(named) == 1 else None


def is_system_object(patterns: list[str], object: str) -> bool:
    """Whether a name matches a pattern, whole or after its last dot, in any case."""

    def matches(pattern: str, name: str) -> bool:
        inner = pattern.strip("*")
        if pattern.startswith("*") and pattern.endswith("*"):
            return inner in name
        if pattern.startswith("*"):
            return name.endswith(inner)
        return name.startswith(inner) if pattern.endswith("*") else name == pattern

    names = [object.lower(), object.rpartition(".")[2].lower()]
    return any(matches(pattern.lower(), name) for pattern in patterns for name in names)


def _quote(text: str) -> str:
    shown = re.sub(r'(["\\])', r"\\\1", text if len(text) <= 100 else text[:99] + "…")
    return f'"{_HIDDEN.sub(lambda found: _escape(found[0]), shown)}"'


def _escape(character: str) -> str:
    return "\\u{%x}" % ord(character)


def _listed_id(one: Any, key: list[c.Field]) -> tuple | None:
    parts = [one] if len(key) == 1 and not isinstance(one, dict) else None
    if parts is None:
        parts = [one.get(part.name) if isinstance(one, dict) else None for part in key]
    values = [_listed_value(part.type, value) for part, value in zip(key, parts)]
    return None if None in values else identify(tuple(values))


def _listed_value(type: str, value: Any) -> c.Scalar:
    text = str(value) if isinstance(value, (str, int, Decimal)) and not isinstance(value, bool) else None
    if type == "boolean":
        return {"true": True, "false": False}.get(str(value).lower() if isinstance(value, bool) else text or "")
    if text is None:
        return None
    if type == "integer":
        return int(text) if re.fullmatch(r"0|-?[1-9][0-9]{0,18}", text, re.ASCII) else None
    if type == "decimal":
        exact = parse_decimal(text)
        if exact is None:
            return None
        whole = exact == exact.to_integral_value() and -(2**63) <= exact < 2**63
        return int(exact) if whole else exact.normalize()
    if not isinstance(value, str):
        return None
    return parse_instant(value) if type == "instant" else value.lower() if type == "uuid" else value


@dataclass
class Guard:
    """The account of one call. ``call`` has ``name``, ``arguments``, ``scopes`` and ``approval``."""

    settings: dict
    call: dict
    key: list[c.Field] = field(default_factory=list)
    rows: dict[tuple, str | None] = field(default_factory=dict)
    tried: set[tuple] = field(default_factory=set)
    deleted: int = 0
    refused: int = 0
    unsure: c.RecordId | None = None
    ended: Ended | None = None

    def __post_init__(self) -> None:
        self.intent = intent_of(self.settings, self.call["name"], self.call["scopes"], self.call["arguments"])
        object = self.intent.object if self.intent else None
        rules = self.settings["rules"]
        self.rule = next((rule for rule in rules if rule["object"] == object), self.settings["default_rule"])
        self.caller: str | None = None
        self.access: c.Access | None = None
        self.spent = 0

    def enter(self, name: str, object: str) -> None:
        """What each function passes before the host is asked."""
        if self.ended:
            raise self.ended
        self.spent += 1
        named = self.intent is not None and self.intent.object is not None
        if self.spent > 4 + SPARE_CALLS + (2 * self.rule["cap"] if named else len(self.settings["objects"])):
            self._end("GUEST_LIMIT", 503, "needed more bridge calls than it is given")
        offered = not named and self.intent and name == "resolve_principal" and object in self.settings["objects"]
        offered = offered and not is_system_object(self.settings["system_objects"], object)
        if not offered and (not named or self.intent.object != object):
            self._violation("turned to an object that the arguments do not name or no tool touches")
        if name != "resolve_principal" and (self.caller in (None, "anonymous") or self.access is None):
            self._violation("turned to records before the caller was known and let in")

    def meet(self, object: str, principal: c.Principal) -> None:
        """The caller as the bridge says now. Whoever is another than before can do nothing more."""
        who = principal.identity
        caller = f"user {who.id}" if isinstance(who, c.User) else who
        access = principal.access
        self.access = access if access is not None and access.object == object else None
        self.key = list(self.access.key) if self.access else self.key
        self.caller = caller if self.caller in (None, caller) else "anonymous"

    def may_read(self, limit: int) -> int:
        """How many records may be read: what is read may go, so no more is read than may go."""
        if self.tried:
            self._violation("went on reading after it had begun to remove")
        left = self.rule["cap"] - len(self.rows)
        if left <= 0:
            self._violation("tried to read more records than the rule's cap")
        return min(limit, left)

    def read(self, page: c.Page) -> None:
        """A record that comes twice keeps its first place and its first revision."""
        for row in page.rows:
            self.rows.setdefault(identify(tuple(row.id)), row.revision)

    def may_remove(self, id: c.RecordId, revision: str | None) -> None:
        """Ends the call where this record must not go."""
        key = identify(id)
        if not self.access.remove:
            self._violation("tried to remove for a caller who may not")
        if key not in self.rows:
            self._violation("tried to remove a record that this call had not read")
        if key in self.tried:
            self._violation("tried to remove a record twice")
        if len(self.tried) >= self.rule["cap"]:
            self._violation("tried to remove more records than the rule's cap")
        if self.rows[key] != revision:
            self._violation("tried to remove a record in another revision than it had read")
        if self.intent.listed is not None and key not in {_listed_id(one, self.key) for one in self.intent.listed}:
            self._violation("tried to remove a record outside the ids in the arguments")
        # The records can't change any more once one is gone, so the whole set is judged once.
        lacks = self._lacks_consent() if not self.tried else None
        if lacks:
            self._violation(lacks)
        self.tried.add(key)
        self.unsure = id

    def count(self, removal: c.Removal) -> None:
        """The engine's answer to a removal."""
        self.deleted += isinstance(removal, c.Removed)
        self.unsure = None

    def fail(self, error: c.Refused | c.Stopped) -> None:
        """The engine had no answer to a removal; after a fault the record may or may not be gone."""
        if isinstance(error, c.Refused) or error.tag == "unsupported":
            self.refused += 1
            self.unsure = None

    def conclude(self, text: str) -> dict:
        """Checks an answer that the component gives."""
        told = json.loads(text)
        deleted = max(told.get("deleted", 0), told.get("progress", {}).get("deleted", 0), told.get("status") == "okay")
        if deleted != self.deleted:
            self._violation("told another number of deleted records than it deleted")
        return told

    def ask(self, message: str, typed: tuple[str, str] | None, digest: str) -> dict:
        """The host's own record of the question, after checking that it is true."""
        consent, intent = self.rule["consent"], self.intent
        asks = consent in ("accept", "typed") and intent and intent.confirm is True and not intent.dry_run
        if not asks or not self.rows or self.tried:
            self._violation("asked a person where nobody is to be asked")
        target = self.settings["target"]
        environment = _HIDDEN.sub(lambda found: _escape(found[0]), target["environment"])
        opening = f"PRODUCTION [{environment}]: delete " if target["production"] else "Delete "
        rest = message[len(opening):] if message.startswith(opening) else ""
        if len(message) > 16_000 or _HIDDEN.search(message) or (typed and _HIDDEN.search(typed[1])):
            self._violation("asked a person with hidden characters or more than a line")
        if _quote(intent.object) not in rest or f"on {_quote(target['name'])}" not in rest:
            self._violation("asked a person without naming what and where")
        number = re.search(r"[0-9]+", rest.partition('"')[0])
        if not number or int(number[0]) != len(self.rows):
            self._violation("asked a person about another number of records")
        if (consent == "typed") != (typed is not None) or (typed and not _TYPEABLE.fullmatch(typed[0])):
            self._violation("asked a person for another answer than the rule wants")
        asked = self._about(digest, typed and typed[0])
        if asked["expected"] != (typed and typed[0]):
            self._violation("asked a person to type something else than the object and the count")
        return asked

    def answer(self, error: Ended) -> dict:
        """The answer to a call that the host ended: the error, and what was deleted before."""
        before = {0: "Nothing was deleted.", 1: "1 record was deleted before."}
        sentence = before.get(self.deleted, f"{self.deleted} records were deleted before.")
        told: dict[str, Any] = {"code": error.code, "status": error.status, "message": f"{error} {sentence}"}
        if self.unsure is not None:
            parts = [show(part) for part in self.unsure]
            named = {part.name: value for part, value in zip(self.key, parts)}
            told["details"] = {"failedRecordId": parts[0] if len(parts) == 1 else named}
        progress = {
            "object": (self.intent.object if self.intent else None) or "",
            "attempted": len(self.tried),
            "deleted": self.deleted,
            "refused": self.refused,
            "notAttempted": len(self.rows) - len(self.tried),
            "cap": self.rule["cap"],
            "target": self.settings["target"],
        }
        return {"error": told, "progress": progress}

    def _lacks_consent(self) -> str | None:
        consent, intent = self.rule["consent"], self.intent
        if intent.dry_run:
            return "tried to remove in a dry run"
        if consent == "none" and intent.confirm is not False:
            return None
        if intent.confirm is not True:
            return "tried to remove without confirm: true"
        if consent in ("none", "attest"):
            return None
        approval = self.call["approval"]
        if approval is None or approval["action"] != "accept":
            return "tried to remove without a person's approval"
        asked = approval["asked"]
        if self._about(asked.get("digest"), asked.get("expected")) != asked:
            return "tried to remove other records than a person approved"
        if consent == "typed" and approval["typed"] != asked["expected"]:
            return "tried to remove although a person typed something else"
        return None

    def _about(self, digest: str, expected: str | None) -> dict:
        object = self.intent.object
        if self.call["name"] == "delete_records":
            name = object if _PLAIN.fullmatch(object) else "records"
            expected = f"{name} {len(self.rows)}"
        rows = [[[kind, show(value)] for kind, value in id] + [revision] for id, revision in self.rows.items()]
        return {
            "name": self.call["name"],
            "arguments": self.call["arguments"],
            "scopes": sorted(self.call["scopes"]),
            "object": object,
            "caller": self.caller,
            "target": dict(self.settings["target"]),
            "rows": rows,
            "expected": expected if self.rule["consent"] == "typed" else None,
            "digest": digest,
        }

    def _violation(self, what: str) -> NoReturn:
        self._end("GUEST_VIOLATION", 500, f"{what}. That is not allowed here")

    def _end(self, code: str, status: int, what: str) -> NoReturn:
        self.ended = self.ended or Ended(code, status, what)
        raise self.ended
