/**
 * What crosses the bridge, as it is at run time: the WIT interface `deletegate:records/bridge`.
 *
 * Integers reach your functions as bigints. You may answer with a bigint, or with a number within ±(2^53 − 1);
 * any other number is a fault, since it may have been rounded on its way.
 */

/** One value, exact. */
export type Scalar =
  | { tag: 'null'; val?: undefined }
  | { tag: 'boolean'; val: boolean }
  | { tag: 'integer'; val: bigint }
  /** A number that is no 64-bit integer, in the digits it was written with. */
  | { tag: 'decimal'; val: string }
  /** Text; also a date, `YYYY-MM-DD`, and a uuid, in lower case. */
  | { tag: 'text'; val: string }
  | { tag: 'instant'; val: Instant };

/** A point in time: whole seconds since 1970-01-01T00:00:00Z, and nanoseconds after them. */
export interface Instant {
  seconds: bigint;
  nanoseconds: number;
}

/** A value as you may answer it. */
export type ScalarAnswer =
  | Exclude<Scalar, { tag: 'integer' | 'instant' }>
  | { tag: 'integer'; val: bigint | number }
  | { tag: 'instant'; val: { seconds: bigint | number; nanoseconds: number } };

/** The values of a key, in its declared order. */
export type RecordId = Scalar[];

/** What a field holds, and so which operands and comparisons it takes. */
export type FieldType =
  | 'boolean'
  | 'integer'
  | 'decimal'
  | 'float'
  | 'text'
  | 'uuid'
  | 'date'
  | 'instant'
  | 'text-list'
  | 'opaque';

export interface Field {
  /** The name that a filter uses. */
  name: string;
  type: FieldType;
  /** Whether a record may have no value here. */
  nullable: boolean;
}

/** What the caller may do with one object. */
export interface Access {
  /** The host's own name for the object: the only spelling of it. */
  object: string;
  /** The key, in its declared order; never empty. */
  key: Field[];
  /** The fields that a filter of this caller may name, the key included. */
  fields: Field[];
  verbs: { list?: boolean | undefined; remove?: boolean | undefined };
  /** The engine can restore what it removes. */
  reversible: boolean;
}

/** Who is calling. */
export type Identity =
  | { tag: 'user'; val: { id: string; name?: string | null | undefined } }
  /** The host itself, by its own configuration; never by anything in the call. */
  | { tag: 'system'; val?: undefined }
  /** Nobody known: reads nothing and removes nothing. */
  | { tag: 'anonymous'; val?: undefined };

export interface Principal {
  identity: Identity;
  /** Absent where the object does not exist or is hidden from this caller: the two look the same. */
  access?: Access | null | undefined;
  /** Your own sentence when this caller acts for another with less than the other's view. */
  narrowing?: string | null | undefined;
}

/** How a field is compared with the operands. What you can't evaluate exactly, refuse; never approximate. */
export type Comparison =
  | 'equal'
  | 'less'
  | 'less-or-equal'
  | 'greater'
  | 'greater-or-equal'
  | 'any-of'
  | 'contains'
  | 'starts-with'
  | 'ends-with'
  | 'contains-ignoring-ascii-case'
  | 'contains-all'
  | 'is-null';

export interface Condition {
  field: string;
  comparison: Comparison;
  operands: Scalar[];
}

/** A filter in prefix order: `all-of` and `one-of` take the next n filters. */
export type FilterTerm =
  | { tag: 'all-of' | 'one-of'; val: number }
  | { tag: 'condition'; val: Condition }
  /** True where the condition is not, records without a value included. */
  | { tag: 'unless'; val: Condition };

/** Which records are meant. */
export type Selection =
  | { tag: 'every'; val?: undefined }
  | { tag: 'filter'; val: FilterTerm[] }
  | { tag: 'ids'; val: RecordId[] };

/** One record, as far as a deletion needs it. */
export interface Row {
  id: ScalarAnswer[];
  /** A name for people, as the engine holds it: untrusted text. */
  label?: string | null | undefined;
  /** Changes whenever the record changes; give it only where `remove` checks it in the same step. */
  revision?: string | null | undefined;
}

export interface Page {
  /** In one stable order of the key; no more than were asked for. */
  rows: Row[];
  /** More records follow the last row. */
  more: boolean;
}

export interface Dependents {
  object: string;
  /** As the caller sees them; at least 1. */
  count: bigint | number;
  effect: 'cascade' | 'restrict' | 'detach';
}

export interface Totals {
  count: { tag: 'exact' | 'at-least'; val: bigint | number };
  /** For ids: records of other objects that their removal would reach. Absent where you can't tell. */
  dependents?: Dependents[] | null | undefined;
}

/** What became of one record. */
export type Removal =
  | { tag: 'removed'; val?: undefined }
  /** It is gone, but work that follows the removal failed: your sentence. */
  | { tag: 'removed-with-warning'; val: string }
  /** Nothing was there to remove. */
  | { tag: 'absent'; val?: undefined }
  /** The engine answered without an error and the record is still there. */
  | { tag: 'kept'; val?: undefined }
  /** The record no longer has the given revision; it is still there. */
  | { tag: 'changed'; val?: undefined };

export interface Refusal {
  /** `[A-Z][A-Z0-9_]{0,63}` */
  code: string;
  /** As an HTTP status: 400 to 499. */
  status: number;
  /** One line, at most 500 characters; the caller reads it. */
  reason: string;
  /** The same call may succeed later. */
  retryable?: boolean | undefined;
}

/** Why a function has no answer. */
export type Failure =
  | { tag: 'refused'; val: Refusal }
  | { tag: 'faulted'; val: string }
  | { tag: 'cancelled' | 'deadline-exceeded' | 'unsupported'; val?: undefined };

/** The four functions for one caller, answering at once. Where one has no answer, it throws a {@link Failure} as `payload`. */
export interface SyncBridge {
  /** Who is calling now, and what they may do with this object. Asked anew, never remembered. */
  resolvePrincipal(object: string): Principal;
  /** The records selected, as this caller sees them, behind `after`; at most `limit`, or fewer. */
  query(object: string, selection: Selection, after: RecordId | undefined, limit: number): Page;
  /** Totals over the same selection, as this caller sees it. */
  aggregate(object: string, selection: Selection): Totals;
  /** Deletes one record through the engine's one delete path. With a revision, only while the record still has it. */
  remove(object: string, id: RecordId, revision: string | undefined): Removal;
}

/** The same with promises. It takes JSPI: Node.js 24, Chrome 137. */
export interface AsyncBridge {
  resolvePrincipal(object: string): Promise<Principal>;
  query(object: string, selection: Selection, after: RecordId | undefined, limit: number): Promise<Page>;
  aggregate(object: string, selection: Selection): Promise<Totals>;
  remove(object: string, id: RecordId, revision: string | undefined): Promise<Removal>;
}

export type Bridge = SyncBridge | AsyncBridge;
