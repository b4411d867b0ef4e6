// The guard: what the host enforces by itself, between the component and the bridge (contract 11).
//
// The component is policy, and nothing here relies on it. The guard reads the arguments itself, keeps its own
// account of what was read and removed, and ends the call at the first thing that this call does not allow.

import { identifyId, showId } from '../scalar.js';
import { isSystemObject, ruleOf } from '../settings.js';
import { intentOf, listedIds } from './intent.js';
import { expectedFor, faultOf } from './question.js';

/** Bridge functions above those that a call needs at most: two principals and two aggregates. */
const SPARE_CALLS = 8;

/** Why the host ended a call. */
export class Ended extends Error {
  constructor(code, status, message) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export class Guard {
  #settings;
  #call;
  #intent;
  #rule;
  #caller;
  #access;
  #key = [];
  #rows = new Map();
  #tried = new Set();
  #listed;
  #spent = 0;
  #counts = { deleted: 0, refused: 0, other: 0 };
  #unsure;
  /** Why the call ended, where the guard ended it. */
  ended;

  /** A guard for one call: `{ name, arguments, scopes, approval }`. */
  constructor(settings, call) {
    this.#settings = settings;
    this.#call = call;
    this.#intent = intentOf(settings, call);
    this.#rule = ruleOf(settings, this.#intent?.object);
  }

  /** What each function passes before the host is asked; throws where this call does not allow it. */
  enter(name, [object, ...rest]) {
    if (this.ended) throw this.ended;
    this.#spent += 1;
    const each = this.#intent?.object === undefined ? this.#settings.objects.length : 2 * this.#rule.cap;
    if (this.#spent > 4 + each + SPARE_CALLS) this.#end('GUEST_LIMIT', 503, 'needed more bridge calls than it is given');
    if (!this.#allows(name, object)) this.#violation('turned to an object that the arguments do not name or no tool touches');
    if (name === 'resolvePrincipal') return [object, ...rest];
    if (!this.#caller || this.#caller === 'anonymous' || !this.#access) {
      this.#violation('turned to records before the caller was known and let in');
    }
    if (name === 'remove') this.#mayRemove(...rest);
    if (name !== 'query') return [object, ...rest];
    if (this.#tried.size > 0) this.#violation('went on reading after it had begun to remove');
    // What is read may go, so no more is read than may go.
    const left = this.#rule.cap - this.#rows.size;
    if (left <= 0) this.#violation("tried to read more records than the rule's cap");
    const [selection, after, limit] = rest;
    return [object, selection, after, Math.min(limit, left)];
  }

  /** What the host answered. */
  learn(name, [object, id], answer) {
    if (name === 'resolvePrincipal') this.#meet(object, answer);
    if (name === 'query') for (const row of answer.rows) this.#read(row);
    if (name === 'remove') this.#count(answer.tag.startsWith('removed') ? 'deleted' : 'other');
    return id;
  }

  /** The host had no answer. */
  fail(name, failure) {
    if (name === 'remove' && (failure.tag === 'refused' || failure.tag === 'unsupported')) this.#count('refused');
  }

  /** Checks an answer that the component gives. */
  conclude(answer) {
    const told = JSON.parse(answer.json);
    const deleted = Math.max(told.deleted ?? 0, told.progress?.deleted ?? 0, told.status === 'okay' ? 1 : 0);
    if (deleted !== this.#counts.deleted) this.#violation('told another number of deleted records than it deleted');
    return told;
  }

  /** The host's own record of the question, after checking that it is true. */
  ask(question) {
    const { consent } = this.#rule;
    const { object, confirm, dryRun } = this.#intent ?? {};
    const asks = (consent === 'accept' || consent === 'typed') && confirm === true && !dryRun;
    if (!asks || this.#rows.size === 0 || this.#tried.size > 0) this.#violation('asked a person where nobody is to be asked');
    const asked = this.#about(question.digest, question.typed?.expected);
    const facts = { object, target: this.#settings.target, count: this.#rows.size, typed: consent === 'typed' };
    const fault = faultOf(question, facts);
    if (fault) this.#violation(fault);
    if (asked.expected !== question.typed?.expected) this.#violation('asked a person to type something else than the object and the count');
    return asked;
  }

  /** The answer to a call that the host ended: the error, and what was deleted before. */
  answer(error) {
    const { deleted, refused } = this.#counts;
    const before = deleted === 0 ? 'Nothing was deleted.' : `${deleted} ${deleted === 1 ? 'record was' : 'records were'} deleted before.`;
    const details = this.#unsure && { failedRecordId: showId(this.#key, this.#unsure) };
    return {
      error: { code: error.code, status: error.status, message: `${error.message} ${before}`, ...(details && { details }) },
      progress: {
        object: this.#intent?.object ?? '',
        attempted: this.#tried.size,
        deleted,
        refused,
        notAttempted: this.#rows.size - this.#tried.size,
        cap: this.#rule.cap,
        target: this.#settings.target,
      },
    };
  }

  #allows(name, object) {
    if (this.#intent === undefined) return false;
    if (this.#intent.object !== undefined) return this.#intent.object === object;
    // A call that names no object may ask what the caller may do with those that are offered, and no more.
    const offered = this.#settings.objects.includes(object) && !isSystemObject(this.#settings, object);
    return name === 'resolvePrincipal' && offered;
  }

  #meet(object, { identity, access }) {
    const caller = identity.tag === 'user' ? `user ${identity.val.id}` : identity.tag;
    this.#access = access?.object === object ? access : undefined;
    if (this.#access) this.#key = this.#access.key;
    // Whoever is another than before can do nothing more.
    this.#caller = this.#caller === undefined || this.#caller === caller ? caller : 'anonymous';
  }

  #read(row) {
    const id = identifyId(row.id);
    // A record that comes twice keeps its first place and its first revision.
    if (!this.#rows.has(id)) this.#rows.set(id, row.revision);
  }

  #mayRemove(id, revision) {
    const key = identifyId(id);
    const wrong =
      (!this.#access.verbs.remove && 'tried to remove for a caller who may not') ||
      (!this.#rows.has(key) && 'tried to remove a record that this call had not read') ||
      (this.#tried.has(key) && 'tried to remove a record twice') ||
      (this.#tried.size >= this.#rule.cap && "tried to remove more records than the rule's cap") ||
      (this.#rows.get(key) !== revision && 'tried to remove a record in another revision than it had read') ||
      (!this.#names(key) && 'tried to remove a record outside the ids in the arguments') ||
      // The records can't change any more once one is gone, so the whole set is judged once.
      (this.#tried.size === 0 && this.#lacksConsent());
    if (wrong) this.#violation(wrong);
    this.#tried.add(key);
    this.#unsure = id;
  }

  #names(key) {
    if (this.#intent.listed === undefined) return true;
    this.#listed ??= listedIds(this.#intent.listed, this.#key);
    return this.#listed.has(key);
  }

  #lacksConsent() {
    const { confirm, dryRun } = this.#intent;
    const { consent } = this.#rule;
    if (dryRun) return 'tried to remove in a dry run';
    if (consent === 'none' && confirm !== false) return undefined;
    if (confirm !== true) return 'tried to remove without confirm: true';
    if (consent === 'none' || consent === 'attest') return undefined;
    const approval = this.#call.approval;
    if (approval?.action !== 'accept') return "tried to remove without a person's approval";
    const { asked } = approval;
    const now = this.#about(asked.digest, asked.expected);
    const same = Object.keys(now).every((member) => JSON.stringify(now[member]) === JSON.stringify(asked[member]));
    if (!same) return 'tried to remove other records than a person approved';
    const mistyped = consent === 'typed' && approval.typed !== asked.expected;
    return mistyped ? 'tried to remove although a person typed something else' : undefined;
  }

  /** Who asks to delete what: compared at the approval, member by member. */
  #about(digest, expected) {
    const { object } = this.#intent;
    const typed = this.#rule.consent === 'typed';
    return {
      name: this.#call.name,
      arguments: this.#call.arguments,
      scopes: this.#call.scopes,
      object,
      caller: this.#caller,
      target: this.#settings.target,
      rows: [...this.#rows].map(([id, revision]) => [id, revision ?? null]),
      // For one record, or a log, what is typed is the record's id or the log's scope: as the component says.
      expected: typed ? (this.#call.name === 'delete_records' ? expectedFor(object, this.#rows.size) : expected) : undefined,
      digest,
    };
  }

  #count(kind) {
    this.#counts[kind] += 1;
    this.#unsure = undefined;
  }

  #violation(what) {
    this.#end('GUEST_VIOLATION', 500, `${what}. That is not allowed here`);
  }

  #end(code, status, what) {
    this.ended ??= new Ended(code, status, `The component ${what}, and the call was ended.`);
    throw this.ended;
  }
}
