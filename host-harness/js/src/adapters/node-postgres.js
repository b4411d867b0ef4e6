// A bridge over node-postgres: each function in a transaction of its own, under the caller's identity.

import { deadlineExceeded, faulted } from '../failure.js';
import { Values, columnOf, toSql } from '../sql/index.js';
import { castOf, fits, own, read, stored } from '../sql/postgres.js';
import { behind, busy, denied, describe, identityOf, notFound, predicate, principalOf, restricted, ruled } from './common.js';

const TRANSIENT = new Set(['40001', '40P01', '55P03']);

/**
 * What a pool lends to callers; see `node-postgres.d.ts` for the options.
 *
 * @returns {(caller: { actor?: string, system?: boolean }) => object} the four functions for a caller
 */
export function postgresBridge(pool, objects, { role, setting = 'app.actor' } = {}) {
  const described = describe(objects);
  return (caller = {}) => new PostgresBridge(pool, described, identityOf(caller), { role, setting });
}

class PostgresBridge {
  #pool;
  #objects;
  #identity;
  #options;

  constructor(pool, objects, identity, options) {
    this.#pool = pool;
    this.#objects = objects;
    this.#identity = identity;
    this.#options = options;
  }

  resolvePrincipal = async (name) => principalOf(this.#objects.get(name), this.#identity);

  query = async (name, selection, after, limit) => {
    const object = this.#known(name);
    const values = new Values('postgres');
    const parts = [this.#seen(object, values), chosen(object, selection, values)];
    const place = (field, scalar) => `${values.bind(stored(field, scalar))}::${castOf(field)}`;
    if (after) parts.push(behind(object.key, after, { own: (field) => own(field, columnOf(field)), place }));
    const order = object.key.map((field) => own(field, columnOf(field))).join(', ');
    const columns = [...object.key.map(asText), `(${object.label ?? 'NULL'})::text`, `(${object.revision ?? 'xmin'})::text`];
    const named = columns.map((column, at) => `${column} AS c${at}`).join(', ');
    const sql = `SELECT ${named} FROM ${object.table} WHERE ${parts.join(' AND ')} ORDER BY ${order} LIMIT ${limit + 1}`;
    const { rows } = await this.#within((client) => client.query({ text: sql, values: values.all, rowMode: 'array' }));
    const width = object.key.length;
    const shown = rows.slice(0, limit).map((row) => ({
      id: object.key.map((field, at) => read(field, row[at])),
      label: row[width],
      revision: row[width + 1],
    }));
    return { rows: shown, more: rows.length > limit };
  };

  aggregate = async (name, selection) => {
    const object = this.#known(name);
    const values = new Values('postgres');
    const where = `${this.#seen(object, values)} AND ${chosen(object, selection, values)}`;
    const referred = `SELECT count(*)::text FROM pg_constraint WHERE contype = 'f' AND confrelid = ${values.bind(object.table)}::regclass`;
    const sql = `SELECT (SELECT count(*)::text FROM ${object.table} WHERE ${where}), (${referred})`;
    const { rows } = await this.#within((client) => client.query({ text: sql, values: values.all, rowMode: 'array' }));
    const [[count, keys]] = rows;
    // Where no table refers to this one nothing goes with it; else this adapter can't tell what would.
    return { count: { tag: 'exact', val: BigInt(count) }, dependents: selection.tag === 'ids' && keys === '0' ? [] : undefined };
  };

  remove = async (name, id, revision) => {
    const object = this.#known(name);
    if (object.verbs?.remove === false) throw denied();
    return this.#within(async (client) => {
      const values = new Values('postgres');
      const is = object.key.map((field, at) => `${own(field, columnOf(field))} = ${values.bind(stored(field, id[at]))}::${castOf(field)}`).join(' AND ');
      const keys = [...values.all];
      const version = `(${object.revision ?? 'xmin'})::text`;
      const removable = this.#judged(object.removable, values);
      const find = `SELECT ${removable}, ${version} FROM ${object.table} WHERE ${is} AND ${this.#seen(object, values)} LIMIT 2`;
      const { rows } = await client.query({ text: find, values: values.all, rowMode: 'array' });
      if (rows.length === 0) return { tag: 'absent' };
      if (rows.length > 1) throw faulted('More than one record has this key.');
      if (revision !== undefined && rows[0][1] !== revision) return { tag: 'changed' };
      if (rows[0][0] !== true) throw denied();
      // The revision again, since somebody else may have come between; the count of the statement decides.
      const checked = revision === undefined ? '' : ` AND ${version} = $${keys.length + 1}`;
      const bound = revision === undefined ? keys : [...keys, revision];
      const { rowCount } = await client.query(`DELETE FROM ${object.table} WHERE ${is}${checked}`, bound);
      if (rowCount === 1) return { tag: 'removed' };
      if (rowCount > 1) throw faulted('More than one record has this key.');
      const left = await client.query({ text: `SELECT ${version} FROM ${object.table} WHERE ${is}`, values: keys, rowMode: 'array' });
      if (left.rows.length === 0) return { tag: 'absent' };
      return { tag: revision !== undefined && left.rows[0][0] !== revision ? 'changed' : 'kept' };
    });
  };

