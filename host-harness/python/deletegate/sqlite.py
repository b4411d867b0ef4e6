"""A bridge over ``sqlite3``: tables as their owner describes them, and the database's own rules judge each record."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Iterator

from . import contract as c
from .memory import border
from .values import parse_decimal, parse_instant

_LARGEST = "1.7976931348623157e308"
_UUID = "-".join("[0-9a-f]" * length for length in (8, 4, 4, 4, 12))
_SIGNS = {"less": "<", "less-or-equal": "<=", "greater": ">", "greater-or-equal": ">="}
_RULED = re.compile(r"([A-Z][A-Z0-9_]{0,63}) (4\d\d): (.*\S.*)", re.ASCII)


@dataclass(frozen=True)
class Table:
    """One table, as its owner describes it. Names that stand for nothing are errors.

    ``visible`` and ``removable`` are SQL over the row, in which ``:actor`` is the caller's id: which records a user
    sees, and which of them they may remove. The system passes both.
    """

    name: str
    fields: list[c.Field]
    key: list[str]
    label: str | None = None
    visible: str | None = None
    removable: str | None = None
    revision: str | None = None
    reversible: bool = False
    types: dict[str, c.Field] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "types", {one.name: one for one in self.fields})
        if not self.key:
            raise TypeError(f"the table {self.name!r} has no key")
        for name in [*self.key, *filter(None, (self.label, self.revision))]:
            if name not in self.types:
                raise TypeError(f"the table {self.name!r} has no field {name!r}")


class SqliteBridge:
    """The four functions over a connection, for one caller.

    The connection is in autocommit mode (``isolation_level=None``). Foreign keys are switched on, and two functions
    are registered. Triggers speak with ``RAISE(ABORT, 'CODE status: sentence')``.
    """

    def __init__(
        self, connection: sqlite3.Connection, tables: list[Table], *, actor: str | None = None, system: bool = False
    ) -> None:
        if connection.isolation_level is not None:
            raise TypeError("the connection must be opened with isolation_level=None: each removal is its own transaction")
        self._db, self._tables, self._actor = connection, {table.name: table for table in tables}, actor
        known = isinstance(actor, str) and actor.strip() != ""
        self._identity = c.User(actor) if known else "system" if system is True and actor is None else "anonymous"
        connection.execute("PRAGMA foreign_keys = ON")
        connection.create_function("deletegate_instant", 1, _sortable_of, deterministic=True)
        connection.create_function("deletegate_holds", 2, _holds, deterministic=True)

    def resolve_principal(self, object: str) -> c.Principal:
        table = self._tables.get(object)
        if table is None or self._identity == "anonymous":
            return c.Principal(self._identity)
        key = [table.types[name] for name in table.key]
        return c.Principal(self._identity, c.Access(object, key, table.fields, reversible=table.reversible))

    def query(self, object: str, selection: c.Selection, after: c.RecordId | None, limit: int) -> c.Page:
        table = self._known(object)
        values: dict[str, Any] = {}
        parts = [self._seen(table), self._chosen(table, selection, values)]
        if after is not None:
            parts.append(_behind(table, after, values))
        order = ", ".join(_own(table.types[name]) for name in table.key)
        columns = [*map(_quote, table.key), *(_quote(one) if one else "NULL" for one in (table.label, table.revision))]
        sql = f"SELECT {', '.join(columns)} FROM {_quote(object)} WHERE {' AND '.join(parts)} ORDER BY {order} LIMIT {limit + 1}"
        with _told():
            found = self._run(sql, values).fetchall()
        width = len(table.key)
        text = lambda value: None if value is None else str(value)
        ids = [tuple(_read(table.types[n], v) for n, v in zip(table.key, row)) for row in found[:limit]]
        rows = [c.Row(id, text(row[width]), text(row[width + 1])) for id, row in zip(ids, found)]
        return c.Page(rows, len(found) > limit)

    def aggregate(self, object: str, selection: c.Selection) -> c.Totals:
        table = self._known(object)
        values: dict[str, Any] = {}
        where = f"{self._seen(table)} AND {self._chosen(table, selection, values)}"
        with _told():
            count = self._run(f"SELECT count(*) FROM {_quote(object)} WHERE {where}", values).fetchone()[0]
            # Where no table refers to this one nothing goes with it; else this bridge can't tell what would.
            alone = isinstance(selection, c.Ids) and not self._is_referred(object)
        return c.Totals(count, dependents=[] if alone else None)

    def remove(self, object: str, id: c.RecordId, revision: str | None) -> c.Removal:
        with _told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                removal = self._remove(object, id, revision)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        return removal

    def _remove(self, object: str, id: c.RecordId, revision: str | None) -> c.Removal:
        table = self._known(object)
        values: dict[str, Any] = {}
        is_ = " AND ".join(f"{_own(f)} = {_bind(_stored(f, v), values)}" for f, v in zip(_key(table), id))
        removable = self._predicate(table.removable)
        version = _quote(table.revision) if table.revision else "NULL"
        found = self._run(
            f"SELECT {removable}, {version} FROM {_quote(object)} WHERE {self._seen(table)} AND {is_} LIMIT 2", values
        ).fetchall()
        if not found:
            return "absent"
        if len(found) > 1:
            raise c.Stopped("faulted", "More than one record has this key.")
        if revision is not None and str(found[0][1]) != revision:
            return "changed"
        if found[0][0] != 1:
            raise c.Refused("PERMISSION_DENIED", 403, "This caller may not remove this record.")
        # The count of the statement decides, and not the reading before it.
        count = self._run(f"DELETE FROM {_quote(object)} WHERE {is_}", values).rowcount
        if count > 1:
            raise c.Stopped("faulted", "More than one record has this key.")
        left = self._run(f"SELECT 1 FROM {_quote(object)} WHERE {is_}", values).fetchone()
        return c.Removed() if count == 1 or left is None else "kept"

    def _known(self, object: str) -> Table:
        table = self._tables.get(object)
        if table is None or self._identity == "anonymous":
            raise c.Refused("OBJECT_NOT_FOUND", 404, "There is no such object.")
        return table

    def _seen(self, table: Table) -> str:
        """What this caller sees: a record whose key does not fit its types is nobody's."""
        return " AND ".join([*(_fits(one) for one in _key(table)), self._predicate(table.visible)])

    def _predicate(self, sql: str | None) -> str:
        return "TRUE" if sql is None or self._identity == "system" else f"(({sql}) IS TRUE)"

    def _chosen(self, table: Table, selection: c.Selection, values: dict[str, Any]) -> str:
        if isinstance(selection, c.Every):
            return "TRUE"
        if isinstance(selection, c.Filter):
            return _term(table, iter(selection.terms), values)
        one = lambda id: ", ".join(_bind(_stored(f, v), values) for f, v in zip(_key(table), id))
        listed = ", ".join(f"({one(id)})" for id in selection.ids)
        return f"({', '.join(_own(one) for one in _key(table))}) IN (VALUES {listed})"

    def _is_referred(self, object: str) -> bool:
        names = [name for (name,) in self._db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        keys = (key for name in names for key in self._db.execute(f"PRAGMA foreign_key_list({_quote(name)})"))
        return any(key[2].lower() == object.lower() for key in keys)

    def _run(self, sql: str, values: dict[str, Any]) -> sqlite3.Cursor:
        return self._db.execute(sql, {**values, "actor": self._actor})


@contextmanager
def _told() -> Iterator[None]:
    """What an error of the engine means: a rule's refusal, a passing lock, or a fault. Only a trigger's own words are
    quoted: every other text of the engine may name what the caller can't see."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name == "SQLITE_CONSTRAINT_TRIGGER" and str(error) != "FOREIGN KEY constraint failed":
            raise _ruled(str(error)) from error
        if name.startswith("SQLITE_CONSTRAINT"):
            raise c.Refused("DELETE_RESTRICTED", 409, "Other records depend on this one.") from error
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            reason = "The database is in use elsewhere; the same call may succeed later."
            raise c.Refused("ENGINE_BUSY", 409, reason, retryable=True) from error
        raise


def _ruled(message: str) -> c.Refused:
    line = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", message).strip()
    found = _RULED.fullmatch(line)
    if found:
        return c.Refused(found[1], int(found[2]), found[3].strip()[:500])
    return c.Refused("RULE_REFUSED", 409, line[:500] or "A rule of the database keeps this record.")


def _term(table: Table, terms: Iterator[Any], values: dict[str, Any]) -> str:
    """Takes one whole filter off the terms, as SQL."""
    term = next(terms)
    if isinstance(term, c.Group):
        inner = [_term(table, terms, values) for _ in range(term.count)]
        return f"({(' OR ' if term.any else ' AND ').join(inner)})"
    one = table.types.get(term.field)
    if one is None:
        raise c.Refused("INVALID_FIELD", 400, "The object has no such field.")
    column, fits = _quote(one.name), _fits(one)
    if term.comparison == "is-null":
        return f"({column} IS NOT NULL AND {fits})" if term.negated else f"({column} IS NULL)"
    compared = _compared(one, column, term, values)
    return f"({column} IS NULL OR ({fits} AND NOT {compared}))" if term.negated else f"({fits} AND {compared})"


def _compared(one: c.Field, column: str, condition: c.Condition, values: dict[str, Any]) -> str:
    comparison, operands = condition.comparison, condition.operands
    bind = lambda value: _bind(value, values)
    if comparison in ("equal", "any-of") and one.type != "float":
        return f"({_own(one)} IN ({', '.join(bind(_stored(one, value)) for value in operands)}))"
    if comparison == "contains-all":
        return f"deletegate_holds({column}, {bind(json.dumps(operands))})"
    if comparison in _SIGNS and one.type == "float":
        return f"({column} {_SIGNS[comparison]} {bind(border(operands[0], up=comparison.startswith('greater')))})"
    if comparison in _SIGNS:
        return f"({_own(one)} {_SIGNS[comparison]} {bind(_stored(one, operands[0]))})"
    text = bind(operands[0])
    # By bytes at the end, since SQLite counts the characters of a text to its first NUL.
    tail = f"substr(CAST({column} AS BLOB), -length(CAST({text} AS BLOB))) = CAST({text} AS BLOB)"
    known = {
        "contains": f"(instr({column}, {text}) > 0)",
        "starts-with": f"(instr({column}, {text}) = 1)",
        "ends-with": f"({tail})",
        "contains-ignoring-ascii-case": f"(instr(lower({column}), lower({text})) > 0)",
    }
    if one.type != "text" or comparison not in known:
        raise c.Refused("INVALID_FILTER", 400, f"The field {one.name!r} can't be compared so.")
    return known[comparison]


def _fits(one: c.Field) -> str:
    """Whether a stored value fits its field's type, as SQL that is never true of null."""
    column = _quote(one.name)
    number = f"(typeof({column}) IN ('integer', 'real') AND {column} BETWEEN -{_LARGEST} AND {_LARGEST})"
    day = f"(typeof({column}) = 'text' AND date({column}, '+0 days') = {column} COLLATE BINARY AND {column} >= '0001-01-01')"
    return {
        "integer": f"typeof({column}) = 'integer'",
        "boolean": f"(typeof({column}) = 'integer' AND {column} IN (0, 1))",
        "decimal": number,
        "float": number,
        "text": f"typeof({column}) = 'text'",
        "uuid": f"(typeof({column}) = 'text' AND lower({column}) GLOB '{_UUID}')",
        "date": day,
        "instant": f"deletegate_instant({column}) IS NOT NULL",
        "text-list": f"deletegate_holds({column}, '[]') IS NOT NULL",
    }.get(one.type, f"{column} IS NOT NULL")


def _own(one: c.Field) -> str:
    """A column as it is compared: without its collation, and without turning what stands beside it."""
    column = _quote(one.name)
    if one.type == "instant":
        return f"deletegate_instant({column})"
    if one.type == "uuid":
        return f"lower({column})"
    return f"(+{column} COLLATE BINARY)" if one.type in ("text", "date") else column


def _stored(one: c.Field, value: c.Scalar) -> Any:
    """What a column holds for an operand."""
    if isinstance(value, c.Instant):
        return _sortable(value)
    if not isinstance(value, Decimal):
        return value
    # A column holds binary numbers: what lies between two of them was rounded when it was written.
    if Decimal(repr(float(value))) != value:
        raise c.Refused("FILTER_NOT_EXACT", 400, "SQLite can't compare this number exactly: it has too many digits.")
    return float(value)


def _read(one: c.Field, value: Any) -> c.Scalar:
    if one.type == "boolean":
        return bool(value)
    if one.type == "decimal":
        return parse_decimal(str(value)) if isinstance(value, float) else value
    if one.type == "instant":
        return c.Instant(value) if isinstance(value, int) else parse_instant(value)
    return value.lower() if one.type == "uuid" else value


def _behind(table: Table, after: c.RecordId, values: dict[str, Any]) -> str:
    parts = [(_own(one), _bind(_stored(one, value), values)) for one, value in zip(_key(table), after)]
    each = []
    for at, (own, place) in enumerate(parts):
        same = [f"{before} = {value}" for before, value in parts[:at]]
        each.append(f"({' AND '.join([*same, f'{own} > {place}'])})")
    return f"({' OR '.join(each)})"


def _key(table: Table) -> list[c.Field]:
    return [table.types[name] for name in table.key]


def _bind(value: Any, values: dict[str, Any]) -> str:
    name = f"v{len(values)}"
    values[name] = value
    return f":{name}"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sortable(instant: c.Instant) -> str:
    """An instant as a text whose bytes have the order of time."""
    return f"{instant.seconds + 2**63:020}.{instant.nanoseconds:09}"


def _sortable_of(stored: Any) -> str | None:
    instant = c.Instant(stored) if isinstance(stored, int) else parse_instant(stored) if isinstance(stored, str) else None
    return instant and _sortable(instant)


def _holds(stored: Any, wanted: str) -> int | None:
    try:
        entries = json.loads(stored)
    except (TypeError, ValueError):
        return None
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        return None
    return int(all(entry in entries for entry in json.loads(wanted)))
