// The adapters over real engines: the database's own rules judge each record.
//
// better-sqlite3 is built for the Node.js that installed it, and node-postgres needs JSPI: each runs where it can,
// and the tests run on both.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTools, hasJspi } from '../src/index.js';

const OBJECTS = {
  task: {
    fields: [
      { name: 'id', type: 'integer' },
      { name: 'owner', type: 'text' },
      { name: 'title', type: 'text', nullable: true },
      { name: 'state', type: 'text' },
    ],
    key: ['id'],
    label: 'title',
    visible: "owner = :actor OR state = 'shared'",
    removable: 'owner = :actor',
  },
};
const ROWS = [
  [1, 'ana', 'plain', 'open'],
  [2, 'ana', 'locked by a rule', 'locked'],
  [3, 'ana', 'kept without a word', 'kept'],
  [4, 'ana', 'others depend on it', 'open'],
  [5, 'bo', 'shared by bo', 'shared'],
  [6, 'bo', 'private', 'open'],
  ['9007199254740993', 'ana', 'beyond 2^53', 'open'],
];
const insert = (row) => `INSERT INTO task VALUES (${row.map((value) => `'${value}'`).join(', ')})`;

/** The whole of it, over an engine `{ lend(caller), run(sql), ids() }`. */
async function exchange({ lend, ids }, mode) {
  const tools = await createTools({ bridge: (actor) => lend({ actor }), mode, onFault: () => {} });
  const call = (more, context = 'ana') => tools.callTool({ name: 'delete_records', arguments: { objectName: 'task', ...more }, context });
  const preview = await call({ where: {} });
  assert.equal(preview.answer.preview.matched, 6, preview.json);
  assert.equal('dependents' in preview.answer.preview, false, 'what this adapter can not tell is absent');
  assert.deepEqual(await ids(), ['1', '2', '3', '4', '5', '6', '9007199254740993']);
  const { answer } = await call({ where: {}, confirm: true, previewDigest: preview.answer.preview.digest });
  assert.deepEqual(await ids(), ['2', '3', '4', '5', '6']);
  assert.equal(answer.deleted, 2);
  assert.deepEqual(answer.notRemoved, ['3']);
  assert.deepEqual(
    answer.refusals.map(({ code, status, reason, recordIds }) => [code, status, reason, recordIds]),
    [
      ['RECORD_LOCKED', 409, 'the period is closed', ['2']],
      ['DELETE_RESTRICTED', 409, 'Other records depend on this one.', ['4']],
      ['PERMISSION_DENIED', 403, 'This caller may not remove this record.', ['5']],
    ],
  );
  const hidden = await call({ recordIds: [6], confirm: true });
  assert.deepEqual([hidden.answer.deleted, hidden.answer.notFound], [0, ['6']]);
  for (const nobody of [null, '', ' ']) {
    assert.equal((await call({ where: {} }, nobody)).answer.error.code, 'UNAUTHENTICATED');
  }
}

