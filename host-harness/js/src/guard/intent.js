// What the arguments of a call allow, read by the host itself (contract 11).

import * as decimal from '../decimal.js';
import { Digits, read } from '../json.js';
import { identifyId } from '../scalar.js';
import { isSystemObject } from '../settings.js';
import { parseInstant } from '../time.js';

/** Ids by the member that lists them: a list of them, or one. */
const LISTED = { recordIds: (list) => list, ids: (list) => list, recordId: (one) => [one], keys: (one) => [one] };

/**
 * Reads the arguments. Undefined where they allow no object at all: the component has to say why, and does so
 * without the bridge. It is the same for every tool: one object, and, where ids are listed, these and no others.
 */
export function intentOf(settings, call) {
  if (!call.scopes.includes('data:read') || !call.scopes.includes('data:write')) return undefined;
  let given;
  try {
    given = read(call.arguments);
  } catch {
    return undefined;
  }
  if (!(given instanceof Map)) return undefined;
  // The list is of what is offered, whatever its argument narrows it to; it reads and removes no record.
  const object = call.name === 'list_objects' ? undefined : objectOf(settings, given);
  if (object !== undefined && (typeof object !== 'string' || isSystemObject(settings, object))) return undefined;
  const confirm = given.get('confirm');
  if (confirm !== undefined && typeof confirm !== 'boolean') return undefined;
  const dryRun = given.has('dryRun') && given.get('dryRun') !== false;
  const member = Object.keys(LISTED).find((name) => given.has(name));
  const listed = member && LISTED[member](given.get(member));
  if (listed !== undefined && (!Array.isArray(listed) || given.has('where'))) return undefined;
  return { object, confirm, dryRun, listed };
}

/** The one object that a call may read and remove of; undefined where it names none. */
function objectOf(settings, given) {
  if (given.has('objectName')) return given.get('objectName');
  const logs = settings.eventLogs;
  const log = given.has('log') ? logs.find(({ name }) => name === given.get('log')) : logs.length === 1 && logs[0];
  return log ? log.object : undefined;
}

/** The ids that the arguments list, each as {@link identifyId} shows a record's own. */
export function listedIds(listed, key) {
  return new Set(listed.map((one) => idOf(one, key)).filter((id) => id !== undefined));
}

function idOf(one, key) {
  const parts = key.length === 1 && !(one instanceof Map) ? [one] : key.map(({ name }) => one instanceof Map && one.get(name));
  const id = key.map((field, at) => scalarOf(field.type, parts[at]));
  return id.includes(undefined) ? undefined : identifyId(id);
}

/** An argument as the key's field reads it; undefined where it is none of that type. */
function scalarOf(type, value) {
  const text = typeof value === 'string' ? value : undefined;
  switch (type) {
    case 'boolean':
      return ['true', 'false'].includes(String(value)) ? { tag: 'boolean', val: String(value) === 'true' } : undefined;
    case 'integer':
      return /^(0|-?[1-9][0-9]*)$/.test(String(value)) ? { tag: 'integer', val: BigInt(value) } : undefined;
    case 'decimal': {
      const exact = decimal.parse(value instanceof Digits ? value.text : String(value));
      if (exact === undefined) return undefined;
      const digits = decimal.show(exact);
      // A whole number of 64 bits crosses as an integer, however it was written.
      const whole = /^-?[0-9]{1,19}$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
      return whole ? { tag: 'integer', val: BigInt(digits) } : { tag: 'decimal', val: digits };
    }
    case 'instant': {
      const instant = text && parseInstant(text);
      return instant && { tag: 'instant', val: instant };
    }
    case 'uuid':
      return text === undefined ? undefined : { tag: 'text', val: text.toLowerCase() };
    default:
      return text === undefined ? undefined : { tag: 'text', val: text };
  }
}
