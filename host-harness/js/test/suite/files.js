// The suite's files, from the repository.

import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../tests/', import.meta.url));

const text = (...parts) => readFileSync(join(root, ...parts), 'utf8');

/** Every case, fixture and table, by its name, as text. */
export function files() {
  const cases = readdirSync(join(root, 'cases')).sort().flatMap((section) =>
    readdirSync(join(root, 'cases', section)).sort().map((file) => [`${section}::${basename(file, '.json')}`, text('cases', section, file)]),
  );
  const fixtures = readdirSync(join(root, 'fixtures')).map((file) => [basename(file, '.json'), text('fixtures', file)]);
  return { cases, fixtures, filters: text('filter-tables.json'), differences: text('differences.json') };
}