if (hasJspi()) {
  const { cluster } = await import('./engines/cluster.mjs');
  const { postgresBridge } = await import('../src/adapters/node-postgres.js');
  let server;
  let pool;
  before(async () => {
    server = await cluster();
    pool = server.pool({ max: 2 });
    await pool.query(`
      CREATE TABLE task (id bigint PRIMARY KEY, owner text, title text, state text);
      CREATE TABLE part (task bigint REFERENCES task ON DELETE RESTRICT);
      CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF OLD.state = 'locked' THEN RAISE EXCEPTION 'RECORD_LOCKED 409: the period is closed'; END IF;
        IF OLD.state = 'kept' THEN RETURN NULL; END IF;
        RETURN OLD; END $$;
      CREATE TRIGGER judge BEFORE DELETE ON task FOR EACH ROW EXECUTE FUNCTION judge();
      ${ROWS.map(insert).join(';')};
      INSERT INTO part VALUES (4);`);
  });
  after(async () => {
    await pool?.end();
    await server?.stop();
  });
  const ids = async () => (await pool.query('SELECT id FROM task ORDER BY id')).rows.map(({ id }) => id);

  test('PostgreSQL: the database judges each record', async () => {
    await exchange({ lend: postgresBridge(pool, OBJECTS), ids });
  });

  test('PostgreSQL: a record that has changed since it was read stays', async () => {
    const lend = postgresBridge(pool, OBJECTS);
    const own = lend({ actor: 'ana' });
    await pool.query("INSERT INTO task VALUES (10, 'ana', 'x', 'open')");
    const { rows } = await own.query('task', { tag: 'ids', val: [[{ tag: 'integer', val: 10n }]] }, undefined, 5);
    await pool.query("UPDATE task SET title = 'y' WHERE id = 10");
    assert.deepEqual(await own.remove('task', rows[0].id, rows[0].revision), { tag: 'changed' });
    assert.deepEqual(await own.remove('task', rows[0].id, undefined), { tag: 'removed' });
  });

  test('PostgreSQL: row-level security judges under the role and the setting, and the next caller is another', async () => {
    await pool.query(`
      CREATE TABLE doc (id int PRIMARY KEY, owner text);
      INSERT INTO doc VALUES (1, 'ana'), (2, 'bo');
      CREATE ROLE clerk; GRANT SELECT, DELETE ON doc TO clerk;
      ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON doc TO clerk USING (owner = current_setting('app.actor', true));`);
    const objects = { doc: { fields: [{ name: 'id', type: 'integer' }], key: ['id'] } };
    const lend = postgresBridge(pool, objects, { role: 'clerk' });
    for (const [actor, seen] of [['ana', [1n]], ['bo', [2n]], ['cy', []]]) {
      const { rows } = await lend({ actor }).query('doc', { tag: 'every' }, undefined, 5);
      assert.deepEqual(rows.map(({ id }) => id[0].val), seen);
    }
    const { rows } = await pool.query("SELECT current_setting('app.actor', true) AS actor, current_user AS role");
    assert.deepEqual([rows[0].actor ?? '', rows[0].role], ['', 'owner']);
  });

  test('PostgreSQL: a lost connection is a fault that quotes nothing', async () => {
    const broken = { connect: () => Promise.reject(Object.assign(new Error('password=hunter2'), { code: 'ECONNREFUSED' })) };
    const tools = await createTools({ bridge: postgresBridge(broken, OBJECTS)({ actor: 'ana' }), onFault: () => {} });
    const { json, answer } = await tools.callTool({ name: 'delete_records', arguments: { objectName: 'task', where: {}, confirm: true } });
    assert.equal(answer.error.code, 'ENGINE_FAULT');
    assert.equal(json.includes('hunter2'), false);
  });
} else {
  const { default: Database } = await import('better-sqlite3');
  const { sqliteBridge } = await import('../src/adapters/better-sqlite3.js');
  const database = () => {
    const db = new Database(':memory:');
    db.exec(`
      CREATE TABLE task (id INTEGER PRIMARY KEY, owner TEXT, title TEXT, state TEXT);
      CREATE TABLE part (task INTEGER REFERENCES task ON DELETE RESTRICT);
      CREATE TRIGGER locked BEFORE DELETE ON task WHEN OLD.state = 'locked'
        BEGIN SELECT RAISE(ABORT, 'RECORD_LOCKED 409: the period is closed'); END;
      CREATE TRIGGER kept BEFORE DELETE ON task WHEN OLD.state = 'kept' BEGIN SELECT RAISE(IGNORE); END;
      ${ROWS.map(insert).join(';')};
      INSERT INTO part VALUES (4);`);
    return db;
  };
  const ids = (db) => () => db.prepare('SELECT CAST(id AS TEXT) FROM task ORDER BY id').pluck().all();

  test('SQLite: the database judges each record', async () => {
    const db = database();
    await exchange({ lend: sqliteBridge(db, OBJECTS), ids: ids(db) });
  });

  test('SQLite: a record that has changed since it was read stays', () => {
    const db = database();
    const own = sqliteBridge(db, { task: { ...OBJECTS.task, revision: 'title' } })({ actor: 'ana' });
    const one = [{ tag: 'integer', val: 1n }];
    assert.deepEqual(own.remove('task', one, 'other'), { tag: 'changed' });
    assert.deepEqual(own.remove('task', one, 'plain'), { tag: 'removed' });
  });

  test('SQLite: a database that somebody else holds is busy, and the call may succeed later', async () => {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const { join } = await import('node:path');
    const folder = mkdtempSync(join(tmpdir(), 'deletegate-js-'));
    const file = join(folder, 'a.db');
    const [db, other] = [new Database(file, { timeout: 10 }), new Database(file)];
    db.exec('CREATE TABLE task (id INTEGER PRIMARY KEY, owner TEXT, title TEXT, state TEXT)');
    db.exec(insert(ROWS[0]));
    other.exec('BEGIN IMMEDIATE');
    const own = sqliteBridge(db, OBJECTS)({ actor: 'ana' });
    const busy = ({ payload }) => payload.val.code === 'ENGINE_BUSY' && payload.val.retryable;
    assert.throws(() => own.remove('task', [{ tag: 'integer', val: 1n }], undefined), busy);
    other.exec('ROLLBACK');
    assert.deepEqual(own.remove('task', [{ tag: 'integer', val: 1n }], undefined), { tag: 'removed' });
    for (const one of [db, other]) one.close();
    rmSync(folder, { recursive: true });
  });
}

test('a description that names what is not there is refused', async () => {
  const { sqliteBridge } = await import('../src/adapters/better-sqlite3.js');
  const db = { pragma() {}, function() {} };
  const lend = (over) => () => sqliteBridge(db, { task: { ...OBJECTS.task, ...over } });
  assert.throws(lend({ key: ['no'] }), /has no field "no"/);
  assert.throws(lend({ key: [] }), /has no key/);
  assert.throws(lend({ lable: 'title' }), /no member "lable"; it takes table, fields/);
});
