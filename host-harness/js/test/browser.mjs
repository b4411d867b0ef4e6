// A headless Chromium from the machine's packages, and this package's pages in it.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** A browser that looks up nothing by itself: the tests' machine may have no network. */
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Starts it; fails with what to install where there is none. */
export function launch() {
  const executablePath = process.env.CHROMIUM ?? PLACES.find(existsSync);
  if (!executablePath) throw new Error('there is no Chromium: install it (on Debian the package `chromium`), or name it in CHROMIUM');
  return chromium.launch({ executablePath, args: QUIET });
}
