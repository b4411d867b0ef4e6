// An engine in memory: tables and rules as plain data, for tests, demonstrations and the conformance suite.

import { cancelled, deadlineExceeded, faulted, refused, unsupported } from '../failure.js';
import { identifyId } from '../scalar.js';
import { byBytes } from '../text.js';
import { faultOf, matches } from './filter.js';
import { reached } from './reach.js';
import { checkTables } from './tables.js';
import { keyPart, orderOfKeys, same, stored } from './value.js';

const EFFECTS = ['cascade', 'restrict', 'detach'];

/** Tables, and what lends them to callers. */
export class Memory {
  /** @throws {TypeError} where the tables name what is not there */
  constructor(tables) {
    checkTables(tables);
    this.tables = structuredClone(tables);
  }

  /** What this engine lends to a caller: `{ actor }`, `{ system: true }`, or nobody known. */
  bridge(caller = {}) {
    return new MemoryBridge(this, caller);
  }

  /** The records of an object, as they are now. */
  rows(object) {
    return structuredClone(this.tables.objects[object]?.rows ?? []);
  }

  /** The ids that are there now, whoever may see them, in the order of the key. */
  ids(name) {
    const object = this.tables.objects[name];
    return object.rows.map((row) => idOf(object, row)).filter(Boolean).sort(orderOfKeys);
  }

  /** Does what somebody else does meanwhile, past every rule: `{ insert }`, `{ update }` or `{ delete }`. */
  apply(change) {
    const [[kind, { object, row, key, set }]] = Object.entries(change);
    const { rows } = this.tables.objects[object];
    if (kind === 'insert') {
      rows.push(structuredClone(row));
      return;
    }
    const at = rows.findIndex((one) => Object.entries(key).every(([name, value]) => same(one[name], value)));
    if (at < 0) throw new TypeError(`${object} has no record of this key`);
    if (kind === 'update') rows[at] = { ...rows[at], ...structuredClone(set) };
    else rows.splice(at, 1);
  }
}

/** The four functions over a {@link Memory}, for one caller. */
export class MemoryBridge {
  #tables;
  #identity;
  #user;

  constructor(memory, { actor, system } = {}) {
    this.#tables = memory.tables;
    this.#user = actor;
    // An actor is a user, `system` alone is the system, and anything else is nobody known.
    if (typeof actor === 'string') this.#identity = { tag: 'user', val: { id: actor } };
    else this.#identity = { tag: system === true ? 'system' : 'anonymous' };
  }

