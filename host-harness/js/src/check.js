// What a host's function answers, read strictly (the WIT interface `deletegate:records/bridge`).
//
// The glue below this package takes what it is given: a record that is no record becomes zeros, and
// `{ tag: 'ok' }` becomes a success. So every answer is copied here, part by part, and a part that is not
// what the contract says is a fault of the host. Nothing but a whole `removed` counts as deleted.

/** An answer that is not what the contract says. The message says which part, and what is allowed. */
export class Misshapen extends TypeError {}

const I64 = [-(2n ** 63n), 2n ** 63n - 1n];
const U64 = [0n, 2n ** 64n - 1n];
const TYPES = ['boolean', 'integer', 'decimal', 'float', 'text', 'uuid', 'date', 'instant', 'text-list', 'opaque'];
const EFFECTS = ['cascade', 'restrict', 'detach'];
const VALUE_FREE = new Set(['removed', 'absent', 'kept', 'changed']);
const FAILURES = new Set(['cancelled', 'deadline-exceeded', 'unsupported']);

/** What `resolvePrincipal` answers. */
export function principal(value, at = 'the principal') {
  record(value, at);
  return {
    identity: identity(value.identity, `${at}.identity`),
    access: optional(value.access, `${at}.access`, access),
    narrowing: optional(value.narrowing, `${at}.narrowing`, sentence),
  };
}

/** What `query` answers. */
export function page(value, at = 'the page') {
  record(value, at);
  return { rows: list(value.rows, `${at}.rows`, row), more: boolean(value.more, `${at}.more`) };
}

/** What `aggregate` answers. */
export function totals(value, at = 'the totals') {
  record(value, at);
  return {
    count: count(value.count, `${at}.count`),
    dependents: optional(value.dependents, `${at}.dependents`, (all, place) => list(all, place, dependents)),
  };
}

/** What `remove` answers. */
export function removal(value, at = 'the removal') {
  record(value, at);
  if (VALUE_FREE.has(value.tag)) {
    if (value.val !== undefined) wrong(`${at}.val`, value.val, `nothing, since ${value.tag} has no value`);
    return { tag: value.tag };
  }
  if (value.tag === 'removed-with-warning') return { tag: value.tag, val: sentence(value.val, `${at}.val`) };
  return wrong(`${at}.tag`, value.tag, "'removed', 'removed-with-warning', 'absent', 'kept' or 'changed'");
}

/** What a function throws as `payload`. */
export function failure(value, at = 'the payload') {
  record(value, at);
  if (FAILURES.has(value.tag)) return { tag: value.tag };
  if (value.tag === 'faulted') return { tag: 'faulted', val: sentence(value.val, `${at}.val`) };
  if (value.tag === 'refused') return { tag: 'refused', val: refusal(value.val, `${at}.val`) };
  return wrong(`${at}.tag`, value.tag, "'refused', 'faulted', 'cancelled', 'deadline-exceeded' or 'unsupported'");
}

function refusal(value, at) {
  record(value, at);
  const status = value.status;
  if (!Number.isInteger(status) || status < 0 || status > 0xffff) wrong(`${at}.status`, status, 'a whole number, 400 to 499');
  return {
    code: sentence(value.code, `${at}.code`),
    status,
    reason: sentence(value.reason, `${at}.reason`),
    retryable: boolean(value.retryable ?? false, `${at}.retryable`),
  };
}

function identity(value, at) {
  record(value, at);
  if (value.tag === 'system' || value.tag === 'anonymous') return { tag: value.tag };
  if (value.tag !== 'user') wrong(`${at}.tag`, value.tag, "'user', 'system' or 'anonymous'");
  const actor = record(value.val, `${at}.val`);
  const name = optional(actor.name, `${at}.val.name`, sentence);
  return { tag: 'user', val: { id: exact(actor.id, `${at}.val.id`), name } };
}

