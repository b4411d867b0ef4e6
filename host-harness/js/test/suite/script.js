// What a bridge does otherwise than its engine would, and what was asked of it, as data (tests/README.md).

import { BridgeFailure } from '../../src/index.js';
import { plain } from './values.js';

const NAMES = { 'resolve-principal': 'resolvePrincipal', query: 'query', aggregate: 'aggregate', remove: 'remove' };

/** The bridge, with the events of a call, writing down each call of a function in `trace`. */
export function scripted(bridge, events, apply, trace) {
  const script = events.map(plain);
  const calls = {};
  const wrap = (kebab, name) => [
    name,
    (...args) => {
      trace.push(line(kebab, args));
      calls[kebab] = (calls[kebab] ?? 0) + 1;
      const due = script.filter(({ at, call }) => at === kebab && (call === undefined || call === calls[kebab]));
      for (const { change } of due) if (change) apply(change);
      const fails = due.find((event) => event.fails !== undefined)?.fails;
      if (fails !== undefined) throw new BridgeFailure(failure(fails));
      const answers = due.filter((event) => event.answers !== undefined).map((event) => event.answers);
      if (kebab === 'remove' && answers.length > 0) return removal(answers[0]);
      const was = bridge[name](...args);
      return answers.reduce((now, other) => OTHERWISE[kebab](now, other), was);
    },
  ];
  return Object.fromEntries(Object.entries(NAMES).map(([kebab, name]) => wrap(kebab, name)));
}

function failure(fails) {
  if (typeof fails === 'string') return { tag: fails };
  const [[tag, val]] = Object.entries(fails);
  return { tag, val };
}

function removal(answer) {
  if (typeof answer === 'string') return { tag: answer };
  return { tag: 'removed-with-warning', val: answer['removed-with-warning'] };
}

const OTHERWISE = {
  'resolve-principal': (was, answer) => {
    const [[kind, value]] = typeof answer === 'string' ? [[answer]] : Object.entries(answer);
    const identities = { actor: { tag: 'user', val: { id: value } }, system: { tag: 'system' }, anonymous: { tag: 'anonymous' } };
    if (identities[kind]) return { ...was, identity: identities[kind] };
    if (kind === 'no-access') return { ...was, access: undefined };
    if (kind === 'narrowing') return { ...was, narrowing: value };
    const part = kind === 'object' ? { object: value } : { verbs: Object.fromEntries(value.map((verb) => [verb, true])) };
    return { ...was, access: was.access && { ...was.access, ...part } };
  },
  query: (was, { rows, label }) => {
    if (label !== undefined) return { ...was, rows: was.rows.map((row) => ({ ...row, label })) };
    const [ids, more] = rows;
    return { rows: ids.map((id) => ({ id: [{ tag: 'text', val: id }] })), more };
  },
  aggregate: (was, answer) => {
    if (answer.dependents) {
      return { ...was, dependents: answer.dependents.map(([object, count, effect]) => ({ object, count, effect })) };
    }
    const count = answer.count !== undefined ? { tag: 'exact', val: answer.count } : { tag: 'at-least', val: answer['at-least'] };
    return { ...was, count };
  },
};

function line(name, [object, what, more, limit]) {
  const shape = ({ tag, val }) => (tag === 'ids' ? `ids(${val.length})` : tag);
  switch (name) {
    case 'query':
      return `query ${object} ${shape(what)}${more ? ` after=${short(more)}` : ''} limit=${limit}`;
    case 'aggregate':
      return `aggregate ${object} ${shape(what)}`;
    case 'remove':
      return `remove ${object} ${short(what)}${more === undefined ? '' : ' rev'}`;
    default:
      return `${name} ${object}`;
  }
}

function short(id) {
  const parts = id.map(scalarText);
  return parts.every((text) => /^[A-Za-z0-9_.:+-]+$/.test(text)) ? parts.join(',') : JSON.stringify(parts);
}

/** A value as the suite's files show it. */
export function scalarText({ tag, val }) {
  if (tag === 'null') return 'null';
  return tag === 'instant' ? `${val.seconds}.${String(val.nanoseconds).padStart(9, '0')}` : String(val);
}
