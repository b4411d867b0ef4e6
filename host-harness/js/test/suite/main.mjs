// `node test/suite/main.mjs MODE [FILTER]`: the suite on this Node.js, over tables in memory.

import { Memory } from '../../src/memory/index.js';
import { files } from './files.js';
import { suite } from './run.js';

const [mode = 'sync', filter = ''] = process.argv.slice(2);
const host = {
  name: mode === 'sync' ? 'js-node' : 'js-node-jspi',
  mode,
  start: (tables) => new Memory(tables),
  // Some cases make the bridge fail on purpose.
  onFault: () => {},
};
let [passed, failed] = [0, 0];
for await (const { name, fault } of suite(files(), host, (one) => one.includes(filter))) {
  if (fault === undefined) passed += 1;
  else {
    failed += 1;
    console.log(`${host.name}::${name}\n  ${fault}`);
  }
}
console.log(`${host.name} on Node.js ${process.versions.node}: ${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
