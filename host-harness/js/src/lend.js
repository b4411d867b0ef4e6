// The four functions as one call lends them to the component: guarded before, checked behind.

import * as check from './check.js';
import { lowered } from './lower.js';

const CHECKS = {
  resolvePrincipal: check.principal,
  query: check.page,
  aggregate: check.totals,
  remove: check.removal,
};

/** The names of the four functions. */
export const FUNCTIONS = Object.keys(CHECKS);

const isPromise = (value) => value !== null && ['object', 'function'].includes(typeof value) && typeof value.then === 'function';

/** What the component catches: jco takes the payload of a thrown error as the error of a WIT result. */
class Failure {
  constructor(payload) {
    this.payload = payload;
  }
}

/**
 * The bridge for one call.
 *
 * @param {object} bridge the host's
 * @param {{ guard, limits, onFault, async: boolean }} call
 */
export function lend(bridge, call) {
  const lent = Object.fromEntries(FUNCTIONS.map((name) => [name, call.async ? later(bridge, name, call) : atOnce(bridge, name, call)]));
  return { ...lent, remove: lowered(lent.remove, call.async) };
}

function atOnce(bridge, name, call) {
  return (...given) => {
    const args = before(name, given, call);
    let answer;
    try {
      answer = bridge[name](...args);
      if (isPromise(answer)) {
        // What it comes to is nobody's any more, and must not end the process.
        answer.then(undefined, (late) => call.onFault(late, { function: name, object: args[0] }));
        throw new check.Misshapen(
          `${name} answered with a promise, and this bridge was taken for a synchronous one. Declare the function async, or say mode: 'async'`,
        );
      }
      answer = CHECKS[name](answer);
    } catch (thrown) {
      throw without(thrown, name, args, call);
    }
    call.guard.learn(name, args, answer);
    return answer;
  };
}

function later(bridge, name, call) {
  return async (...given) => {
    const args = before(name, given, call);
    let answer;
    try {
      answer = CHECKS[name](await bridge[name](...args));
    } catch (thrown) {
      throw without(thrown, name, args, call);
    }
    call.guard.learn(name, args, answer);
    return answer;
  };
}

function before(name, given, { guard, limits }) {
  const args = guard.enter(name, given);
  const stop = limits.stopped();
  if (stop) {
    guard.fail(name, { tag: stop });
    throw new Failure({ tag: stop });
  }
  return args;
}

/** What was thrown, as a failure of the contract: a refusal as it is, anything else as a fault with a safe sentence. */
function without(thrown, name, args, { guard, onFault }) {
  let payload;
  try {
    if (thrown === null || typeof thrown !== 'object' || !('payload' in thrown)) throw thrown;
    payload = check.failure(thrown.payload);
  } catch (cause) {
    onFault(cause, { function: name, object: args[0] });
    payload = { tag: 'faulted', val: `The host's ${name} failed.` };
  }
  guard.fail(name, payload);
  return new Failure(payload);
}
