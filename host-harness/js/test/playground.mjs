// The playground in headless Chromium, at the width of a desk and of a phone: an agent's call, a person's answer,
// grouped refusals, each call of the bridge, and not one request to anywhere else. `node test/playground.mjs [FOLDER]`
// leaves screenshots there.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { serve } from '../playground/static.mjs';
import { launch } from './browser.mjs';

const [folder] = process.argv.slice(2);
const SCREENS = { desk: { viewport: { width: 1360, height: 900 } }, phone: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } };
const server = await serve();
const browser = await launch();
let passed = 0;
try {
  for (const [screen, options] of Object.entries(SCREENS)) {
    const page = await browser.newPage(options);
    const [faults, elsewhere] = [[], []];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('request', (request) => request.url().startsWith(server.url) || request.url().startsWith('data:') || elsewhere.push(request.url()));
    const shot = (name) => folder && page.screenshot({ path: join(folder, `${screen}-${name}.png`), fullPage: true });
    const calls = () => page.locator('#trace li b').allTextContents();
    const outcome = () => page.locator('#outcome').innerText();
    await page.goto(`${server.url}/playground/`);
    await page.uncheck('#slow');
    await page.click('#preview');
    await page.waitForSelector('#outcome h3');
    assert.match(await outcome(), /5 records match[\s\S]*3 notes would go too/);
    assert.deepEqual(await calls(), ['resolvePrincipal', 'query', 'aggregate']);
    await shot('preview');

    await page.click('#delete');
    await page.fill('#typed', 'task 4');
    await page.click('.question button[type=submit]');
    await page.waitForFunction(() => document.querySelector('#outcome').innerText.includes('APPROVAL_MISMATCH'));
    assert.equal((await calls()).includes('remove'), false);
    await page.click('#delete');
    await page.fill('#typed', 'task 5');
    await shot('question');
    await page.click('.question button[type=submit]');
    await page.waitForSelector('#outcome h3.good');
    assert.match(await outcome(), /Deleted 2 records[\s\S]*RECORD_LOCKED[\s\S]*T-102, T-103[\s\S]*PERMISSION_DENIED[\s\S]*T-106/);
    assert.equal((await calls()).filter((name) => name === 'remove').length, 5);
    assert.deepEqual(await page.locator('tr.gone td:first-child').allTextContents(), ['T-101', 'T-104']);
    await shot('answer');

    await page.click('text=a key twice');
    await page.waitForFunction(() => document.querySelector('#outcome').innerText.includes('VALIDATION_FAILED'));
    await page.check('input[value=bo]', { force: true });
    await page.click('text=what is done');
    await page.waitForFunction(() => /2 records match/.test(document.querySelector('#outcome').innerText));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, 'the page is wider than its screen');
    const nameless = await page.evaluate(() => [...document.querySelectorAll('input, textarea, select, button')].filter((one) => !one.labels?.length && !one.ariaLabel && !one.textContent.trim()).map((one) => one.outerHTML));
    assert.deepEqual(nameless, []);
    assert.deepEqual([faults, elsewhere], [[], []]);
    passed += 1;
    await page.close();
  }
} finally {
  await browser.close();
  server.close();
}
console.log(`the playground: ${passed} passed, ${Object.keys(SCREENS).length - passed} failed`);
