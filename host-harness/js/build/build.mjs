// Makes `dist/` of the component: its core modules, and the glue that jco writes for them, once for
// synchronous bridges and once for asynchronous ones (JSPI).

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transpile } from '@bytecodealliance/jco';
import { transform } from 'esbuild';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const component = process.argv[2] ?? join(here, '../../target/component/delete-records.wasm');
const dist = join(here, 'dist');

const BRIDGE = 'deletegate:records/bridge@0.1.0';
const FUNCTIONS = ['resolve-principal', 'query', 'aggregate', 'remove'];
// `hybrid`: a function that brings its own lowering is used with it (src/lower.js).
const common = { name: 'component', nodejsCompat: false, noTypescript: true, importBindings: 'hybrid' };
const builds = {
  sync: { instantiation: { tag: 'sync' } },
  async: {
    instantiation: { tag: 'async' },
    asyncMode: 'jspi',
    asyncImports: FUNCTIONS.map((name) => `${BRIDGE}#${name}`),
    asyncExports: ['deletegate:records/tools@0.1.0#call-tool'],
  },
};

const bytes = await readFile(component).catch(() => {
  throw new Error(`${component} is not there: cargo xtask component`);
});
await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await cp(component, join(dist, 'delete-records.wasm'));
// npm packs only what lies in the package's folder.
await cp(join(here, '../../LICENSE'), join(here, 'LICENSE'));

const cores = new Map();
for (const [build, options] of Object.entries(builds)) {
  const { files, imports } = await transpile(bytes, { ...common, ...options });
  if (imports.length !== 1 || !BRIDGE.startsWith(imports[0])) {
    throw new Error(`the component imports ${imports.join(', ') || 'nothing'}; it must import ${BRIDGE} alone`);
  }
  for (const [file, content] of Object.entries(files)) {
    if (file.endsWith('.wasm')) {
      // Both builds run the very same modules, which are therefore compiled once.
      const other = cores.get(file);
      if (other && !Buffer.from(other).equals(Buffer.from(content))) throw new Error(`${file} differs between the builds`);
      cores.set(file, content);
    } else if (file.endsWith('.js')) {
      const code = new TextDecoder().decode(content);
      // At run time an import has no version, so another one would fail at the first call, and not here.
      if (!code.includes(`'${BRIDGE}'`)) throw new Error(`the component has another version of the bridge than ${BRIDGE}`);
      await writeFile(join(dist, `${build}.js`), await smaller(code));
    }
  }
}
for (const [file, content] of cores) await writeFile(join(dist, file), content);
await writeFile(join(dist, 'cores.js'), `export default ${JSON.stringify([...cores.keys()].sort())};\n`);

/**
 * Leaves out what a release has no use for: the debugging calls, which look up an environment variable each,
 * and the test for JSPI, which throws and catches an error of milliseconds for each instance on Node.js 20.
 */
async function smaller(code) {
  for (const part of ['_debugLog', 'WebAssembly.promising']) {
    if (!code.includes(part)) throw new Error(`jco's glue has no ${part} any more: look at what it is made of now`);
  }
  const { code: small } = await transform(code, {
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    pure: ['_debugLog'],
    define: { 'WebAssembly.promising': 'promising$' },
    banner: 'const promising$=WebAssembly.promising??(f=>f);',
  });
  return small;
}
