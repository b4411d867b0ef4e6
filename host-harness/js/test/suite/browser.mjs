// The suite in headless Chromium, synchronous and through JSPI, and what its hosts do with wrong answers.

import { serve } from '../../playground/static.mjs';
import { launch } from '../browser.mjs';
import { files } from './files.js';

const server = await serve({ extra: new Map([['/suite.json', JSON.stringify(files())]]) });
const browser = await launch();
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.log(`the page failed: ${error.stack}`));
  await page.goto(`${server.url}/test/suite/`);
  await page.waitForFunction(() => typeof globalThis.runSuite === 'function');
  for (const [name, mode] of [['js-chromium', 'sync'], ['js-chromium-jspi', 'async']]) {
    const results = await page.evaluate(([host, how]) => globalThis.runSuite(host, how), [name, mode]);
    const faults = results.filter(({ fault }) => fault !== undefined);
    for (const { name: which, fault } of faults) console.log(`${name}::${which}\n  ${fault}`);
    console.log(`${name} on Chromium ${browser.version()}: ${results.length - faults.length} passed, ${faults.length} failed`);
    const shapes = await page.evaluate((how) => globalThis.shapeFaults(how), mode);
    for (const fault of shapes) console.log(`${name}: ${fault}`);
    if (faults.length > 0 || results.length === 0 || shapes.length > 0) process.exitCode = 1;
  }
} finally {
  await browser.close();
  server.close();
}
