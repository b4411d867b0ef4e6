"""An engine in memory: tables and rules as plain data, for tests and the conformance suite."""

from __future__ import annotations

import copy
import hashlib
import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import cmp_to_key
from typing import Any

from . import contract as c
from .values import identify, is_date, parse_decimal, parse_instant

_EFFECTS = ("cascade", "restrict", "detach")
_ORDERED = {"less", "less-or-equal", "greater", "greater-or-equal"}
_EQUAL = {"equal", "any-of"}
_TEXTUAL = {"contains", "starts-with", "ends-with", "contains-ignoring-ascii-case"}
_COMPARISONS = {
    "boolean": _EQUAL, "uuid": _EQUAL, "integer": _EQUAL | _ORDERED, "decimal": _EQUAL | _ORDERED,
    "date": _EQUAL | _ORDERED, "instant": _EQUAL | _ORDERED, "float": _ORDERED, "text": _EQUAL | _ORDERED | _TEXTUAL,
    "text-list": {"contains-all"}, "opaque": set(),
}
_MISFIT = object()


class Memory:
    """Tables, and what lends them to callers."""

    def __init__(self, tables: dict) -> None:
        self.tables = copy.deepcopy(tables)

    def bridge(self, actor: str | None = None, system: bool = False) -> "MemoryBridge":
        """What this engine lends to a caller. An actor is a user, ``system`` alone is the system."""
        return MemoryBridge(self.tables, actor, system)

    def ids(self, name: str) -> list[c.RecordId]:
        """The ids that are there now, whoever may see them, in the order of the key."""
        object = self.tables["objects"][name]
        ids = (_id(object, row) for row in object["rows"])
        return sorted((id for id in ids if id is not None), key=_sort_key)

    def apply(self, change: dict) -> None:
        """Does what somebody else does meanwhile, past every rule."""
        [(kind, what)] = change.items()
        rows = self.tables["objects"][what["object"]]["rows"]
        if kind == "insert":
            rows.append(dict(what["row"]))
            return
        at = next(at for at, row in enumerate(rows) if all(_same(row.get(k), v) for k, v in what["key"].items()))
        if kind == "delete":
            del rows[at]
        else:
            rows[at] = {**rows[at], **what["set"]}


