import type { FieldType, RecordId, SyncBridge } from '../contract.js';

/** One stored value. A bigint is a whole number beyond 2^53. */
export type Value = null | boolean | number | bigint | string | string[];
export type Row = { [field: string]: Value };

/** What a rule answers to a removal. */
export type Verdict =
  | { refused: { code: string; status: number; reason: string; retryable?: boolean } }
  | { warning: string }
  | { faulted: string }
  | 'kept'
  | 'absent'
  | 'changed'
  | 'cancelled'
  | 'deadline-exceeded'
  | 'unsupported';

/** A test of one record for one user; the text `:actor` stands for the user's id. */
export type Test = { field: string; values: Value[] } | { actors: string[] };

export interface MemoryObject {
  fields: { name: string; type: FieldType; nullable?: boolean; withheld?: boolean }[];
  key: string[];
  /** The field that names a record for people. */
  label?: string | undefined;
  rows: Row[];
  /** Which records a user sees, and which of them they may remove; all, where there is no test. */
  visible?: Test[] | undefined;
  removable?: Test[] | undefined;
  /** Rules that judge each removal; the first that applies answers. */
  locks?: { field: string; values: Value[]; answer: Verdict }[];
  references?: { fields: string[]; object: string; on_delete: 'cascade' | 'restrict' | 'detach' }[];
  hidden?: boolean | undefined;
  denied?: ('list' | 'remove')[] | undefined;
  reversible?: boolean | undefined;
}

/** The format of the conformance suite's fixtures. */
export interface Tables {
  objects: { [name: string]: MemoryObject };
  page?: number | undefined;
  revisions?: boolean | undefined;
  counts?: 'exact' | 'unsupported' | { 'at-least': number };
  dependents_unknown?: boolean | undefined;
  narrowing?: string | undefined;
}

/** An actor is a user, `system` alone is the system, and anything else is nobody known. */
export interface Caller {
  actor?: string | undefined;
  system?: boolean | undefined;
}

/** An engine in memory, for tests and demonstrations. */
export class Memory {
  /** @throws {TypeError} where the tables name what is not there */
  constructor(tables: Tables);
  bridge(caller?: Caller): MemoryBridge;
  rows(object: string): Row[];
  ids(object: string): RecordId[];
  /** Does what somebody else does meanwhile, past every rule. */
  apply(change: { insert: { object: string; row: Row } } | { update: { object: string; key: Row; set: Row } } | { delete: { object: string; key: Row } }): void;
}

/** The four functions over a {@link Memory}, for one caller. */
export class MemoryBridge implements SyncBridge {
  constructor(memory: Memory, caller?: Caller);
  resolvePrincipal: SyncBridge['resolvePrincipal'];
  query: SyncBridge['query'];
  aggregate: SyncBridge['aggregate'];
  remove: SyncBridge['remove'];
}
