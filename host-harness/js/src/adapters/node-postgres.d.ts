import type { AsyncBridge } from '../contract.js';
import type { SqlCaller, SqlObject } from './better-sqlite3.js';

export type { SqlCaller, SqlObject };

/** The part of a node-postgres pool that the bridge uses. */
export interface PostgresPool {
  connect(): Promise<{ query(...args: any[]): Promise<any>; release(error?: any): void }>;
}

export interface PostgresOptions {
  /** The role of each transaction, so that its privileges and row-level security judge. */
  role?: string | undefined;
  /** The setting that holds the caller's id for the transaction, for policies; `app.actor`. */
  setting?: string | undefined;
}

/**
 * What a pool lends to callers: each function is a transaction of its own. Triggers speak with
 * `RAISE EXCEPTION 'CODE status: sentence'`. It is asynchronous: Node.js 24.
 */
export function postgresBridge(
  pool: PostgresPool,
  objects: { [name: string]: SqlObject },
  options?: PostgresOptions,
): (caller?: SqlCaller) => AsyncBridge;
