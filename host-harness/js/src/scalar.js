// One value of the bridge, as a text and in one form.

import * as decimal from './decimal.js';
import { show as showInstant } from './time.js';

/** The value in the form in which ids leave in an answer. */
export function show(scalar) {
  switch (scalar.tag) {
    case 'null':
      return '';
    case 'instant':
      return showInstant(scalar.val);
    default:
      return String(scalar.val);
  }
}

/** A text that two values share only if they are the same value of the same kind. */
export function identify(scalar) {
  if (scalar.tag === 'instant') return `instant ${scalar.val.seconds}.${scalar.val.nanoseconds}`;
  const exact = scalar.tag === 'decimal' ? decimal.parse(scalar.val) : undefined;
  return `${scalar.tag} ${exact ? decimal.show(exact) : scalar.val}`;
}

/** A text that two ids share only if they are the same. */
export function identifyId(id) {
  return id.length === 1 ? identify(id[0]) : JSON.stringify(id.map(identify));
}

/** An id as it leaves: a string for a key of one field, else an object of strings by the key's fields. */
export function showId(key, id) {
  if (id.length === 1) return show(id[0]);
  return Object.fromEntries(id.map((value, at) => [key[at]?.name ?? String(at), show(value)]));
}