class MemoryBridge:
    """The four functions over a :class:`Memory`, for one caller."""

    def __init__(self, tables: dict, actor: str | None, system: bool) -> None:
        self._tables, self._user = tables, actor
        self._identity = c.User(actor) if actor is not None else "system" if system is True else "anonymous"

    def resolve_principal(self, name: str) -> c.Principal:
        object = self._offered(name)
        if object is None:
            return c.Principal(self._identity)
        fields = {f["name"]: c.Field(f["name"], f["type"], f.get("nullable", False)) for f in object["fields"]}
        withheld = {f["name"] for f in object["fields"] if f.get("withheld")}
        denied = object.get("denied", [])
        access = c.Access(
            object=name,
            key=[fields[part] for part in object["key"]],
            fields=[field for field in fields.values() if field.name not in withheld],
            list="list" not in denied,
            remove="remove" not in denied,
            reversible=object.get("reversible", False),
        )
        return c.Principal(self._identity, access, self._tables.get("narrowing"))

    def query(self, name: str, selection: c.Selection, after: c.RecordId | None, limit: int) -> c.Page:
        object = self._known(name)
        found = self._selected(object, selection)
        if after is not None:
            found = [(id, row) for id, row in found if _sort_key(id) > _sort_key(after)]
        most = min(limit, self._tables.get("page") or limit)
        rows = [c.Row(id, _label(object, row), self._revision(row)) for id, row in found[:most]]
        return c.Page(rows, len(found) > most)

    def aggregate(self, name: str, selection: c.Selection) -> c.Totals:
        object = self._known(name)
        found = self._selected(object, selection)
        counts = self._tables.get("counts", "exact")
        if counts == "unsupported":
            raise c.Stopped("unsupported")
        told = isinstance(selection, c.Ids) and not self._tables.get("dependents_unknown")
        dependents = self._dependents(name, [row for _, row in found]) if told else None
        most = counts["at-least"] if isinstance(counts, dict) else len(found)
        return c.Totals(min(len(found), most), len(found) > most, dependents)

    def remove(self, name: str, id: c.RecordId, revision: str | None) -> c.Removal:
        object = self._known(name)
        for row in object["rows"]:
            own = _id(object, row)
            if own is not None and identify(own) == identify(id) and self._passes(object.get("visible"), row):
                break
        else:
            return "absent"
        if revision is not None and self._revision(row) != revision:
            return "changed"
        if "remove" in object.get("denied", []) or not self._passes(object.get("removable"), row):
            raise c.Refused("PERMISSION_DENIED", 403, "This caller may not remove this record.")
        verdict = _verdict(object, row)
        warning = verdict.get("warning") if isinstance(verdict, dict) else None
        if verdict is not None and warning is None:
            return _say(verdict)
        found, gone = self._reached(name, [row])
        for child_name, rows in gone.items():
            for child in (one for one in rows if one is not row):
                ruled = _verdict(self._tables["objects"][child_name], child)
                if ruled in ("kept", "absent", "changed"):
                    raise _restricted()
                if ruled is not None and not (isinstance(ruled, dict) and "warning" in ruled):
                    _say(ruled)
        if any(effect == "restrict" for _, _, effect, _ in found):
            raise _restricted()
        for _, child, effect, fields in found:
            if effect == "detach":
                child.update(dict.fromkeys(fields))
        for child_name, rows in gone.items():
            table = self._tables["objects"][child_name]
            table["rows"] = [one for one in table["rows"] if not any(one is other for other in rows)]
        return c.Removed(warning)

    def _offered(self, name: str) -> dict | None:
        object = self._tables["objects"].get(name)
        return None if self._identity == "anonymous" or object is None or object.get("hidden") else object

    def _known(self, name: str) -> dict:
        object = self._offered(name)
        if object is None:
            raise c.Refused("OBJECT_NOT_FOUND", 404, "There is no such object.")
        return object

    def _selected(self, object: dict, selection: c.Selection) -> list[tuple[c.RecordId, dict]]:
        types = {f["name"]: f["type"] for f in object["fields"] if not f.get("withheld")}
        if isinstance(selection, c.Filter):
            fault = _fault(types, selection.terms)
            if fault:
                raise c.Refused("FILTER_REFUSED", 400, fault)
        ids = {identify(id) for id in selection.ids} if isinstance(selection, c.Ids) else set()

        def wanted(id: c.RecordId, row: dict) -> bool:
            if isinstance(selection, c.Ids):
                return identify(id) in ids
            return isinstance(selection, c.Every) or _next(types, iter(selection.terms), row)

        rows = [row for row in object["rows"] if self._passes(object.get("visible"), row)]
        found = [(id, row) for row in rows if (id := _id(object, row)) is not None and wanted(id, row)]
        return sorted(found, key=lambda one: _sort_key(one[0]))

    def _passes(self, tests: list | None, row: dict) -> bool:
        """Tests are made for users: the system passes them all, and nobody known passes none."""
        if not isinstance(self._identity, c.User):
            return self._identity == "system"

        def holds(test: dict) -> bool:
            if "actors" in test:
                return self._user in test["actors"]
            values = (self._user if value == ":actor" else value for value in test["values"])
            return any(_same(row.get(test["field"]), value) for value in values)

        return not tests or any(holds(test) for test in tests)

    def _reached(self, name: str, first: list[dict]) -> tuple[list[tuple], dict[str, list[dict]]]:
        """What the removal reaches, and the records that go, the first ones included."""
        gone: dict[str, list[dict]] = {name: list(first)}
        found: list[tuple] = []
        open = [(name, row) for row in first]
        has = lambda rows, row: any(row is one for one in rows)
        while open:
            parent, row = open.pop()
            key = [row.get(part) for part in self._tables["objects"][parent]["key"]]
            for child, table in self._tables["objects"].items():
                for reference in (one for one in table.get("references", []) if one["object"] == parent):
                    fields, effect = reference["fields"], reference["on_delete"]
                    for other in table["rows"]:
                        values = [other.get(field) for field in fields]
                        if None in values or not all(map(_same, values, key)):
                            continue
                        if not any(r is other and e == effect and f is fields for _, r, e, f in found):
                            found.append((child, other, effect, fields))
                        if effect == "cascade" and not has(gone.setdefault(child, []), other):
                            gone[child].append(other)
                            open.append((child, other))

        def besides(one: tuple) -> bool:
            child, other, effect, _ = one
            return not has(first, other) if effect == "cascade" else not has(gone.get(child, []), other)

        return [one for one in found if besides(one)], gone

    def _dependents(self, name: str, rows: list[dict]) -> list[c.Dependents]:
        totals: dict[tuple[bytes, int], list[dict]] = {}
        for child, row, effect, _ in self._reached(name, rows)[0]:
            table = self._tables["objects"][child]
            seen = totals.setdefault((child.encode(), _EFFECTS.index(effect)), [])
            visible = not table.get("hidden") and self._passes(table.get("visible"), row)
            if visible and not any(row is one for one in seen):
                seen.append(row)
        each = sorted((kind for kind, rows in totals.items() if rows))
        return [c.Dependents(child.decode(), len(totals[child, at]), _EFFECTS[at]) for child, at in each]

    def _revision(self, row: dict) -> str | None:
        if self._tables.get("revisions") is False:
            return None
        return hashlib.sha256(repr(sorted(row.items())).encode()).hexdigest()[:16]


