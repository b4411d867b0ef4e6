// Filters in plain JavaScript, by section 5 of the contract and nothing else. Written to be read next to it
// rather than to be fast.

import * as decimal from '../decimal.js';
import { order, stored } from './value.js';

const ORDERED = ['less', 'less-or-equal', 'greater', 'greater-or-equal'];
const EQUALITY = ['equal', 'any-of'];
const TEXTUAL = ['contains', 'starts-with', 'ends-with', 'contains-ignoring-ascii-case'];
const COMPARISONS = {
  boolean: EQUALITY,
  uuid: EQUALITY,
  integer: [...EQUALITY, ...ORDERED],
  decimal: [...EQUALITY, ...ORDERED],
  date: [...EQUALITY, ...ORDERED],
  instant: [...EQUALITY, ...ORDERED],
  float: ORDERED,
  text: [...EQUALITY, ...ORDERED, ...TEXTUAL],
  'text-list': ['contains-all'],
  opaque: [],
};
const OPERANDS = { text: 'text', uuid: 'text', date: 'text', 'text-list': 'text', boolean: 'boolean', integer: 'integer', instant: 'instant' };

/** What is wrong with a filter that these fields can't evaluate exactly, as a sentence; undefined where nothing is. */
export function faultOf(fields, terms) {
  let open = 1;
  for (const { tag, val } of terms) {
    if (open === 0) return 'the filter goes on after its end';
    open -= 1;
    if (tag === 'all-of' || tag === 'one-of') {
      if (val < 2) return 'a group holds at least two filters';
      open += val;
    } else {
      const fault = conditionFault(fields, val);
      if (fault) return fault;
    }
  }
  return open > 0 ? 'the filter ends before its last group is full' : undefined;
}

function conditionFault(fields, { field: name, comparison, operands }) {
  const field = fields.find((one) => one.name === name && !one.withheld);
  if (!field) return `no field is called ${JSON.stringify(name)}`;
  const counted =
    comparison === 'is-null' ? operands.length === 0 : ['any-of', 'contains-all'].includes(comparison) ? operands.length > 0 : operands.length === 1;
  if (!counted) return `${operands.length} operands are not what the comparison of ${JSON.stringify(name)} takes`;
  if (comparison !== 'is-null' && !COMPARISONS[field.type].includes(comparison)) {
    return `the type of ${JSON.stringify(name)} does not have this comparison`;
  }
  const fits = (operand) => (OPERANDS[field.type] ? operand.tag === OPERANDS[field.type] : decimal.ofScalar(operand) !== undefined);
  return operands.every(fits) ? undefined : `an operand of ${JSON.stringify(name)} is not of its type`;
}

/** Whether the filter is true for the row. The filter has no fault. */
export function matches(fields, terms, row) {
  let at = 0;
  // A group never stops early, since its rest must be taken too.
  const next = () => {
    const { tag, val } = terms[at++];
    if (tag === 'all-of' || tag === 'one-of') {
      const inner = Array.from({ length: val }, next);
      return tag === 'all-of' ? inner.every(Boolean) : inner.some(Boolean);
    }
    return holds(fields, val, row) === (tag === 'condition');
  };
  return next();
}

/** Whether the condition is true; undefined for a stored value that does not fit its field. */
function holds(fields, { field: name, comparison, operands }, row) {
  const value = stored(fields.find((field) => field.name === name).type, row[name]);
  if (value.kind === 'misfit') return undefined;
  if (value.kind === 'null') return comparison === 'is-null';
  switch (comparison) {
    case 'is-null':
      return false;
    case 'contains-all':
      return operands.every((operand) => value.value.includes(operand.val));
    case 'any-of':
      return operands.some((operand) => order(value, operand) === 0);
    default:
      return value.kind === 'float' ? compareFloat(value.value, comparison, operands[0]) : compare(value, comparison, operands[0]);
  }
}

function compare(value, comparison, operand) {
  switch (comparison) {
    case 'contains':
      return value.value.includes(operand.val);
    case 'starts-with':
      return value.value.startsWith(operand.val);
    case 'ends-with':
      return value.value.endsWith(operand.val);
    case 'contains-ignoring-ascii-case':
      return lower(value.value).includes(lower(operand.val));
    default:
      return satisfies(order(value, operand), comparison);
  }
}

/** A double against a decimal operand: one between two doubles is rounded inwards, so that a border never widens. */
function compareFloat(value, comparison, operand) {
  const [below, above] = decimal.neighbours(decimal.ofScalar(operand));
  const border = comparison.startsWith('less') ? below : above;
  return satisfies(value < border ? -1 : value > border ? 1 : 0, comparison);
}

function satisfies(found, comparison) {
  if (found === undefined) return false;
  return { equal: found === 0, less: found < 0, 'less-or-equal': found <= 0, greater: found > 0, 'greater-or-equal': found >= 0 }[comparison];
}

function lower(text) {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
