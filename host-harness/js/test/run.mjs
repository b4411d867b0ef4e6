// `npm test`: everything, on every JavaScript host: this Node.js, Node.js 24, and headless Chromium.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
// npm puts the packages' own programs first, and one of them is a Node.js: this is the one that runs npm.
const this_ = process.env.npm_node_execpath ?? process.execPath;
const newest = join(here, 'node_modules', 'node', 'bin', 'node');
const major = (node) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? 'nothing';
if (!existsSync(newest)) throw new Error('Node.js 24 is not there: npm ci');

const units = readdirSync(join(here, 'test')).filter((file) => file.endsWith('.test.mjs')).map((file) => `test/${file}`);
const steps = [
  ['unit tests and adapters', this_, ['--test', '--test-reporter=dot', ...units]],
  ['unit tests and adapters', newest, ['--test', '--test-reporter=dot', ...units]],
  ['the suite, at once', this_, ['test/suite/main.mjs', 'sync']],
  ['the suite, through JSPI', newest, ['test/suite/main.mjs', 'async']],
  ['the suite in Chromium', this_, ['test/suite/browser.mjs']],
  ['the playground', this_, ['test/playground.mjs']],
  ['filters and ids over better-sqlite3', this_, ['test/suite/adapters.mjs', 'sqlite']],
  ['filters and ids over node-postgres', newest, ['test/suite/adapters.mjs', 'postgres']],
  ['ten thousand calls, at once', this_, ['--expose-gc', 'test/soak.mjs', 'sync']],
  ['ten thousand calls, through JSPI', newest, ['--expose-gc', 'test/soak.mjs', 'async']],
];
let failed = 0;
for (const [what, node, args] of steps) {
  console.log(`--> ${what} (${major(node)})`);
  const start = performance.now();
  const { status, error } = spawnSync(node, args, { cwd: here, stdio: 'inherit' });
  if (status !== 0) {
    failed += 1;
    console.log(`    failed: ${error ?? `it ended with ${status}`}`);
  }
  console.log(`    ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
console.log(`${steps.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
