// Runs the conformance suite's cases on a JavaScript host, in Node.js and in a browser alike.

import { createTools } from '../../src/index.js';
import { read, write } from '../../src/json.js';
import { scalarText, scripted } from './script.js';
import { canonical, expand, layOver, mask, plain, repeated } from './values.js';

/**
 * Every case and filter of the suite, as `{ name, fault? }`.
 *
 * @param {{ cases: [string, string][], fixtures: [string, string][], filters: string, differences: string }} files
 * @param {{ name, mode: 'sync' | 'async' | 'native', start(tables), onFault }} host with `async` a bridge that answers at once
 *   is made to answer later, with `native` it does so itself; `start` gives `{ bridge(caller), apply(change), ids(object) }`
 */
export async function* suite(files, host, wanted = () => true) {
  const fixtures = new Map(files.fixtures.map(([name, text]) => [name, read(text)]));
  const differences = plain(read(files.differences)).filter((one) => one.host === host.name);
  for (const [name, text] of files.cases) {
    if (!wanted(name)) continue;
    const fault = await faultOf(() => check(read(text), fixtures, host));
    const listed = differences.find((one) => one.case === name);
    // A case that the host can't show must not pass there.
    if (listed) yield { name, fault: fault ? undefined : `differences.json says that it can't be shown: ${listed.reason}` };
    else yield { name, fault };
  }
  for (const filter of filterCases(read(files.filters))) {
    if (wanted(filter.name)) yield { name: filter.name, fault: await faultOf(() => checkFilter(filter, fixtures, host)) };
  }
}

async function faultOf(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Difference ? error.message : error.stack;
  }
}

class Difference extends Error {}

function ensure(holds, sentence) {
  if (!holds) throw new Difference(sentence());
}

function same(what, is, wanted) {
  ensure(is === wanted, () => `${what} is ${cut(is)}\n    not ${cut(wanted)}`);
}

/** Makes the calls of a case. */
async function make(body, fixtures, host) {
  const fixture = fixtures.get(body.get('fixture'));
  const tables = layOver(fixture.get('tables') ?? new Map(), body.get('tables'));
  for (const object of tables.get('objects').values()) object.set('rows', (object.get('rows') ?? []).flatMap(repeated));
  const engine = await host.start(plain(tables));
  const settings = settingsOf(layOver(fixture.get('settings') ?? new Map(), body.get('settings')));
  const left = async () => {
    const all = new Map();
    for (const [name, object] of tables.get('objects')) all.set(name, (await engine.ids(name)).map((id) => idJson(object.get('key'), id)));
    return all;
  };
  const caller = plain(body.get('caller') ?? new Map());
  const first = await left();
  const seen = [];
  let digest;
  let asked;
  for (const call of body.get('calls')) {
    for (const change of call.get('changes') ?? []) engine.apply(plain(change));
    const trace = [];
    const lent = scripted(engine.bridge(caller), call.get('bridge') ?? [], (change) => engine.apply(change), trace);
    // Settings that can't be used are a case too: there the component says it.
    const mode = host.mode === 'native' ? 'async' : host.mode;
    const tools = await createTools({ bridge: inMode(lent, host.mode), mode, settings, check: false, onFault: host.onFault });
    const approval = call.get('approval');
    const reply = await tools.callTool({
      name: call.get('tool') ?? 'delete_records',
      arguments: textOf(call, digest),
      scopes: call.get('scopes'),
      approval: approval && { action: approval.get('action'), typed: approval.get('typed'), asked },
    });
    asked = reply.asked ?? asked;
    const one = see(reply, trace);
    digest = one.json?.get?.('preview')?.get('digest') ?? digest;
    seen.push(one);
  }
  return { seen, first, last: await left() };
}

function textOf(call, digest) {
  const given = call.get('arguments');
  if (given === undefined) return expand(call.get('text'));
  const last = given.get('previewDigest') === '$last';
  return write(last ? new Map(given).set('previewDigest', digest) : given);
}

function inMode(bridge, mode) {
  if (mode !== 'async') return bridge;
  const later = ([name, work]) => [
    name,
    async (...args) => {
      await Promise.resolve();
      return work(...args);
    },
  ];
  return Object.fromEntries(Object.entries(bridge).map(later));
}

function see(reply, trace) {
  if (reply.outcome === 'answered') return { ...reply, text: reply.json, json: read(reply.json), trace };
  if (reply.outcome === 'unknown-tool') return { outcome: 'unknown-tool', text: '', json: null, trace };
  const { message, typed } = reply.question;
  const text = write({ message, typed: typed ? { expected: typed.expected, description: typed.description } : null });
  return { outcome: 'asks', text, json: read(text), trace };
}

