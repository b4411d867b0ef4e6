// The README's own example, run as it stands.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the example of the README runs', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, code] = /```js\n([\s\S]*?)```/.exec(readme);
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { cwd, encoding: 'utf8' });
  assert.match(printed, /^2 \[/);
  assert.match(printed, /RECORD_LOCKED/);
});