def _stored(type: str, value: Any) -> Any:
    """A stored value as its field's type reads it; none where there is none, a misfit where it does not fit."""
    if value is None:
        return None
    whole = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    fits = {
        "opaque": True,
        "boolean": isinstance(value, bool),
        "integer": whole,
        "float": whole or isinstance(value, float),
        "text": isinstance(value, str),
        "text-list": isinstance(value, list),
        "date": isinstance(value, str) and is_date(value),
    }
    if type == "decimal":
        number = isinstance(value, (str, float)) or whole
        exact = parse_decimal(str(value)) if number else None
        return _MISFIT if exact is None else exact
    if type == "instant":
        return (isinstance(value, str) and parse_instant(value)) or _MISFIT
    if type == "uuid":
        return value.lower() if isinstance(value, str) and _is_uuid(value) else _MISFIT
    return (float(value) if type == "float" else value) if fits[type] else _MISFIT


def _is_uuid(text: str) -> bool:
    digits = set("0123456789abcdefABCDEF")
    return len(text) == 36 and all((ch == "-") if at in (8, 13, 18, 23) else ch in digits for at, ch in enumerate(text))


def _id(object: dict, row: dict) -> c.RecordId | None:
    types = {f["name"]: f["type"] for f in object["fields"]}
    parts = tuple(_stored(types[name], row.get(name)) for name in object["key"])
    fits = all(isinstance(part, (bool, int, str, Decimal, c.Instant)) for part in parts)
    return tuple(_plain(part) for part in parts) if fits else None


def _plain(part: Any) -> Any:
    # In plain digits and without zeros at the end, so that a decimal has one form.
    return Decimal(format(part.normalize(), "f")) if isinstance(part, Decimal) else part


def _compare(one: Any, other: Any) -> int:
    # Texts by their bytes, which is the order of code points, and so Python's own.
    return (one > other) - (one < other)


def _compare_ids(one: c.RecordId, other: c.RecordId) -> int:
    return next((found for a, b in zip(one, other) if (found := _compare(a, b))), 0)


_sort_key = cmp_to_key(_compare_ids)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def _label(object: dict, row: dict) -> str | None:
    value = row.get(object.get("label"))
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None


