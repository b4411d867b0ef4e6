// What both SQL adapters have in common: an object as its owner describes it.

import { refused } from '../failure.js';
import { columnOf, quoteName } from '../sql/index.js';

const MEMBERS = ['table', 'fields', 'key', 'label', 'visible', 'removable', 'revision', 'verbs', 'reversible', 'hidden'];

/** The objects, checked: a name that stands for nothing is an error here, and not a rule that never applies. */
export function describe(objects) {
  const described = new Map();
  for (const [name, object] of Object.entries(objects)) {
    const fail = (what) => {
      throw new TypeError(`the object ${JSON.stringify(name)} ${what}`);
    };
    const odd = Object.keys(object).find((member) => !MEMBERS.includes(member));
    if (odd) fail(`has no member ${JSON.stringify(odd)}; it takes ${MEMBERS.join(', ')}`);
    const fields = new Map((object.fields ?? fail('has no fields')).map((field) => [field.name, field]));
    const field = (one) => fields.get(one) ?? fail(`has no field ${JSON.stringify(one)}`);
    if (!object.key?.length) fail('has no key');
    described.set(name, {
      ...object,
      name,
      table: object.table ?? name.split('.').map(quoteName).join('.'),
      key: object.key.map(field),
      label: object.label && columnOf(field(object.label)),
      revision: object.revision && columnOf(field(object.revision)),
    });
  }
  return described;
}

/** Who is calling: a user, the system, or nobody known. */
export function identityOf({ actor, system }) {
  if (typeof actor === 'string' && actor.trim() !== '') return { tag: 'user', val: { id: actor } };
  return { tag: system === true && actor === undefined ? 'system' : 'anonymous' };
}

/** The caller, and what they may do with the object. */
export function principalOf(object, identity) {
  if (!object || object.hidden || identity.tag === 'anonymous') return { identity };
  const plain = ({ name, type, nullable = false }) => ({ name, type, nullable });
  const access = {
    object: object.name,
    key: object.key.map(plain),
    fields: object.fields.filter((field) => !field.withheld).map(plain),
    verbs: { list: true, remove: true, ...object.verbs },
    reversible: object.reversible ?? false,
  };
  return { identity, access };
}

export function notFound() {
  return refused('OBJECT_NOT_FOUND', 404, 'There is no such object.');
}

export function denied() {
  return refused('PERMISSION_DENIED', 403, 'This caller may not remove this record.');
}

export function restricted() {
  return refused('DELETE_RESTRICTED', 409, 'Other records depend on this one.');
}

export function busy() {
  return refused('ENGINE_BUSY', 409, 'The database is in use elsewhere; the same call may succeed later.', { retryable: true });
}

/** A trigger's own words: `CODE status: sentence`, or any sentence. */
export function ruled(message) {
  const line = message.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').trim();
  const [, code, status, sentence] = /^([A-Z][A-Z0-9_]{0,63}) (4\d\d): (.*\S.*)$/.exec(line) ?? [];
  const reason = (text) => [...text].slice(0, 500).join('');
  if (code) return refused(code, Number(status), reason(sentence.trim()));
  return refused('RULE_REFUSED', 409, reason(line) || 'A rule of the database keeps this record.');
}

/**
 * The condition of what a caller sees: the object's own, for users; the system sees all.
 *
 * @param {string | undefined} predicate SQL over the row, in which `:actor` is the caller's id
 */
export function predicate(sql, identity, actorPlace) {
  if (sql === undefined || identity.tag === 'system') return 'TRUE';
  return `((${sql.replaceAll(':actor', actorPlace)}) IS TRUE)`;
}

/** The records behind a key, in the order of its fields. */
export function behind(key, after, { own, place }) {
  const alternatives = key.map((field, at) => {
    const same = key.slice(0, at).map((before, n) => `${own(before)} = ${place(before, after[n])}`);
    return `(${[...same, `${own(field)} > ${place(field, after[at])}`].join(' AND ')})`;
  });
  return `(${alternatives.join(' OR ')})`;
}
