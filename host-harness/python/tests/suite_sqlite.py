"""The suite's cases about filters and ids over ``sqlite3``, byte for byte."""

from __future__ import annotations

import json
import logging
import re
import sqlite3
import sys

import suite

from deletegate import Every, Field
from deletegate.sqlite import SqliteBridge, Table

COLUMNS = {"integer": "INTEGER", "boolean": "INTEGER", "decimal": "NUMERIC", "float": "REAL", "opaque": "BLOB"}
WANTED = re.compile(r"filter|selection::(integer|uuid|composite|odd|lookalike|after_with)|hand::b(12|15|18)")
DIFFERENCES = {
    "filter::operands_of_decimal": "SQLite has no decimals: what is no double is refused",
    "filter::the_same_filter": "the case wants locks, which here are triggers",
    "filter::withheld_field": "this bridge withholds no fields",
}


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Engine:
    """The suite's tables in a database in memory."""

    def __init__(self, tables: dict) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.tables = []
        for name, object in tables["objects"].items():
            columns = ", ".join(f"{quote(f['name'])} {COLUMNS.get(f['type'], 'TEXT')}" for f in object["fields"])
            self.db.execute(f"CREATE TABLE {quote(name)} ({columns})")
            for row in object["rows"]:
                places = ", ".join("?" * len(row))
                values = [json.dumps(value) if isinstance(value, list) else value for value in row.values()]
                names = ", ".join(map(quote, row))
                self.db.execute(f"INSERT INTO {quote(name)} ({names}) VALUES ({places})", values)
            if object.get("hidden"):
                continue
            fields = [Field(f["name"], f["type"], f.get("nullable", False)) for f in object["fields"]]
            predicates = {which: predicate(object.get(which)) for which in ("visible", "removable")}
            self.tables.append(Table(name, fields, object["key"], object.get("label"), **predicates))

    def bridge(self, actor: str | None = None, system: bool = False) -> SqliteBridge:
        return SqliteBridge(self.db, self.tables, actor=actor, system=system)

    def apply(self, change: dict) -> None:
        raise NotImplementedError(f"none of these cases changes anything: {change}")

    def ids(self, name: str) -> list:
        if name not in {table.name for table in self.tables}:
            return []
        return [row.id for row in self.bridge(system=True).query(name, Every(), None, 10_000).rows]


def predicate(tests: list | None) -> str | None:
    def literal(value: object) -> str:
        if value == ":actor":
            return ":actor"
        return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(int(value))

    each = []
    for test in tests or []:
        if "actors" in test:
            each.append(f":actor IN ({', '.join(map(literal, test['actors']))})")
        else:
            each.append(" OR ".join(f"{quote(test['field'])} = {literal(value)}" for value in test["values"]))
    return " OR ".join(f"({one})" for one in each) or None


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    sys.exit(suite.main("python-sqlite", Engine, lambda name: bool(WANTED.match(name)), DIFFERENCES))
