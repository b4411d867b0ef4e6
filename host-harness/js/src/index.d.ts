import type { Bridge, Failure, FilterTerm } from './contract.js';

export type * from './contract.js';

/** How sure the tools must be that a person wants it (contract 7). */
export type Consent = 'none' | 'attest' | 'accept' | 'typed';

/** What holds for one object. */
export interface ObjectRule {
  object: string;
  /** `attest` outside production, `typed` in production. */
  consent?: Consent | undefined;
  /** Most records that one call removes, 1 to 1000; 200. */
  cap?: number | undefined;
  /** Fields that a filter must pin to a value. */
  scope?: string[] | undefined;
  /** Whether `where: {}` may select every record; outside production only. */
  unfiltered?: boolean | undefined;
}

/** An append-only log that is pruned by scope and time. Each member but `object` names a field. */
export interface EventLog {
  /** The name that calls use; the object's where there is none. */
  name?: string | undefined;
  object: string;
  scope: string;
  time: string;
  kind?: string | undefined;
  subject?: string | undefined;
  tags?: string | undefined;
}

/** What the host's owner decided. What is absent is as said at the member. */
export interface Settings {
  /** Where the records are, as a person would name it; `local`, `dev`, not production. */
  target?: { name?: string; environment?: string; production?: boolean };
  /** Which tools are on; all of them, `deleteEvents` where there is an event log. */
  tools?: { deleteRecords?: boolean; deleteRecord?: boolean; deleteEvents?: boolean; listObjects?: boolean };
  /** The objects that `list_objects` may offer. */
  objects?: string[] | undefined;
  /** For every object that no rule names. */
  defaultRule?: Omit<ObjectRule, 'object'> | undefined;
  rules?: ObjectRule[] | undefined;
  eventLogs?: EventLog[] | undefined;
  /** Patterns (`*` at an end) of objects that no tool touches; `sys_*`, `sqlite_*`, `pg_*`, `information_schema.*`. */
  systemObjects?: string[] | undefined;
  /** The start of a command that a person can run where a person can't be asked. */
  handOff?: string | undefined;
}

export type Scope = 'data:read' | 'data:write';

/** A tool, as MCP lists it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** JSON Schema 2020-12. */
  inputSchema: { type: 'object'; [member: string]: unknown };
  /** Of an answer that is not failed. */
  outputSchema: { type: 'object'; [member: string]: unknown };
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

/** What a person answered to a question. */
export interface Answer {
  /** `unavailable`: the person can't be asked here; `failed`: asking went wrong. */
  action: 'accept' | 'decline' | 'cancel' | 'unavailable' | 'failed';
  /** What the person typed. */
  typed?: string | null | undefined;
}

/**
 * The host's own record of a question: plain data, which the approval brings back. It is worth an approval: whoever
 * can write one can approve anything that this caller may delete, so seal it where it leaves your process.
 */
export interface Asked {
  name: string;
  arguments: string;
  scopes: Scope[];
  object: string;
  caller: string;
  target: { name: string; environment: string; production: boolean };
  rows: [id: string, revision: string | null][];
  /** What the person must type, where they must. */
  expected?: string | undefined;
  digest: string;
}

export interface Call<Context = void> {
  /** The tool. */
  name: string;
  /**
   * The arguments: best their own text, which is checked as it was sent. Of parsed values, an integer beyond
   * ±(2^53 − 1) that came as a number is refused (contract 2).
   */
  arguments?: string | { [name: string]: unknown };
  /** What the caller's credentials allow; both scopes. */
  scopes?: Scope[] | undefined;
  /** The answer to the question that an earlier, equal call asked. */
  approval?: Answer & { asked: Asked };
  /** Stops the call at the next function of the bridge. */
  signal?: AbortSignal | undefined;
  /** Handed on to `bridge`, where that is a function. */
  context?: Context | undefined;
}

/** What a call comes to. */
export type Reply =
  /** It is over: `json` is the whole answer, `answer` the same parsed, `failed` is MCP's `isError`. */
  | { outcome: 'answered'; failed: boolean; json: string; answer: { [member: string]: any } }
  /** A person must be asked; nothing was deleted. Nothing is held while they think: `resume` makes the call anew. */
  | { outcome: 'asks'; question: { message: string; typed?: { expected: string; description: string } }; asked: Asked }
  /** No such tool, or it is off: the protocol's own error. */
  | { outcome: 'unknown-tool' };

export interface Tools<Context = void> {
  /** The tools that this caller may call, in a stable order. */
  listTools(options?: { scopes?: Scope[] }): Promise<Tool[]>;
  /** Runs one call in an instance of its own. Whatever goes wrong with it is an answer. */
  callTool(call: Call<Context>): Promise<Reply>;
  /** Makes the call again with a person's answer to its question. */
  resume(asked: Asked, answer: Answer & { signal?: AbortSignal; context?: Context }): Promise<Reply>;
}

export interface Options<Context = void> {
  /** The four functions for one caller, or what gives them for the context of a call. */
  bridge: Bridge | ((context: Context) => Bridge | Promise<Bridge>);
  settings?: Settings | undefined;
  /** By default `async` where one of the four is an async function, else `sync`. */
  mode?: 'sync' | 'async' | undefined;
  /** Whether settings that can't be used are refused here, rather than in every answer; true. */
  check?: boolean | undefined;
  /** Milliseconds for one call, looked at between two functions of the bridge; 50000. */
  callTime?: number | undefined;
  /** Told why a function failed, for your log; the caller reads a fixed sentence. It prints to stderr. */
  onFault?: (cause: unknown, where: { function: string; object: string | undefined }) => void;
}

/**
 * Guarded delete tools over your own engine.
 *
 * @throws {TypeError} for a bridge or settings that can't be used; the message says everything that is wrong
 * @throws {MissingJspi} for an asynchronous bridge where the runtime can't serve one
 */
export function createTools<Context = void>(options: Options<Context>): Promise<Tools<Context>>;

/** Thrown by a function of the bridge that has no answer. Any thrown value with such a `payload` is taken alike. */
export class BridgeFailure extends Error {
  constructor(payload: Failure);
  readonly payload: Failure;
}

/** A rule says no: `throw refused('RECORD_LOCKED', 409, 'The period is closed.')`. */
export function refused(code: string, status: number, reason: string, options?: { retryable?: boolean }): BridgeFailure;
/** The engine itself failed: the call stops. The caller reads the sentence. */
export function faulted(sentence: string): BridgeFailure;
/** The caller went away: the call stops. */
export function cancelled(): BridgeFailure;
/** The call's time is over: the call stops. */
export function deadlineExceeded(): BridgeFailure;
/** This host has no such ability. */
export function unsupported(): BridgeFailure;

/** This runtime has not what an asynchronous bridge takes. */
export class MissingJspi extends Error {}

/** Whether this runtime can serve asynchronous bridges. */
export function hasJspi(): boolean;

/** A filter of the bridge back in the `$` grammar of the tools' `where`. */
export function toWhere(filter: FilterTerm[]): { [member: string]: unknown };

export { toSql } from './sql/index.js';
export type { SqlField } from './sql/index.js';
