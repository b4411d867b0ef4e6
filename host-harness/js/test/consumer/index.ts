// What a stranger's project does with the packed package, under `strict`: every type is used as what it is at run time.

import assert from 'node:assert/strict';
import {
  BridgeFailure,
  MissingJspi,
  cancelled,
  createTools,
  deadlineExceeded,
  faulted,
  hasJspi,
  refused,
  toSql,
  toWhere,
  unsupported,
  type Asked,
  type Bridge,
  type Failure,
  type FilterTerm,
  type Reply,
  type Scalar,
  type SyncBridge,
  type Tool,
} from 'deletegate';
import { sqliteBridge, type SqlObject } from 'deletegate/better-sqlite3';
import { Memory, type Tables } from 'deletegate/memory';
import { postgresBridge } from 'deletegate/node-postgres';
import { quoteName } from 'deletegate/sql';

const notes = new Map<bigint, string>([[1n, 'old'], [2n, 'keep me'], [3n, 'older']]);
const asked: Scalar[] = [];
let filter: FilterTerm[] = [];

const bridge: SyncBridge = {
  resolvePrincipal(object) {
    const id = { name: 'id', type: 'integer' as const, nullable: false };
    const text = { name: 'text', type: 'text' as const, nullable: false };
    const access = { object: 'note', key: [id], fields: [id, text], verbs: { list: true, remove: true }, reversible: false };
    return { identity: { tag: 'user', val: { id: 'ana' } }, access: object === 'note' ? access : undefined };
  },
  query(object, selection, after, limit) {
    assert.equal(typeof object, 'string');
    assert.equal(typeof limit, 'number');
    assert.equal(after, undefined);
    if (selection.tag === 'filter') filter = selection.val;
    const ids = selection.tag === 'ids' ? selection.val.map(([only]) => only?.val) : undefined;
    const rows = [...notes].filter(([id]) => ids === undefined || ids.includes(id));
    return { rows: rows.map(([id, text]) => ({ id: [{ tag: 'integer', val: id }], label: text, revision: text })), more: false };
  },
  aggregate: () => ({ count: { tag: 'exact', val: notes.size }, dependents: [] }),
  remove(_, [id], revision) {
    assert.ok(id?.tag === 'integer');
    assert.equal(typeof id.val, 'bigint');
    asked.push(id);
    assert.equal(revision, notes.get(id.val));
    if (revision === 'keep me') throw refused('RECORD_LOCKED', 409, 'this note is kept');
    notes.delete(id.val);
    return { tag: 'removed' };
  },
};

const settings = { rules: [{ object: 'note', consent: 'typed' as const }], objects: ['note'] };
const tools = await createTools({ bridge, settings });

const listed: Tool[] = await tools.listTools({ scopes: ['data:read', 'data:write'] });
const [tool] = listed;
assert.ok(tool && tool.name === 'delete_records');
assert.equal(tool.inputSchema.type, 'object');
assert.equal(tool.outputSchema.type, 'object');
const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
assert.deepEqual([typeof title, readOnlyHint, destructiveHint, typeof idempotentHint, openWorldHint], ['string', false, true, 'boolean', false]);
assert.deepEqual(await tools.listTools({ scopes: ['data:read'] }), []);

const reply: Reply = await tools.callTool({ name: 'delete_records', arguments: '{"objectName":"note","where":{},"confirm":true}' });
assert.ok(reply.outcome === 'asks');
assert.equal(typeof reply.question.message, 'string');
assert.equal(reply.question.typed?.expected, 'note 3');
const back: Asked = JSON.parse(JSON.stringify(reply.asked)) as Asked;
assert.deepEqual([back.name, back.object, back.caller, back.expected, back.rows.length], ['delete_records', 'note', 'user ana', 'note 3', 3]);
const done = await tools.resume(back, { action: 'accept', typed: 'note 3' });
assert.ok(done.outcome === 'answered' && !done.failed);
assert.deepEqual([done.answer.deleted, done.answer.refused, JSON.parse(done.json)], [2, 1, done.answer]);
assert.deepEqual(asked.map(({ val }) => val), [1n, 2n, 3n]);
assert.equal((await tools.callTool({ name: 'no_such_tool' })).outcome, 'unknown-tool');

await tools.callTool({ name: 'delete_records', arguments: { objectName: 'note', where: { text: { $contains: 'o' } } } });
assert.deepEqual(toWhere(filter), { text: { $contains: 'o' } });
const fields = [{ name: 'text', type: 'text' as const }];
assert.deepEqual(toSql(filter, 'postgres', { fields }).values, ['o']);
assert.match(toSql(filter, 'sqlite', { fields }).sql, /instr\("text", \?\)/);
assert.equal(quoteName('a"b'), '"a""b"');

const failures: Failure[] = [faulted('x'), cancelled(), deadlineExceeded(), unsupported()].map((error: BridgeFailure) => error.payload);
assert.deepEqual(failures.map(({ tag }) => tag), ['faulted', 'cancelled', 'deadline-exceeded', 'unsupported']);
assert.ok(faulted('x') instanceof Error && faulted('x') instanceof BridgeFailure);

const tables: Tables = { objects: { note: { fields: [{ name: 'id', type: 'integer' }], key: ['id'], rows: [{ id: 1 }, { id: 9007199254740993n }] } } };
const memory = new Memory(tables);
const perCaller = await createTools<string>({ bridge: (actor) => memory.bridge({ actor }) });
const theirs = await perCaller.callTool({ name: 'delete_records', arguments: { objectName: 'note', recordIds: [1], confirm: true }, context: 'ana' });
assert.ok(theirs.outcome === 'answered' && theirs.answer.deleted === 1);
assert.deepEqual(memory.rows('note'), [{ id: 9007199254740993n }]);
assert.deepEqual(memory.ids('note'), [[{ tag: 'integer', val: 9007199254740993n }]]);

const asynchronous: Bridge = {
  resolvePrincipal: async (object) => bridge.resolvePrincipal(object),
  query: async (object, selection, after, limit) => bridge.query(object, selection, after, limit),
  aggregate: async (object, selection) => bridge.aggregate(object, selection),
  remove: async (object, id, revision) => bridge.remove(object, id, revision),
};
if (hasJspi()) await createTools({ bridge: asynchronous });
else await assert.rejects(createTools({ bridge: asynchronous }), MissingJspi);

const described: { [name: string]: SqlObject } = { note: { fields: [{ name: 'id', type: 'integer' }], key: ['id'] } };
assert.equal(typeof sqliteBridge, 'function');
assert.equal(typeof postgresBridge({ connect: () => Promise.reject(new Error('no')) }, described)({ actor: 'ana' }).remove, 'function');

// @ts-expect-error a bridge has four functions
const part: SyncBridge = { resolvePrincipal: bridge.resolvePrincipal };
// @ts-expect-error a removal is no word
const word: ReturnType<SyncBridge['remove']> = 'removed';
void [part, word];
console.log('the packed package is what its types say');
