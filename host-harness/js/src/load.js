// The component in this runtime: its modules compiled once, and a fresh instance for each call.

import cores from '../dist/cores.js';

let compiled;
const builds = new Map();

/** This runtime has not what an asynchronous bridge takes. */
export class MissingJspi extends Error {
  constructor() {
    super(
      `This bridge is asynchronous, which takes WebAssembly's JavaScript Promise Integration, and ${runtime()} does not have it. ` +
        'Use Node.js 24 or newer, Chrome 137 or newer, or a bridge whose functions answer at once.',
    );
    this.name = 'MissingJspi';
  }
}

/** Whether this runtime can serve asynchronous bridges. */
export function hasJspi() {
  return typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function';
}

/**
 * Gives what makes an instance over four functions. It loads what it needs once, whoever asks.
 *
 * @param {'sync' | 'async'} mode
 */
export function load(mode) {
  if (mode === 'async' && !hasJspi()) return Promise.reject(new MissingJspi());
  if (!builds.has(mode)) {
    const loading = start(mode);
    builds.set(mode, loading);
    // Whoever comes next tries anew.
    loading.catch(() => builds.delete(mode));
  }
  return builds.get(mode);
}

async function start(mode) {
  compiled ??= compileAll();
  compiled.catch(() => (compiled = undefined));
  const [glue, modules] = await Promise.all([mode === 'async' ? import('../dist/async.js') : import('../dist/sync.js'), compiled]);
  const instantiate = (module, imports) => new WebAssembly.Instance(module, imports);
  return (bridge) => glue.instantiate((file) => modules.get(file), { 'deletegate:records/bridge': bridge }, instantiate);
}

async function compileAll() {
  const compile = async (file) => [file, await compileOne(new URL(`../dist/${file}`, import.meta.url))];
  return new Map(await Promise.all(cores.map(compile)));
}

async function compileOne(url) {
  if (url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} can't be fetched: ${response.status} ${response.statusText}`);
  // Not the streaming kind, which wants a MIME type that many a static server does not send.
  return WebAssembly.compile(await response.arrayBuffer());
}

function runtime() {
  const { versions } = globalThis.process ?? {};
  return versions?.node ? `Node.js ${versions.node}` : 'this browser';
}
