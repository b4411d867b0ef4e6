// Comparisons as SQLite makes them exactly. Two functions have to be registered with the connection, since
// SQLite has no points in time and no lists: see FUNCTIONS.

import * as decimal from '../decimal.js';
import { refused } from '../failure.js';
import { parseInstant } from '../time.js';

const HEX = '[0-9a-f]';
const UUID = [8, 4, 4, 4, 12].map((length) => HEX.repeat(length)).join('-');
const LARGEST = '1.7976931348623157e308';
const SIGNS = { less: '<', 'less-or-equal': '<=', greater: '>', 'greater-or-equal': '>=' };

/** Deterministic functions that a connection needs for instants and text lists. */
export const FUNCTIONS = {
  /** A stored instant (RFC 3339, or whole seconds) as a text in the order of time; null where it is none. */
  deletegate_instant(stored) {
    if (typeof stored === 'bigint') return sortable({ seconds: stored, nanoseconds: 0 });
    const instant = typeof stored === 'string' ? parseInstant(stored) : undefined;
    return instant ? sortable(instant) : null;
  },
  /** Whether a stored JSON list of texts holds every text of another; null where it is no such list. */
  deletegate_holds(stored, wanted) {
    let entries;
    try {
      entries = JSON.parse(stored);
    } catch {
      return null;
    }
    if (typeof stored !== 'string' || !Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) return null;
    return Number(JSON.parse(wanted).every((entry) => entries.includes(entry)));
  },
};

/** Whether a stored value fits its field's type, as SQL that is never true of null. */
export function fits({ type }, column) {
  switch (type) {
    case 'integer':
      return `typeof(${column}) = 'integer'`;
    case 'boolean':
      return `(typeof(${column}) = 'integer' AND ${column} IN (0, 1))`;
    case 'decimal':
    case 'float':
      return `(typeof(${column}) IN ('integer', 'real') AND ${column} BETWEEN -${LARGEST} AND ${LARGEST})`;
    case 'text':
      return `typeof(${column}) = 'text'`;
    case 'uuid':
      return `(typeof(${column}) = 'text' AND lower(${column}) GLOB '${UUID}')`;
    case 'date':
      // The calendar makes a day that does not exist another; older ones only where they reckon.
      return `(typeof(${column}) = 'text' AND date(${column}, '+0 days') = ${column} COLLATE BINARY AND ${column} >= '0001-01-01')`;
    case 'instant':
      return `deletegate_instant(${column}) IS NOT NULL`;
    case 'text-list':
      return `deletegate_holds(${column}, '[]') IS NOT NULL`;
    default:
      return `${column} IS NOT NULL`;
  }
}

/** A comparison as SQL that is never null where the value fits; undefined where the type does not have it. */
export function compare(field, column, { comparison, operands }, values) {
  const [operand] = operands;
  const sign = SIGNS[comparison];
  if (comparison === 'equal' || comparison === 'any-of') {
    if (field.type === 'float') return undefined;
    return `(${own(field, column)} IN (${operands.map((one) => values.bind(stored(field, one))).join(', ')}))`;
  }
  if (comparison === 'contains-all') {
    return `deletegate_holds(${column}, ${values.bind(JSON.stringify(operands.map(({ val }) => val)))})`;
  }
  if (sign && field.type === 'float') {
    const [below, above] = decimal.neighbours(decimal.ofScalar(operand));
    return `(${column} ${sign} ${values.bind(comparison.startsWith('less') ? below : above)})`;
  }
  if (sign) return `(${own(field, column)} ${sign} ${values.bind(stored(field, operand))})`;
  if (field.type !== 'text') return undefined;
  const text = () => values.bind(operand.val);
  switch (comparison) {
    case 'contains':
      return `(instr(${column}, ${text()}) > 0)`;
    case 'starts-with':
      return `(instr(${column}, ${text()}) = 1)`;
    case 'ends-with':
      // By bytes, since SQLite counts the characters of a text to its first NUL.
      return `(substr(CAST(${column} AS BLOB), -length(CAST(${text()} AS BLOB))) = CAST(${text()} AS BLOB))`;
    default:
      // Without an extension SQLite's lower() folds ASCII alone.
      return `(instr(lower(${column}), lower(${text()})) > 0)`;
  }
}

/** A column as it is compared: without its collation, and without turning what stands beside it. */
export function own({ type }, column) {
  if (type === 'instant') return `deletegate_instant(${column})`;
  if (type === 'uuid') return `lower(${column})`;
  return type === 'text' || type === 'date' ? `(+${column} COLLATE BINARY)` : column;
}

/** What a column holds for an operand. */
export function stored({ type }, { tag, val }) {
  switch (type) {
    case 'boolean':
      return val ? 1n : 0n;
    case 'instant':
      return sortable(val);
    case 'decimal': {
      if (tag === 'integer') return val;
      const nearest = Number(val);
      // A column holds binary numbers: what lies between two of them was rounded when it was written.
      const same = Number.isFinite(nearest) && decimal.compare(decimal.parse(String(nearest)), decimal.parse(val)) === 0;
      if (!same) throw refused('FILTER_NOT_EXACT', 400, "SQLite can't compare this number exactly: it has too many digits.");
      return nearest;
    }
    default:
      return val;
  }
}

/** A key column's value as a part of an id; the column fits. */
export function read({ type }, value) {
  switch (type) {
    case 'boolean':
      return { tag: 'boolean', val: value === 1n };
    case 'integer':
      return { tag: 'integer', val: value };
    case 'decimal':
      return typeof value === 'bigint' ? { tag: 'integer', val: value } : { tag: 'decimal', val: decimal.show(decimal.parse(String(value))) };
    case 'instant':
      return { tag: 'instant', val: typeof value === 'bigint' ? { seconds: value, nanoseconds: 0 } : parseInstant(value) };
    default:
      return { tag: 'text', val: type === 'uuid' ? value.toLowerCase() : value };
  }
}

/** An instant as a text whose bytes have the order of time. */
function sortable({ seconds, nanoseconds }) {
  // From the least 64-bit integer, so that what comes first has the smaller digits.
  return `${String(seconds + 2n ** 63n).padStart(20, '0')}.${String(nanoseconds).padStart(9, '0')}`;
}
