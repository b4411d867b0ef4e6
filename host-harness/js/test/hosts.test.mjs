// What holds of every bridge on this Node.js: wrong answers, promises where none may be, and a clear word where
// the runtime lacks something.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MissingJspi, createTools, hasJspi, toWhere } from '../src/index.js';
import { Memory } from '../src/memory/index.js';
import { shapeFaults } from './suite/shapes.js';

const TABLES = {
  objects: {
    note: {
      fields: [
        { name: 'id', type: 'integer' },
        { name: 'text', type: 'text', nullable: true },
        { name: 'price', type: 'decimal', nullable: true },
        { name: 'at', type: 'instant', nullable: true },
        { name: 'tags', type: 'text-list', nullable: true },
      ],
      key: ['id'],
      label: 'text',
      rows: [{ id: 1, text: 'old' }, { id: 2, text: 'new' }, { id: 9007199254740993n, text: 'large' }],
    },
  },
};
const note = () => new Memory(TABLES);
const call = (more) => ({ name: 'delete_records', arguments: { objectName: 'note', ...more } });
const quiet = { onFault: () => {} };

test('nothing but a whole success counts as deleted, at once', async () => {
  assert.deepEqual(await shapeFaults('sync'), []);
});

// These tests run on a Node.js with JSPI and on one without.
const later = hasJspi() ? ['nothing but a whole success counts as deleted, later', servesPromises] : ['an asynchronous bridge is refused with what is missing', refusesPromises];
test(...later);

async function servesPromises() {
  assert.deepEqual(await shapeFaults('async'), []);
}

async function refusesPromises() {
  const bridge = { ...note().bridge({ actor: 'ana' }), remove: async () => ({ tag: 'removed' }) };
  await assert.rejects(createTools({ bridge }), (error) => error instanceof MissingJspi && /Node\.js 24/.test(error.message) && error.message.includes(process.versions.node));
}

test('a bridge or settings that can not be used are refused with what is allowed', async () => {
  await assert.rejects(createTools({ bridge: {} }), /no function resolvePrincipal, query, aggregate, remove/);
  const bridge = note().bridge({ actor: 'ana' });
  await assert.rejects(createTools({ bridge, settings: { defaultRule: { consent: 'none' }, target: { production: true } } }), /none is refused in production/);
  await assert.rejects(createTools({ bridge, settings: { consent: 'none' } }), /no member "consent"; it takes target/);
  await assert.rejects(createTools({ bridge, mode: 'later' }), /'sync' or 'async'/);
});

test('a member that is undefined is as one that is not there', async () => {
  const rule = { consent: undefined, cap: undefined, scope: undefined, unfiltered: undefined };
  const settings = { target: { name: undefined }, defaultRule: rule, rules: [{ object: 'note', ...rule }], objects: undefined };
  const tools = await createTools({ bridge: note().bridge({ actor: 'ana' }), settings, ...quiet });
  const { answer } = await tools.callTool(call({ where: {}, confirm: true }));
  assert.deepEqual([answer.deleted, answer.cap, answer.target.name], [3, 200, 'local']);
});

test('a number that was rounded on its way is refused, and its exact forms are not', async () => {
  const tools = await createTools({ bridge: note().bridge({ actor: 'ana' }), ...quiet });
  const rounded = await tools.callTool(call({ recordIds: [9007199254740993] }));
  assert.equal(rounded.answer.error.code, 'VALIDATION_FAILED');
  for (const id of ['9007199254740993', 9007199254740993n]) {
    const { answer } = await tools.callTool(call({ recordIds: [id] }));
    assert.deepEqual(answer.preview.sampleRecordIds, ['9007199254740993']);
  }
});

test('parsed arguments that JSON has not are refused', async () => {
  const tools = await createTools({ bridge: note().bridge({ actor: 'ana' }), ...quiet });
  const loop = {};
  loop.loop = loop;
  for (const where of [{ id: Number.NaN }, { at: new Date() }, { id: () => 1 }, loop]) {
    const { answer } = await tools.callTool(call({ where }));
    assert.equal(answer.error.code, 'VALIDATION_FAILED', JSON.stringify(answer));
  }
});

