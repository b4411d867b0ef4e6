// The example server with a real client, in both generations of the protocol: asked, and answered well and badly.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { hasJspi } from '../src/index.js';

const SERVER = fileURLToPath(new URL('../examples/server.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'deletegate-js-'));
after(() => rmSync(folder, { recursive: true }));

// better-sqlite3 is built for the Node.js that installed it.
if (!hasJspi()) {
  const { default: Database } = await import('better-sqlite3');
  for (const mode of ['legacy', 'auto']) {
    test(`a client of the kind ${mode} is asked, and only the right answer deletes`, async () => {
      const file = join(folder, `${mode}.db`);
      const db = new Database(file);
      db.exec(`CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT, owner TEXT, done INTEGER);
        INSERT INTO task VALUES (1, 'old', 'ana', 1), (2, 'older', 'ana', 1), (3, 'new', 'ana', 0), (4, 'his', 'bo', 1)`);
      const count = () => db.prepare('SELECT count(*) FROM task').pluck().get();
      const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} }, versionNegotiation: { mode } });
      const questions = [];
      let answer;
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        questions.push(params.message);
        return answer;
      });
      await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER, file, 'ana'] }));
      try {
        const { tools } = await client.listTools();
        assert.ok(tools.some(({ name, annotations }) => name === 'delete_records' && annotations.destructiveHint));
        const call = (more) => client.callTool({ name: 'delete_records', arguments: { objectName: 'task', where: { done: true }, ...more } });
        const preview = await call({});
        assert.equal(preview.isError, true);
        assert.equal(JSON.parse(preview.content[0].text).preview.matched, 2);
        assert.deepEqual(questions, []);
        for (const [given, code] of [
          [{ action: 'decline' }, 'APPROVAL_DECLINED'],
          [{ action: 'cancel' }, 'APPROVAL_DECLINED'],
          [{ action: 'accept', content: { typed: 'task 3' } }, 'APPROVAL_MISMATCH'],
        ]) {
          answer = given;
          const reply = await call({ confirm: true });
          assert.equal(JSON.parse(reply.content[0].text).error.code, code);
          assert.equal(count(), 4);
        }
        answer = { action: 'accept', content: { typed: 'task 2' } };
        const done = await call({ confirm: true });
        assert.equal(done.structuredContent.deleted, 2);
        assert.equal(count(), 2);
        assert.equal(questions.length, 4);
        assert.match(questions[0], /^Delete all 2 records of "task" \("old", "older"\)|^Delete 2 records of "task" \("old", "older"\)/);
      } finally {
        await client.close();
        db.close();
      }
    });
  }
}
