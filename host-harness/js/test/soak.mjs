// Ten thousand calls in one process, a third of the records refused, some calls faulting: memory stays flat, and no
// instance is dead. `node --expose-gc test/soak.mjs [MODE] [CALLS]`

import { createTools, refused } from '../src/index.js';

const [mode = 'sync', calls = '10000'] = process.argv.slice(2);
const ROWS = 6;
/** Memory that may come and go between two looks: caches. */
const SLACK = 8 * 1024 * 1024;
const field = { name: 'id', type: 'integer', nullable: false };
const access = { object: 'note', key: [field], fields: [field], verbs: { list: true, remove: true }, reversible: false };
let faulting = false;
const bridge = {
  resolvePrincipal: () => ({ identity: { tag: 'user', val: { id: 'ana' } }, access }),
  query: () => ({ rows: Array.from({ length: ROWS }, (_, n) => ({ id: [{ tag: 'integer', val: n }] })), more: false }),
  aggregate: () => ({ count: { tag: 'exact', val: ROWS }, dependents: [] }),
  remove(_, [{ val }]) {
    if (faulting && val === 3n) throw new Error('the engine is gone');
    if (val % 3n === 0n) throw refused('RECORD_LOCKED', 409, 'closed');
    return { tag: 'removed' };
  },
};
const lent = mode === 'sync' ? bridge : Object.fromEntries(Object.entries(bridge).map(([name, work]) => [name, async (...args) => work(...args)]));
const tools = await createTools({ bridge: lent, mode, onFault: () => {} });

async function run(count) {
  let [deleted, faults] = [0, 0];
  for (let n = 0; n < count; n += 1) {
    faulting = n % 50 === 0;
    const { answer } = await tools.callTool({ name: 'delete_records', arguments: { objectName: 'note', where: {}, confirm: true } });
    deleted += answer.deleted ?? answer.progress.deleted;
    if (answer.error) faults += 1;
    const wanted = faulting ? answer.error?.code === 'ENGINE_FAULT' && answer.progress.deleted === 2 : answer.deleted === 4 && answer.refused === 2;
    if (!wanted) throw new Error(`call ${n}: ${JSON.stringify(answer)}`);
  }
  return { deleted, faults };
}

/** What is held after everything that can be let go of is gone: an instance's memory takes the collector several turns. */
async function used() {
  const looks = [];
  for (let look = 0; look < 10; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    looks.push(heapUsed + external);
  }
  return Math.min(...looks);
}

await run(500);
const first = await used();
const { deleted, faults } = await run(Number(calls));
const grown = (await used()) - first;
console.log(`${mode}: ${calls} calls, ${deleted} deleted, ${faults} faults; memory ${(first / 1e6).toFixed(1)} MB and ${(grown / 1e6).toFixed(1)} MB more`);
if (grown > SLACK) {
  console.log('1 failed: memory grows with each call');
  process.exitCode = 1;
}
