// The tools: what a host offers to an agent, over its own four functions.

import { Unusable, textOf } from './arguments.js';
import { Ended, Guard } from './guard/index.js';
import { FUNCTIONS, lend } from './lend.js';
import { load } from './load.js';
import { complete } from './settings.js';

const SCOPES = ['data:read', 'data:write'];
const ACTIONS = ['accept', 'decline', 'cancel', 'unavailable', 'failed'];
/** A whole call, bridge included: MCP clients commonly give up after a minute. */
const CALL_TIME = 50_000;
const AsyncFunction = (async () => {}).constructor;

/**
 * Tools over a bridge; see `index.d.ts` for what each member means.
 *
 * @throws {TypeError} for a bridge or settings that can't be used; the message says everything that is wrong
 * @throws {MissingJspi} for an asynchronous bridge in a runtime that can't serve one
 */
export async function createTools({ bridge, settings, mode, check = true, callTime = CALL_TIME, onFault = report }) {
  const decided = complete(settings);
  const context = typeof bridge === 'function' ? bridge : () => bridge;
  if (typeof bridge !== 'function') await load(modeOf(bridge, mode));
  const make = await load('sync');
  const plain = () => make(lend({}, { guard: closed, limits: endless, onFault, async: false })).tools;
  const faults = check ? plain().checkSettings(decided) : [];
  if (faults.length > 0) throw new TypeError(`These settings can't be used. ${faults.join(' ')}`);

  async function callTool({ name, arguments: given, scopes = SCOPES, approval, signal, context: caller } = {}) {
    if (approval && !ACTIONS.includes(approval.action)) {
      throw new TypeError(`approval.action is ${JSON.stringify(approval.action)}; it must be ${ACTIONS.join(', ')}`);
    }
    let text;
    try {
      text = textOf(given);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      return answered({ failed: true, json: JSON.stringify({ error: { code: 'VALIDATION_FAILED', status: 400, message: error.message } }) });
    }
    const own = await context(caller);
    const how = modeOf(own, mode);
    const instantiate = await load(how);
    const call = { name, arguments: text, scopes: [...scopes], approval };
    const guard = new Guard(decided, call);
    const limits = limitsOf(callTime, signal);
    try {
      const instance = await instantiate(lend(own, { guard, limits, onFault, async: how === 'async' }));
      const outcome = await instance.tools.callTool(decided, asGuestTakesIt(call));
      // The glue lets go of an instance when the event loop turns; a bridge that only ever waits for
      // microtasks would keep them all.
      if (how === 'async') await turn();
      if (guard.ended) throw guard.ended;
      return conclude(outcome, guard);
    } catch (error) {
      if (!(error instanceof Ended)) onFault(error, { function: 'callTool', object: undefined });
      const ended = error instanceof Ended ? error : new Ended('GUEST_FAILED', 500, 'The component failed, and the call was ended.');
      return answered({ failed: true, json: JSON.stringify(guard.answer(ended)) });
    }
  }

  return {
    async listTools({ scopes = SCOPES } = {}) {
      return plain().listTools(decided, scopesOf(scopes)).map(asMcp);
    },
    callTool,
    async resume(asked, { action, typed, signal, context: caller } = {}) {
      const { name, arguments: given, scopes } = asked;
      return callTool({ name, arguments: given, scopes, approval: { action, typed, asked }, signal, context: caller });
    },
  };
}

function conclude({ tag, val }, guard) {
  if (tag === 'answered') return answered(val, guard.conclude(val));
  if (tag === 'unknown-tool') return { outcome: 'unknown-tool' };
  const { message, typed } = val;
  return { outcome: 'asks', question: typed ? { message, typed } : { message }, asked: guard.ask(val) };
}

function answered({ failed, json }, answer = JSON.parse(json)) {
  return { outcome: 'answered', failed, json, answer };
}

function modeOf(bridge, mode) {
  const missing = FUNCTIONS.filter((name) => typeof bridge?.[name] !== 'function');
  if (missing.length > 0) throw new TypeError(`The bridge has no function ${missing.join(', ')}; it needs ${FUNCTIONS.join(', ')}.`);
  if (mode !== undefined && mode !== 'sync' && mode !== 'async') {
    throw new TypeError(`mode is ${JSON.stringify(mode)}; it must be 'sync' or 'async', or absent`);
  }
  return mode ?? (FUNCTIONS.some((name) => bridge[name] instanceof AsyncFunction) ? 'async' : 'sync');
}

function asGuestTakesIt({ name, arguments: text, scopes, approval }) {
  const back = approval && { action: approval.action, typed: approval.typed ?? undefined, digest: approval.asked.digest };
  return { tool: String(name).toWellFormed(), arguments: text, scopes: scopesOf(scopes), approval: back };
}

function scopesOf(scopes) {
  const odd = scopes.find((scope) => !SCOPES.includes(scope));
  if (odd !== undefined) throw new TypeError(`no scope is called ${JSON.stringify(odd)}; there are ${SCOPES.join(' and ')}`);
  return { dataRead: scopes.includes('data:read'), dataWrite: scopes.includes('data:write') };
}

function asMcp({ name, title, description, inputSchema, outputSchema, destructive, idempotent }) {
  return {
    name,
    title,
    description,
    inputSchema: JSON.parse(inputSchema),
    outputSchema: JSON.parse(outputSchema),
    annotations: { title, readOnlyHint: !destructive, destructiveHint: destructive, idempotentHint: idempotent, openWorldHint: false },
  };
}

/** What stops a call between two functions of the bridge, as the failure that it then has. */
function limitsOf(callTime, signal) {
  const end = performance.now() + callTime;
  return { stopped: () => (signal?.aborted ? 'cancelled' : performance.now() >= end ? 'deadline-exceeded' : undefined) };
}

const endless = { stopped: () => undefined };

/** For exports that have no use for the bridge. */
const closed = {
  enter() {
    throw new Ended('GUEST_VIOLATION', 500, 'The component tried to use the bridge outside a call.');
  },
};

function turn() {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** The cause of a fault is for the host's log: the caller is told a fixed sentence. */
function report(cause, { function: name }) {
  console.error(`deletegate: ${name} failed:`, cause);
}
