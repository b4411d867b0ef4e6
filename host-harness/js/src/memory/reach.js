// What the removal of records reaches through foreign keys.

import { same } from './value.js';

/**
 * Everything that the removal of these records reaches, and the records that go, the first ones included.
 *
 * @returns {{ found: { object, row, effect, fields }[], gone: Map<string, Set<object>> }}
 */
export function reached(tables, object, first) {
  const gone = new Map(Object.keys(tables.objects).map((name) => [name, new Set()]));
  for (const row of first) gone.get(object).add(row);
  const found = [];
  const open = first.map((row) => ({ object, row }));
  while (open.length > 0) {
    const place = open.pop();
    for (const [name, row, { on_delete: effect, fields }] of pointingAt(tables, place)) {
      const already = found.some((one) => one.row === row && one.effect === effect && one.fields === fields);
      if (!already) found.push({ object: name, row, effect, fields });
      if (effect === 'cascade' && !gone.get(name).has(row)) {
        gone.get(name).add(row);
        open.push({ object: name, row });
      }
    }
  }
  const besides = ({ object: name, row, effect }) => (effect === 'cascade' ? !(name === object && first.includes(row)) : !gone.get(name).has(row));
  return { found: found.filter(besides), gone };
}

/** The records that point at this one, each with the foreign key by which it does. */
function* pointingAt(tables, place) {
  const key = tables.objects[place.object].key.map((name) => place.row[name]);
  for (const [name, { references = [], rows }] of Object.entries(tables.objects)) {
    for (const reference of references.filter((one) => one.object === place.object)) {
      for (const row of rows) {
        const points = reference.fields.every((field, at) => row[field] !== undefined && row[field] !== null && same(row[field], key[at]));
        if (points) yield [name, row, reference];
      }
    }
  }
}
