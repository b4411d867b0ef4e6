// How a host's function says that it has no answer.

/**
 * Thrown by a function of the bridge that has no answer. `payload` is the WIT variant `failure`; any thrown
 * value with such a payload is taken alike, so nothing has to be imported for it.
 */
export class BridgeFailure extends Error {
  constructor(payload) {
    super(payload.tag === 'refused' ? payload.val.reason : typeof payload.val === 'string' ? payload.val : payload.tag);
    this.name = 'BridgeFailure';
    this.payload = payload;
  }
}

/** A rule says no. `code` is `[A-Z][A-Z0-9_]{0,63}`, `status` 400 to 499, `reason` one line of at most 500 characters. */
export function refused(code, status, reason, { retryable = false } = {}) {
  return new BridgeFailure({ tag: 'refused', val: { code, status, reason, retryable } });
}

/** The engine itself failed: the call stops. The sentence is shown to the caller, so it holds no driver's words. */
export function faulted(sentence) {
  return new BridgeFailure({ tag: 'faulted', val: sentence });
}

/** The caller went away: the call stops. */
export function cancelled() {
  return new BridgeFailure({ tag: 'cancelled' });
}

/** The call's time is over: the call stops. */
export function deadlineExceeded() {
  return new BridgeFailure({ tag: 'deadline-exceeded' });
}

/** This host has no such ability. */
export function unsupported() {
  return new BridgeFailure({ tag: 'unsupported' });
}
