// A bridge over better-sqlite3: tables as their owner describes them, and the database's own rules judge each record.

import { faulted } from '../failure.js';
import { Values, columnOf, quoteName, toSql } from '../sql/index.js';
import { FUNCTIONS, fits, own, read, stored } from '../sql/sqlite.js';
import { behind, busy, denied, describe, identityOf, notFound, predicate, principalOf, restricted, ruled } from './common.js';

/**
 * What a database lends to callers; see `better-sqlite3.d.ts` for the members of an object.
 *
 * @returns {(caller: { actor?: string, system?: boolean }) => object} the four functions for a caller
 */
export function sqliteBridge(db, objects) {
  const described = describe(objects);
  db.pragma('foreign_keys = ON');
  for (const [name, work] of Object.entries(FUNCTIONS)) db.function(name, { deterministic: true, safeIntegers: true }, work);
  return (caller = {}) => new SqliteBridge(db, described, identityOf(caller));
}

class SqliteBridge {
  #db;
  #objects;
  #identity;

  constructor(db, objects, identity) {
    this.#db = db;
    this.#objects = objects;
    this.#identity = identity;
  }

  resolvePrincipal = (name) => principalOf(this.#objects.get(name), this.#identity);

  query = (name, selection, after, limit) =>
    this.#tell(() => {
      const object = this.#known(name);
      const values = new Values('sqlite');
      const parts = [this.#seen(object), this.#chosen(object, selection, values)];
      const place = (field, scalar) => values.bind(stored(field, scalar));
      if (after) parts.push(behind(object.key, after, { own: (field) => own(field, columnOf(field)), place }));
      const order = object.key.map((field) => own(field, columnOf(field))).join(', ');
      const columns = [...object.key.map(columnOf), object.label ?? 'NULL', object.revision ?? 'NULL'];
      const sql = `SELECT ${columns.join(', ')} FROM ${object.table} WHERE ${parts.join(' AND ')} ORDER BY ${order} LIMIT ${limit + 1}`;
      const rows = this.#prepare(sql).raw().all(...values.all, this.#named(sql));
      const width = object.key.length;
      const shown = rows.slice(0, limit).map((row) => ({
        id: object.key.map((field, at) => read(field, row[at])),
        label: textOf(row[width]),
        revision: textOf(row[width + 1]),
      }));
      return { rows: shown, more: rows.length > limit };
    });

  aggregate = (name, selection) =>
    this.#tell(() => {
      const object = this.#known(name);
      const values = new Values('sqlite');
      const sql = `SELECT count(*) FROM ${object.table} WHERE ${this.#seen(object)} AND ${this.#chosen(object, selection, values)}`;
      const val = this.#prepare(sql).pluck().get(...values.all, this.#named(sql));
      // Where no table refers to this one nothing goes with it; else this adapter can't tell what would.
      const dependents = selection.tag === 'ids' && !this.#isReferred(object) ? [] : undefined;
      return { count: { tag: 'exact', val }, dependents };
    });

  remove = (name, id, revision) => this.#tell(() => this.#db.transaction(() => this.#remove(name, id, revision)).immediate());

  #remove(name, id, revision) {
    const object = this.#known(name);
    const values = new Values('sqlite');
    const is = object.key.map((field, at) => `${own(field, columnOf(field))} = ${values.bind(stored(field, id[at]))}`).join(' AND ');
    const removable = predicate(object.removable, this.#identity, ':actor');
    const find = `SELECT ${removable}, ${object.revision ?? 'NULL'} FROM ${object.table} WHERE ${this.#seen(object)} AND ${is} LIMIT 2`;
    const found = this.#prepare(find).raw().all(...values.all, this.#named(find));
    if (found.length === 0) return { tag: 'absent' };
    if (found.length > 1) throw faulted('More than one record has this key.');
    if (revision !== undefined && textOf(found[0][1]) !== revision) return { tag: 'changed' };
    if (found[0][0] !== 1n || object.verbs?.remove === false) throw denied();
    // The count of the statement decides, and not the reading before it.
    const { changes } = this.#db.prepare(`DELETE FROM ${object.table} WHERE ${is}`).run(...values.all);
    if (changes === 1) return { tag: 'removed' };
    if (changes > 1) throw faulted('More than one record has this key.');
    const left = this.#db.prepare(`SELECT 1 FROM ${object.table} WHERE ${is}`).get(...values.all);
    return { tag: left === undefined ? 'removed' : 'kept' };
  }

  #known(name) {
    const object = this.#objects.get(name);
    if (!object || object.hidden || this.#identity.tag === 'anonymous') throw notFound();
    return object;
  }

  /** What this caller sees: a record whose key does not fit its types is nobody's. */
  #seen(object) {
    const key = object.key.map((field) => fits(field, columnOf(field)));
    return [...key, predicate(object.visible, this.#identity, ':actor')].join(' AND ');
  }

  #chosen(object, { tag, val }, values) {
    if (tag === 'every') return 'TRUE';
    if (tag === 'filter') return toSql(val, 'sqlite', { fields: object.fields, values }).sql;
    const one = (id) => `(${id.map((part, at) => values.bind(stored(object.key[at], part))).join(', ')})`;
    return `(${object.key.map((field) => own(field, columnOf(field))).join(', ')}) IN (VALUES ${val.map(one).join(', ')})`;
  }

  #isReferred({ table }) {
    const tables = this.#db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    const referred = tables.flatMap((name) => this.#db.pragma(`foreign_key_list(${quoteName(name)})`).map((key) => key.table));
    return referred.some((name) => quoteName(name).toLowerCase() === table.toLowerCase());
  }

  #prepare(sql) {
    return this.#db.prepare(sql).safeIntegers(true);
  }

  /** better-sqlite3 wants just the names that a statement has. */
  #named(sql) {
    return sql.includes(':actor') ? { actor: this.#identity.val?.id ?? null } : {};
  }

  /** What an error of the engine means: a rule's refusal, a passing lock, or a fault. Only a trigger's own words are quoted. */
  #tell(work) {
    try {
      return work();
    } catch (error) {
      const code = typeof error?.code === 'string' ? error.code : '';
      if (error?.payload || !code.startsWith('SQLITE_')) throw error;
      if (code === 'SQLITE_CONSTRAINT_TRIGGER' && error.message !== 'FOREIGN KEY constraint failed') throw ruled(error.message);
      if (code.startsWith('SQLITE_CONSTRAINT')) throw restricted();
      if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) throw busy();
      if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_PERM') || code.startsWith('SQLITE_AUTH')) throw denied();
      throw error;
    }
  }
}

function textOf(value) {
  return value === null || value === undefined ? undefined : String(value);
}
