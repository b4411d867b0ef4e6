// A filter of the bridge back in the `$` grammar of the tools' `where` (contract 5): for engines that filter by
// documents, and for people who want to see what was asked.

import { show } from '../time.js';

const OPERATORS = {
  equal: '$eq',
  less: '$lt',
  'less-or-equal': '$lte',
  greater: '$gt',
  'greater-or-equal': '$gte',
  'any-of': '$in',
  contains: '$contains',
  'starts-with': '$startsWith',
  'ends-with': '$endsWith',
  'contains-ignoring-ascii-case': '$icontains',
};
const NEGATED = { equal: '$ne', 'any-of': '$nin', contains: '$notContains' };

/** The filter as an object; the tools read it as the same filter again. */
export function toWhere(terms) {
  return foldTerms(terms, {
    allOf: (inner) => ({ $and: inner }),
    oneOf: (inner) => ({ $or: inner }),
    condition: (condition) => one(condition),
    unless: (condition) => not(condition),
  });
}

/** Takes a filter in prefix order apart, from its leaves up. */
export function foldTerms(terms, { allOf, oneOf, condition, unless }) {
  let at = 0;
  const next = () => {
    if (at === terms.length) throw new TypeError('the filter ends before its last group is full');
    const { tag, val } = terms[at++];
    if (tag === 'condition') return condition(val);
    if (tag === 'unless') return unless(val);
    // A group of none would be true of every record.
    if (!(val >= 2)) throw new TypeError('a group holds at least two filters');
    const inner = Array.from({ length: val }, next);
    return tag === 'all-of' ? allOf(inner) : oneOf(inner);
  };
  const whole = next();
  if (at !== terms.length) throw new TypeError('the filter goes on after its end');
  return whole;
}

function one({ field, comparison, operands }) {
  const values = operands.map(plain);
  if (comparison === 'is-null') return named(field, null);
  if (comparison === 'any-of') return named(field, { $in: values });
  if (comparison !== 'contains-all') return named(field, { [OPERATORS[comparison]]: values[0] });
  const entries = values.map((value) => named(field, { $contains: value }));
  return entries.length === 1 ? entries[0] : { $and: entries };
}

function not(condition) {
  const { field, comparison, operands } = condition;
  if (comparison === 'is-null') return named(field, { $ne: null });
  const operator = NEGATED[comparison];
  if (!operator) return { $not: one(condition) };
  const values = operands.map(plain);
  return named(field, { [operator]: comparison === 'any-of' ? values : values[0] });
}

function named(field, value) {
  // Not by assignment, which would make a field called `__proto__` something else than a member.
  return Object.defineProperty({}, field, { value, enumerable: true, writable: true, configurable: true });
}

/** A value as JSON has it; what a double can't hold exactly is a string, which the tools read exactly. */
function plain({ tag, val }) {
  if (tag === 'integer') return Number.isSafeInteger(Number(val)) ? Number(val) : String(val);
  return tag === 'instant' ? show(val) : (val ?? null);
}
