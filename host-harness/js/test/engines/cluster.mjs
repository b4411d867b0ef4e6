// A throw-away PostgreSQL cluster of the machine's own binaries, on a Unix socket, as an unprivileged user.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

const ROOT = '/usr/lib/postgresql';
const TRIES = 200;

/** Starts a cluster: `{ connect(options), stop() }`. Fails with what to install where there is none. */
export async function cluster() {
  const [version] = existsSync(ROOT) ? readdirSync(ROOT).sort((a, b) => b - a) : [];
  if (!version) throw new Error('there is no PostgreSQL: install it (on Debian the package `postgresql`)');
  const bin = (name) => join(ROOT, version, 'bin', name);
  const folder = mkdtempSync(join(tmpdir(), 'deletegate-js-'));
  // The server refuses to run as root.
  const root = process.getuid() === 0;
  const as = (command, args) => (root ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, args]);
  if (root) execFileSync('chown', ['postgres', folder]);
  const data = join(folder, 'data');
  execFileSync(...as(bin('initdb'), ['-D', data, '-U', 'owner', '-A', 'trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']), { stdio: 'pipe' });
  const server = spawn(...as(bin('postgres'), ['-D', data, '-k', folder, '-h', '', '-F']), { stdio: 'ignore' });
  const options = (more) => ({ host: folder, user: 'owner', database: 'postgres', ...more });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const stop = async () => {
    // Through runuser a signal does not reach the server.
    execFileSync(...as(bin('pg_ctl'), ['-D', data, 'stop', '-m', 'immediate']), { stdio: 'ignore' });
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client(options());
    try {
      await client.connect();
      await client.end();
      return { pool: (more) => new pg.Pool(options(more)), stop };
    } catch (error) {
      if (tries === TRIES) {
        await stop();
        throw error;
      }
      await wait(50);
    }
  }
}