  #known(name) {
    const object = this.#objects.get(name);
    if (!object || object.hidden || this.#identity.tag === 'anonymous') throw notFound();
    return object;
  }

  #seen(object, values) {
    const key = object.key.map((field) => fits(field, columnOf(field)));
    return [...key, this.#judged(object.visible, values)].join(' AND ');
  }

  #judged(sql, values) {
    // A value that is bound and not used is an error.
    const used = this.#identity.tag === 'user' && sql?.includes(':actor');
    return predicate(sql, this.#identity, used ? `${values.bind(this.#identity.val.id)}::text` : 'NULL');
  }

  /** A transaction under the caller's identity; what it answers counts after COMMIT. */
  async #within(work) {
    const client = await this.#pool.connect().catch((error) => {
      throw tell(error);
    });
    let broken;
    try {
      await client.query('BEGIN');
      // Set for the transaction alone, so that the next caller of this connection is not this one.
      const { role, setting } = this.#options;
      await client.query('SELECT set_config($1, $2, true)', [setting, this.#identity.val?.id ?? '']);
      if (role) await client.query("SELECT set_config('role', $1, true)", [role]);
      const answer = await work(client);
      await client.query('COMMIT');
      return answer;
    } catch (error) {
      // A connection that can't be reset is dropped.
      await client.query('ROLLBACK').catch((cause) => (broken = cause));
      throw tell(error);
    } finally {
      client.release(broken);
    }
  }
}

function chosen(object, { tag, val }, values) {
  if (tag === 'every') return 'TRUE';
  if (tag === 'filter') return toSql(val, 'postgres', { fields: object.fields, values }).sql;
  const lists = object.key.map((field, at) => `${values.bind(val.map((id) => stored(field, id[at])))}::${castOf(field)}[]`);
  return `(${object.key.map((field) => own(field, columnOf(field))).join(', ')}) IN (SELECT * FROM unnest(${lists.join(', ')}))`;
}

/** A key column as text that is exact whatever the session's settings say. */
function asText(field) {
  const column = columnOf(field);
  if (field.type === 'instant') return `(extract(epoch FROM ${column}))::text`;
  return field.type === 'date' ? `to_char(${column}, 'YYYY-MM-DD')` : `(${column})::text`;
}

/** What an error of the engine means, by its SQLSTATE and never by its text; only a rule's own words are quoted. */
function tell(error) {
  const state = error?.code;
  if (error?.payload || typeof state !== 'string') return error;
  if (state === 'P0001') return ruled(error.message);
  if (state === '23503' || state === '23001') return restricted();
  if (state === '42501') return denied();
  if (TRANSIENT.has(state)) return busy();
  // A statement's own time limit.
  return state === '57014' ? deadlineExceeded() : error;
}
