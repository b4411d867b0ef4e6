// What a bridge call costs, in microseconds: the component over tables that cost nothing, beside the same policy
// written by hand. Both answer the same question in turns, in one process; the least of the rounds is shown.

import { createTools } from '../src/index.js';

const [mode = 'sync'] = process.argv.slice(2);
const SIZES = [1, 200];
const ROUNDS = 7;
const CALLS = 60;
const field = { name: 'id', type: 'integer', nullable: false };
const access = { object: 'note', key: [field], fields: [field], verbs: { list: true, remove: true }, reversible: false };

function bridgeOf(size) {
  const bridge = {
    resolvePrincipal: () => ({ identity: { tag: 'user', val: { id: 'ana' } }, access }),
    query: () => ({ rows: Array.from({ length: size }, (_, n) => ({ id: [{ tag: 'integer', val: BigInt(n) }], label: `note ${n}`, revision: 'r' })), more: false }),
    aggregate: () => ({ count: { tag: 'exact', val: BigInt(size) }, dependents: [] }),
    remove: () => ({ tag: 'removed' }),
  };
  if (mode === 'sync') return bridge;
  return Object.fromEntries(Object.entries(bridge).map(([name, work]) => [name, async (...args) => work(...args)]));
}

/** The policy by hand: the happy way of a confirmed call, without a sandbox, a guard or a strict door. */
async function byHand(bridge, text) {
  const { objectName, where, confirm } = JSON.parse(text);
  const { access: may } = await bridge.resolvePrincipal(objectName);
  if (!may.verbs.remove || confirm !== true || Object.keys(where).length > 0) throw new Error('not this way');
  const { rows } = await bridge.query(objectName, { tag: 'every' }, undefined, 200);
  await bridge.resolvePrincipal(objectName);
  const refusals = new Map();
  let deleted = 0;
  for (const { id, revision } of rows) {
    try {
      const { tag } = mode === 'sync' ? bridge.remove(objectName, id, revision) : await bridge.remove(objectName, id, revision);
      if (tag === 'removed') deleted += 1;
    } catch ({ payload }) {
      const key = JSON.stringify(payload);
      refusals.set(key, [...(refusals.get(key) ?? []), String(id[0].val)]);
    }
  }
  return JSON.stringify({ object: objectName, matched: rows.length, deleted, refusals: [...refusals] });
}

const text = JSON.stringify({ objectName: 'note', where: {}, confirm: true });
const best = {};
for (const size of SIZES) {
  const bridge = bridgeOf(size);
  const tools = await createTools({ bridge, mode });
  const work = {
    component: () => tools.callTool({ name: 'delete_records', arguments: text }),
    'by hand': () => byHand(bridge, text),
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, call] of Object.entries(work)) {
      const start = performance.now();
      for (let n = 0; n < CALLS; n += 1) await call();
      const each = ((performance.now() - start) * 1000) / CALLS;
      best[`${name} ${size}`] = Math.min(best[`${name} ${size}`] ?? Infinity, each);
    }
  }
}
console.log(`${mode} on Node.js ${process.versions.node}`);
for (const name of ['component', 'by hand']) {
  const [one, many] = SIZES.map((size) => best[`${name} ${size}`]);
  const record = (many - one) / (SIZES[1] - SIZES[0]);
  console.log(`  ${name.padEnd(10)} a call of 1: ${one.toFixed(0)} µs   of 200: ${many.toFixed(0)} µs   each record: ${record.toFixed(2)} µs`);
}
