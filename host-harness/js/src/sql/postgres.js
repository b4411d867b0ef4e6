// Comparisons as PostgreSQL makes them exactly. Every value travels as text and is cast to the type that it is
// compared as, so the driver's own idea of types does not matter.

import * as decimal from '../decimal.js';
import { show } from '../time.js';

const SIGNS = { less: '<', 'less-or-equal': '<=', greater: '>', 'greater-or-equal': '>=' };
const CASTS = { boolean: 'boolean', integer: 'bigint', decimal: 'numeric', uuid: 'uuid', date: 'date', instant: 'timestamptz', text: 'text' };
/** What a number column may hold and no number is. */
const NO_NUMBER = "('NaN', 'Infinity', '-Infinity')";

/** Whether a stored value fits its field's type. The column's own type says nearly all of it. */
export function fits({ type }, column) {
  switch (type) {
    case 'decimal':
    case 'float':
      return `((${column})::text NOT IN ${NO_NUMBER})`;
    case 'date':
    case 'instant':
      return `isfinite(${column})`;
    default:
      return `(${column} IS NOT NULL)`;
  }
}

/** A comparison as SQL; undefined where the type does not have it. */
export function compare(field, column, { comparison, operands }, values) {
  const { type } = field;
  const [operand] = operands;
  if (type === 'instant') return compareInstant(column, comparison, operands, values);
  if (comparison === 'contains-all') return `(${column} @> ${values.bind(operands.map(({ val }) => val))}::text[])`;
  if (comparison === 'equal' || comparison === 'any-of') {
    if (!CASTS[type]) return undefined;
    return `(${own(field, column)} = ANY (${values.bind(operands.map((one) => stored(field, one)))}::${CASTS[type]}[]))`;
  }
  const sign = SIGNS[comparison];
  if (sign && type === 'float') {
    const [below, above] = decimal.neighbours(decimal.ofScalar(operand));
    return `(${column} ${sign} ${values.bind(String(comparison.startsWith('less') ? below : above))}::float8)`;
  }
  if (sign) return CASTS[type] && `(${own(field, column)} ${sign} ${values.bind(stored(field, operand))}::${CASTS[type]})`;
  if (type !== 'text') return undefined;
  const bytes = own(field, column);
  const text = `${values.bind(operand.val)}::text COLLATE "C"`;
  switch (comparison) {
    case 'contains':
      return `(strpos(${bytes}, ${text}) > 0)`;
    case 'starts-with':
      return `starts_with(${bytes}, ${text})`;
    case 'ends-with':
      return `(right(${bytes}, length(${text})) = ${text})`;
    default:
      // Under the collation "C" lower() folds ASCII alone.
      return `(strpos(lower(${bytes}), lower(${text})) > 0)`;
  }
}

/** The column holds microseconds: a finer operand is rounded inwards, so that a border never widens. */
function compareInstant(column, comparison, operands, values) {
  const between = ({ val }) => val.nanoseconds % 1000 !== 0;
  const floor = ({ val }) => show({ ...val, nanoseconds: val.nanoseconds - (val.nanoseconds % 1000) });
  if (comparison === 'equal' || comparison === 'any-of') {
    const exact = operands.filter((operand) => !between(operand)).map(floor);
    return `(${column} = ANY (${values.bind(exact)}::timestamptz[]))`;
  }
  const sign = between(operands[0]) ? { '<': '<=', '>=': '>' }[SIGNS[comparison]] ?? SIGNS[comparison] : SIGNS[comparison];
  return sign && `(${column} ${sign} ${values.bind(floor(operands[0]))}::timestamptz)`;
}

/** A column as it is compared: text by its bytes, whatever its collation. */
export function own({ type }, column) {
  return type === 'text' ? `((${column})::text COLLATE "C")` : column;
}

/** What is bound for an operand, before its cast. */
export function stored({ type }, { val }) {
  return type === 'instant' ? show(val) : String(val);
}

/** The cast of a key field's values. */
export function castOf({ type }) {
  return CASTS[type];
}

/** A key column's value, which was read as text, as a part of an id. */
export function read({ type }, text) {
  switch (type) {
    case 'boolean':
      return { tag: 'boolean', val: text === 'true' || text === 't' };
    case 'integer':
      return { tag: 'integer', val: BigInt(text) };
    case 'decimal':
      return { tag: 'decimal', val: decimal.show(decimal.parse(text)) };
    case 'instant': {
      const [seconds, micros] = text.split('.');
      return { tag: 'instant', val: { seconds: BigInt(seconds), nanoseconds: Number((micros ?? '').padEnd(9, '0')) } };
    }
    default:
      return { tag: 'text', val: text };
  }
}
