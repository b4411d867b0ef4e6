// The suite's files as values: read without losing a digit, and compared as the Rust runner compares them.

import { Digits, write } from '../../src/json.js';

/** Plain objects and numbers, as an engine's tables and the settings have them. */
export function plain(value) {
  if (value instanceof Map) {
    const members = {};
    // Not by assignment, which would make `__proto__` something else than a member.
    for (const [name, inner] of value) {
      Object.defineProperty(members, name, { value: plain(inner), enumerable: true, writable: true, configurable: true });
    }
    return members;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Digits) return Number(value.text);
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Objects are laid over one another member by member; everything else is replaced. */
export function layOver(base, over) {
  if (!(over instanceof Map)) return over ?? base;
  const laid = new Map(base instanceof Map ? base : []);
  for (const [name, value] of over) {
    const inner = laid.get(name);
    laid.set(name, inner instanceof Map && value instanceof Map ? layOver(inner, value) : value);
  }
  return laid;
}

/** A text that two values share where they are equal, whatever the order of their keys. */
export function canonical(value) {
  return write(sorted(value));
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  return new Map([...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]));
}

/** Every digest masked, since revisions are an engine's own. */
export function mask(text) {
  return text.replace(/sha256:[0-9a-fA-F]{64}(?![0-9a-fA-F])/g, 'sha256:…');
}

/** A text of arguments: one, or parts one behind the other. */
export function expand(text) {
  return typeof text === 'string' ? text : text.map(part).join('');
}

function part(one) {
  if (typeof one === 'string') return one;
  const repeat = one.get('repeat');
  const numbers = Array.from({ length: Number(one.get('times')) }, (_, at) => numbered(repeat, at + 1));
  return numbers.join(one.get('between') ?? '');
}

/** Puts a number in its places. */
export function numbered(text, n) {
  return text.replaceAll('{n}', String(n)).replaceAll('{0n}', String(n).padStart(4, '0'));
}

/** A row, or the rows that `{"repeat": row, "times": n}` stands for. */
export function repeated(row) {
  const [repeat, times] = [row.get('repeat'), row.get('times')];
  if (!(repeat instanceof Map) || typeof times !== 'bigint') return [row];
  const member = (value, n) => (value === '{n}' ? BigInt(n) : typeof value === 'string' ? numbered(value, n) : value);
  return Array.from({ length: Number(times) }, (_, at) => new Map([...repeat].map(([name, value]) => [name, member(value, at + 1)])));
}
