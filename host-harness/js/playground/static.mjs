// Files of this package over HTTP on loopback, and nothing else: for the playground and the browser's tests.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const OPEN = ['/src/', '/dist/', '/playground/', '/test/suite/'];
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/**
 * Serves the package; `extra` is a map of paths to texts that are served besides.
 *
 * @returns {Promise<{ url: string, close(): void }>}
 */
export function serve({ port = 0, extra = new Map() } = {}) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    if (path === '/') return void response.writeHead(302, { location: '/playground/' }).end();
    if (extra.has(path)) return void response.writeHead(200, { 'content-type': 'application/json' }).end(extra.get(path));
    const file = join(root, path.endsWith('/') ? `${path}index.html` : path);
    const type = TYPES[extname(file)];
    const there = OPEN.some((open) => path.startsWith(open)) && type && (await stat(file).catch(() => undefined))?.isFile();
    if (!there) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port: chosen } = server.address();
      resolve({
        url: `http://127.0.0.1:${chosen}`,
        close() {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}
