// `node test/suite/adapters.mjs sqlite|postgres`: the suite's cases about filters and ids over a real engine, byte for byte.
//
// What the rest of the suite wants of an engine (dependents, revisions of whole rows, ways to count) the adapters do
// not have; `adapters.*.test.mjs` tests what they do instead.

import { files } from './files.js';
import { suite } from './run.js';

/** Cases that the engine can't show, with the reason. */
const DIFFERENCES = {
  'js-better-sqlite3': {
    'filter::operands_of_decimal': 'SQLite has no decimals: what is no double is refused',
    'filter::the_same_filter': 'the case wants locks, which here are triggers',
  },
  'js-node-postgres': {
    'filter::operands_of_instant': 'the column holds microseconds',
    'filter::misfits': 'a column of a type holds no value of another',
    'filter::misfit_keys': 'a column of a type holds no value of another',
    'filter::the_same_filter': 'the case wants locks, which here are triggers',
  },
};
const WANTED = /^filter|^selection::(integer|uuid|composite|odd|lookalike|after_with)|^hand::b(12|15|18)/;

const engine = process.argv[2];
const host = { onFault: () => {} };
let stop = () => {};
if (engine === 'sqlite') {
  const { start } = await import('../engines/sqlite.mjs');
  Object.assign(host, { name: 'js-better-sqlite3', mode: 'sync', start });
} else {
  const [{ cluster }, { starter }] = await Promise.all([import('../engines/cluster.mjs'), import('../engines/postgres.mjs')]);
  const server = await cluster();
  const pool = server.pool();
  stop = () => pool.end().then(server.stop);
  Object.assign(host, { name: 'js-node-postgres', mode: 'native', start: starter(pool) });
}
let [passed, failed] = [0, 0];
try {
  for await (const { name, fault } of suite(files(), host, (one) => WANTED.test(one))) {
    const reason = DIFFERENCES[host.name][name];
    if ((fault === undefined) === (reason === undefined)) passed += 1;
    else {
      failed += 1;
      console.log(`${host.name}::${name}\n  ${fault ?? `it passes, though ${reason}`}`);
    }
  }
} finally {
  await stop();
}
console.log(`${host.name}: ${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