def _verdict(object: dict, row: dict) -> Any:
    locks = object.get("locks", [])
    return next((l["answer"] for l in locks if any(_same(row.get(l["field"]), v) for v in l["values"])), None)


def _say(verdict: Any) -> c.Removal:
    if isinstance(verdict, dict) and "refused" in verdict:
        raise c.Refused(**verdict["refused"])
    if isinstance(verdict, dict):
        raise c.Stopped("faulted", verdict["faulted"])
    if verdict in ("cancelled", "deadline-exceeded", "unsupported"):
        raise c.Stopped(verdict)
    return verdict


def _restricted() -> c.Refused:
    return c.Refused("DELETE_RESTRICTED", 409, "Other records depend on this one.")


def _fault(types: dict[str, str], terms: list) -> str | None:
    """What is wrong with a filter that these fields can't evaluate exactly."""
    open = 1
    for term in terms:
        if open == 0:
            return "the filter goes on after its end"
        open -= 1
        if isinstance(term, c.Group):
            if term.count < 2:
                return "a group holds at least two filters"
            open += term.count
            continue
        kind = types.get(term.field)
        if kind is None:
            return f"no field is called {term.field!r}"
        if term.comparison != "is-null" and term.comparison not in _COMPARISONS[kind]:
            return f"the type of {term.field!r} does not have this comparison"
    return "the filter ends before its last group is full" if open else None


def _next(types: dict[str, str], terms: Any, row: dict) -> bool:
    """Takes one whole filter off the terms; a group never stops early, since its rest must be taken too."""
    term = next(terms)
    if isinstance(term, c.Group):
        inner = [_next(types, terms, row) for _ in range(term.count)]
        return any(inner) if term.any else all(inner)
    return _holds(types[term.field], term, row.get(term.field)) is (not term.negated)


def _holds(type: str, condition: c.Condition, value: Any) -> bool | None:
    """Whether the condition is true; none for a stored value that does not fit its field."""
    stored, operands, comparison = _stored(type, value), condition.operands, condition.comparison
    if stored is _MISFIT:
        return None
    if stored is None or comparison == "is-null":
        return stored is None and comparison == "is-null"
    if comparison == "contains-all":
        return all(operand in stored for operand in operands)
    if comparison == "contains-ignoring-ascii-case":
        return _lower(operands[0]) in _lower(stored)
    if comparison in _TEXTUAL:
        test = {"contains": str.__contains__, "starts-with": str.startswith, "ends-with": str.endswith}[comparison]
        return test(stored, operands[0])
    if type == "float":
        inwards = border(operands[0], up=comparison.startswith("greater"))
        return _satisfies(_compare(stored, inwards), comparison)
    if type == "decimal":
        operands = [Decimal(operand) for operand in operands]
    orders = [_compare(stored, operand) for operand in operands]
    return any(_satisfies(order, comparison) for order in orders)


def _satisfies(order: int, comparison: str) -> bool:
    return {
        "equal": order == 0, "any-of": order == 0, "less": order < 0, "less-or-equal": order <= 0,
        "greater": order > 0, "greater-or-equal": order >= 0,
    }[comparison]


def border(operand: c.Scalar, up: bool) -> float:
    """A number as a double, rounded inwards where it lies between two, so that a border never widens."""
    exact = Decimal(operand)
    # Everything beyond the largest double lies alike, and everything between zero and the smallest.
    rounding = Context(prec=800, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    nearest = float(exact)
    if math.isinf(nearest):
        return nearest if up == (nearest > 0) else math.copysign(1.7976931348623157e308, nearest)
    if up and Decimal(nearest).compare(exact, rounding) < 0:
        return math.nextafter(nearest, math.inf)
    if not up and Decimal(nearest).compare(exact, rounding) > 0:
        return math.nextafter(nearest, -math.inf)
    return nearest


def _lower(text: str) -> str:
    return "".join(chr(ord(ch) + 32) if "A" <= ch <= "Z" else ch for ch in text)
