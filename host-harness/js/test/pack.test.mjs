// The packed package in an empty project: installed, compiled under `strict`, and run.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const project = mkdtempSync(join(tmpdir(), 'deletegate-consumer-'));
after(() => rmSync(project, { recursive: true }));

test('the packed package works from a TypeScript file under strict', () => {
  const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const [{ filename, files }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', project], here));
  const packed = files.map(({ path }) => path);
  for (const path of ['dist/sync.js', 'dist/async.js', 'dist/component.core.wasm', 'src/index.d.ts', 'README.md', 'LICENSE']) {
    assert.ok(packed.includes(path), `${path} is not in the package`);
  }
  assert.deepEqual(packed.filter((path) => /test|node_modules|playground/.test(path)), []);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: ['node'],
    outDir: 'out',
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['index.ts'] }));
  cpSync(join(here, 'test/consumer/index.ts'), join(project, 'index.ts'));
  // It has no dependency, so nothing is fetched.
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', filename], project);
  assert.deepEqual(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')), ['deletegate']);
  // What a TypeScript project has anyway.
  mkdirSync(join(project, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types']) symlinkSync(join(here, 'node_modules', name), join(project, 'node_modules', name));
  const tsc = join(here, 'node_modules/typescript/bin/tsc');
  try {
    run(process.execPath, [existsSync(tsc) ? tsc : join(here, 'node_modules/.bin/tsc'), '--project', project], project);
  } catch (error) {
    assert.fail(`it does not compile:\n${error.stdout}${error.stderr}`);
  }
  assert.match(run(process.execPath, [join(project, 'out/index.js')], project), /is what its types say/);
});
