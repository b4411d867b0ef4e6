// A filter of the bridge as one SQL condition with bound values, exact or refused (contract 5 and 10).
//
// | term | SQL |
// | --- | --- |
// | `condition` | the value fits its type AND the comparison |
// | `unless` | the value is null OR (it fits its type AND NOT the comparison) |

import { refused } from '../failure.js';
import * as postgres from './postgres.js';
import * as sqlite from './sqlite.js';
import { foldTerms } from './where.js';

const DIALECTS = { sqlite, postgres };

/** A name in double quotes, as both dialects read it. */
export function quoteName(name) {
  if (name.includes('\0')) throw new TypeError('a name holds no NUL');
  return `"${name.replaceAll('"', '""')}"`;
}

/** Values to be bound, in the order of their places. `first` is the number of the first place. */
export class Values {
  constructor(dialect, first = 1) {
    this.dialect = dialect;
    this.first = first;
    this.all = [];
  }

  /** Binds a value, and gives its place in the SQL. */
  bind(value) {
    this.all.push(value);
    return this.dialect === 'postgres' ? `$${this.first + this.all.length - 1}` : '?';
  }
}

/** What knows one dialect's comparisons. */
export function dialectOf(name) {
  const dialect = DIALECTS[name];
  if (!dialect) throw new TypeError(`no dialect is called ${JSON.stringify(name)}; there are ${Object.keys(DIALECTS).join(' and ')}`);
  return dialect;
}

/** The column of a field: its own `column`, an SQL expression, or its quoted name. */
export function columnOf(field) {
  return field.column ?? quoteName(field.name);
}

/**
 * The filter as SQL.
 *
 * @param {object[]} terms the filter's terms
 * @param {'sqlite' | 'postgres'} dialect
 * @param {{ fields: object[], values?: Values }} options the object's fields, which say how a value is compared
 * @returns {{ sql: string, values: unknown[] }}
 */
export function toSql(terms, dialect, { fields, values = new Values(dialect) }) {
  const { fits, compare } = dialectOf(dialect);
  const fieldOf = ({ field: name }) => {
    const field = fields.find((one) => one.name === name && !one.withheld);
    if (!field) throw refused('INVALID_FIELD', 400, 'The object has no such field.');
    return field;
  };
  const compared = (field, condition) => {
    const sql = compare(field, columnOf(field), condition, values);
    if (sql === undefined) throw refused('INVALID_FILTER', 400, `The field ${JSON.stringify(field.name)} can't be compared so.`);
    return sql;
  };
  const sql = foldTerms(terms, {
    allOf: (inner) => `(${inner.join(' AND ')})`,
    oneOf: (inner) => `(${inner.join(' OR ')})`,
    condition(condition) {
      const field = fieldOf(condition);
      if (condition.comparison === 'is-null') return `(${columnOf(field)} IS NULL)`;
      return `(${fits(field, columnOf(field))} AND ${compared(field, condition)})`;
    },
    unless(condition) {
      const field = fieldOf(condition);
      const fit = fits(field, columnOf(field));
      if (condition.comparison === 'is-null') return `(${columnOf(field)} IS NOT NULL AND ${fit})`;
      return `(${columnOf(field)} IS NULL OR (${fit} AND NOT ${compared(field, condition)}))`;
    },
  });
  return { sql, values: values.all };
}
