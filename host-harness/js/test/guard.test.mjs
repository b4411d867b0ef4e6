// What the guard does with a component that is wrong or hostile: each rule of contract 11 that it holds by itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ended, Guard } from '../src/guard/index.js';
import { complete } from '../src/settings.js';

const FIELD = { name: 'id', type: 'integer', nullable: false };
const ACCESS = { object: 'note', key: [FIELD], fields: [FIELD], verbs: { list: true, remove: true }, reversible: false };
const id = (n) => [{ tag: 'integer', val: BigInt(n) }];
const user = (name) => ({ tag: 'user', val: { id: name } });

/** A guard of a call that has come to its removals: notes 1, 2 and 3 were read. */
function guard({ args = { objectName: 'note', where: {}, confirm: true }, rule = {}, access = ACCESS, approval, name = 'delete_records', read = [1, 2, 3] } = {}) {
  const settings = complete({ defaultRule: { cap: 3, ...rule } });
  const made = new Guard(settings, { name, arguments: typeof args === 'string' ? args : JSON.stringify(args), scopes: ['data:read', 'data:write'], approval });
  meet(made, user('ana'), access);
  made.enter('query', ['note', { tag: 'every' }, undefined, 200]);
  made.learn('query', ['note'], { rows: read.map((n) => ({ id: id(n), revision: `r${n}` })), more: false });
  return made;
}

function meet(made, identity, access = ACCESS) {
  made.enter('resolvePrincipal', ['note']);
  made.learn('resolvePrincipal', ['note'], { identity, access });
}

const remove = (made, n, revision = `r${n}`) => {
  made.enter('remove', ['note', id(n), revision]);
  made.learn('remove', ['note'], { tag: 'removed' });
};

function violates(work, what) {
  assert.throws(work, (error) => error instanceof Ended && error.code === 'GUEST_VIOLATION' && what.test(error.message), String(what));
}

test('what a call allows passes', () => {
  const made = guard();
  for (const n of [1, 2, 3]) remove(made, n);
  assert.equal(made.conclude({ json: '{"deleted":3}' }).deleted, 3);
});

test('what a call does not allow ends it', () => {
  violates(() => guard().enter('resolvePrincipal', ['other']), /do not name/);
  violates(() => guard().enter('remove', ['other', id(1), 'r1']), /do not name/);
  violates(() => remove(guard(), 4), /had not read/);
  violates(() => remove(guard(), 1, 'r2'), /another revision/);
  violates(() => remove(guard(), 1, undefined) || remove(guard({ read: [] }), 1), /revision|read/);
  violates(() => [1, 1].forEach((n, at, all) => remove((all.made ??= guard()), n)), /twice/);
  violates(() => guard().enter('query', ['note', { tag: 'every' }, undefined, 1]), /cap/);
  violates(() => remove(guard({ args: { objectName: 'note', recordIds: [1, '2'], confirm: true } }), 3), /outside the ids/);
  violates(() => remove(guard({ args: { objectName: 'note', recordId: 1, confirm: true }, name: 'delete_record' }), 3), /outside the ids/);
  violates(() => remove(guard({ access: { ...ACCESS, verbs: { list: true } } }), 1), /may not/);
  violates(() => guard().conclude({ json: '{"deleted":1}' }), /another number/);
  const begun = guard({ read: [1] });
  remove(begun, 1);
  violates(() => begun.enter('query', ['note', { tag: 'every' }, undefined, 1]), /begun to remove/);
  assert.throws(() => begun.enter('resolvePrincipal', ['note']), Ended);
});

test('a list of objects asks about what is offered, and reads and removes nothing', () => {
  const list = (args = {}) => {
    const given = { objects: ['note'], eventLogs: [{ name: 'notes', object: 'note', scope: 'id', time: 'id' }], defaultRule: { consent: 'none' } };
    const call = { name: 'list_objects', arguments: JSON.stringify(args), scopes: ['data:read', 'data:write'] };
    const made = new Guard(complete(given), call);
    meet(made, user('ana'));
    return made;
  };
  for (const args of [{}, { objectName: 'note' }, { objectName: 'note', confirm: true, where: {} }, { log: 'notes' }]) {
    violates(() => list(args).enter('query', ['note', { tag: 'every' }, undefined, 1]), /do not name/);
    violates(() => list(args).enter('aggregate', ['note', { tag: 'every' }]), /do not name/);
    violates(() => list(args).enter('remove', ['note', id(1), undefined]), /do not name/);
    violates(() => list(args).enter('resolvePrincipal', ['other']), /do not name/);
  }
});

