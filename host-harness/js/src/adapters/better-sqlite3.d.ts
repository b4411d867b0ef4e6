import type { SyncBridge } from '../contract.js';
import type { SqlField } from '../sql/index.js';

/** One table, as its owner describes it. */
export interface SqlObject {
  /** The table, as SQL; by default the object's quoted name. */
  table?: string | undefined;
  fields: SqlField[];
  /** The names of the key's fields. */
  key: string[];
  /** The field that names a record for people. */
  label?: string | undefined;
  /** SQL over the row, in which `:actor` is the caller's id: which records a user sees. The system sees all. */
  visible?: string | undefined;
  /** The same for which of them a user may remove. */
  removable?: string | undefined;
  /** The field that changes whenever the record does. */
  revision?: string | undefined;
  verbs?: { list?: boolean; remove?: boolean };
  reversible?: boolean | undefined;
  hidden?: boolean | undefined;
}

export interface SqlCaller {
  /** The user's id, as the predicates know it. */
  actor?: string | undefined;
  /** The host itself, by its own configuration. */
  system?: boolean | undefined;
}

/** The part of a better-sqlite3 database that the bridge uses. */
export interface SqliteDatabase {
  prepare(sql: string): any;
  pragma(sql: string): any;
  transaction(work: () => any): any;
  function(name: string, options: any, work: (...args: any[]) => any): any;
}

/**
 * What a database lends to callers. Foreign keys are switched on, and two functions are registered. Triggers speak
 * with `RAISE(ABORT, 'CODE status: sentence')`. A boolean is 0 or 1, an instant RFC 3339 or whole seconds, a text
 * list a JSON list.
 */
export function sqliteBridge(db: SqliteDatabase, objects: { [name: string]: SqlObject }): (caller?: SqlCaller) => SyncBridge;