  resolvePrincipal = (name) => {
    const object = this.#offered(name);
    const access = object && accessOf(name, object);
    return { identity: this.#identity, access, narrowing: access && this.#tables.narrowing };
  };

  query = (name, selection, after, limit) => {
    const object = this.#known(name);
    const found = this.#selected(object, selection).filter(({ id }) => after === undefined || orderOfKeys(id, after) > 0);
    const most = Math.min(limit, this.#tables.page ?? limit);
    const rows = found.slice(0, most).map(({ id, row }) => ({ id, label: labelOf(object, row), revision: this.#revision(row) }));
    return { rows, more: found.length > most };
  };

  aggregate = (name, selection) => {
    const object = this.#known(name);
    const found = this.#selected(object, selection);
    const { counts = 'exact', dependents_unknown: unknown = false } = this.#tables;
    if (counts === 'unsupported') throw unsupported();
    const most = counts['at-least'] ?? Infinity;
    const count = found.length > most ? { tag: 'at-least', val: most } : { tag: 'exact', val: found.length };
    const told = selection.tag === 'ids' && !unknown;
    return { count, dependents: told ? this.#dependents(name, found.map(({ row }) => row)) : undefined };
  };

  remove = (name, id, revision) => {
    const object = this.#known(name);
    const wanted = identifyId(id);
    const row = object.rows.find((one) => identifyOf(object, one) === wanted && this.#passes(object.visible, one));
    if (row === undefined) return { tag: 'absent' };
    if (revision !== undefined && this.#revision(row) !== revision) return { tag: 'changed' };
    if (object.denied?.includes('remove') || !this.#passes(object.removable, row)) {
      throw refused('PERMISSION_DENIED', 403, 'This caller may not remove this record.');
    }
    const verdict = verdictOf(object, row);
    if (verdict !== undefined && verdict.warning === undefined) return say(verdict);
    const { found, gone } = reached(this.#tables, name, [row]);
    for (const [child, rows] of gone) this.#askChildren(this.#tables.objects[child], rows, row);
    if (found.some(({ effect }) => effect === 'restrict')) throw restricted();
    for (const { row: child, fields } of found.filter(({ effect }) => effect === 'detach')) {
      for (const field of fields) child[field] = null;
    }
    for (const [child, rows] of gone) {
      const table = this.#tables.objects[child];
      if (rows.size > 0) table.rows = table.rows.filter((one) => !rows.has(one));
    }
    return verdict === undefined ? { tag: 'removed' } : { tag: 'removed-with-warning', val: verdict.warning };
  };

  /** The rules of the records that would go too. */
  #askChildren(object, rows, first) {
    for (const row of rows) {
      const verdict = row === first ? undefined : verdictOf(object, row);
      if (verdict === undefined || verdict.warning !== undefined) continue;
      // A record that stays keeps the one it points to.
      if (['kept', 'absent', 'changed'].includes(verdict)) throw restricted();
      say(verdict);
    }
  }

  #offered(name) {
    const object = Object.hasOwn(this.#tables.objects, name) ? this.#tables.objects[name] : undefined;
    return this.#identity.tag === 'anonymous' || object?.hidden ? undefined : object;
  }

  #known(name) {
    const object = this.#offered(name);
    if (object === undefined) throw refused('OBJECT_NOT_FOUND', 404, 'There is no such object.');
    return object;
  }

  #selected(object, { tag, val }) {
    const fault = tag === 'filter' ? faultOf(object.fields, val) : undefined;
    if (fault) throw refused('FILTER_REFUSED', 400, fault);
    const ids = tag === 'ids' ? new Set(val.map(identifyId)) : undefined;
    const wanted = ({ id, row }) => (ids ? ids.has(identifyId(id)) : tag === 'every' || matches(object.fields, val, row));
    return object.rows
      .filter((row) => this.#passes(object.visible, row))
      .map((row) => ({ id: idOf(object, row), row }))
      .filter((one) => one.id !== undefined && wanted(one))
      .sort((one, other) => orderOfKeys(one.id, other.id));
  }

  /** Tests are made for users: the system passes them all, and nobody known passes none. */
  #passes(tests = [], row) {
    if (this.#identity.tag !== 'user') return this.#identity.tag === 'system';
    const holds = ({ field, values, actors }) =>
      actors ? actors.includes(this.#user) : values.some((value) => same(row[field], value === ':actor' ? this.#user : value));
    return tests.length === 0 || tests.some(holds);
  }

  #dependents(name, rows) {
    const totals = new Map();
    const seen = new Set();
    for (const { object, row, effect } of reached(this.#tables, name, rows).found) {
      const table = this.#tables.objects[object];
      const once = `${effect} ${object} ${table.rows.indexOf(row)}`;
      if (table.hidden || seen.has(once) || !this.#passes(table.visible, row)) continue;
      seen.add(once);
      const kind = `${effect} ${object}`;
      const total = totals.get(kind) ?? { object, count: 0, effect };
      totals.set(kind, { ...total, count: total.count + 1 });
    }
    const order = (one, other) => byBytes(one.object, other.object) || EFFECTS.indexOf(one.effect) - EFFECTS.indexOf(other.effect);
    return [...totals.values()].sort(order);
  }

  #revision(row) {
    return this.#tables.revisions === false ? undefined : fingerprint(row);
  }
}

function accessOf(name, object) {
  const plain = ({ name: field, type, nullable = false }) => ({ name: field, type, nullable });
  return {
    object: name,
    key: object.key.map((part) => plain(object.fields.find((field) => field.name === part))),
    fields: object.fields.filter((field) => !field.withheld).map(plain),
    verbs: { list: !object.denied?.includes('list'), remove: !object.denied?.includes('remove') },
    reversible: object.reversible ?? false,
  };
}

/** The record's key; undefined where it does not fit the key's types, which makes the record invisible. */
function idOf(object, row) {
  const id = object.key.map((name) => keyPart(stored(object.fields.find((field) => field.name === name).type, row[name])));
  return id.includes(undefined) ? undefined : id;
}

function identifyOf(object, row) {
  const id = idOf(object, row);
  return id && identifyId(id);
}

function labelOf({ label }, row) {
  const value = label === undefined ? undefined : row[label];
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined;
}

/** What the first rule that applies to the record says. */
function verdictOf({ locks = [] }, row) {
  return locks.find(({ field, values }) => values.some((value) => same(value, row[field])))?.answer;
}

function say(verdict) {
  if (verdict.refused) {
    const { code, status, reason, retryable = false } = verdict.refused;
    throw refused(code, status, reason, { retryable });
  }
  if (verdict.faulted !== undefined) throw faulted(verdict.faulted);
  if (verdict === 'cancelled') throw cancelled();
  if (verdict === 'deadline-exceeded') throw deadlineExceeded();
  if (verdict === 'unsupported') throw unsupported();
  return { tag: verdict };
}

function restricted() {
  return refused('DELETE_RESTRICTED', 409, 'Other records depend on this one.');
}

/** What the record holds, names sorted: it changes whenever the record does. */
function fingerprint(row) {
  const shown = ([name, value]) => [name, typeof value, typeof value === 'bigint' ? String(value) : value];
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)).map(shown));
}
