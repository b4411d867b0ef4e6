"""Guarded delete tools over a SQLite file: ``python notes.py``."""

import sqlite3

from deletegate import Field, Tools
from deletegate.sqlite import SqliteBridge, Table

db = sqlite3.connect(":memory:", isolation_level=None)
db.executescript(
    """
    CREATE TABLE note (id INTEGER PRIMARY KEY, owner TEXT, text TEXT);
    CREATE TRIGGER keep BEFORE DELETE ON note WHEN OLD.text = 'keep me'
      BEGIN SELECT RAISE(ABORT, 'RECORD_LOCKED 409: this note is kept'); END;
    INSERT INTO note VALUES (1, 'ana', 'old'), (2, 'ana', 'keep me'), (3, 'bo', 'his');
    """
)
note = Table(
    "note",
    fields=[Field("id", "integer"), Field("text", "text", nullable=True)],
    key=["id"],
    label="text",
    visible="owner = :actor",
)

tools = Tools(SqliteBridge(db, [note], actor="ana"), {"default_rule": {"consent": "typed"}})
asks = tools.call_tool("delete_records", '{"objectName": "note", "where": {}, "confirm": true}')
print(asks.message)
reply = tools.resume(asks.asked, "accept", typed=asks.typed[0])
print(reply.json)
assert reply.answer["deleted"] == 1
assert reply.answer["refusals"][0]["code"] == "RECORD_LOCKED"
assert db.execute("SELECT id FROM note").fetchall() == [(2,), (3,)]
