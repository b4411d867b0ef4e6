// The suite's tables in better-sqlite3.

import Database from 'better-sqlite3';
import { sqliteBridge } from '../../src/adapters/better-sqlite3.js';
import { quoteName } from '../../src/sql/index.js';
import { objectsOf } from './tables.mjs';

const COLUMNS = { integer: 'INTEGER', boolean: 'INTEGER', decimal: 'NUMERIC', float: 'REAL', opaque: 'BLOB' };

function stored(value) {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (Array.isArray(value)) return JSON.stringify(value);
  return Number.isSafeInteger(value) ? BigInt(value) : (value ?? null);
}

function literal(value) {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(stored(value));
}

/** A database of these tables: `{ db, bridge, apply, ids }`. */
export function start(tables) {
  const db = new Database(':memory:');
  for (const [name, object] of Object.entries(tables.objects)) {
    const columns = object.fields.map(({ name: field, type }) => `${quoteName(field)} ${COLUMNS[type] ?? 'TEXT'}`);
    // Not a primary key, which would take misfits for a fault where the suite has them for invisible records.
    db.exec(`CREATE TABLE ${quoteName(name)} (${columns.join(', ')})`);
    for (const row of object.rows) insert(db, name, row);
  }
  const objects = objectsOf(tables, literal);
  const lend = sqliteBridge(db, objects);
  return {
    db,
    bridge: lend,
    apply(change) {
      const [[kind, { object, row, key, set }]] = Object.entries(change);
      const is = key && Object.keys(key).map((field) => `${quoteName(field)} = ?`).join(' AND ');
      const to = set && Object.keys(set).map((field) => `${quoteName(field)} = ?`).join(', ');
      const table = quoteName(object);
      const bound = [set, key].filter(Boolean).flatMap(Object.values).map(stored);
      if (kind === 'insert') insert(db, object, row);
      else db.prepare(kind === 'update' ? `UPDATE ${table} SET ${to} WHERE ${is}` : `DELETE FROM ${table} WHERE ${is}`).run(...bound);
    },
    ids(name) {
      // Whoever may see them: the bridge of the system, over an object that hides nothing.
      const open = sqliteBridge(db, { [name]: { ...objects[name], visible: undefined, hidden: false } })({ system: true });
      return open.query(name, { tag: 'every' }, undefined, 10_000).rows.map(({ id }) => id);
    },
  };
}

function insert(db, name, row) {
  const fields = Object.keys(row);
  const places = fields.map(() => '?').join(', ');
  db.prepare(`INSERT INTO ${quoteName(name)} (${fields.map(quoteName).join(', ')}) VALUES (${places})`).run(...fields.map((field) => stored(row[field])));
}