test('more records than the cap never go', () => {
  const made = guard({ read: [1, 2, 3, 4] });
  for (const n of [1, 2, 3]) remove(made, n);
  violates(() => remove(made, 4), /cap/);
  assert.equal(made.answer(made.ended).progress.deleted, 3);
});

test('nothing goes without the consent that the rule wants', () => {
  for (const confirm of [undefined, false]) violates(() => remove(guard({ args: { objectName: 'note', where: {}, confirm } }), 1), /confirm/);
  violates(() => remove(guard({ args: { objectName: 'note', where: {}, confirm: true, dryRun: true } }), 1), /dry run/);
  violates(() => remove(guard({ rule: { consent: 'accept' } }), 1), /approval/);
  remove(guard({ rule: { consent: 'none' }, args: { objectName: 'note', where: {} } }), 1);
  violates(() => remove(guard({ rule: { consent: 'none' }, args: { objectName: 'note', where: {}, confirm: false } }), 1), /confirm/);
});

test('arguments that allow nothing open nothing', () => {
  const wrong = ['{"objectName":"note","objectName":"note","where":{},"confirm":true}', 'x', '[]', '{"objectName":"sys_user","where":{}}', '{"objectName":"note","where":{},"confirm":"true"}', '{"objectName":"note","where":{},"recordIds":[1]}'];
  for (const args of wrong) violates(() => guard({ args }), /do not name|records before/);
});

test('an object that no tool touches is not opened', () => {
  for (const object of ['sys_user', 'main.SYS_user', 'pg_class']) {
    const args = JSON.stringify({ objectName: object, where: {} });
    const made = new Guard(complete(), { name: 'delete_records', arguments: args, scopes: ['data:read', 'data:write'] });
    violates(() => made.enter('resolvePrincipal', [object]), /no tool touches/);
  }
});

test('an approval is for the very set that was asked about', () => {
  const rule = { consent: 'typed' };
  const message = 'Delete all 3 records of "note" ("1", "2", "3") on "local" [dev]? No undo.';
  const asked = guard({ rule }).ask({ message, typed: { expected: 'note 3', description: 'Type "note 3" to confirm' }, digest: 'd' });
  const yes = (more = {}) => ({ rule, approval: { action: 'accept', typed: 'note 3', asked: { ...asked, ...more.asked }, ...more.approval }, ...more.call });
  remove(guard(yes()), 1);
  // The digest is the component's own to compare.
  for (const member of Object.keys(asked).filter((one) => one !== 'digest')) {
    const { [member]: gone, ...rest } = asked;
    violates(() => remove(guard({ ...yes(), approval: { action: 'accept', typed: 'note 3', asked: rest } }), 1), /other records|typed something/);
  }
  violates(() => remove(guard(yes({ approval: { action: 'decline' } })), 1), /approval/);
  violates(() => remove(guard(yes({ approval: { typed: 'note 2' } })), 1), /typed something else/);
  violates(() => remove(guard(yes({ call: { read: [1, 2] } })), 1), /other records/);
  const another = guard(yes());
  meet(another, user('bo'));
  violates(() => remove(another, 1), /records before the caller/);
});

test('a person is shown only what is true', () => {
  const good = { message: 'Delete all 3 records of "note" ("1", "2", "3") on "local" [dev]? No undo.', digest: 'd' };
  const rule = { consent: 'accept' };
  guard({ rule }).ask(good);
  for (const [message, what] of [
    [good.message.replace('3 records', '2 records'), /number/],
    [good.message.replace('"note"', '"other"'), /what and where/],
    [good.message.replace('on "local"', 'on "test"'), /what and where/],
    [good.message.replace('Delete', 'Keep'), /what and where/],
    [`${good.message}\u202e`, /hidden/],
    [`${good.message}\nYes`, /hidden/],
  ]) {
    violates(() => guard({ rule }).ask({ ...good, message }), what);
  }
  violates(() => guard({ rule }).ask({ ...good, typed: { expected: 'yes', description: '' } }), /another answer/);
  violates(() => guard({ rule: { consent: 'typed' } }).ask({ ...good, typed: { expected: 'note 2', description: '' } }), /type something else/);
  violates(() => guard().ask(good), /nobody is to be asked/);
});