function access(value, at) {
  record(value, at);
  const verbs = record(value.verbs, `${at}.verbs`);
  return {
    object: exact(value.object, `${at}.object`),
    key: list(value.key, `${at}.key`, field),
    fields: list(value.fields, `${at}.fields`, field),
    verbs: {
      list: boolean(verbs.list ?? false, `${at}.verbs.list`),
      remove: boolean(verbs.remove ?? false, `${at}.verbs.remove`),
    },
    reversible: boolean(value.reversible, `${at}.reversible`),
  };
}

function field(value, at) {
  record(value, at);
  return {
    name: exact(value.name, `${at}.name`),
    type: one(value.type, `${at}.type`, TYPES),
    nullable: boolean(value.nullable, `${at}.nullable`),
  };
}

function row(value, at) {
  record(value, at);
  return {
    id: list(value.id, `${at}.id`, scalar),
    label: optional(value.label, `${at}.label`, sentence),
    revision: optional(value.revision, `${at}.revision`, exact),
  };
}

function scalar(value, at) {
  record(value, at);
  switch (value.tag) {
    case 'null':
      return { tag: 'null' };
    case 'boolean':
      return { tag: 'boolean', val: boolean(value.val, `${at}.val`) };
    case 'integer':
      return { tag: 'integer', val: whole(value.val, `${at}.val`, I64) };
    case 'decimal':
    case 'text':
      return { tag: value.tag, val: exact(value.val, `${at}.val`) };
    case 'instant': {
      const { seconds, nanoseconds } = record(value.val, `${at}.val`);
      if (!Number.isInteger(nanoseconds) || nanoseconds < 0 || nanoseconds > 999_999_999) {
        wrong(`${at}.val.nanoseconds`, nanoseconds, 'a whole number, 0 to 999999999');
      }
      return { tag: 'instant', val: { seconds: whole(seconds, `${at}.val.seconds`, I64), nanoseconds } };
    }
    default:
      return wrong(`${at}.tag`, value.tag, "'null', 'boolean', 'integer', 'decimal', 'text' or 'instant'");
  }
}

function count(value, at) {
  record(value, at);
  return { tag: one(value.tag, `${at}.tag`, ['exact', 'at-least']), val: whole(value.val, `${at}.val`, U64) };
}

function dependents(value, at) {
  record(value, at);
  return {
    object: exact(value.object, `${at}.object`),
    count: whole(value.count, `${at}.count`, U64),
    effect: one(value.effect, `${at}.effect`, EFFECTS),
  };
}

function record(value, at) {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : wrong(at, value, 'an object');
}

function list(value, at, part) {
  if (!Array.isArray(value)) wrong(at, value, 'an array');
  const all = new Array(value.length);
  for (let i = 0; i < value.length; i += 1) all[i] = part(value[i], at);
  return all;
}

function optional(value, at, part) {
  return value === undefined || value === null ? undefined : part(value, at);
}

function boolean(value, at) {
  return typeof value === 'boolean' ? value : wrong(at, value, 'true or false');
}

function one(value, at, allowed) {
  return allowed.includes(value) ? value : wrong(at, value, allowed.join(', '));
}

/** A whole number: a number beyond 2^53 may have been rounded on its way, so it is not one. */
function whole(value, at, [least, most]) {
  const exactly = typeof value === 'bigint' || Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (exactly === undefined || exactly < least || exactly > most) {
    wrong(at, value, `a bigint, or a number within ±(2^53 - 1), from ${least} to ${most}`);
  }
  return exactly;
}

/** A text that identifies something: it must be the same on both sides, to the last code unit. */
function exact(value, at) {
  if (typeof value !== 'string') wrong(at, value, 'a string');
  return value.isWellFormed() ? value : wrong(at, value, 'a string without lone surrogates');
}

/** A text for people; what is not well formed in it shows as a replacement character. */
function sentence(value, at) {
  return typeof value === 'string' ? value.toWellFormed() : wrong(at, value, 'a string');
}

function wrong(at, value, allowed) {
  throw new Misshapen(`${at} is ${shown(value)}; it must be ${allowed}`);
}

function shown(value) {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (value === null || ['undefined', 'boolean', 'number', 'bigint'].includes(typeof value)) return String(value);
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
