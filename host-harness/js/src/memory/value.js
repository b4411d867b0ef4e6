// What a row stores, and how it reads as a field's type.
//
// A stored value that does not fit its field's type ('soon' in an instant field) is a misfit: it matches
// neither a condition nor its negation (contract 5).

import * as decimal from '../decimal.js';
import { byBytes } from '../text.js';
import * as time from '../time.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MISFIT = { kind: 'misfit' };

/** Reads a value as a type: `{ kind, value }`, or `{ kind: 'null' }`, or `{ kind: 'misfit' }`. */
export function stored(type, value) {
  if (value === undefined || value === null) return { kind: 'null' };
  const integer = asInteger(value);
  const text = typeof value === 'string' ? value : undefined;
  switch (type) {
    case 'opaque':
      return { kind: 'opaque' };
    case 'boolean':
      return typeof value === 'boolean' ? { kind: type, value } : MISFIT;
    case 'integer':
      return integer === undefined ? MISFIT : { kind: type, value: integer };
    case 'decimal': {
      const exact = ['string', 'number', 'bigint'].includes(typeof value) ? decimal.parse(String(value)) : undefined;
      return exact ? { kind: type, value: exact } : MISFIT;
    }
    case 'float':
      return integer !== undefined || Number.isFinite(value) ? { kind: type, value: Number(value) } : MISFIT;
    case 'text':
      return text === undefined ? MISFIT : { kind: 'text', value: text };
    case 'uuid':
      return text !== undefined && UUID.test(text) ? { kind: 'text', value: text.toLowerCase() } : MISFIT;
    case 'date':
      return text !== undefined && time.isDate(text) ? { kind: 'text', value: text } : MISFIT;
    case 'instant': {
      const instant = text === undefined ? undefined : time.parseInstant(text);
      return instant ? { kind: type, value: instant } : MISFIT;
    }
    case 'text-list':
      return Array.isArray(value) ? { kind: type, value } : MISFIT;
    default:
      return MISFIT;
  }
}

/** How a stored value stands to an operand; undefined where the two are of different types. */
export function order({ kind, value }, operand) {
  switch (kind) {
    case 'boolean':
      return operand.tag === 'boolean' ? Number(value) - Number(operand.val) : undefined;
    case 'integer':
      return operand.tag === 'integer' ? sign(value, operand.val) : undefined;
    case 'decimal': {
      const exact = decimal.ofScalar(operand);
      return exact && decimal.compare(value, exact);
    }
    case 'text':
      return operand.tag === 'text' ? byBytes(value, operand.val) : undefined;
    case 'instant':
      return operand.tag === 'instant' ? time.compare(value, operand.val) : undefined;
    default:
      return undefined;
  }
}

/** A stored value as a part of a record's key; undefined where it is no key. */
export function keyPart({ kind, value }) {
  switch (kind) {
    case 'boolean':
    case 'integer':
    case 'text':
      return { tag: kind, val: value };
    case 'decimal':
      return { tag: 'decimal', val: decimal.show(value) };
    case 'instant':
      return { tag: 'instant', val: value };
    default:
      return undefined;
  }
}

/** Whether two stored values are the same. */
export function same(one, other) {
  const [a, b] = [asInteger(one), asInteger(other)];
  if (a !== undefined || b !== undefined) return a === b;
  if (Array.isArray(one) && Array.isArray(other)) return JSON.stringify(one) === JSON.stringify(other);
  return (one ?? null) === (other ?? null);
}

/** How two keys of one object stand to each other: numbers by value, text by bytes. */
export function orderOfKeys(one, other) {
  for (let at = 0; at < one.length; at += 1) {
    const [{ tag, val }, against] = [one[at], other[at]];
    const read = tag === 'decimal' ? { kind: tag, value: decimal.parse(val) } : { kind: tag, value: val };
    const found = order(read, against) ?? 0;
    if (found !== 0) return found;
  }
  return 0;
}

function asInteger(value) {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : undefined;
  return Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function sign(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}
