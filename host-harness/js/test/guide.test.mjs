// The embedding guide's JavaScript, run as one program as it stands there.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the blocks of the embedding guide run', () => {
  const guide = readFileSync(new URL('../../../docs/embedding.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
  assert.equal(blocks.length, 3);
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', blocks.join('\n')], { cwd, encoding: 'utf8' });
  assert.match(printed, /true ACTION_CONFIRMATION_REQUIRED 3/);
  assert.match(printed, /asks Delete all 3 records of "note"/);
  assert.match(printed, /2 RECORD_LOCKED/);
});
