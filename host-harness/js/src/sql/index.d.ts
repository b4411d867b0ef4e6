import type { FieldType, FilterTerm } from '../contract.js';

/** A field as SQL knows it. */
export interface SqlField {
  name: string;
  type: FieldType;
  nullable?: boolean | undefined;
  /** No filter may name it. */
  withheld?: boolean | undefined;
  /** An SQL expression for the column; by default the quoted name. */
  column?: string | undefined;
}

/** Values to be bound, in the order of their places. */
export class Values {
  constructor(dialect: 'sqlite' | 'postgres', first?: number);
  bind(value: unknown): string;
  readonly all: unknown[];
}

/**
 * A filter of the bridge as one SQL condition with bound values: exact, or refused. SQLite's connection needs the
 * functions of `FUNCTIONS`, which the adapter registers.
 *
 * @throws {BridgeFailure} where the fields can't be compared so, or not exactly
 */
export function toSql(
  filter: FilterTerm[],
  dialect: 'sqlite' | 'postgres',
  options: { fields: SqlField[]; values?: Values },
): { sql: string; values: unknown[] };

/** A name in double quotes. */
export function quoteName(name: string): string;
