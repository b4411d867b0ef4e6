// What a host's functions answer when they go wrong, on every JavaScript host: nothing but a whole success
// counts as deleted, and no instance or process dies of it.

import { createTools, refused } from '../../src/index.js';
import { Memory } from '../../src/memory/index.js';

const TABLES = {
  objects: { note: { fields: [{ name: 'id', type: 'integer' }], key: ['id'], rows: [{ id: 1 }, { id: 2 }, { id: 3 }] } },
};
const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 5));
const thrown = (value) => () => {
  throw value;
};

/** Answers of `remove` that are none: each must be a fault at the first record, with nothing told as deleted. */
export const NO_ANSWERS = {
  'a result that is wrapped': () => ({ tag: 'ok', val: { tag: 'removed' } }),
  'a failure that is wrapped': () => ({ tag: 'err', val: { tag: 'faulted', val: 'x' } }),
  ok: () => ({ tag: 'ok' }),
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  1: () => 1,
  'the word removed': () => 'removed',
  'a list': () => [{ tag: 'removed' }],
  'another tag': () => ({ tag: 'Removed' }),
  'a tag and a value that it has not': () => ({ tag: 'removed', val: 1 }),
  'a warning without its sentence': () => ({ tag: 'removed-with-warning' }),
  'a getter that throws': () => ({
    get tag() {
      throw new Error('no');
    },
  }),
  'a thrown string': thrown('no'),
  'a thrown null': thrown(null),
  'a plain error': thrown(new Error('password=hunter2')),
  'a payload that is no failure': thrown({ payload: { code: '23503' } }),
  'a payload that is undefined': thrown(Object.assign(new Error('x'), { payload: undefined })),
  'a refusal without its parts': thrown({ payload: { tag: 'refused', val: { code: 'X' } } }),
  'a refusal whose status is text': thrown({ payload: { tag: 'refused', val: { code: 'X', status: '409', reason: 'x' } } }),
};

/** The same, where a promise is none. */
export const PROMISES = {
  'a promise of a success': async () => ({ tag: 'removed' }),
  'a promise that fails late': late,
  'a thenable': () => ({ then() {} }),
};

/** Answers of the reading functions that are none. */
export const NO_READINGS = {
  resolvePrincipal: [undefined, {}, { identity: { tag: 'user' } }, { identity: { tag: 'user', val: { id: 7 } } }, { identity: { tag: 'root' } }],
  query: [
    undefined,
    { rows: {} },
    { rows: [], more: 'no' },
    { rows: [{ id: [{ tag: 'integer', val: 2 ** 53 }] }], more: false },
    { rows: [{ id: [{ tag: 'integer', val: 1.5 }] }], more: false },
    { rows: [{ id: [{ tag: 'integer', val: 1 }], revision: '\ud800' }], more: false },
    { rows: [{ id: 1n }], more: false },
  ],
  aggregate: [undefined, { count: 3 }, { count: { tag: 'exact', val: -1 } }, { count: { tag: 'exact', val: 3n }, dependents: [{ object: 'x', count: 1n }] }],
};

/** Everything that is not as it should be on this host, as sentences. */
export async function shapeFaults(mode) {
  const faults = [];
  const expect = (holds, sentence) => holds || faults.push(`${mode}: ${sentence}`);
  const call = async (over, more = {}) => {
    const memory = new Memory(TABLES);
    const bridge = inMode({ ...memory.bridge({ actor: 'ana' }), ...over }, mode);
    const tools = await createTools({ bridge, mode, onFault: () => {}, ...more });
    const reply = await tools.callTool({ name: 'delete_records', arguments: { objectName: 'note', where: {}, confirm: true } });
    return { answer: reply.answer, left: memory.rows('note').length, tools };
  };
  const atOnce = mode === 'sync' ? PROMISES : {};
  for (const [what, remove] of Object.entries({ ...NO_ANSWERS, ...atOnce })) {
    const { answer, left, tools } = await call({ remove });
    expect(answer.error?.code === 'ENGINE_FAULT' && answer.error.status === 502, `${what} gave ${JSON.stringify(answer)}`);
    expect(answer.progress?.deleted === 0, `${what} counts as deleted`);
    expect(answer.error?.details?.failedRecordId === '1', `${what} leaves nobody in doubt`);
    expect(!/hunter2|late|no\b.*hunter/.test(JSON.stringify(answer)), `${what} is quoted`);
    expect(left === 3, `after ${what} records are missing`);
    // The next call has an instance of its own.
    const next = await tools.callTool({ name: 'delete_records', arguments: { objectName: 'note', where: {} } });
    expect(next.answer.error?.code === 'ACTION_CONFIRMATION_REQUIRED', `after ${what} the next call gave ${next.json}`);
  }
  for (const [name, answers] of Object.entries(NO_READINGS)) {
    for (const value of answers) {
      // Totals are asked for in a preview only.
      const memory = new Memory(TABLES);
      const bridge = inMode({ ...memory.bridge({ actor: 'ana' }), [name]: () => value }, mode);
      const tools = await createTools({ bridge, mode, onFault: () => {} });
      const { answer } = await tools.callTool({ name: 'delete_records', arguments: { objectName: 'note', where: {} } });
      expect(answer.error?.code === 'ENGINE_FAULT', `${name} that answers ${shown(value)} gave ${JSON.stringify(answer)}`);
    }
  }
  const refusal = await call({ remove: thrown(refused('RECORD_LOCKED', 409, 'The period is closed.', { retryable: true })) });
  const group = { code: 'RECORD_LOCKED', status: 409, reason: 'The period is closed.', retryable: true, count: 3, recordIds: ['1', '2', '3'] };
  expect(JSON.stringify(refusal.answer.refusals) === JSON.stringify([group]), `a refusal came as ${JSON.stringify(refusal.answer)}`);
  const bare = { payload: { tag: 'refused', val: { code: '23503', status: 409, reason: 'x', retryable: false } } };
  const odd = await call({ remove: thrown(bare) });
  expect(odd.answer.refusals?.[0]?.count === 3 && odd.answer.deleted === 0, `an odd code came as ${JSON.stringify(odd.answer)}`);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return faults;
}

function inMode(bridge, mode) {
  if (mode === 'sync') return bridge;
  return Object.fromEntries(Object.entries(bridge).map(([name, work]) => [name, async (...args) => work(...args)]));
}

function shown(value) {
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner));
}