test('hostile keys change no object of this host', async () => {
  const tools = await createTools({ bridge: note().bridge({ actor: 'ana' }), ...quiet });
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  for (const where of ['{"__proto__":{"$ne":1}}', '{"constructor":1}', '{"toString":1}']) {
    for (const given of [`{"objectName":"note","where":${where}}`, JSON.parse(`{"objectName":"note","where":${where}}`)]) {
      const { answer } = await tools.callTool({ name: 'delete_records', arguments: given });
      assert.equal(answer.error.code, 'INVALID_FIELD', where);
    }
  }
  assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
  assert.equal({}.$ne, undefined);
});

test('an aborted call stops at the next record, and says what went', async () => {
  const memory = note();
  const abort = new AbortController();
  const own = memory.bridge({ actor: 'ana' });
  const bridge = {
    ...own,
    remove(...args) {
      abort.abort();
      return own.remove(...args);
    },
  };
  const tools = await createTools({ bridge, ...quiet });
  const { answer } = await tools.callTool({ ...call({ where: {}, confirm: true }), signal: abort.signal });
  assert.equal(answer.error.code, 'CANCELLED');
  assert.equal(answer.progress.deleted, 1);
  assert.equal(memory.rows('note').length, 2);
});

test('a question comes back with its answer, and only for the very same set', async () => {
  const memory = note();
  const settings = { defaultRule: { consent: 'typed' } };
  const tools = await createTools({ bridge: (actor) => memory.bridge({ actor }), settings, ...quiet });
  const ask = { ...call({ recordIds: [1, 2], confirm: true }), context: 'ana' };
  const { outcome, question, asked } = await tools.callTool(ask);
  assert.equal(outcome, 'asks');
  assert.equal(question.typed.expected, 'note 2');
  const back = JSON.parse(JSON.stringify(asked));
  const wrong = await tools.resume(back, { action: 'accept', typed: 'note 3', context: 'ana' });
  assert.equal(wrong.answer.error.code, 'APPROVAL_MISMATCH');
  const other = await tools.resume(back, { action: 'accept', typed: 'note 2', context: 'bo' });
  assert.equal(other.answer.error.code, 'SELECTION_CHANGED');
  const declined = await tools.resume(back, { action: 'decline', context: 'ana' });
  assert.equal(declined.answer.error.code, 'APPROVAL_DECLINED');
  assert.equal(memory.rows('note').length, 3);
  const done = await tools.resume(back, { action: 'accept', typed: 'note 2', context: 'ana' });
  assert.equal(done.answer.deleted, 2);
});

test('a filter goes to the tools and back as the same filter', async () => {
  const seen = [];
  const own = note().bridge({ actor: 'ana' });
  const bridge = {
    ...own,
    query(object, selection, ...rest) {
      seen.push(selection);
      return own.query(object, selection, ...rest);
    },
  };
  const tools = await createTools({ bridge, ...quiet });
  const filters = [
    { text: 'old' },
    { text: null },
    { $or: [{ text: { $ne: 'x' } }, { $and: [{ id: { $gt: 1 } }, { text: { $startsWith: 'a' } }] }] },
    { $not: { text: { $icontains: 'X' } }, id: { $nin: [1, '9007199254740993'] } },
    { price: { $between: ['0.1', 12.5] }, at: { $lt: '2026-03-10T09:30:00.000000001+01:00' } },
    { tags: { $contains: 'a' }, text: { $notContains: 'b', $endsWith: 'c', $exists: true } },
  ];
  for (const where of filters) {
    seen.length = 0;
    await tools.callTool(call({ where }));
    const [{ val: terms }] = seen;
    const back = await tools.callTool(call({ where: toWhere(terms) }));
    assert.deepEqual(seen[1]?.val, terms, `${JSON.stringify(where)} came back as ${JSON.stringify(toWhere(terms))}: ${back.json}`);
  }
});