async function check(body, fixtures, host) {
  const run = await make(body, fixtures, host);
  run.seen.forEach((seen, at) => {
    try {
      judge(seen, body.get('calls')[at]);
    } catch (error) {
      error.message = `call ${at + 1}: ${error.message}`;
      throw error;
    }
  });
  const wanted = body.get('left') ?? new Map();
  for (const [object, ids] of run.last) {
    same(`left of ${object}`, canonical(ids), canonical(wanted.get(object) ?? run.first.get(object)));
  }
}

function judge(seen, call) {
  const expect = call.get('expect');
  const error = (member) => (seen.json instanceof Map ? seen.json.get('error')?.get(member) : undefined);
  same('outcome', seen.outcome, expect.get('outcome'));
  same('failed', seen.failed, expect.get('failed'));
  same('code', error('code'), expect.get('code'));
  same('status', error('status'), expect.get('status'));
  says(seen.json, expect.get('says'), '');
  for (const text of expect.get('mentions') ?? []) ensure(seen.text.includes(text), () => `${text} does not stand in ${cut(seen.text)}`);
  for (const text of expect.get('never') ?? []) ensure(!seen.text.includes(text), () => `${text} stands in ${cut(seen.text)}`);
  if (call.get('trace')) same('the trace', seen.trace.join('\n'), call.get('trace').join('\n'));
  const whole = { answered: 'answer', asks: 'question' }[seen.outcome];
  if (whole) same('the answer', mask(seen.text), write(expect.get(whole)));
}

/** Objects by their members, lists and all else whole; a wanted null means that the member is not there. */
function says(is, wanted, path) {
  if (wanted === undefined) return;
  if (is instanceof Map && wanted instanceof Map) {
    for (const [name, inner] of wanted) says(is.get(name) ?? null, inner, `${path}/${name}`);
  } else {
    same(path, canonical(is), canonical(wanted));
  }
}

function* filterCases(tables) {
  for (const [table, content] of tables) {
    for (const [at, one] of content.get('matches').entries()) {
      yield { name: `filters::${table}::${at}`, table, filter: one.get('where'), ids: one.get('ids').map(String) };
    }
    for (const [at, filter] of (content.get('refused_as_every_record') ?? []).entries()) {
      yield { name: `filters::${table}::refused_${at}`, table, filter };
    }
  }
}

/** A preview shows just those ids, and a confirmed call deletes just those. */
async function checkFilter({ table, filter, ids }, fixtures, host) {
  const call = (more) => new Map([['arguments', new Map([['objectName', table], ['where', filter], ...more])]]);
  const body = new Map([
    ['fixture', 'filters'],
    ['caller', new Map([['actor', 'ana']])],
    ['calls', [call([]), call([['confirm', true]])]],
  ]);
  const { seen, first, last } = await make(body, fixtures, host);
  const [preview, done] = seen;
  const gone = first.get(table).filter((id) => !last.get(table).includes(id));
  const code = (one) => one.json.get('error')?.get('code');
  if (ids === undefined) {
    same('the code', [code(preview), code(done), ...gone].join(), 'INVALID_FILTER,INVALID_FILTER');
    return;
  }
  same('the code', code(preview), 'ACTION_CONFIRMATION_REQUIRED');
  same('the ids shown', preview.json.get('preview').get('sampleRecordIds').join(), ids.join());
  same('the count', String(done.json.get('deleted')), String(ids.length));
  same('what went', gone.join(), ids.join());
}

/** The settings of the suite's files, which have underscores. */
function settingsOf(given) {
  const { target, tools = ['delete_records'], objects, default_rule: defaultRule, rules, event_logs: eventLogs, system_objects: systemObjects, hand_off: handOff } = plain(given);
  const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  // What is not there is as by default outside production, in production too.
  const outside = { consent: 'attest', unfiltered: true };
  return {
    target,
    tools: Object.fromEntries(tools.map((name) => [camel(name), true])),
    objects,
    defaultRule: { ...outside, ...defaultRule },
    rules: rules?.map((rule) => ({ cap: 200, scope: [], ...outside, ...rule })),
    eventLogs,
    systemObjects,
    handOff,
  };
}

function idJson(key, id) {
  if (id.length === 1) return scalarText(id[0]);
  return new Map(id.map((part, at) => [key[at], scalarText(part)]));
}

function cut(text) {
  const shown = String(text);
  return shown.length > 1500 ? `${shown.slice(0, 1500)}… (${shown.length} characters)` : shown;
}
